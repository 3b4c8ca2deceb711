'use client'
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import type { ChangeClass } from '@/server/backtests/backtest-list.sql.ts'

const CLASSES = [
  'would_deny',
  'would_allow',
  'would_block',
  'would_release',
  'otherwise',
] as const satisfies readonly ChangeClass[]

const PARSERS = {
  by: parseAsStringLiteral(['changes', 'sessions', 'cases']).withDefault('changes'),
  class: parseAsStringLiteral(CLASSES),
  rule: parseAsString,
  in: parseAsString,
  change: parseAsString,
}

export interface ChangeView {
  readonly by: 'changes' | 'sessions' | 'cases'
  readonly class: ChangeClass | null
  readonly rule: string | null
  /** Id of the session that the list is restricted to; null: all. */
  readonly session: string | null
  /** Key of the selected change; null: none. */
  readonly change: string | null
  readonly setBy: (by: ChangeView['by']) => void
  readonly setClass: (name: ChangeClass | null) => void
  readonly setGroup: (
    group: { readonly rule: string | null; readonly class: ChangeClass } | null,
  ) => void
  readonly setSession: (id: string | null) => void
  readonly select: (change: string | null) => void
}

export function useChangeView(): ChangeView {
  const [state, set] = useQueryStates(PARSERS)
  return {
    by: state.by,
    class: state.class,
    rule: state.rule,
    session: state.in,
    change: state.change,
    setBy: (by) => void set({ by, change: null }),
    setClass: (name) => void set({ class: name, rule: null, change: null, by: 'changes' }),
    setGroup: (group) =>
      void set({ rule: group?.rule ?? null, class: group?.class ?? null, change: null }),
    setSession: (id) => void set({ in: id, change: null, by: 'changes' }),
    select: (change) => void set({ change }),
  }
}
