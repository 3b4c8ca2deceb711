// The filter grammar (ux.md §5): `field:value`, `-term`, `field:(a OR b)`, `field:>n`, `"a phrase"`, bare words. Pure: text in, terms
// or a refusal out; which fields there are is the caller's.

export interface Grammar {
  /** Fields whose text is looked through. */
  readonly texts: readonly string[]
  /** Fields that are numbers, with how a value is read; null: it is none. */
  readonly numbers: { readonly [field: string]: (value: string) => number | null }
}

/** Any of `words` is in the text of the field; field null: in the row's text. Lower case. */
interface TextTerm {
  readonly kind: 'text'
  readonly field: string | null
  readonly words: readonly string[]
  readonly isNegated: boolean
}

interface NumberTerm {
  readonly kind: 'number'
  readonly field: string
  readonly compare: '<' | '>' | '='
  readonly value: number
  readonly isNegated: boolean
}

type Term = TextTerm | NumberTerm

export type ParsedFilter =
  | { readonly ok: true; readonly terms: readonly Term[] }
  /** What the grammar cannot express is refused with a sentence, never dropped. */
  | { readonly ok: false; readonly message: string }

class Refusal extends Error {}

const quoted = (text: string): string => text.replace(/^"|"$/g, '').toLowerCase()

/** Words and terms: `-tool:(a OR b)`, `"a phrase"`. */
function* piecesOf(query: string): Generator<string> {
  let rest = query.trimStart()
  while (rest !== '') {
    const [piece = ''] =
      /^-?[a-z_]+:\([^()]*\)(?=\s|$)|^-?(?:[a-z_]+:)?"[^"]*"(?=\s|$)|^[^\s"()]+(?=\s|$)/i.exec(
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

function numberTerm(field: string, value: string, grammar: Grammar): Omit<NumberTerm, 'isNegated'> {
  const numberOf = grammar.numbers[field]
  if (numberOf === undefined) {
    const fields = [...grammar.texts, ...Object.keys(grammar.numbers)].join(', ')
    throw new Refusal(`“${field}” is not a field. Use ${fields}.`)
  }
  const compare = value.startsWith('<') ? '<' : value.startsWith('>') ? '>' : '='
  const number = numberOf(compare === '=' ? value : value.slice(1))
  if (number === null) throw new Refusal(`“${value}” is not a value of ${field}.`)
  return { kind: 'number', field, compare, value: number }
}

function termOf(piece: string, grammar: Grammar): Term {
  const isNegated = piece.length > 1 && piece.startsWith('-')
  const body = isNegated ? piece.slice(1) : piece
  const [, name, value] = /^([a-z_]+):(.+)$/i.exec(body) ?? []
  if (name === undefined || value === undefined) return bareTerm(body, isNegated)
  const field = name.toLowerCase()
  if (!grammar.texts.includes(field)) return { ...numberTerm(field, value, grammar), isNegated }
  if (/^[<>]/.test(value)) throw new Refusal(`“${field}” is text and cannot be compared.`)
  return { kind: 'text', field, words: choices(value), isNegated }
}

export function parseTerms(query: string, grammar: Grammar): ParsedFilter {
  try {
    return { ok: true, terms: [...piecesOf(query)].map((piece) => termOf(piece, grammar)) }
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, message: error.message }
    throw error
  }
}

/** A row without a number is found by the negated term only. */
export function holdsNumber(term: NumberTerm, value: number | null): boolean {
  if (value === null) return term.isNegated
  const { compare, value: wanted, isNegated } = term
  const holds =
    compare === '<' ? value < wanted : compare === '>' ? value > wanted : value === wanted
  return holds !== isNegated
}
