import 'server-only'
import { database } from '@/server/platform/db/client.ts'
import { inSqlTransaction, type SqlTx } from '@/server/platform/db/sql-transaction.ts'

/** Ids of sessions with contiguous events that are not counted, at most `limit`. They were stored before Analytics existed. */
export async function findUncountedSessions(limit: number): Promise<readonly string[]> {
  const { rows } = await database().pool.query<{ id: string }>(
    'SELECT id FROM sessions WHERE rolled_seq < contiguous_seq ORDER BY id LIMIT $1',
    [limit],
  )
  return rows.map(({ id }) => id)
}

/** Ids of sessions that were counted before their deliveries were listed and whose events are stored, at most `limit`. */
export async function sessionsToList(limit: number): Promise<readonly string[]> {
  const { rows } = await database().pool.query<{ id: string }>(
    `SELECT id FROM sessions WHERE listed_seq < rolled_seq AND events_removed_at IS NULL
     ORDER BY project_id, id LIMIT $1`,
    [limit],
  )
  return rows.map(({ id }) => id)
}

/** Expects a session whose row the transaction has locked. */
export async function writeListed(
  sql: SqlTx,
  {
    id,
    listedSeq,
    rollupState,
  }: { readonly id: string; readonly listedSeq: number; readonly rollupState: string },
): Promise<void> {
  await sql.query('UPDATE sessions SET listed_seq = $2, rollup_state = $3::json WHERE id = $1', [
    id,
    listedSeq,
    rollupState,
  ])
}

export interface CountedSession {
  readonly id: string
  readonly rolledSeq: number
  readonly listedSeq: number
  readonly rollupState: string | null
  /** Null: its end is not counted yet. */
  readonly end: { readonly timeUsed: number | null; readonly planEnd: number } | null
}

/** Expects a session whose row the transaction has locked. */
export async function writeCounted(
  sql: SqlTx,
  { id, rolledSeq, listedSeq, rollupState, end }: CountedSession,
): Promise<void> {
  await sql.query(
    `UPDATE sessions SET rolled_seq = $2, rollup_state = $3::json, time_used = coalesce($4, time_used),
       plan_end = coalesce($5, plan_end), listed_seq = $6 WHERE id = $1`,
    [id, rolledSeq, rollupState, end?.timeUsed ?? null, end?.planEnd ?? null, listedSeq],
  )
}

const HOURS_KEPT_DAYS = 35
const BATCH = 5_000

/** Rows of several writers become one, and those older than five weeks one per UTC day. Returns the number of removed rows; 0: done. */
export async function foldOlderCounts(): Promise<number> {
  return await inSqlTransaction(async (sql) => {
    // Shorter than deadlock detection, so that a batch of late events is never the victim.
    await sql.query("SET LOCAL lock_timeout = '500ms'", [])
    const gone = await sql.query(
      `WITH cut AS (SELECT date_trunc('day', now() - interval '${HOURS_KEPT_DAYS} days', 'UTC') AS day),
       old AS (
         SELECT series_id, hour, shard FROM rollup_hours, cut
         WHERE (hour < cut.day AND (shard <> 0 OR hour <> date_trunc('day', hour, 'UTC')))
           OR (hour < now() - interval '1 day' AND shard <> 0)
         ORDER BY series_id, hour, shard LIMIT ${BATCH} FOR UPDATE OF rollup_hours SKIP LOCKED
       ), gone AS (
         DELETE FROM rollup_hours h USING old o, cut
         WHERE h.series_id = o.series_id AND h.hour = o.hour AND h.shard = o.shard
         RETURNING h.series_id, h.project_id, h.count,
           CASE WHEN h.hour < cut.day THEN date_trunc('day', h.hour, 'UTC') ELSE h.hour END AS hour
       ), kept AS (
         INSERT INTO rollup_hours AS h (series_id, project_id, hour, shard, count)
         SELECT series_id, max(project_id), hour, 0, sum(count) FROM gone GROUP BY series_id, hour ORDER BY series_id, hour
         ON CONFLICT (series_id, hour, shard) DO UPDATE SET count = h.count + excluded.count
       )
       SELECT 1 FROM gone`,
      [],
    )
    return gone.length
  })
}

/** The preview of an alert rule reads seven days. */
const MINUTES_KEPT_DAYS = 8

/** Removes one batch of older minutes; returns how many. Skips rows that a batch of late events has locked. */
export async function forgetCallMinutes(): Promise<number> {
  return await inSqlTransaction(async (sql) => {
    const gone = await sql.query(
      `DELETE FROM call_minutes m USING (
         SELECT project_id, runtime_id, ns, key, environment, minute FROM call_minutes
         WHERE minute < now() - interval '${MINUTES_KEPT_DAYS} days' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) o
       WHERE (m.project_id, m.runtime_id, m.ns, m.key, m.environment, m.minute)
         = (o.project_id, o.runtime_id, o.ns, o.key, o.environment, o.minute)
       RETURNING 1`,
      [],
    )
    return gone.length
  })
}
