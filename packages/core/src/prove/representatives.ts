// Arguments that stand for all others: one for each way in which the parts of the conditions can come out, as the real CEL evaluates them.
import { type Atom, type Literal, testAtom } from '../expression/condition-atoms.ts'
import { listTextKinds, type TextTest } from '../expression/text-kinds.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'

/** Kinds of arguments that are tried for one tool. */
const MOST_KINDS = 64

export interface Representatives {
  readonly kinds: readonly JsonObject[]
  /** False: more kinds may exist. */
  readonly isComplete: boolean
}

/** Keep it for all searches of one question, because it remembers what it found. */
export type Representer = (atoms: readonly Atom[]) => Representatives

/** `atoms`: those that read exactly one path below `args`. */
export function representer(): Representer {
  const numbers = new Map<Atom, number>()
  const known = new Map<string, Representatives>()
  const toNumber = (atom: Atom): number => {
    const number = numbers.get(atom) ?? numbers.size
    numbers.set(atom, number)
    return number
  }
  return (atoms) => {
    const key = atoms.map(toNumber).join()
    const found = known.get(key) ?? representArguments(atoms)
    known.set(key, found)
    return found
  }
}

function representArguments(atoms: readonly Atom[]): Representatives {
  const byPath = new Map<string, Atom[]>()
  for (const atom of atoms) {
    const key = JSON.stringify(atom.paths[0] ?? [])
    byPath.set(key, [...(byPath.get(key) ?? []), atom])
  }
  let kinds: readonly JsonObject[] = [{}]
  let isComplete = true
  for (const own of byPath.values()) {
    const path = (own[0]?.paths[0] ?? []).slice(1).map((name) => name ?? '')
    const classes = listClasses(own, path)
    kinds = kinds.flatMap((kind) => classes.values.map((value) => withValue(kind, path, value)))
    const isWhole = classes.isComplete && !(isMeasured(own) && hasPart(path, byPath))
    isComplete = isComplete && isWhole && kinds.length <= MOST_KINDS
    kinds = kinds.slice(0, MOST_KINDS)
  }
  return { kinds, isComplete }
}

function isMeasured(atoms: readonly Atom[]): boolean {
  return atoms.some(({ form }) => form === 'measured')
}

/** True: a condition reads a part of the argument, which changes its size. */
function hasPart(path: readonly string[], paths: ReadonlyMap<string, unknown>): boolean {
  const start = JSON.stringify(['args', ...path]).slice(0, -1)
  return [...paths.keys()].some((key) => key.startsWith(`${start},`))
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

interface Classes {
  readonly values: readonly (JsonValue | undefined)[]
  readonly isComplete: boolean
}

function listClasses(atoms: readonly Atom[], path: readonly string[]): Classes {
  const found = new Map<string, JsonValue | undefined>()
  const { values, isComplete } = listCandidates(atoms)
  for (const value of values) {
    const args = withValue({}, path, value)
    const outcomes = JSON.stringify(atoms.map((atom) => testAtom(atom, args)))
    if (!found.has(outcomes)) found.set(outcomes, value)
  }
  return { values: [...found.values()], isComplete }
}

const FILLER = 'zq'

function listCandidates(atoms: readonly Atom[]): Classes {
  const bounds = listBounds(atoms)
  const tests = listTextTests(atoms)
  // Without other tests of a text, every text of a size will do.
  const within = tests.length === 0 ? [] : bounds.filter((size) => size <= MOST_REPEATED)
  const { texts, isComplete } = listTextKinds([...tests, ...within.map(testSize)])
  const isInReach =
    tests.length === 0 ? bounds.every((size) => size < MOST_SIZE) : within.length === bounds.length
  const sizes = bounds.flatMap((size) => [size, size + 1]).filter((size) => size <= MOST_SIZE)
  const long = sizes.map((size) => ''.padEnd(size, 'q'))
  const lists = sizes.map((size) => Array.from({ length: size }, () => FILLER))
  const numbers = nearNumbers(atoms)
  const others = [7.5, true, false, null, [], [FILLER], {}]
  const values = [undefined, ...texts, FILLER, '', ...long, ...numbers, ...others, ...lists]
  return { values, isComplete: isComplete && isInReach }
}

/** Longest text or list that is tried. */
const MOST_SIZE = 10_000
/** Most repetitions in a pattern. */
const MOST_REPEATED = 1000

/** For each constant with which a size is compared: the largest size below it, and up to it. */
function listBounds(atoms: readonly Atom[]): readonly number[] {
  const measuring = atoms.filter(({ form }) => form === 'measured')
  const constants = measuring.flatMap(({ literals }) => literals).filter(isNumber)
  const bounds = constants.flatMap((size) => [Math.ceil(size) - 1, Math.floor(size)])
  return [...new Set(bounds)].filter((size) => size >= 0)
}

/** True for texts of at most this size. */
function testSize(size: number): TextTest {
  return { form: 'matches', text: `(?s)\\A.{0,${size}}\\z` }
}

function listTextTests(atoms: readonly Atom[]): readonly TextTest[] {
  const tests = atoms.flatMap(({ form, literals }) =>
    literals.flatMap((text): readonly TextTest[] => {
      if (typeof text !== 'string') return []
      if (form === 'compared') return [{ form: 'equals', text }]
      return form === 'present' || form === 'measured' || form === 'other' ? [] : [{ form, text }]
    }),
  )
  return [...new Map(tests.map((one) => [`${one.form} ${one.text}`, one])).values()]
}

/** Each constant, its neighbors, and the middle between two of them. */
function nearNumbers(atoms: readonly Atom[]): readonly number[] {
  const constants = atoms.flatMap(({ literals }) => literals).filter(isNumber)
  const sorted = [...new Set(constants)].sort((a, b) => a - b)
  const between = sorted.slice(1).map((number, i) => (number + (sorted[i] ?? number)) / 2)
  return [...sorted.flatMap((number) => [number - 1, number, number + 1]), ...between]
}

function isNumber(literal: Literal): literal is number {
  return typeof literal === 'number'
}
