// Conditions that hold for the call of the incident, from general to special. Each is a text in CEL with the same test on rows.

import { containsMark } from '../analysis/backtest/backtest-session.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { at, type Row, type RowTest } from './row.ts'
import type { ToolNames } from './tool-names.ts'

export interface Atom {
  /** Guard against calls without the argument. Absent: none is needed. */
  readonly guard?: string
  /** CEL. */
  readonly text: string
  /** 1: holds for many calls; 5: only for this one. */
  readonly speciality: number
  /** True also where the condition cannot be evaluated, because the engine then refuses. */
  readonly test: RowTest
}

/** Longer texts are contents, not names of things. */
const MOST_CHARACTERS = 200
const MOST_WORDS = 24
const MOST_ITEMS = 16
const MOST_DEPTH = 2
const FEW_NUMBERS = 10

/** A CEL text; JSON texts are CEL texts. */
function quote(value: string | number | boolean): string {
  return JSON.stringify(value)
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/
const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
)

function select(base: string, key: string): string {
  return IDENTIFIER.test(key) && !RESERVED.has(key) ? `${base}.${key}` : `${base}[${quote(key)}]`
}

/** A place in the arguments. */
export interface Place {
  readonly path: readonly string[]
  /** CEL that reads it. */
  readonly text: string
  /** CEL that is true if it exists. */
  readonly has: string
}

export interface PlacedArgument {
  readonly place: Place
  readonly value: JsonValue
}

/** Values of the arguments and, one level down, of their objects. */
export function listArguments(args: JsonObject): readonly PlacedArgument[] {
  return listBelow(args, { path: [], text: 'args', has: '' })
}

function listBelow(values: JsonObject, above: Place): readonly PlacedArgument[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const text = select(above.text, key)
    const own = text.endsWith(']') ? `${quote(key)} in ${above.text}` : `has(${text})`
    const has = above.has === '' ? own : `${above.has} && ${own}`
    const place = { path: [...above.path, key], text, has }
    if (!isJsonObject(value)) return [{ place, value }]
    return place.path.length < MOST_DEPTH && !containsMark(value) ? listBelow(value, place) : []
  })
}

type Read =
  | { readonly kind: 'value'; readonly value: JsonValue }
  /** `unreadable`: a condition on it cannot be evaluated, so the engine refuses. */
  | { readonly kind: 'absent' | 'unreadable' | 'hidden' }

function readPlace({ args, isHidden, isOpaque }: Row, { path }: Place): Read {
  if (isOpaque) return { kind: 'unreadable' }
  let value: JsonValue = args
  for (const key of path) {
    if (!isJsonObject(value)) return { kind: 'unreadable' }
    if (!Object.hasOwn(value, key)) return { kind: isHidden ? 'hidden' : 'absent' }
    value = value[key] ?? null
  }
  return isHidden && containsMark(value) ? { kind: 'hidden' } : { kind: 'value', value }
}

type Judge = (value: JsonValue) => boolean

/** Absent arguments do not fulfil a guarded condition. */
function testAt(place: Place, judge: Judge): RowTest {
  return (row) => {
    const read = readPlace(row, place)
    switch (read.kind) {
      case 'value':
        return judge(read.value)
      case 'absent':
        return false
      case 'unreadable':
        return true
      case 'hidden':
        return null
      default:
        return read satisfies never
    }
  }
}

/** A method of texts cannot be evaluated for other values. */
function onText(judge: (value: string) => boolean): Judge {
  return (value) => typeof value !== 'string' || judge(value)
}

export function listArgumentAtoms(
  { place, value }: PlacedArgument,
  rows: readonly Row[],
): readonly Atom[] {
  const atom = (text: string, speciality: number, judge: Judge): Atom => ({
    guard: place.has,
    text,
    speciality,
    test: testAt(place, judge),
  })
  switch (typeof value) {
    case 'string':
      return listTextAtoms(place, value, atom)
    case 'number':
      return listNumberAtoms({ place, value }, rows, atom)
    case 'boolean':
      return [atom(`${place.text} == ${value}`, 2, (other) => other === value)]
    default:
      return Array.isArray(value) ? listItemAtoms(place, value, atom) : []
  }
}

type Make = (text: string, speciality: number, judge: Judge) => Atom

function listTextAtoms({ text }: Place, value: string, atom: Make): readonly Atom[] {
  const words = value
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MOST_WORDS)
  const starts = (start: string, speciality: number): Atom =>
    atom(
      `${text}.startsWith(${quote(start)})`,
      speciality,
      onText((other) => other.startsWith(start)),
    )
  const isLong = value.length > MOST_CHARACTERS
  return [
    ...(words.length > 1 ? listWordAtoms(text, { words, value }, atom) : []),
    ...(words.length > 1 && value.startsWith(`${words[0]} `) ? [starts(`${words[0]} `, 1.5)] : []),
    ...(words.length === 1 && !isLong ? listPartAtoms(text, value, { atom, starts }) : []),
    ...(isLong ? [] : [atom(`${text} == ${quote(value)}`, 5, (other) => other === value)]),
  ]
}

interface Words {
  readonly words: readonly string[]
  readonly value: string
}

