'use client'
// What the reader may do with configs as a whole, and why not. Releases ask by environment (settings/release-right.ts).
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc-provider.tsx'

export interface ConfigRights {
  readonly mayEdit: boolean
  readonly mayArchive: boolean
  /** Undefined while they may, and while it is not known yet. */
  readonly editRefusal: string | undefined
  readonly archiveRefusal: string | undefined
}

export function useConfigRights(): ConfigRights {
  const trpc = useTRPC()
  const { data } = useQuery({ ...trpc.members.me.queryOptions(), staleTime: 60_000 })
  const role = data?.role ?? 'viewer'
  const mayEdit = role !== 'viewer'
  const mayArchive = role === 'publisher' || role === 'admin'
  const refusal = (may: boolean, permission: string, holders: string) =>
    may || data === undefined
      ? undefined
      : `Your role ${role} does not include ${permission}. ${holders} have it.`
  return {
    mayEdit,
    mayArchive,
    editRefusal: refusal(mayEdit, 'draft.edit', 'Editors, publishers and admins'),
    archiveRefusal: refusal(mayArchive, 'release.publish', 'Publishers and admins'),
  }
}
