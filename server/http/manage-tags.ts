// Conditional requests of the management API: a draft's tag names its id and revision (RFC 9110, section 13).
import { problemResponse } from './problem.ts'

export interface DraftTag {
  readonly id: string
  readonly revision: number
}

export function draftTag({ id, revision }: DraftTag): string {
  return `"${id}.${revision}"`
}

/**
 * `seen` null: `If-None-Match: *`, no draft was seen. A tag that no draft can have is one that matches nothing. Absent
 * both: the 428.
 */
export type Precondition =
  | { readonly ok: true; readonly seen: DraftTag | null }
  | { readonly ok: false; readonly response: Response }

export function readPrecondition(headers: Headers): Precondition {
  const match = headers.get('if-match')
  if (match !== null) {
    const [, id = '', revision = '0'] =
      /^"([A-Za-z0-9_]{1,64})\.(\d{1,10})"$/.exec(match.trim()) ?? []
    return { ok: true, seen: { id, revision: Number(revision) } }
  }
  if (headers.get('if-none-match')?.trim() === '*') return { ok: true, seen: null }
  return {
    ok: false,
    response: problemResponse({
      status: 428,
      title: 'Precondition required',
      detail:
        'Say which draft you saw: If-Match with its ETag, or "If-None-Match: *" when there was none.',
    }),
  }
}

export function preconditionFailed(detail: string): Response {
  return problemResponse({ status: 412, title: 'Precondition failed', detail })
}
