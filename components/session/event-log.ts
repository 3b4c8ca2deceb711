// The part of the index that the page holds: ascending, each event once, whatever came twice or late. Pure.
import type { IndexEntry } from './session-rows.ts'

/** Returns `entries` itself when the page brings nothing new, so that nothing is drawn again. */
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

/** The last event before the first gap: from here on the page must ask again. */
export function contiguousEnd(entries: readonly IndexEntry[]): number {
  const last = entries.at(-1)
  if (last === undefined) return 0
  if (last[0] === entries.length) return last[0]
  let end = 0
  for (const [seq] of entries) {
    if (seq !== end + 1) break
    end = seq
  }
  return end
}
