// Pages may come in any order and with repetitions. Pure.
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'

/** Sequence numbers, both inclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Returns `entries` itself if the page adds nothing, so that nothing renders again. */
export function mergeEntries(
  entries: readonly IndexEntry[],
  page: readonly IndexEntry[],
): readonly IndexEntry[] {
  const end = entries.at(-1)?.[0] ?? 0
  const first = page.findIndex(([seq]) => seq > end)
  const newer = first === -1 ? [] : page.slice(first)
  const isTail = first === 0 || page.length === 0
  if (isTail) return newer.length === 0 ? entries : [...entries, ...newer]
  const known = new Set(entries.map(([seq]) => seq))
  const late = page.filter(([seq]) => !known.has(seq))
  if (late.length === 0) return entries
  return [...entries, ...late].sort((a, b) => a[0] - b[0])
}

/** Ranges of missing events up to `end` or the newest loaded event, whichever is later; ascending. */
export function missingRanges(entries: readonly IndexEntry[], end: number): readonly Range[] {
  const newest = entries.at(-1)?.[0] ?? 0
  if (newest === entries.length && newest >= end) return []
  const missing: Range[] = []
  let before = 0
  for (const [seq] of entries) {
    if (seq !== before + 1) missing.push({ from: before + 1, to: seq - 1 })
    before = seq
  }
  if (before < end) missing.push({ from: before + 1, to: end })
  return missing
}

export function pieces(ranges: readonly Range[], most: number): readonly Range[] {
  return ranges.flatMap(({ from, to }) =>
    Array.from({ length: Math.ceil((to - from + 1) / most) }, (_, index) => ({
      from: from + index * most,
      to: Math.min(to, from + (index + 1) * most - 1),
    })),
  )
}

const WINDOW = 1_000

/** In the form of `afterSeq`: around the selected event, else the end of a running session, else the beginning. */
export function firstWindow(input: {
  readonly selectedSeq: number | null
  readonly isRunning: boolean
  readonly maxSeq: number
}): { readonly afterSeq: number; readonly limit: number } {
  const { selectedSeq, isRunning, maxSeq } = input
  const end = isRunning ? maxSeq - WINDOW : 0
  const start = selectedSeq === null ? end : Math.min(selectedSeq, maxSeq) - WINDOW / 2
  return { afterSeq: Math.max(0, start), limit: WINDOW }
}
