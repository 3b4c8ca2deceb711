import { isJsonObject, type JsonValue } from '@signalbox/core'
import { isLongNumber, type Segment } from './flat-text.ts'
import type { Inspected, InspectedPlace } from './inspected.ts'

/** The value with `[kind]` in place of what these rules found, and cut where one of them limits the size. Equal to the value if they found nothing. */
export function replaceFound(
  { value, flat, places, limits }: Inspected,
  rules: ReadonlySet<string>,
): JsonValue {
  const texts = maskSegments(
    flat.text,
    places.filter(({ rule }) => rules.has(rule)),
  )
  const masked = texts.size === 0 ? value : rebuild(value, flat.segments, texts)
  const limit = Math.min(...limits.flatMap(({ rule, chars }) => (rules.has(rule) ? [chars] : [])))
  return cut(masked, limit)
}

/** Texts of the segments with findings. Overlapping findings become one, with the kind of the first. */
export function maskSegments(
  text: string,
  places: readonly InspectedPlace[],
): ReadonlyMap<Segment, string> {
  return new Map(
    [...groupBySegment(places)].map(([segment, found]) => {
      const sorted = [...found].sort((a, b) => a.offset - b.offset)
      let masked = ''
      let at = 0
      for (const { offset, length, kind } of sorted) {
        if (offset + length <= at) continue
        if (offset >= at)
          masked += `${text.slice(segment.start + at, segment.start + offset)}[${kind}]`
        at = offset + length
      }
      return [segment, masked + text.slice(segment.start + at, segment.end)]
    }),
  )
}

function groupBySegment(places: readonly InspectedPlace[]): ReadonlyMap<Segment, InspectedPlace[]> {
  const groups = new Map<Segment, InspectedPlace[]>()
  for (const place of places) {
    const known = groups.get(place.segment)
    if (known === undefined) groups.set(place.segment, [place])
    else known.push(place)
  }
  return groups
}

/** Visits the value in the order in which it was flattened. */
function rebuild(
  value: JsonValue,
  segments: readonly Segment[],
  texts: ReadonlyMap<Segment, string>,
): JsonValue {
  let next = 0
  const take = (text: string): string => {
    const segment = segments[next]
    next += 1
    return segment === undefined ? text : (texts.get(segment) ?? text)
  }
  const visit = (item: JsonValue): JsonValue => {
    if (typeof item === 'string') return take(item)
    if (isLongNumber(item)) {
      const text = take(String(item))
      return text === String(item) ? item : text
    }
    if (Array.isArray(item)) return item.map(visit)
    if (!isJsonObject(item)) return item
    const kept = new Map<string, JsonValue>()
    for (const [key, entry] of Object.entries(item)) {
      const name = take(key)
      kept.set(freeName(name, kept), visit(entry))
    }
    return Object.fromEntries(kept)
  }
  return visit(value)
}

/** Masked names may be equal, and none of their values may be lost. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name
  for (let i = 2; taken.has(free); i += 1) free = `${name} ${i}`
  return free
}

function cut(value: JsonValue, limit: number): JsonValue {
  if (limit === Infinity) return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= limit) return value
  return `${text.slice(0, limit)}\n[${text.length - limit} characters cut]`
}
