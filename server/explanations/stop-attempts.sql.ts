import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import { STOP_COLUMNS, type StopFacts } from './stop-list.sql.ts'

export interface RecordedStop extends StopFacts {
  /** Sequence number of stop.attempted, or of the decision if the attempt was not recorded. */
  readonly attemptedSeq: number
  readonly configDigest: string | null
}

export async function findStop(
  projectId: AuthorizedProjectId,
  stopId: string,
): Promise<RecordedStop | null> {
  const rows = await readRows<RecordedStop>(
    `SELECT ${STOP_COLUMNS}, attempted_seq AS "attemptedSeq", config_digest AS "configDigest" FROM stops
     WHERE project_id = $1 AND id = $2`,
    [projectId, stopId],
  )
  return rows[0] ?? null
}

/** In order of attempt; at most 200. */
export async function listAttempts(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<readonly StopFacts[]> {
  return await readRows<StopFacts>(
    `SELECT ${STOP_COLUMNS} FROM stops WHERE project_id = $1 AND session_id = $2 ORDER BY seq LIMIT 200`,
    [projectId, sessionId],
  )
}
