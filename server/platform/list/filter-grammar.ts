// The filter grammar (specs/lists.md). Pure: parses text into terms or a refusal. The caller defines the fields.

export interface Grammar {
  readonly texts: readonly string[]
  readonly choices?: { readonly [field: string]: readonly string[] }
  /** Numeric fields with the parser of a value; null: it is not a number. */
  readonly numbers: { readonly [field: string]: (value: string) => number | null }
}

/** Matches if any of `words` (lowercase) occurs in the text, or equals the value of a field with fixed values. Field null: the row's text. */
export interface TextTerm {
  readonly kind: 'text'
  readonly field: string | null
  readonly words: readonly string[]
  readonly isNegated: boolean
}

export interface NumberTerm {
  readonly kind: 'number'
  readonly field: string
  /** `=`: from `value` to `to`, both included; without `to`, only `value`. */
  readonly compare: '<' | '>' | '='
  readonly value: number
  readonly to?: number | undefined
  readonly isNegated: boolean
}

export type Term = TextTerm | NumberTerm

export type ParsedFilter =
  | { readonly ok: true; readonly terms: readonly Term[] }
  /** Input that the grammar cannot express is refused with a sentence, never ignored. */
  | { readonly ok: false; readonly message: string }

class Refusal extends Error {}

const quoted = (text: string): string => text.replace(/^"|"$/g, '').toLowerCase()

function* splitQuery(query: string): Generator<string> {
  let rest = query.trimStart()
  while (rest !== '') {
    const [piece = ''] =
      /^-?[a-z_][a-z_-]*:\([^()]*\)(?=\s|$)|^-?(?:[a-z_][a-z_-]*:)?"[^"]*"(?=\s|$)|^[^\s"()]+(?=\s|$)/i.exec(
        rest,
      ) ?? []
    if (piece === '') throw new Refusal(whyNot(rest))
    yield piece
    rest = rest.slice(piece.length).trimStart()
  }
}

