// An address for sharing: a range relative to now becomes two times (UTC), so that it shows the same later. Pure.
import { DEFAULT_RANGES, fixedRange, parseRange, RANGES } from './range.ts'

const HOUR_MS = 3_600_000

/** Default range of a list whose address names none; undefined: everything, or not a list. */
function rangeUnsaid(path: string): string | undefined {
  const [, page = '', more] = path.split('/')
  if (page === 'analytics') return DEFAULT_RANGES.analytics
  if (more !== undefined) return undefined
  return page === 'sessions' || page === 'stops' ? DEFAULT_RANGES[page] : undefined
}

/** Charts end with the hour that now is in. */
function computeRangeEnd(path: string, now: number): number {
  return path.startsWith('/analytics') ? Math.ceil((now + 1) / HOUR_MS) * HOUR_MS : now
}

/** `search` with or without its `?`. */
export function fixedAddress(path: string, search: string, now: number): string {
  const query = new URLSearchParams(search)
  const range = query.get('range') ?? rangeUnsaid(path)
  const isRelative = RANGES.some(({ value }) => value === range)
  const until = computeRangeEnd(path, now)
  if (isRelative && range !== undefined)
    query.set('range', fixedRange(parseRange(range, until) ?? {}, until))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
