// One statement each, for any number of sessions.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import { STOP_COLUMNS, type StopFacts } from './stop-list.sql.ts'

export interface LoggedAttempt extends StopFacts {
  readonly attemptedSeq: number
  readonly configDigest: string | null
  /** `YYYY-MM-DD`; null: the session's events are no longer stored, or archived. */
  readonly partitionDay: string | null
  /** Data of `stop.attempted` and `stop.decided`, written from events that the wire schema accepted; null: not stored (any more). */
  readonly attempted: unknown
  readonly decided: unknown
}

/** Attempts of agents, without final verifications. In order of session and attempt, at most 200 per session. */
export async function loggedAttempts(
  projectId: AuthorizedProjectId,
  sessionIds: readonly string[],
): Promise<readonly LoggedAttempt[]> {
  return await readRows<LoggedAttempt>(
    `SELECT s.*, a.data AS attempted, d.data AS decided
     FROM unnest($2::text[]) AS wanted(id)
     JOIN sessions n ON n.id = wanted.id AND n.project_id = $1
     CROSS JOIN LATERAL (
       SELECT ${STOP_COLUMNS}, attempted_seq AS "attemptedSeq", config_digest AS "configDigest",
         CASE WHEN n.events_removed_at IS NULL AND n.archived_at IS NULL THEN n.partition_day::text END AS "partitionDay"
       FROM stops WHERE project_id = $1 AND session_id = n.id AND via <> 'final' ORDER BY seq LIMIT 200) AS s
     LEFT JOIN LATERAL (SELECT data FROM session_events WHERE partition_day = s."partitionDay"::date AND session_id = s."sessionId"
       AND seq = s."attemptedSeq" AND type = 'stop.attempted' LIMIT 1) AS a ON true
     LEFT JOIN LATERAL (SELECT data FROM session_events WHERE partition_day = s."partitionDay"::date AND session_id = s."sessionId"
       AND seq = s.seq AND type = 'stop.decided' LIMIT 1) AS d ON true
     ORDER BY s."sessionId", s.seq`,
    [projectId, [...new Set(sessionIds)]],
  )
}

export interface Stretch {
  readonly sessionId: string
  readonly partitionDay: string
  /** Both exclusive. */
  readonly after: number
  readonly before: number
}

export interface CallsBetween {
  readonly stretch: number
  readonly type: 'tool.requested' | 'tool.invoked'
  readonly tool: string
  readonly succeeded: number
  readonly calls: number
}

/** Stretches without calls have no row. Each is counted separately: in one join, the planner would read every partition. */
export async function readCallsBetween(
  stretches: readonly Stretch[],
): Promise<readonly CallsBetween[]> {
  return await readRows<CallsBetween>(
    `SELECT (u.n - 1)::int AS stretch, c.type, c.tool, c.calls, c.succeeded
     FROM unnest($1::text[], $2::date[], $3::int[], $4::int[]) WITH ORDINALITY AS u(session, day, after, before, n)
     CROSS JOIN LATERAL (
       SELECT e.type, coalesce(e.subject, '') AS tool, count(*)::int AS calls,
         (count(*) FILTER (WHERE e.type = 'tool.invoked' AND e.summary ~ '^success( |$)'))::int AS succeeded
       FROM session_events e WHERE e.partition_day = u.day AND e.session_id = u.session AND e.seq > u.after
         AND e.seq < u.before AND e.type IN ('tool.requested', 'tool.invoked')
       GROUP BY e.type, e.subject) AS c
     ORDER BY u.n, c.type, c.succeeded DESC, c.tool`,
    [
      stretches.map(({ sessionId }) => sessionId),
      stretches.map(({ partitionDay }) => partitionDay),
      stretches.map(({ after }) => after),
      stretches.map(({ before }) => before),
    ],
  )
}
