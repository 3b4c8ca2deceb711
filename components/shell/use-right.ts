// This is a preview: the server decides.
'use client'

import { useMe } from './account.ts'

export interface Right {
  readonly isAllowed: boolean
  /** Null: allowed, or not loaded. */
  readonly reason: string | null
}

export function useRight(role: 'editor' | 'publisher' | 'admin'): Right {
  const reason = useMe()?.refusals[role]
  return { isAllowed: reason === null, reason: reason ?? null }
}
