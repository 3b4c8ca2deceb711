// This is a preview: the server decides.
'use client'

import { useMe } from './account.ts'

export interface Right {
  readonly isAllowed: boolean
  /** Null: allowed, or not loaded. */
  readonly reason: string | null
}

/** `does`: the action, which completes "Your role viewer does not include". */
export function useRight({
  roles,
  does,
}: {
  readonly roles: readonly string[]
  readonly does: string
}): Right {
  const me = useMe()
  if (me === undefined) return { isAllowed: false, reason: null }
  if (roles.includes(me.role)) return { isAllowed: true, reason: null }
  const reason = `Your role ${me.role} does not include ${does}. ${holders(roles)} have it.`
  return { isAllowed: false, reason }
}

function holders(roles: readonly string[]): string {
  const named = new Intl.ListFormat('en-GB').format(roles.map((role) => `${role}s`))
  return `${named.charAt(0).toUpperCase()}${named.slice(1)}`
}

export const EDITORS = ['editor', 'publisher', 'admin'] as const
export const PUBLISHERS = ['publisher', 'admin'] as const
