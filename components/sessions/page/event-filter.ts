// Loaded when the page is first used or opened with a search: most readers of a session search nothing.
import {
  type Grammar,
  holdsNumber,
  type ParsedFilter,
  parseInstant,
  parseTerms,
} from '@/server/platform/list/filter-grammar.ts'
import { type EventRow, rowText } from './rows/session-rows.ts'

const UNITS: { readonly [unit: string]: number } = { '': 1, ms: 1, s: 1_000, m: 60_000 }

/** Parses `100`, `100ms`, `4s` or `2m` to milliseconds. */
function parseEventDuration(value: string): number | null {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(value) ?? []
  return digits === undefined ? null : Number(digits) * (UNITS[unit] ?? 1)
}

const GRAMMAR: Grammar = {
  texts: ['tool', 'verdict', 'type', 'provider'],
  numbers: {
    seq: (value) => (/^#?\d+$/.test(value) ? Number(value.replace('#', '')) : null),
    dur: parseEventDuration,
    at: parseInstant,
  },
}

export function parseFilter(query: string): ParsedFilter {
  return parseTerms(query, GRAMMAR)
}

/** Words without a field, which are searched for in payloads. */
export function payloadWords(filter: ParsedFilter): readonly string[] {
  if (!filter.ok) return []
  return filter.terms.flatMap((term) =>
    term.kind === 'text' && term.field === null && !term.isNegated ? term.words : [],
  )
}

function readEventText(row: EventRow, field: string): string {
  switch (field) {
    case 'tool':
      return row.nativeTool === null ? row.subject : `${row.subject} ${row.nativeTool}`
    case 'provider':
      return row.subject
    case 'verdict':
      return row.verdict ?? ''
    default:
      return row.type
  }
}

function readEventNumber(row: EventRow, field: string): number | null {
  if (field === 'dur') return row.durationMs
  return field === 'at' ? row.at : row.seq
}

/** `inPayload`: the payload of one of the row's events contains every word without a field. An invalid filter matches nothing. */
export function matches(row: EventRow, filter: ParsedFilter, inPayload = false): boolean {
  if (!filter.ok) return false
  return filter.terms.every((term) => {
    if (term.kind === 'number') return holdsNumber(term, readEventNumber(row, term.field))
    const { field, words, isNegated } = term
    if (field === null && inPayload && !isNegated) return true
    const text = field === null ? rowText(row) : readEventText(row, field).toLowerCase()
    return words.some((word) => text.includes(word)) !== isNegated
  })
}
