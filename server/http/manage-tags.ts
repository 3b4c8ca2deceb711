// Conditional requests of the management API. A draft's tag names its id and revision (RFC 9110, section 13).
import { Problem, problemResponse } from './problem.ts'

export interface DraftTag {
  readonly id: string
  readonly revision: number
}

export function draftTag({ id, revision }: DraftTag): string {
  return `"${id}.${revision}"`
}

/** Null: `If-None-Match: *`, so the sender saw none. A tag that no draft can have matches nothing. Throws a 428 without either header. */
export function readPrecondition(headers: Headers): DraftTag | null {
  const match = headers.get('if-match')
  if (match !== null) {
    const [, id = '', revision = '0'] =
      /^"([A-Za-z0-9_]{1,64})\.(\d{1,10})"$/.exec(match.trim()) ?? []
    return { id, revision: Number(revision) }
  }
  if (headers.get('if-none-match')?.trim() === '*') return null
  throw new Problem({
    status: 428,
    title: 'Precondition required',
    detail:
      'Say which draft you saw: If-Match with its ETag, or "If-None-Match: *" when there was none.',
  })
}

export function preconditionFailed(detail: string): Response {
  return problemResponse({ status: 412, title: 'Precondition failed', detail })
}
