// Texts for every way in which some patterns can match together. RE2 has no backtracking, so a search over the states of its programs
// finds each of them, and ends.
import { RE2JS } from '@bufbuild/re2'

type Program = ReturnType<RE2JS['re2']>['prog']
type Instruction = ReturnType<Program['getInst']>

/** A question about a text, with the answer yes or no. */
export interface TextTest {
  readonly form: 'equals' | 'startsWith' | 'endsWith' | 'contains' | 'matches'
  /** A text, or the pattern of `matches`. */
  readonly text: string
}

export interface TextKinds {
  /** One text for each combination of results. */
  readonly texts: readonly string[]
  /** False: there may be more combinations. */
  readonly isComplete: boolean
}

const MOST_STATES = 4000
const MOST_LETTERS = 160
/** Limit of the combinations of results. */
const MOST_KINDS = 256

export function listTextKinds(tests: readonly TextTest[]): TextKinds {
  const programs = tests.map((test) => RE2JS.compile(toPattern(test)).re2().prog)
  const letters = listLetters(programs)
  if (letters === null) return { texts: [], isComplete: false }
  const found = new Map<string, string>()
  const first: State = { threads: programs.map(() => []), before: START, text: '' }
  const seen = new Set([describeState(first)])
  const waiting = [first]
  for (let next = 0; next < waiting.length; next++) {
    const state = waiting[next] ?? first
    const ended = follow(programs, state, END).threads.map((threads) => threads === null)
    const kind = ended.join()
    if (!found.has(kind)) found.set(kind, state.text)
    if (found.size >= Math.min(MOST_KINDS, 2 ** tests.length)) break
    if (waiting.length > MOST_STATES) return { texts: [...found.values()], isComplete: false }
    for (const letter of letters) {
      const after = follow(programs, state, letter)
      const key = describeState(after)
      if (seen.has(key)) continue
      seen.add(key)
      waiting.push(after)
    }
  }
  return { texts: [...found.values()], isComplete: found.size < MOST_KINDS }
}

function toPattern({ form, text }: TextTest): string {
  if (form === 'matches') return text
  const start = form === 'equals' || form === 'startsWith' ? '\\A' : ''
  const end = form === 'equals' || form === 'endsWith' ? '\\z' : ''
  return `${start}${RE2JS.quote(text)}${end}`
}

interface State {
  /** Places in each program, sorted; null: it has matched. */
  readonly threads: readonly (readonly number[] | null)[]
  /** Code point before the place; START: none. */
  readonly before: number
  readonly text: string
}

const START = -1
const END = -1

function describeState({ threads, before }: State): string {
  return `${describePlace(before)} ${threads.map((places) => places?.join() ?? '!').join(' ')}`
}

/** Assertions tell no more apart about the letter before. */
function describePlace(before: number): string {
  if (before === START) return 'start'
  return before === NEWLINE ? 'line' : isWordLetter(before) ? 'word' : 'other'
}

function follow(programs: readonly Program[], state: State, letter: number): State {
  const holding = findAssertions(state.before, letter)
  const threads = state.threads.map((places, i) => {
    const program = programs[i]
    if (places === null || program === undefined) return null
    // The match may begin anywhere.
    const reached = reach(program, [...places, program.start], holding)
    if (reached === null) return null
    const after = reached.filter(({ matchRune }, at) => matchRune.call(reached[at], letter))
    return [...new Set(after.map(({ out }) => out))].sort((a, b) => a - b)
  })
  const text = letter === END ? state.text : state.text + String.fromCodePoint(letter)
  return { threads, before: letter, text }
}

/** Kinds of instructions of an RE2 program, as its compiler numbers them. */
const OP = { alt: 1, altMatch: 2, capture: 3, empty: 4, fail: 5, match: 6, nop: 7 } as const

/** Instructions that read a letter; null: the program has matched. */
function reach(
  program: Program,
  places: readonly number[],
  holding: number,
): readonly Instruction[] | null {
  const reading: Instruction[] = []
  const seen = new Set<number>()
  const waiting = [...places]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (seen.has(place)) continue
    seen.add(place)
    const instruction = program.getInst(place)
    if (instruction.op === OP.match) return null
    if (instruction.op > OP.nop) reading.push(instruction)
    else waiting.push(...listNext(instruction, holding))
  }
  return reading
}

/** Places that an instruction leads to without reading a letter. */
function listNext({ op, out, arg }: Instruction, holding: number): readonly number[] {
  switch (op) {
    case OP.alt:
    case OP.altMatch:
      return [out, arg]
    case OP.empty:
      return (arg & ~holding) === 0 ? [out] : []
    case OP.fail:
      return []
    default:
      return [out]
  }
}

const NEWLINE = 10

/** Bits of the assertions that hold between two letters, as RE2 numbers them: line, text and word. */
function findAssertions(before: number, after: number): number {
  return (
    (before === START || before === NEWLINE ? 0x01 : 0) |
    (after === END || after === NEWLINE ? 0x02 : 0) |
    (before === START ? 0x04 : 0) |
    (after === END ? 0x08 : 0) |
    (isWordLetter(before) !== isWordLetter(after) ? 0x10 : 0x20)
  )
}

function isWordLetter(letter: number): boolean {
  return letter >= 0 && /\w/.test(String.fromCodePoint(letter))
}

const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000
const AFTER_UNICODE = 0x110000

/** One letter for each set of letters that no program tells apart; null: there are too many. */
function listLetters(programs: readonly Program[]): readonly number[] | null {
  const borders = new Set([0, NEWLINE, NEWLINE + 1, AFTER_UNICODE])
  for (const range of ['09', 'AZ', '__', 'az'])
    addBorders(borders, range.codePointAt(0) ?? 0, range.codePointAt(1) ?? 0)
  for (const { inst } of programs)
    for (const { runes } of inst) {
      for (let i = 0; i < runes.length; i += 2)
        addFolded(borders, runes[i] ?? 0, runes[i + 1] ?? runes[i] ?? 0)
    }
  const sorted = [...borders].sort((a, b) => a - b)
  if (sorted.length > MOST_LETTERS) return null
  return sorted.slice(0, -1).flatMap((from, i) => {
    const letter = pickLetter(from, (sorted[i + 1] ?? AFTER_UNICODE) - 1)
    return letter === null ? [] : [letter]
  })
}

function addBorders(borders: Set<number>, from: number, to: number): void {
  borders.add(from)
  borders.add(Math.min(to + 1, AFTER_UNICODE))
}

/** A single letter may stand for its other cases, too. */
function addFolded(borders: Set<number>, from: number, to: number): void {
  addBorders(borders, from, to)
  if (from !== to) return
  const letter = String.fromCodePoint(from)
  for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
    const point = other.codePointAt(0) ?? from
    addBorders(borders, point, point)
  }
}

/** A letter that people can read, if there is one. null: only halves of letters. */
function pickLetter(from: number, to: number): number | null {
  const [space, tilde] = [0x21, 0x7e]
  if (from <= tilde && to >= space) return Math.max(from, space)
  if (from >= FIRST_SURROGATE && to < AFTER_SURROGATES) return null
  return from >= FIRST_SURROGATE && from < AFTER_SURROGATES ? AFTER_SURROGATES : from
}
