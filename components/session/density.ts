// The density strip's numbers: how many events fell into each slice of the session's time, and the gravest verdict among
// them. Pure.
import type { EventRow } from './session-rows.ts'

export type Mark = 'deny' | 'blocked' | 'warning' | 'info' | 'neutral' | 'plain'

export interface Bucket {
  readonly events: number
  readonly mark: Mark
  /** Newest event in the bucket; null when it is empty. */
  readonly seq: number | null
}

const GRAVITY = ['plain', 'neutral', 'info', 'warning', 'blocked', 'deny'] as const satisfies Mark[]

const MARKS: { readonly [verdict: string]: Mark } = {
  denied: 'deny',
  error: 'deny',
  blocked: 'blocked',
  bypassed: 'neutral',
  warning: 'warning',
  caution: 'warning',
  info: 'info',
}

function graver(one: Mark, other: Mark): Mark {
  return GRAVITY.indexOf(one) >= GRAVITY.indexOf(other) ? one : other
}

export interface Density {
  readonly from: number
  readonly to: number
  readonly buckets: readonly Bucket[]
}

/** `rows` ascending in time. A session of one instant has everything in the first bucket. */
export function density(rows: readonly EventRow[], size: number): Density {
  const from = rows[0]?.at ?? 0
  const to = Math.max(rows.at(-1)?.at ?? 0, from + 1)
  const buckets: Bucket[] = Array.from({ length: size }, () => ({
    events: 0,
    mark: 'plain',
    seq: null,
  }))
  for (const row of rows) {
    const at = bucketOf(row.at, { from, to, size })
    const bucket = buckets[at]
    if (bucket === undefined) continue
    const mark = row.type === 'enforcement.lapsed' ? 'deny' : (MARKS[row.verdict ?? ''] ?? 'plain')
    buckets[at] = {
      events: bucket.events + 1,
      mark: graver(bucket.mark, mark),
      seq: row.seq,
    }
  }
  return { from, to, buckets }
}

/** Index of the bucket that an instant falls into; instants outside go to the nearest end. */
export function bucketOf(
  at: number,
  span: { readonly from: number; readonly to: number; readonly size: number },
): number {
  const share = (at - span.from) / (span.to - span.from)
  return Math.min(span.size - 1, Math.max(0, Math.floor(share * span.size)))
}
