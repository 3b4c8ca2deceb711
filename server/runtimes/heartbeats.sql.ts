import 'server-only'
import { MOST_ORDERS } from '@signalbox/wire'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { clampToInt4, type RuntimeReport } from './runtimes.sql.ts'

export interface Heartbeat extends RuntimeReport {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly environment: string
  /** JSON text as received; null: the runtime reported no optional parts, so the last report stays. */
  readonly parts: string | null
  /** Ids of the trusted signing keys; empty: not reported. */
  readonly keys: readonly string[]
  readonly now: Date
  readonly isStopping: boolean
  readonly takesOrders: boolean
  /** Ids of running sessions that another runtime began. */
  readonly movedSessions: readonly string[]
}

// A type, because rows of the driver are indexed.
export type UnrecordedOrder = {
  readonly session: string
  readonly counter: number
  readonly action: 'pause' | 'resume' | 'end'
  readonly by: string
  readonly reason: string
  /** Epoch ms. */
  readonly at: number
  /** Epoch ms. */
  readonly expiresAt: number
}

export type WrittenHeartbeat = {
  readonly id: string
  readonly isNews: boolean
  readonly desiredRevision: number
  /** null: there are none. */
  readonly orders: readonly UnrecordedOrder[] | null
}

function toHeartbeatRow(beat: Heartbeat) {
  return {
    id: beat.id,
    project_id: beat.projectId,
    environment: beat.environment,
    now: beat.now.toISOString(),
    is_stopping: beat.isStopping,
    applied_revision: beat.appliedRevision === null ? null : clampToInt4(beat.appliedRevision),
    applied_digest: beat.appliedDigest,
    applied_source: beat.appliedSource,
    rejected_revision: beat.rejectedRevision === null ? null : clampToInt4(beat.rejectedRevision),
    rejected_reason: beat.rejectedReason,
    live_sessions: clampToInt4(beat.liveSessions),
    spooled_events: clampToInt4(beat.spooledEvents),
    clock_skew_ms: clampToInt4(beat.clockSkewMs),
    parts: beat.parts,
    takes_orders: beat.takesOrders,
    // Text form of a text[]; ids contain no character that needs quoting.
    keys: `{${beat.keys.join(',')}}`,
  }
}

/** Longest that requests of a runtime overtake each other. A clock that is set back further counts as corrected. */
const OVERTAKEN_MS = 30_000

/** Time of a runtime's report by its own clock. The row has the server's time and the skew between both. */
const sentAt = (row: string, received: string): string =>
  `${row}.${received} + ${row}.clock_skew_ms * interval '1 ms'`

/**
 * Newest order of each running session of the runtime, unless it is recorded: a newer order replaces those before it.
 * Sessions that reported last come first, because those that a crash ended never record theirs.
 */
const UNRECORDED_ORDERS = `(SELECT json_agg(json_build_object('session', o.session_id, 'counter', o.counter, 'action', o.action,
    'by', o.ordered_name, 'reason', o.reason, 'at', (extract(epoch FROM o.ordered_at) * 1000)::bigint,
    'expiresAt', (extract(epoch FROM o.expires_at) * 1000)::bigint))
  FROM (SELECT n.* FROM session_orders n JOIN sessions s ON s.id = n.session_id AND s.ended_at IS NULL
      WHERE n.runtime_id = b.id AND n.project_id = b.project_id AND n.expires_at > now() AND n.recorded_seq IS NULL
      AND NOT EXISTS (SELECT 1 FROM session_orders l WHERE l.session_id = n.session_id AND l.counter > n.counter)
    ORDER BY s.received_at DESC, n.session_id LIMIT ${MOST_ORDERS}) o)`

/**
 * Running sessions belong to the runtime that says so last, with the orders that they have not recorded, so that orders reach
 * a session that another process resumed. Call it in a transaction of its own: ingestion locks sessions, too.
 */
