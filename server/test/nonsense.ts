import { z } from 'zod'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'

export const NONSENSE: readonly unknown[] = [
  ...[undefined, null, true, false, 0, -1, 0.5, 2_147_483_648, 9_007_199_254_740_991, 1e308],
  8_640_000_000_000_001,
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\u{10ffff}\u202e',
    '-1',
    'null',
    '%00',
    '../..',
    "' OR 1=1 --",
    'constructor_1',
  ],
  ...['x'.repeat(60), 'x'.repeat(100_000), '{"a":', '1~x', '99999999999999~\0'],
  ...[[], {}, [[]], ['\0'], [null], [1e308], { at: 1e308, id: '\0' }, { id: '\0', revision: 1 }],
  ...[{ ns: '\0', key: '\0' }, { environment: '\0' }, { code: '\0' }],
  ...[{ at: 9_007_199_254_740_991, id: 'x' }],
]

/**
 * One value in `step` at each place. Number places over all inputs, or values after the first are tried only where an input has many
 * places. A soak tries all of them.
 */
export function isTried(value: number, place: number, step = 48): boolean {
  return IS_SOAK || (value + place) % step === 0
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names from the outermost object to the field; `0` is the first item of a list. */
type Place = readonly (string | 0)[]

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
}

const DEEPEST = 3

const countSteps = (place: Place): number => place.filter((name) => name !== 0).length

function placesIn(shape: Shape, above: Place = []): readonly Place[] {
  const first: Place = [...above, 0]
  const items = shape.items === undefined ? [] : [first, ...placesIn(shape.items, first)]
  if (countSteps(above) === DEEPEST) return items
  const ways = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]
  const own = Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => {
    const place = [...above, name]
    return [place, ...placesIn(inner, place)]
  })
  return [...own, ...items, ...ways.flatMap((way) => placesIn(way, above))]
}

export function listPlaces(schema: z.ZodType): readonly Place[] {
  // JSON Schema's types do not state that nested values are schemas.
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape
  const places = new Map(placesIn(shape).map((place) => [place.join('/'), place]))
  return [...places.values(), ['unheard_of']]
}

/** The input with `value` at the place; objects and lists on the way are made where they lack. */
export function spoilt(valid: unknown, place: Place, value: unknown): unknown {
  const [name, ...deeper] = place
  if (name === undefined) return value
  if (name === 0) {
    const [first, ...others] = Array.isArray(valid) ? valid : []
    return [spoilt(first, deeper, value), ...others]
  }
  const fields = isFields(valid) ? valid : {}
  return { ...fields, [name]: spoilt(fields[name], deeper, value) }
}

export function listValuePlaces(valid: unknown, above: Place = []): readonly Place[] {
  if (!isFields(valid) || countSteps(above) === DEEPEST) return []
  return Object.entries(valid).flatMap(([name, inner]) => {
    const place = [...above, name]
    return [place, ...listValuePlaces(inner, place)]
  })
}

/** True when every schema accepts the input after its way over the wire. A schema that throws refuses nothing. */
export function isTaken(schemas: readonly z.ZodType[], input: unknown): boolean {
  const arrived = input === undefined ? input : JSON.parse(JSON.stringify(input))
  try {
    return schemas.every((schema) => schema.safeParse(arrived).success)
  } catch {
    return true
  }
}

export function shown(value: unknown): string {
  try {
    return JSON.stringify(value)?.slice(0, 200) ?? 'undefined'
  } catch {
    return String(value)
  }
}
