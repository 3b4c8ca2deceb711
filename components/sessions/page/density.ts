import type { EventRow } from './rows/session-rows.ts'
import type { Axis } from './strip-axis.ts'

/** From least to most severe; each has its own shape (specs/session-page.md, Strip). */
export const MARKS = [
  'plain',
  'info',
  'caution',
  'bypassed',
  'warning',
  'blocked',
  'denied',
  'error',
] as const
export type Mark = (typeof MARKS)[number]

export interface Bucket {
  readonly events: number
  readonly mark: Mark
  readonly marked: number
  /** Newest of the most severe events in the bucket; null: the bucket is empty. */
  readonly seq: number | null
}

function selectMark({ type, verdict }: EventRow): Mark {
  if (type === 'enforcement.lapsed' || type === 'feedback.failed') return 'error'
  return MARKS.find((mark) => mark === verdict) ?? 'plain'
}

function isMoreSevere(one: Mark, other: Mark): boolean {
  return MARKS.indexOf(one) > MARKS.indexOf(other)
}

export function density(rows: readonly EventRow[], axis: Axis, size: number): readonly Bucket[] {
  const events = new Uint32Array(size)
  const newest: { mark: Mark; marked: number; seq: number }[] = []
  const { from, to } = axis.span
  for (const row of rows) {
    if (row.at < from || row.at > to) continue
    const at = findBucket(axis, row.at, size)
    events[at] = (events[at] ?? 0) + 1
    const mark = selectMark(row)
    const known = newest[at]
    if (known === undefined) newest[at] = { mark, marked: 1, seq: row.seq }
    else if (!isMoreSevere(known.mark, mark)) {
      const marked = known.mark === mark ? known.marked + 1 : 1
      Object.assign(known, { mark, marked, seq: row.seq })
    }
  }
  return Array.from(events, (count, at) => {
    const { mark = 'plain', marked = 0, seq = null } = newest[at] ?? {}
    return { events: count, mark, marked, seq }
  })
}

export function findBucket(axis: Axis, at: number, size: number): number {
  return Math.min(size - 1, Math.floor(axis.computeShare(at) * size))
}

/** The event in the bucket, else in the nearest bucket with one; null: no events. */
export function nearestSeq(buckets: readonly Bucket[], wanted: number): number | null {
  for (let away = 0; away < buckets.length; away += 1) {
    const seq = buckets[wanted - away]?.seq ?? buckets[wanted + away]?.seq
    if (seq !== null && seq !== undefined) return seq
  }
  return null
}