function whyNot(rest: string): string {
  const [word = rest] = rest.split(/\s/)
  if ((rest.match(/"/g)?.length ?? 0) % 2 === 1) return 'A quotation mark is not closed.'
  if (word.includes('(') && !rest.includes(')')) return 'A bracket is not closed.'
  return `“${word}” cannot be read. Put text with quotation marks or brackets between quotation marks.`
}

function choices(value: string): readonly string[] {
  if (!value.startsWith('(')) return [quoted(value)]
  const words = value.slice(1, -1).split(' OR ')
  return words.map((word) => {
    const trimmed = word.trim()
    if (trimmed === '' || (/\s/.test(trimmed) && !/^".*"$/.test(trimmed))) {
      throw new Refusal(`Write “${value}” as (one OR another).`)
    }
    return quoted(trimmed)
  })
}

function bareTerm(body: string, isNegated: boolean): Term {
  if (/^(OR|AND|NOT)$/.test(body)) {
    throw new Refusal(`“${body}” stands alone. Alternatives are written field:(one OR another).`)
  }
  return { kind: 'text', field: null, words: [quoted(body)], isNegated }
}

const listFieldNames = ({ texts, choices = {}, numbers }: Grammar): readonly string[] => [
  ...texts,
  ...Object.keys(choices),
  ...Object.keys(numbers),
]

function numberTerm(field: string, value: string, grammar: Grammar): Omit<NumberTerm, 'isNegated'> {
  const parseFieldNumber = grammar.numbers[field]
  if (parseFieldNumber === undefined) {
    throw new Refusal(`“${field}” is not a field. Use ${listFieldNames(grammar).join(', ')}.`)
  }
  const [from = '', to, more] = value.split('..')
  const compare = value.startsWith('<') ? '<' : value.startsWith('>') ? '>' : '='
  const number = parseFieldNumber(compare === '=' ? from : value.slice(1))
  const end = to === undefined ? undefined : parseFieldNumber(to)
  const isRange = end !== undefined && end !== null
  if (number === null || end === null || more !== undefined || (isRange && compare !== '=')) {
    throw new Refusal(`“${value}” is not a value of ${field}.`)
  }
  return { kind: 'number', field, compare, value: number, ...(isRange ? { to: end } : {}) }
}

function choiceTerm(
  field: string,
  value: string,
  known: readonly string[],
): Omit<TextTerm, 'isNegated'> {
  const words = choices(value)
  const unknown = words.find((word) => !known.includes(word))
  if (unknown !== undefined) {
    throw new Refusal(`“${unknown}” is not a value of ${field}. Use ${known.join(', ')}.`)
  }
  return { kind: 'text', field, words }
}

function parseTerm(piece: string, grammar: Grammar): Term {
  const isNegated = piece.length > 1 && piece.startsWith('-')
  const body = isNegated ? piece.slice(1) : piece
  const [, name, value] = /^([a-z_][a-z_-]*):(.*)$/i.exec(body) ?? []
  if (name === undefined || value === undefined) return bareTerm(body, isNegated)
  const field = name.toLowerCase()
  if (value === '') {
    if (listFieldNames(grammar).includes(field)) throw new Refusal(`Write a value after ${field}:.`)
    return bareTerm(body, isNegated)
  }
  const known = grammar.choices?.[field]
  if (known !== undefined) return { ...choiceTerm(field, value, known), isNegated }
  if (!grammar.texts.includes(field)) return { ...numberTerm(field, value, grammar), isNegated }
  if (/^[<>]/.test(value)) throw new Refusal(`“${field}” is text and cannot be compared.`)
  return { kind: 'text', field, words: choices(value), isNegated }
}

export function parseTerms(query: string, grammar: Grammar): ParsedFilter {
  try {
    return { ok: true, terms: [...splitQuery(query)].map((piece) => parseTerm(piece, grammar)) }
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, message: error.message }
    throw error
  }
}

/** A row without a number matches only a negated term. */
export function holdsNumber(term: NumberTerm, value: number | null): boolean {
  if (value === null) return term.isNegated
  const { compare, value: from, to = from, isNegated } = term
  const holds =
    compare === '<' ? value < from : compare === '>' ? value > from : value >= from && value <= to
  return holds !== isNegated
}

export function parseCount(value: string): number | null {
  return /^\d{1,15}$/.test(value) ? Number(value) : null
}

/** Parses an ISO 8601 instant as UTC. */
export function parseInstant(value: string): number | null {
  const isDated = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?$/i.test(value)
  const text = value.length === 10 ? `${value}T00:00Z` : `${value.replace(/Z$/i, '')}Z`
  const at = isDated ? Date.parse(text.toUpperCase()) : Number.NaN
  return Number.isNaN(at) ? null : at
}

export function parseVersion(value: string): number | null {
  return parseCount(value.replace(/^v/i, ''))
}

export function parsePercent(value: string): number | null {
  return parseCount(value.replace(/%$/, ''))
}

export interface FilterText {
  /** Empty: the text is empty, or is refused. */
  readonly terms: readonly Term[]
  /** Reason why it cannot be parsed; null: it can. */
  readonly problem: string | null
}

const MOST_TERMS = 20
const LONGEST_WORD = 200

/** `text`: the filter text of an address; null: none. */
export function readFilterText(text: string | null, grammar: Grammar): FilterText {
  const read = parseTerms(text ?? '', grammar)
  if (!read.ok) return { terms: [], problem: read.message }
  const words = read.terms.flatMap((term) => (term.kind === 'text' ? term.words : []))
  if (read.terms.length > MOST_TERMS || words.some(({ length }) => length > LONGEST_WORD)) {
    const problem = `A filter has at most ${MOST_TERMS} terms, of at most ${LONGEST_WORD} letters each.`
    return { terms: [], problem }
  }
  return { terms: read.terms, problem: null }
}

export function hasField({ terms }: FilterText, field: string): boolean {
  return terms.some((term) => term.field === field)
}
