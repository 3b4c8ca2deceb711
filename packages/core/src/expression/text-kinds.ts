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
  const automata = programs.map((program) => new Automaton(program, letters))
  const places = letters.map(findPlace)
  const found = new Map<string, string>()
  const first: State = { states: automata.map(() => UNREAD), before: PLACE.start, text: '' }
  const seen = new Set([describeState(first.states, first.before)])
  const waiting = [first]
  for (let next = 0; next < waiting.length; next++) {
    const { states, before, text } = waiting[next] ?? first
    const kind = states.map((state, i) => automata[i]?.matchesAtEnd(state, before)).join()
    if (!found.has(kind)) found.set(kind, text)
    if (found.size >= Math.min(MOST_KINDS, 2 ** tests.length)) break
    if (waiting.length > MOST_STATES) return { texts: [...found.values()], isComplete: false }
    for (const [at, letter] of letters.entries()) {
      const after = automata.map((one, i) => one.follow(states[i] ?? MATCHED, before, at))
      const place = places[at] ?? PLACE.other
      const key = describeState(after, place)
      if (seen.has(key)) continue
      seen.add(key)
      waiting.push({ states: after, before: place, text: text + String.fromCodePoint(letter) })
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
  /** One of each program. */
  readonly states: readonly number[]
  readonly before: Place
  readonly text: string
}

function describeState(states: readonly number[], before: Place): string {
  return String.fromCodePoint(before, ...states)
}

/** Beginning and end of a text, and what assertions tell apart about a letter. */
const PLACE = { start: 0, line: 1, word: 2, other: 3, end: 4 } as const
type Place = (typeof PLACE)[keyof typeof PLACE]
const PLACES = Object.keys(PLACE).length

function findPlace(letter: number): Place {
  if (letter === NEWLINE) return PLACE.line
  return isWordLetter(letter) ? PLACE.word : PLACE.other
}

/** Numbers of states of every automaton. */
const MATCHED = 0
const UNREAD = 1

/** Deterministic, made from a program while it is followed. */
class Automaton {
  readonly #program: Program
  readonly #letters: readonly number[]
  readonly #places: readonly Place[]
  /** Instructions of each state, sorted. */
  readonly #states: (readonly number[])[] = [[], []]
  readonly #numbers = new Map<string, number>([['', UNREAD]])
  /** By state, place before, and letter. */
  readonly #next: number[][] = []
  /** By state, place before, and place after; null: the program has matched. */
  readonly #reached: (readonly Instruction[] | null)[] = []

  constructor(program: Program, letters: readonly number[]) {
    this.#program = program
    this.#letters = letters
    this.#places = letters.map(findPlace)
  }

  follow(state: number, before: Place, letter: number): number {
    if (state === MATCHED) return MATCHED
    const place = state * PLACES + before
    const known = this.#next[place] ?? []
    this.#next[place] = known
    const next = known[letter] ?? this.#read(state, before, letter)
    known[letter] = next
    return next
  }

  matchesAtEnd(state: number, before: Place): boolean {
    return state === MATCHED || this.#reach(state, before, PLACE.end) === null
  }

  #read(state: number, before: Place, letter: number): number {
    const reached = this.#reach(state, before, this.#places[letter] ?? PLACE.other)
    if (reached === null) return MATCHED
    const point = this.#letters[letter] ?? 0
    const after = reached.filter((instruction) => instruction.matchRune(point))
    const sorted = [...new Set(after.map(({ out }) => out))].sort((a, b) => a - b)
    const name = sorted.join()
    const number = this.#numbers.get(name) ?? this.#states.push(sorted) - 1
    this.#numbers.set(name, number)
    return number
  }

  #reach(state: number, before: Place, after: Place): readonly Instruction[] | null {
    const place = (state * PLACES + before) * PLACES + after
    const known = this.#reached[place]
    if (known !== undefined) return known
    // The match may begin anywhere.
    const begun = [...(this.#states[state] ?? []), this.#program.start]
    const reached = reach(this.#program, begun, findAssertions(before, after))
    this.#reached[place] = reached
    return reached
  }
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
function findAssertions(before: Place, after: Place): number {
  return (
    (before === PLACE.start || before === PLACE.line ? 0x01 : 0) |
    (after === PLACE.end || after === PLACE.line ? 0x02 : 0) |
    (before === PLACE.start ? 0x04 : 0) |
    (after === PLACE.end ? 0x08 : 0) |
    ((before === PLACE.word) !== (after === PLACE.word) ? 0x10 : 0x20)
  )
}

function isWordLetter(letter: number): boolean {
  return /\w/.test(String.fromCodePoint(letter))
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
  const all = sorted.slice(0, -1).flatMap((from, i) => {
    const letter = pickLetter(from, (sorted[i + 1] ?? AFTER_UNICODE) - 1)
    return letter === null ? [] : [letter]
  })
  return mergeLetters(programs, all)
}

/** The first of the letters that every instruction treats alike. */
function mergeLetters(programs: readonly Program[], letters: readonly number[]): readonly number[] {
  const reading = programs.flatMap(({ inst }) => inst.filter(({ op }) => op > OP.nop))
  const kinds = new Map<string, number>()
  for (const letter of letters) {
    const matching = reading.map((instruction) => (instruction.matchRune(letter) ? 1 : 0))
    const kind = [findPlace(letter), ...matching].join('')
    if (!kinds.has(kind)) kinds.set(kind, letter)
  }
  return [...kinds.values()]
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
