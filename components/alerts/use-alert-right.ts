'use client'

import { EDITORS, type Right, useRight } from '@/components/shell/use-right.ts'

const NEEDS = {
  acknowledge: { roles: EDITORS, does: 'acknowledging or muting alerts' },
  manage: { roles: ['admin'], does: 'alert rules' },
} as const satisfies Record<string, { readonly roles: readonly string[]; readonly does: string }>

export function useAlertRight(act: keyof typeof NEEDS): Right {
  return useRight(NEEDS[act])
}
