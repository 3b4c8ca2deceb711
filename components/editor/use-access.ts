'use client'
// Whether the reader may change the draft, and why not.
import type { Workbench } from '@/server/services/drafts.ts'
import { EDITORS, useRight } from '../shell/use-right.ts'

export function useAccess({ archivedAt }: Workbench) {
  const { isAllowed, reason } = useRight({ roles: EDITORS, does: 'draft.edit' })
  return archivedAt === null
    ? { readOnly: !isAllowed, why: reason }
    : { readOnly: true, why: 'This config is archived and can only be read.' }
}
