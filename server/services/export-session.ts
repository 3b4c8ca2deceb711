// A session's stored events as the NDJSON that runtimes send (specs/events.md), so that `signalbox replay --check` on the
// file reproduces the recorded decisions. Reads page by page: memory does not grow with the session.
import type { ProjectScope } from '../auth/scope.ts'
import { type LogPlace, type LogText, readLogTexts } from '../read-models/session-log.ts'
import { requireLogPlace } from './audit/session-state.ts'

const PAGE = 1_000

/** The data is put in as the text that was stored, so that no number or escape changes its form. */
function lineOf(session: string, row: LogText): string {
  const { seq, at, type, data, config, trace, prev } = row
  const envelope = JSON.stringify({ session, seq, at, type })
  const optional = JSON.stringify({
    ...(config === null ? {} : { config }),
    ...(trace === null ? {} : { trace }),
    ...(prev === null ? {} : { prev }),
  })
  const rest = optional === '{}' ? '' : `,${optional.slice(1, -1)}`
  return `${envelope.slice(0, -1)},"data":${data}${rest}}\n`
}

async function* pagesOf(place: LogPlace): AsyncGenerator<string> {
  let afterSeq = 0
  for (;;) {
    const rows = await readLogTexts(place, { afterSeq, limit: PAGE })
    if (rows.length > 0) yield rows.map((row) => lineOf(place.sessionId, row)).join('')
    if (rows.length < PAGE) return
    afterSeq = rows.at(-1)?.seq ?? afterSeq
  }
}

/** Rejects with `not_found` before the first page when the project has no such session. */
export async function exportSession(
  scope: ProjectScope,
  sessionId: string,
): Promise<AsyncGenerator<string>> {
  return pagesOf(await requireLogPlace(scope.projectId, sessionId))
}
