// The filter grammar of a session's list: `field:value`, `-term`, bare words; and the chips beside it. Pure.
import type { EventRow } from './session-rows.ts'

const FIELDS = ['tool', 'verdict', 'type', 'provider'] as const
type Field = (typeof FIELDS)[number]

interface Term {
  readonly field: Field | null
  readonly text: string
  readonly isNegated: boolean
}

export type EventFilter =
  | { readonly ok: true; readonly terms: readonly Term[] }
  /** What the grammar cannot express is refused with a sentence, never dropped. */
  | { readonly ok: false; readonly message: string }

export const CHIPS = ['denied', 'stops', 'feedback'] as const
export type Chip = (typeof CHIPS)[number]

function isField(name: string): name is Field {
  return FIELDS.some((field) => field === name)
}

export function parseFilter(query: string): EventFilter {
  const terms: Term[] = []
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const isNegated = word.length > 1 && word.startsWith('-')
    const body = isNegated ? word.slice(1) : word
    const [, name, value] = /^([a-z_]+):(.+)$/.exec(body) ?? []
    if (name === undefined || value === undefined) {
      terms.push({ field: null, text: body, isNegated })
    } else if (isField(name)) {
      terms.push({ field: name, text: value, isNegated })
    } else {
      return { ok: false, message: `“${name}” is not a field. Use ${FIELDS.join(', ')}.` }
    }
  }
  return { ok: true, terms }
}

function textOf(row: EventRow, field: Field | null): string {
  switch (field) {
    case 'tool':
      return row.nativeTool === null ? row.subject : `${row.subject} ${row.nativeTool}`
    case 'provider':
      return row.subject
    case 'verdict':
      return row.verdict ?? ''
    case 'type':
      return row.type
    default:
      return `${row.seq} ${row.verdict ?? ''} ${row.type} ${row.subject} ${row.text}`
  }
}

export function chipOf(row: EventRow): Chip | null {
  if (row.type === 'tool.decided') return row.verdict === 'allowed' ? null : 'denied'
  if (row.type === 'stop.decided' || row.type === 'stop.attempted') return 'stops'
  return row.type === 'feedback.delivered' || row.type === 'feedback.failed' ? 'feedback' : null
}

/** `chips`: none means all kinds. A refused filter matches everything. */
export function matches(row: EventRow, filter: EventFilter, chips: readonly Chip[]): boolean {
  const chip = chipOf(row)
  if (chips.length > 0 && (chip === null || !chips.includes(chip))) return false
  if (!filter.ok) return true
  return filter.terms.every(
    ({ field, text, isNegated }) => textOf(row, field).toLowerCase().includes(text) !== isNegated,
  )
}
