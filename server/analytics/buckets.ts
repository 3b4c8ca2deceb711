// Splits a range into at most 300 buckets: whole hours, days or weeks in UTC. Pure.

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Counts older than this are kept by day (server/ingest/rollups.sql.ts); a day less, because days are folded once a night. */
const HOURS_REACH = 34 * DAY
const MOST = 300
/** Hours of a bucket, finest first. */
const STEPS = [1, 6, 24, 168, 672] as const
/** Monday, the origin of all buckets. */
const ORIGIN = Date.UTC(2001, 0, 1)

export interface Buckets {
  readonly from: number
  /** Exclusive. */
  readonly until: number
  readonly stepHours: number
  /** Their starts, ascending, epoch ms. */
  readonly starts: readonly number[]
}

export function computeBuckets(
  range: { readonly from: number; readonly until: number },
  now: number,
): Buckets {
  const isOld = range.from < now - HOURS_REACH
  const fitting = STEPS.find(
    (step) => (!isOld || step >= 24) && (range.until - range.from) / (step * HOUR) <= MOST - 2,
  )
  const stepHours = fitting ?? 672
  const step = stepHours * HOUR
  const floor = (at: number): number => ORIGIN + Math.floor((at - ORIGIN) / step) * step
  // A range over 300 months is cut at its far end.
  const from = Math.max(floor(range.from), floor(range.until) - (MOST - 2) * step)
  const starts: number[] = []
  for (let at = from; at < range.until; at += step) starts.push(at)
  return { from, until: from + starts.length * step, stepHours, starts }
}
