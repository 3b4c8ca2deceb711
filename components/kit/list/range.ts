// In the address: `15m`, `24h`, or two times `2026-11-20T10:00Z..2026-11-20T12:00Z`. Pure.

export interface Range {
  /** Epoch ms; absent: open. */
  readonly since?: number
  readonly until?: number
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** In the address of a list with a standard range: no limit. */
export const ALL_TIME = 'all'

export const RANGES = [
  { value: '15m', label: 'Last 15 min', ms: 900_000 },
  { value: '1h', label: 'Last hour', ms: 3_600_000 },
  { value: '24h', label: 'Last 24 h', ms: DAY_MS },
  { value: '7d', label: 'Last 7 days', ms: 7 * DAY_MS },
  { value: '30d', label: 'Last 30 days', ms: 30 * DAY_MS },
  { value: '90d', label: 'Last 90 days', ms: 90 * DAY_MS },
  { value: '365d', label: 'Last year', ms: 365 * DAY_MS },
] as const

/**
 * Null: the range is invalid. `now`: epoch ms, end of a relative range. One of a day or more begins at a full hour, so that a list holds what
 * the counts of whole hours above it count.
 */
export function parseRange(text: string, now: number): Range | null {
  const known = RANGES.find(({ value }) => value === text)
  if (known !== undefined) {
    const end = known.ms < DAY_MS ? now : Math.ceil(now / HOUR_MS) * HOUR_MS
    return { since: end - known.ms }
  }
  const [since, until, more] = text.split('..').map((one) => Date.parse(one))
  if (since === undefined || until === undefined || more !== undefined) return null
  return since < until ? { since, until } : null
}

/** Range between two fixed times, so that a later visit shows the same; `now` closes an open range. */
export function fixedRange({ since, until }: Range, now: number): string {
  const text = (at: number): string => new Date(at).toISOString()
  return `${text(since ?? 0)}..${text(until ?? now)}`
}
