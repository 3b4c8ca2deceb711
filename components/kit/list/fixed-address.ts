// Address for sharing: a range relative to now becomes two fixed times (UTC), so that a later visit shows the same. Pure.
import { DEFAULT_RANGES, fixedRange, parseRange, RANGES } from './range.ts'

const HOUR_MS = 3_600_000

/** Default range of a list without a range in its address; undefined: the list shows everything, or the path is no list. */
function findDefaultRange(path: string): string | undefined {
  const [, page = '', more] = path.split('/')
  if (page === 'analytics') return DEFAULT_RANGES.analytics
  if (more !== undefined) return undefined
  return page === 'sessions' || page === 'stops' ? DEFAULT_RANGES[page] : undefined
}

/** Charts include the current hour as a whole. */
function computeRangeEnd(path: string, now: number): number {
  return path.startsWith('/analytics') ? Math.ceil((now + 1) / HOUR_MS) * HOUR_MS : now
}

/** `search`: with or without `?`. */
export function fixedAddress(path: string, search: string, now: number): string {
  const query = new URLSearchParams(search)
  const range = query.get('range') ?? findDefaultRange(path)
  const isRelative = RANGES.some(({ value }) => value === range)
  const until = computeRangeEnd(path, now)
  if (isRelative && range !== undefined)
    query.set('range', fixedRange(parseRange(range, until) ?? {}, until))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
