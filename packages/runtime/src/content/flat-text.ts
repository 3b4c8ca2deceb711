// A value as one text, `name: text` a line, because many secrets are known only by the name beside them.
import { isJsonObject, type JsonValue, pointerTo } from '@signalbox/core'
import type { Range } from './detector.ts'

interface Node {
  readonly parent: Node | null
  /** Name, or index in a list. */
  readonly step: string | number
  /** null: an item of a list. */
  readonly name: Segment | null
}

/** A part of the text that stands for one string, number or property name. */
export interface Segment {
  readonly start: number
  readonly end: number
  /** null: the value itself. */
  readonly node: Node | null
  /** Position of the property whose name this is; null: it is a value. */
  readonly property: number | null
}

export interface FlatText {
  readonly text: string
  readonly segments: readonly Segment[]
}

/** Shorter numbers cannot be a card or an account. */
const MIN_DIGITS = 9

export function isLongNumber(value: JsonValue): value is number {
  return typeof value === 'number' && String(value).length >= MIN_DIGITS
}

export function flatten(value: JsonValue): FlatText {
  const parts: string[] = []
  const segments: Segment[] = []
  let length = 0
  const write = (text: string) => {
    parts.push(text)
    length += text.length
  }
  const add = (text: string, node: Node | null, property: number | null): Segment => {
    const segment = { start: length, end: length + text.length, node, property }
    segments.push(segment)
    write(text)
    return segment
  }
  const visit = (item: JsonValue, node: Node | null): void => {
    if (typeof item === 'string') add(item, node, null)
    else if (isLongNumber(item)) add(String(item), node, null)
    else if (Array.isArray(item))
      item.forEach((entry: JsonValue, i) => {
        visit(entry, { parent: node, step: i, name: null })
        write('\n')
      })
    else if (isJsonObject(item))
      Object.entries(item).forEach(([key, entry], i) => {
        const name = add(key, node, i)
        write(': ')
        visit(entry, { parent: node, step: key, name })
        write('\n')
      })
  }
  visit(value, null)
  return { text: parts.join(''), segments }
}

export interface Place {
  readonly segment: Segment
  /** In the text of the segment. */
  readonly offset: number
  readonly length: number
}

/** Places of one range; several if it spans more than one string. */
export function locate({ segments }: FlatText, [start, end]: Range): readonly Place[] {
  let low = 0
  let high = segments.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((segments[middle]?.end ?? 0) <= start) low = middle + 1
    else high = middle
  }
  const places: Place[] = []
  for (let i = low; i < segments.length; i += 1) {
    const segment = segments[i]
    if (segment === undefined || segment.start >= end) break
    const from = Math.max(start, segment.start)
    const to = Math.min(end, segment.end)
    if (to > from) places.push({ segment, offset: from - segment.start, length: to - from })
  }
  return places
}

/** `masked`: property names that contain findings, as they may be shown. */
export function toPointer({ node }: Segment, masked: ReadonlyMap<Segment, string>): string {
  const steps: (string | number)[] = []
  for (let at = node; at !== null; at = at.parent)
    steps.unshift(at.name === null ? at.step : (masked.get(at.name) ?? at.step))
  return steps.reduce((pointer: string, step) => pointerTo(pointer, step), '')
}
