// Detectors run once for all rules of their kind. One that throws or takes too long leaves its rules unchecked.
import { createHmac } from 'node:crypto'
import type { ContentFacts, ContentFinding, ContentRuleDocument, JsonValue } from '@signalbox/core'
import { MOST_FINDINGS } from '@signalbox/wire'
import type { Detector, Range } from './detector.ts'
import { type FlatText, flatten, locate, type Segment, toPointer } from './flat-text.ts'
import type { Inspected, InspectedPlace } from './inspected.ts'
import { patternDetector } from './pattern.ts'
import { PERSONAL_DATA } from './personal-data.ts'
import { maskSegments } from './replace.ts'
import { SECRETS } from './secrets.ts'

export interface Inspection {
  readonly rules: readonly ContentRuleDocument[]
  /** Random key of the session, which never leaves the process. */
  readonly key: Uint8Array
  /** Milliseconds for one detector. It cannot be interrupted, so a later answer is discarded. */
  readonly answerMs: number
  readonly onFailure: (rule: string, error: unknown) => void
}

/** In UTF-16 units. A longer value counts as not checked. */
const MAX_CHARS = 16 * 1024 * 1024

/** Throws if the value is no JSON. */
export async function inspect(given: unknown, inspection: Inspection): Promise<Inspected> {
  const { rules, key, onFailure } = inspection
  const value = toJson(given)
  const flat = flatten(value)
  const run = createRun(flat.text, inspection.answerMs)
  const tag = (text: string) => createHmac('sha256', key).update(text).digest('hex').slice(0, 16)
  const sizes = inspectSize(value, rules, tag)
  const found: Found[] = []
  for (const rule of rules.filter((one) => one.kind !== 'size')) {
    const detector = toDetector(rule)
    try {
      const ranges = await run(detector, rule.kind === 'pattern' ? rule.matches : rule.kind)
      const places = ranges.flatMap((range) =>
        locate(flat, range).map((place) => ({ ...place, rule: rule.id, kind: rule.kind })),
      )
      found.push({ rule: rule.id, detector, places })
    } catch (error) {
      onFailure(rule.id, error)
    }
  }
  const most = Math.max(1, Math.floor(MOST_FINDINGS / rules.length))
  const places = found.flatMap((one) => one.places)
  const used = new Map(found.map(({ detector }) => [detector.name, detector.version]))
  const facts: ContentFacts = {
    detectors: [...used].map(([name, version]) => ({ name, version })),
    checked: [...sizes.checked, ...found.map(({ rule }) => rule)],
    found: [
      ...sizes.found,
      ...listFindings(
        flat,
        found.flatMap((one) => one.places.slice(0, most)),
        { tag, names: maskSegments(flat.text, places.filter(isInName)) },
      ),
    ],
  }
  return { value, flat, places, limits: sizes.limits, facts }
}

interface Found {
  readonly rule: string
  readonly detector: Detector
  readonly places: readonly InspectedPlace[]
}

type Tag = (text: string) => string

function isInName({ segment }: InspectedPlace): boolean {
  return segment.property !== null
}

function listFindings(
  { text }: FlatText,
  places: readonly InspectedPlace[],
  { tag, names }: { readonly tag: Tag; readonly names: ReadonlyMap<Segment, string> },
): readonly ContentFinding[] {
  return places.map(({ rule, kind, segment, offset, length }) => {
    const start = segment.start + offset
    return {
      rule,
      kind,
      pointer: toPointer(segment, names).slice(0, MAX_POINTER),
      ...(segment.property === null ? {} : { property: segment.property }),
      offset,
      length,
      tag: tag(text.slice(start, start + length)),
    }
  })
}

function inspectSize(value: JsonValue, rules: readonly ContentRuleDocument[], tag: Tag) {
  const sizes = rules.filter((rule) => rule.kind === 'size')
  const text = typeof value === 'string' || sizes.length === 0 ? value : JSON.stringify(value)
  const whole = typeof text === 'string' ? text : ''
  const over = sizes.filter(({ max_chars }) => whole.length > max_chars)
  return {
    checked: sizes.map(({ id }) => id),
    limits: over.map(({ id, max_chars }) => ({ rule: id, chars: max_chars })),
    found: over.map(({ id, kind, max_chars }): ContentFinding => {
      const rest = whole.slice(max_chars)
      return {
        rule: id,
        kind,
        pointer: '',
        offset: max_chars,
        length: rest.length,
        tag: tag(rest),
      }
    }),
  }
}

const MAX_POINTER = 2000

function toJson(given: unknown): JsonValue {
  if (typeof given === 'string') return given
  // JSON.parse returns JSON.
  return JSON.parse(JSON.stringify(given) ?? 'null') as JsonValue
}

function toDetector(rule: Exclude<ContentRuleDocument, { readonly kind: 'size' }>): Detector {
  switch (rule.kind) {
    case 'secrets':
      return SECRETS
    case 'pii':
      return PERSONAL_DATA
    case 'pattern':
      return patternDetector(rule.matches)
    default:
      return rule satisfies never
  }
}

function createRun(text: string, answerMs: number) {
  const known = new Map<string, Promise<readonly Range[]>>()
  const find = async (detector: Detector): Promise<readonly Range[]> => {
    if (text.length > MAX_CHARS) throw new Error('The value is too large to be inspected.')
    const started = performance.now()
    const ranges = await detector.find(text)
    if (performance.now() - started > answerMs)
      throw new Error(`${detector.name} needed longer than ${answerMs / 1000} s.`)
    return ranges.filter(([start, end]) => end > start)
  }
  return (detector: Detector, key: string): Promise<readonly Range[]> => {
    const name = `${detector.name} ${key}`
    const before = known.get(name)
    if (before !== undefined) return before
    const asked = find(detector)
    known.set(name, asked)
    return asked
  }
}
