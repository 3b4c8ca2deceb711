'use client'

import { useRight } from '@/components/shell/use-right.ts'
import type { Workbench } from '@/server/configs/drafts.ts'

export function useAccess({ archivedAt }: Workbench) {
  const { isAllowed, reason } = useRight('editor')
  return archivedAt === null
    ? { readOnly: !isAllowed, why: reason }
    : { readOnly: true, why: 'This config is archived and can only be read.' }
}
