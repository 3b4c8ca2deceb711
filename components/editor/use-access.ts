'use client'
// What the reader may do here, and why not.
import { useQuery } from '@tanstack/react-query'
import type { Workbench } from '@/server/services/drafts.ts'
import { useTRPC } from '../trpc-provider.tsx'

export function useAccess({ archivedAt }: Workbench) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.members.me.queryOptions())
  const role = data?.role ?? 'viewer'
  if (archivedAt !== null) {
    return { role, readOnly: true, why: 'This config is archived and can only be read.' }
  }
  if (data?.role === 'viewer') {
    const why =
      'Your role viewer does not include draft.edit. Editors, publishers and admins have it.'
    return { role, readOnly: true, why }
  }
  return { role, readOnly: role === 'viewer', why: null }
}