export async function moveSessions(sql: SqlTx, beats: readonly Heartbeat[]): Promise<void> {
  const moved = beats.flatMap(({ id, projectId, environment, movedSessions }) =>
    movedSessions.map((session) => ({ id, project_id: projectId, environment, session })),
  )
  await sql.query(
    `WITH told AS (
       SELECT DISTINCT ON (s.id) s.id AS session_id, r.id AS runtime_id
       FROM json_to_recordset($1::json) AS t(id text, project_id text, environment text, session text)
       JOIN runtimes r USING (id, project_id, environment)
       JOIN sessions s ON s.id = t.session AND s.project_id = t.project_id AND s.environment = t.environment
       WHERE s.ended_at IS NULL AND s.runtime_id IS DISTINCT FROM t.id
     ), locked AS (
       SELECT s.id FROM sessions s JOIN told t ON t.session_id = s.id ORDER BY s.id FOR NO KEY UPDATE OF s
     ), moved AS (
       UPDATE sessions s SET runtime_id = t.runtime_id FROM told t JOIN locked l ON l.id = t.session_id
       WHERE s.id = t.session_id RETURNING s.id, s.runtime_id
     )
     UPDATE session_orders o SET runtime_id = m.runtime_id FROM moved m
     WHERE o.session_id = m.id AND o.recorded_seq IS NULL`,
    [JSON.stringify(moved)],
  )
}

/**
 * Ids must differ. Returns only known runtimes of the project and environment. Locks rows in order of id, so batches never deadlock.
 * A heartbeat that a later one has overtaken changes nothing: it would undo what the later one reported, until the next one.
 */
export async function writeHeartbeats(
  sql: SqlTx,
  beats: readonly Heartbeat[],
): Promise<readonly WrittenHeartbeat[]> {
  return await sql.query<WrittenHeartbeat>(
    `WITH told AS (
       SELECT * FROM json_to_recordset($1::json) AS t(
         id text, project_id text, environment text, now timestamptz(3), is_stopping boolean,
         applied_revision int, applied_digest text, applied_source text,
         rejected_revision int, rejected_reason text,
         live_sessions int, spooled_events int, clock_skew_ms int, parts text, takes_orders boolean, keys text[])
     ), before AS (
       SELECT r.id, r.project_id, r.applied_revision, r.stopped_at, e.revision,
         (r.applied_revision, r.applied_digest, r.applied_source, r.rejected_revision,
          r.rejected_reason, r.live_sessions, r.spooled_events, r.keys)
         IS DISTINCT FROM
         (t.applied_revision, t.applied_digest, t.applied_source, t.rejected_revision,
          t.rejected_reason, t.live_sessions, t.spooled_events, t.keys) AS differs,
         (${sentAt('r', 'last_seen_at')}) - (${sentAt('t', 'now')})
           BETWEEN interval '1 ms' AND interval '${OVERTAKEN_MS} ms' AS is_overtaken
       FROM runtimes r JOIN told t USING (id, project_id, environment)
       JOIN environments e ON e.project_id = r.project_id AND e.name = r.environment
       ORDER BY r.id
       FOR UPDATE OF r
     ), written AS (
     UPDATE runtimes r SET
       applied_revision = t.applied_revision, applied_digest = t.applied_digest,
       applied_source = t.applied_source, rejected_revision = t.rejected_revision,
       rejected_reason = t.rejected_reason, live_sessions = t.live_sessions,
       spooled_events = t.spooled_events, clock_skew_ms = t.clock_skew_ms,
       parts = coalesce(t.parts::json, r.parts), takes_orders = t.takes_orders, keys = t.keys,
       last_seen_at = t.now,
       stopped_at = CASE WHEN t.is_stopping THEN t.now END,
       applied_at = CASE
         WHEN t.applied_revision IS NOT NULL
           AND t.applied_revision IS DISTINCT FROM b.applied_revision THEN t.now
         ELSE r.applied_at END
     FROM told t JOIN before b ON b.id = t.id
     WHERE r.id = t.id AND b.is_overtaken IS NOT TRUE
     RETURNING r.id, b.differs OR t.is_stopping OR b.stopped_at IS NOT NULL AS is_news
     )
     SELECT b.id, coalesce(w.is_news, false) AS "isNews", b.revision AS "desiredRevision", ${UNRECORDED_ORDERS} AS orders
     FROM before b LEFT JOIN written w ON w.id = b.id`,
    [JSON.stringify(beats.map(toHeartbeatRow))],
  )
}
