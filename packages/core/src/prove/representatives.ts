// Arguments that stand for all others: one for each way in which the parts of the conditions can come out, as the real CEL evaluates them.
import { type Atom, type Literal, testAtom } from '../expression/condition-atoms.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'

/** Kinds of arguments that are tried for one tool. */
export const MOST_KINDS = 64
/** Parts of one text that occur together in every combination; with more, only some combinations are tried. */
const MOST_PARTS = 5

export interface Representatives {
  readonly kinds: readonly JsonObject[]
  /** False: more kinds may exist. */
  readonly isComplete: boolean
}

/** `atoms`: those that read exactly one path below `args`. */
export function representArguments(atoms: readonly Atom[]): Representatives {
  const byPath = new Map<string, Atom[]>()
  for (const atom of atoms) {
    const key = JSON.stringify(atom.paths[0] ?? [])
    byPath.set(key, [...(byPath.get(key) ?? []), atom])
  }
  let kinds: readonly JsonObject[] = [{}]
  let isComplete = true
  for (const [key, own] of byPath) {
    const path = (JSON.parse(key) as readonly (string | null)[]).slice(1).map((name) => name ?? '')
    const values = listClasses(own, path)
    if (own.filter(({ form }) => form === 'contains').length > MOST_PARTS) isComplete = false
    kinds = kinds.flatMap((kind) => values.map((value) => withValue(kind, path, value)))
    if (kinds.length > MOST_KINDS) isComplete = false
    kinds = kinds.slice(0, MOST_KINDS)
  }
  return { kinds, isComplete }
}

/** undefined: the argument is absent. */
function withValue(
  args: JsonObject,
  [name = '', ...rest]: readonly string[],
  value: JsonValue | undefined,
): JsonObject {
  const before = args[name]
  if (rest.length === 0) return value === undefined ? args : { ...args, [name]: value }
  return { ...args, [name]: withValue(isJsonObject(before) ? before : {}, rest, value) }
}

function listClasses(
  atoms: readonly Atom[],
  path: readonly string[],
): readonly (JsonValue | undefined)[] {
  const found = new Map<string, JsonValue | undefined>()
  for (const value of listCandidates(atoms)) {
    const args = withValue({}, path, value)
    const outcomes = JSON.stringify(atoms.map((atom) => testAtom(atom, args)))
    if (!found.has(outcomes)) found.set(outcomes, value)
  }
  return [...found.values()]
}

const FILLER = 'zq'

function listCandidates(atoms: readonly Atom[]): readonly (JsonValue | undefined)[] {
  const texts = new Set(['', FILLER])
  for (const text of joinedTexts(atoms)) texts.add(text)
  const numbers = new Set([7.5])
  for (const number of nearNumbers(atoms.filter(({ form }) => form !== 'measured')))
    numbers.add(number)
  const lists: JsonValue[] = [[], [FILLER]]
  for (const size of nearNumbers(atoms.filter(({ form }) => form === 'measured'))) {
    if (size < 0 || size > 10_000 || !Number.isInteger(size)) continue
    for (const text of [...texts]) if (text.length <= size) texts.add(text.padEnd(size, 'q'))
    lists.push(Array.from({ length: size }, () => FILLER))
  }
  return [undefined, ...texts, ...numbers, true, false, null, ...lists, {}]
}

function listTexts(atoms: readonly Atom[], form: Atom['form']): readonly string[] {
  const own = atoms.filter((atom) => atom.form === form).flatMap(({ literals }) => literals)
  return [...new Set(own.filter((literal): literal is string => typeof literal === 'string'))]
}

/** Every constant, and beginnings, parts and ends in every combination. */
function joinedTexts(atoms: readonly Atom[]): readonly string[] {
  const all = atoms.flatMap(({ literals }) => literals)
  const whole = all.filter((literal): literal is string => typeof literal === 'string')
  const starts = ['', ...listTexts(atoms, 'startsWith')]
  const ends = ['', ...listTexts(atoms, 'endsWith')]
  const parts = combinations(listTexts(atoms, 'contains'))
  const joined = starts.flatMap((start) =>
    parts.flatMap((middle) =>
      ends.flatMap((end) => [
        [start, ...middle, end].join(FILLER),
        `${start}${middle.join('')}${end}`,
      ]),
    ),
  )
  return [...whole, ...joined]
}

function combinations(parts: readonly string[]): readonly (readonly string[])[] {
  const tried = parts.slice(0, MOST_PARTS)
  let found: readonly (readonly string[])[] = [[]]
  for (const part of tried) found = [...found, ...found.map((some) => [...some, part])]
  return found
}

/** Each constant, its neighbors, and the middle between two of them. */
function nearNumbers(atoms: readonly Atom[]): readonly number[] {
  const isNumber = (literal: Literal): literal is number => typeof literal === 'number'
  const constants = atoms.flatMap(({ literals }) => literals).filter(isNumber)
  const sorted = [...new Set(constants)].sort((a, b) => a - b)
  const between = sorted.slice(1).map((number, i) => (number + (sorted[i] ?? number)) / 2)
  return [...sorted.flatMap((number) => [number - 1, number, number + 1]), ...between]
}
