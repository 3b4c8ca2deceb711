// A range relative to now becomes two fixed times (UTC), so that a later visit shows the same. Pure.
import { fixedRange, HOUR_MS, parseRange, RANGES } from './range.ts'

/** Range of a page, which it states as data attributes of an element in `main`. */
export interface RangeFacts {
  /** Range of an address without one. Absent: all time, or the page has no range. */
  readonly range?: string | undefined
  /** Present: a relative range includes the current hour as a whole. */
  readonly wholeHours?: string | undefined
}

export function fixedAddress(
  path: string,
  search: string,
  { now, range: standard, wholeHours }: RangeFacts & { readonly now: number },
): string {
  const query = new URLSearchParams(search)
  const range = query.get('range') ?? standard
  const isRelative = RANGES.some(({ value }) => value === range)
  const until = wholeHours === undefined ? now : Math.ceil((now + 1) / HOUR_MS) * HOUR_MS
  if (isRelative && range !== undefined)
    query.set('range', fixedRange(parseRange(range, until) ?? {}, until))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