function listWordAtoms(text: string, { words, value }: Words, atom: Make): readonly Atom[] {
  const whole = [...new Set(words)].flatMap((word) => {
    const padded = ` ${word} `
    // A word next to a line break or a tab is not found by this condition.
    if (word.length < 2 || word.length > MOST_CHARACTERS || !` ${value} `.includes(padded))
      return []
    const contains = onText((other) => ` ${other} `.includes(padded))
    return [atom(`(" " + ${text} + " ").contains(${quote(padded)})`, 2, contains)]
  })
  const pairs = new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`))
  const neighbors = [...pairs].flatMap((pair) => {
    if (pair.length > MOST_CHARACTERS || !value.includes(pair)) return []
    return [
      atom(
        `${text}.contains(${quote(pair)})`,
        3,
        onText((other) => other.includes(pair)),
      ),
    ]
  })
  return [...whole, ...neighbors]
}

interface Maker {
  readonly atom: Make
  readonly starts: (start: string, speciality: number) => Atom
}

/** Origin of a URL, folders of a path, domain of an email address. */
function listPartAtoms(text: string, value: string, { atom, starts }: Maker): readonly Atom[] {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]+\//i.exec(value)?.[0]
  if (origin !== undefined) return [starts(origin, 2)]
  const folders = [...value.matchAll(/\//g)].map(({ index }, i) =>
    starts(value.slice(0, index + 1), 2 + Math.min(i, MOST_ITEMS) / 20),
  )
  const domain = /@[^@/]+$/.exec(value)?.[0]
  if (domain === undefined) return folders
  const ends = onText((other) => other.endsWith(domain))
  return [...folders, atom(`${text}.endsWith(${quote(domain)})`, 2, ends)]
}

function listNumberAtoms(
  { place, value }: { readonly place: Place; readonly value: number },
  rows: readonly Row[],
  atom: Make,
): readonly Atom[] {
  let [count, least, most] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const row of rows) {
    const read = readPlace(row, place)
    if (read.kind !== 'value' || typeof read.value !== 'number') continue
    count += 1
    least = Math.min(least, read.value)
    most = Math.max(most, read.value)
  }
  const isOther = (other: JsonValue): other is Exclude<JsonValue, number> =>
    typeof other !== 'number'
  return [
    ...(count >= FEW_NUMBERS && value > most
      ? [atom(`${place.text} > ${quote(most)}`, 1, (other) => isOther(other) || other > most)]
      : []),
    ...(count >= FEW_NUMBERS && value < least
      ? [atom(`${place.text} < ${quote(least)}`, 1, (other) => isOther(other) || other < least)]
      : []),
    atom(`${place.text} == ${quote(value)}`, 4, (other) => other === value),
  ]
}

function listItemAtoms({ text }: Place, values: readonly JsonValue[], atom: Make): readonly Atom[] {
  return values.slice(0, MOST_ITEMS).flatMap((item) => {
    if (typeof item !== 'string' || item.length > MOST_CHARACTERS) return []
    const contains = (other: JsonValue): boolean =>
      isJsonObject(other)
        ? Object.hasOwn(other, item)
        : !Array.isArray(other) || other.includes(item)
    return [atom(`${quote(item)} in ${text}`, 2, contains)]
  })
}

/** A tool that failed once is nothing special. */
const FEW_FAILURES = 2

/** Conditions on the session at the time of the incident. */
export function listSessionAtoms(
  incident: Row,
  { target, names }: { readonly target: string; readonly names: ToolNames },
): readonly (Atom & { readonly tool: string | null })[] {
  const { environment } = incident
  const place = environment === null ? [] : [atEnvironment(environment)]
  // By name, because numbers depend on the order in which sessions were read.
  const counts = [...names.list()].sort().flatMap((tool) => {
    const number = names.number(tool)
    const failed = at(incident.failures, number)
    const text = select('calls', tool)
    return [
      ...(failed < FEW_FAILURES
        ? []
        : [
            {
              text: `${text}.failed >= ${failed}`,
              speciality: 4,
              tool,
              test: (row: Row) => at(row.failures, number) >= failed,
            },
          ]),
      ...(at(incident.successes, number) > 0 || tool === target
        ? []
        : [
            {
              text: `${text}.succeeded == 0`,
              speciality: 3,
              tool,
              test: (row: Row) => at(row.successes, number) === 0,
            },
          ]),
    ]
  })
  return [...place, ...counts]
}

function atEnvironment(environment: string): Atom & { readonly tool: null } {
  return {
    text: `session.environment == ${quote(environment)}`,
    speciality: 1,
    tool: null,
    test: (row) => row.environment === null || row.environment === environment,
  }
}

const FEW_VALUES = 6
const ENOUGH_CALLS = 20
const MOST_UNSEEN = 0.01

export interface ValueList {
  /** CEL. */
  readonly text: string
  readonly test: RowTest
}

/**
 * The values that an argument has in good calls, if they are few and nearly every one was seen more than once, so that a new one is
 * unlikely. null: they are not, the incident has one of them, or a value was removed from the log.
 */
export function listGoodValues(
  { place, value }: PlacedArgument,
  rows: readonly Row[],
): ValueList | null {
  if (typeof value !== 'string') return null
  const seen = new Map<string, number>()
  let calls = 0
  for (const row of rows) {
    const read = readPlace(row, place)
    if (read.kind === 'absent') continue
    if (read.kind !== 'value' || typeof read.value !== 'string') return null
    if (read.value.length > MOST_CHARACTERS) return null
    calls += 1
    seen.set(read.value, (seen.get(read.value) ?? 0) + 1)
    if (seen.size > FEW_VALUES) return null
  }
  const single = [...seen.values()].filter((count) => count === 1).length
  if (calls < ENOUGH_CALLS || seen.has(value) || single / calls > MOST_UNSEEN) return null
  const list = [...seen.keys()].sort().map(quote).join(', ')
  return {
    text: `!(${place.has}) || ${place.text} in [${list}]`,
    test: testAt(place, (other) => typeof other !== 'string' || !seen.has(other)),
  }
}

/** True: the value was removed from a log, so nothing is proposed about it. */
export function isEverHidden({ place }: PlacedArgument, rows: readonly Row[]): boolean {
  return rows.some((row) => readPlace(row, place).kind === 'hidden')
}
