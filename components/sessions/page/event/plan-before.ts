import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'

export type PlanBefore =
  | { readonly kind: 'at'; readonly seq: number }
  | { readonly kind: 'none' }
  /** Events in between are not loaded. */
  | { readonly kind: 'unknown' }

/** `entries`: ascending. Searches back from event `seq` until an event is missing. */
export function planBefore(entries: readonly IndexEntry[], seq: number): PlanBefore {
  let expected = seq
  for (let at = entries.findLastIndex(([one]) => one <= seq); at >= 0; at -= 1) {
    const [one = 0, , type] = entries[at] ?? []
    if (one !== expected) return { kind: 'unknown' }
    if (one < seq && type === 'plan.updated') return { kind: 'at', seq: one }
    expected -= 1
  }
  return expected === 0 ? { kind: 'none' } : { kind: 'unknown' }
}
