// Which fields the filter texts of the lists know (specs/lists.md); the server has the same, as SQL. Pure.
import { countOf, type Grammar, instantOf, parseTerms, type Term } from './filter-grammar.ts'

/** `v3` is 3. */
const versionOf = (value: string): number | null => countOf(value.replace(/^v/i, ''))

/** Percent, with or without its sign. */
const percentOf = (value: string): number | null => countOf(value.replace(/%$/, ''))

export const SESSION_STATUSES = [
  'running',
  'working',
  'waiting',
  'blocked',
  'silent',
  'unknown',
  'ended',
  'lost',
] as const

export const SESSION_GRAMMAR: Grammar = {
  texts: ['prompt', 'env', 'runtime', 'session'],
  choices: {
    status: SESSION_STATUSES,
    verdict: ['denied', 'blocked', 'bypassed', 'deadline', 'warning'],
    enforced: ['fully', 'not'],
    imported: ['yes', 'no'],
    ending: ['completed', 'failed', 'aborted'],
    'plan-done': ['no-plan', 'none', 'under-25', 'under-50', 'under-75', 'under-100', 'all'],
  },
  numbers: {
    version: versionOf,
    'ended-version': versionOf,
    'time-used': percentOf,
    started: instantOf,
    ended: instantOf,
    ...{ calls: countOf, denied: countOf, warnings: countOf, stops: countOf },
    ...{ blocked: countOf, tokens: countOf },
  },
}

export const DENIAL_GRAMMAR: Grammar = {
  texts: ['prompt', 'env', 'tool', 'rule', 'code', 'runtime', 'session'],
  choices: {
    decision: ['denied', 'error'],
    imported: ['yes', 'no'],
    class: ['rule-said-no', 'prerequisite-missing', 'could-not-evaluate'],
  },
  numbers: { version: versionOf, at: instantOf },
}

export const DELIVERY_GRAMMAR: Grammar = {
  texts: ['prompt', 'env', 'provider', 'name', 'runtime', 'session'],
  choices: {
    severity: ['info', 'caution', 'warning'],
    followed: ['yes', 'no', 'ended', 'open', 'any'],
  },
  numbers: { version: versionOf, at: instantOf },
}

export const STOP_GRAMMAR: Grammar = {
  texts: ['prompt', 'env', 'code', 'check', 'runtime', 'session'],
  choices: {
    verdict: ['allowed', 'blocked', 'bypassed', 'no-checker', 'error'],
    bypass: ['deadline', 'budget', 'max-blocks'],
    imported: ['yes', 'no'],
    via: ['turn-end', 'structured-output', 'subagent-end', 'final'],
  },
  numbers: { version: versionOf, attempt: countOf, attempts: countOf, at: instantOf },
}

export interface FilterText {
  /** None: the text is empty, or is refused. */
  readonly terms: readonly Term[]
  /** Why it cannot be read; null: it can. */
  readonly problem: string | null
}

const MOST_TERMS = 20
const LONGEST_WORD = 200

/** `text`: as it stands in the address; null: none. */
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

/** Whether a term is about the field. */
export function hasField({ terms }: FilterText, field: string): boolean {
  return terms.some((term) => term.field === field)
}
