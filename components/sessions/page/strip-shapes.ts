// One path per kind, in pixels, however long the session is (specs/session-page.md, Strip). Pure.
import type { Bucket, Mark } from './density.ts'

export const STRIP_HEIGHT = 30
const BASE = STRIP_HEIGHT
const MARK_Y = 5
const HIGHEST_BAR = 17
const FULL = 26

/** A flag; `x` is the foot of its pole. */
export function flagPath(x: number): string {
  const left = Math.round(x)
  return `M${left} 0h7v5h-6v${STRIP_HEIGHT - 5}h-1z`
}

/** `x`: left edge of the bucket; `width`: width of its bar; `height`: height of a mark that is a bar. */
type Shape = (x: number, width: number, height: number) => string

const middle = (x: number, width: number): number => x + width / 2

const octagon: Shape = (x, width) => {
  const left = middle(x, width) - 4
  return `M${left + 2.4} ${MARK_Y - 4}h3.2l2.4 2.4v3.2l-2.4 2.4h-3.2l-2.4 -2.4v-3.2z`
}
const triangle: Shape = (x, width) => `M${middle(x, width)} ${MARK_Y - 4}l4.2 7.6h-8.4z`
const diamond: Shape = (x, width) => `M${middle(x, width)} ${MARK_Y - 4}l3.6 4l-3.6 4l-3.6 -4z`
const dot: Shape = (x, width) =>
  `M${middle(x, width) - 2.4} ${MARK_Y}a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0 -4.8 0z`
const notched: Shape = (x, width, height) => {
  const notch = height / 4
  const [deep, half] = [width * 0.7, notch / 2]
  return `M${x} ${BASE - height}h${width}v${notch}l${-deep} ${half}l${deep} ${half}V${BASE}h${-width}z`
}
const bar: Shape = (x, width, height) => `M${x} ${BASE - height}h${width}V${BASE}h${-width}z`

const SHAPES = {
  plain: null,
  info: dot,
  caution: diamond,
  bypassed: bar,
  warning: triangle,
  blocked: octagon,
  denied: notched,
  error: bar,
} as const satisfies Record<Mark, Shape | null>

const BARS: ReadonlySet<Mark> = new Set(['bypassed', 'denied', 'error'])
/** The height shows the share of events; this minimum keeps a mark visible. */
const LOWEST_MARK = 6

/** Floating marks of one kind closer than this would merge, so the later one is left out; the bars below stay. */
const NEAREST = 6

/** Path for the legend, in a box of 10 by 10 pixels. */
export function markPath(mark: Mark): string {
  return SHAPES[mark]?.(BARS.has(mark) ? 3 : 1, BARS.has(mark) ? 4 : 8, 10) ?? ''
}

export function markTop(mark: Mark): number {
  return BARS.has(mark) ? BASE - 10 : 0
}

export interface StripPaths {
  readonly bars: string
  readonly marks: Readonly<Record<Mark, string>>
}

export function stripPaths(buckets: readonly Bucket[], width: number): StripPaths {
  const step = width / Math.max(1, buckets.length)
  const breadth = Math.max(1, step * 0.8)
  const most = Math.max(1, ...buckets.map(({ events }) => events))
  const marks: Record<Mark, string> = {
    plain: '',
    info: '',
    caution: '',
    bypassed: '',
    warning: '',
    blocked: '',
    denied: '',
    error: '',
  }
  const drawn: Partial<Record<Mark, number>> = {}
  let bars = ''
  for (const [index, { events, mark, marked }] of buckets.entries()) {
    if (events === 0) continue
    const x = index * step
    const height = 3 + (HIGHEST_BAR - 3) * Math.sqrt(events / most)
    bars += `M${x} ${BASE}v${-height}h${breadth}v${height}z`
    const shape = SHAPES[mark]
    const isNear = !BARS.has(mark) && x - (drawn[mark] ?? -NEAREST) < NEAREST
    if (shape === null || isNear) continue
    drawn[mark] = x
    marks[mark] += shape(x, breadth, Math.max(LOWEST_MARK, (FULL * marked) / events))
  }
  return { bars, marks }
}

/** Letters for readers who cannot rely on color. */
const LETTERS: { readonly [mark in Mark]?: string } = {
  denied: 'D',
  error: 'E',
  blocked: 'B',
  warning: 'W',
}
const LETTER_PX = 11

/** Leaves out letters that would overlap the previous one. `left` in pixels. */
export function stripLetters(
  buckets: readonly Bucket[],
  width: number,
): readonly { readonly left: number; readonly letter: string }[] {
  const step = width / Math.max(1, buckets.length)
  const letters: { left: number; letter: string }[] = []
  for (const [index, { mark }] of buckets.entries()) {
    const letter = LETTERS[mark]
    const left = index * step
    const last = letters.at(-1)
    if (letter === undefined || (last !== undefined && left - last.left < LETTER_PX)) continue
    letters.push({ left, letter })
  }
  return letters
}
