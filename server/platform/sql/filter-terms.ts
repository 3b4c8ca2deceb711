import 'server-only'
import { ServiceError } from '../base/errors.ts'
import type { NumberTerm, Term, TextTerm } from '../list/filter-grammar.ts'
import { holdsEvery } from './folded-text.ts'

type Bind = (value: unknown) => string

export interface FilterFields {
  /** Text expressions that are searched; null counts as empty text. */
  readonly texts: { readonly [field: string]: string }
  readonly choices: { readonly [field: string]: (value: string, bind: Bind) => string }
  /** Number expressions; times are epoch ms. */
  readonly numbers: { readonly [field: string]: string }
  readonly row: string
}

function textTerm(
  { field, words }: TextTerm,
  { texts, choices, row }: FilterFields,
  bind: Bind,
): string | undefined {
  const choice = field === null ? undefined : choices[field]
  const text = field === null ? row : texts[field]
  if (choice !== undefined) return words.map((word) => `(${choice(word, bind)})`).join(' OR ')
  if (text === undefined) return undefined
  return words.map((word) => holdsEvery(text, [word], bind)).join(' OR ')
}

function numberTerm(
  { field, compare, value, to = value }: NumberTerm,
  { numbers }: FilterFields,
  bind: Bind,
): string | undefined {
  const number = numbers[field]
  if (number === undefined) return undefined
  if (compare !== '=') return `${number} ${compare} ${bind(value)}::float8`
  return `${number} BETWEEN ${bind(value)}::float8 AND ${bind(to)}::float8`
}

/** One condition per term. A row without the field matches only a negated term. Rejects a field that the list lacks. */
export function filterTerms(
  terms: readonly Term[],
  fields: FilterFields,
  bind: Bind,
): readonly string[] {
  return terms.map((term) => {
    const held =
      term.kind === 'text' ? textTerm(term, fields, bind) : numberTerm(term, fields, bind)
    if (held === undefined)
      throw new ServiceError('invalid', `This list has no field ${term.field}.`)
    return term.isNegated ? `NOT coalesce((${held}), false)` : `(${held})`
  })
}
