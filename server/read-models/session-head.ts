// One session's header: the list's facts and what only the session's own page shows.
import 'server-only'
import { readRows } from './rows.ts'
import { SESSION_COLUMNS, SESSION_TABLES, type SessionFacts } from './session-columns.ts'

export interface SessionHead extends SessionFacts {
  readonly harness: { readonly name?: string; readonly version?: string }
}

/** Null when the project has no such session. */
export async function findSessionHead(
  projectId: string,
  sessionId: string,
): Promise<SessionHead | null> {
  const rows = await readRows<SessionHead>(
    `SELECT ${SESSION_COLUMNS}, s.harness FROM ${SESSION_TABLES} WHERE s.project_id = $1 AND s.id = $2`,
    [projectId, sessionId],
  )
  return rows[0] ?? null
}
