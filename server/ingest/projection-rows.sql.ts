// What a batch adds to the tables that lists and charts read: stops, denials, counts per minute, snapshots. Written set by
// set in the transaction that stores the events.
import 'server-only'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'

export interface Prompt {
  readonly ns: string
  readonly key: string
}

interface Subject extends Prompt {
  readonly id: string
  readonly environment: string
  readonly sessionId: string
  readonly seq: number
  /** Epoch ms. */
  readonly at: number
  readonly configDigest: string | null
}

export interface StopRow extends Subject {
  readonly attemptedSeq: number
  readonly attempt: number
  readonly via: string
  readonly verdict: string
  readonly bypass: string | null
  /** Of the check that refused it; null: it was not refused. */
  readonly checker: string | null
  readonly code: string
  readonly reason: string
}

export interface DenialRow extends Subject {
  readonly tool: string
  readonly decision: string
  readonly rule: string
  readonly code: string
  /** Null: the log does not say. */
  readonly reasonClass: 'rule_said_no' | 'prerequisite_missing' | 'could_not_evaluate' | null
  readonly reason: string
}

export interface MinuteRow {
  readonly environment: string
  /** Start of the minute, epoch ms. */
  readonly minute: number
  readonly calls: number
  readonly denied: number
  readonly feedback: number
  readonly warnings: number
  readonly stops: number
  readonly blocked: number
  readonly bypassed: number
  readonly sessions: number
}

export async function insertStops(
  sql: SqlTx,
  projectId: string,
  rows: readonly StopRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `INSERT INTO stops (project_id, id, environment, session_id, seq, attempted_seq, attempt, at, ns, key, via,
       verdict, bypass, checker, code, reason, config_digest)
     SELECT $1, n.id, n.environment, n.session_id, n.seq, n.attempted_seq, n.attempt, to_timestamp(n.at / 1000),
       n.ns, n.key, n.via, n.verdict, n.bypass, n.checker, n.code, n.reason, n.config_digest
     FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::int[], $8::float8[], $9::text[],
       $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[])
       AS n(id, environment, session_id, seq, attempted_seq, attempt, at, ns, key, via, verdict, bypass, checker, code,
         reason, config_digest)`,
    [
      projectId,
      rows.map((row) => row.id),
      rows.map((row) => row.environment),
      rows.map((row) => row.sessionId),
      rows.map((row) => row.seq),
      rows.map((row) => row.attemptedSeq),
      rows.map((row) => row.attempt),
      rows.map((row) => row.at),
      rows.map((row) => row.ns),
      rows.map((row) => row.key),
      rows.map((row) => row.via),
      rows.map((row) => row.verdict),
      rows.map((row) => row.bypass),
      rows.map((row) => row.checker),
      rows.map((row) => row.code),
      rows.map((row) => row.reason),
      rows.map((row) => row.configDigest),
    ],
  )
}

export async function insertDenials(
  sql: SqlTx,
  projectId: string,
  rows: readonly DenialRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `INSERT INTO denials (project_id, id, environment, session_id, seq, at, ns, key, tool, decision, rule, code,
       reason_class, reason, config_digest)
     SELECT $1, n.id, n.environment, n.session_id, n.seq, to_timestamp(n.at / 1000), n.ns, n.key, n.tool,
       n.decision, n.rule, n.code, n.reason_class, n.reason, n.config_digest
     FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::float8[], $7::text[], $8::text[], $9::text[],
       $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[])
       AS n(id, environment, session_id, seq, at, ns, key, tool, decision, rule, code, reason_class, reason, config_digest)`,
    [
      projectId,
      rows.map((row) => row.id),
      rows.map((row) => row.environment),
      rows.map((row) => row.sessionId),
      rows.map((row) => row.seq),
      rows.map((row) => row.at),
      rows.map((row) => row.ns),
      rows.map((row) => row.key),
      rows.map((row) => row.tool),
      rows.map((row) => row.decision),
      rows.map((row) => row.rule),
      rows.map((row) => row.code),
      rows.map((row) => row.reasonClass),
      rows.map((row) => row.reason),
      rows.map((row) => row.configDigest),
    ],
  )
}

/** Names the prompt on stops, denials and approvals that came before their session's session.started. */
export async function namePrompt(
  sql: SqlTx,
  sessionId: string,
  { ns, key }: Prompt,
): Promise<void> {
  const named = [sessionId, ns, key]
  await Promise.all([
    sql.query('UPDATE stops SET ns = $2, key = $3 WHERE session_id = $1', named),
    sql.query('UPDATE denials SET ns = $2, key = $3 WHERE session_id = $1', named),
    sql.query('UPDATE call_approvals SET ns = $2, key = $3 WHERE session_id = $1', named),
  ])
}

/** Completes the stop that was stored before its stop.attempted arrived; nothing to do when there is none. */
export async function nameAttempt(
  sql: SqlTx,
  sessionId: string,
  attempt: { readonly seq: number; readonly via: string },
): Promise<void> {
  await sql.query(
    `UPDATE stops SET attempted_seq = $2, via = $3
     WHERE session_id = $1 AND attempted_seq = seq
       AND seq = (SELECT min(seq) FROM stops WHERE session_id = $1 AND seq > $2)`,
    [sessionId, attempt.seq, attempt.via],
  )
}

/** What Analytics counted of a stop that was allowed. */
export interface CountedStop {
  readonly sessionId: string
  readonly seq: number
  /** Attempts since the last stop that was let through, this one included. */
  readonly until: number
}

/** After `insertStops`. */
export async function nameCounted(sql: SqlTx, stops: readonly CountedStop[]): Promise<void> {
  if (stops.length === 0) return
  await sql.query(
    `UPDATE stops s SET until = n.until FROM unnest($1::text[], $2::int[], $3::int[]) AS n(session_id, seq, until)
     WHERE s.session_id = n.session_id AND s.seq = n.seq`,
    [
      stops.map(({ sessionId }) => sessionId),
      stops.map(({ seq }) => seq),
      stops.map(({ until }) => until),
    ],
  )
}

/**
 * Adds to the counts. The rows of the current minute are the ones that all requests share: in order of minute, so that no
 * two requests wait for each other, and last in the transaction, so that they wait briefly.
 */
export async function addMinuteCounts(
  sql: SqlTx,
  projectId: string,
  rows: readonly MinuteRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `INSERT INTO minute_counts AS m (project_id, environment, minute, calls, denied, feedback, warnings, stops, blocked,
       bypassed, sessions)
     SELECT $1, n.environment, to_timestamp(n.minute / 1000), n.calls, n.denied, n.feedback, n.warnings, n.stops,
       n.blocked, n.bypassed, n.sessions
     FROM unnest($2::text[], $3::float8[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[], $10::int[],
       $11::int[]) AS n(environment, minute, calls, denied, feedback, warnings, stops, blocked, bypassed, sessions)
     ORDER BY n.environment, n.minute
     ON CONFLICT (project_id, environment, minute) DO UPDATE SET
       calls = m.calls + excluded.calls, denied = m.denied + excluded.denied,
       feedback = m.feedback + excluded.feedback, warnings = m.warnings + excluded.warnings,
       stops = m.stops + excluded.stops, blocked = m.blocked + excluded.blocked,
       bypassed = m.bypassed + excluded.bypassed, sessions = m.sessions + excluded.sessions`,
    [
      projectId,
      rows.map((row) => row.environment),
      rows.map((row) => row.minute),
      rows.map((row) => row.calls),
      rows.map((row) => row.denied),
      rows.map((row) => row.feedback),
      rows.map((row) => row.warnings),
      rows.map((row) => row.stops),
      rows.map((row) => row.blocked),
      rows.map((row) => row.bypassed),
      rows.map((row) => row.sessions),
    ],
  )
}

export interface SnapshotRow {
  readonly sessionId: string
  readonly seq: number
  readonly hash: string
  /** JSON text. */
  readonly state: string
}

/** The last one that is not behind event `upTo`; null when there is none. */
export async function readSnapshot(
  sql: SqlTx,
  sessionId: string,
  upTo: number,
): Promise<SnapshotRow | null> {
  const rows = await sql.query<SnapshotRow & Record<string, unknown>>(
    `SELECT session_id AS "sessionId", seq, hash, state::text AS state
     FROM session_snapshots WHERE session_id = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`,
    [sessionId, upTo],
  )
  return rows[0] ?? null
}

export async function writeSnapshots(sql: SqlTx, rows: readonly SnapshotRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `INSERT INTO session_snapshots (session_id, seq, hash, state)
     SELECT n.session_id, n.seq, n.hash, n.state::json
     FROM unnest($1::text[], $2::int[], $3::text[], $4::text[]) AS n(session_id, seq, hash, state)
     ON CONFLICT (session_id, seq) DO UPDATE SET hash = excluded.hash, state = excluded.state`,
    [
      rows.map((row) => row.sessionId),
      rows.map((row) => row.seq),
      rows.map((row) => row.hash),
      rows.map((row) => row.state),
    ],
  )
}

/**
 * Sequence number and data of the newest stop.attempted before `before`; null when none is stored. The data is parsed by
 * the driver: PostgreSQL's own operators refuse a text that holds NUL.
 */
export async function readLastAttempt(
  sql: SqlTx,
  session: { readonly id: string; readonly partitionDay: string; readonly before: number },
): Promise<{ readonly seq: number; readonly data: unknown } | null> {
  const rows = await sql.query<{ seq: number; data: unknown }>(
    `SELECT seq, data FROM session_events
     WHERE partition_day = $1::date AND session_id = $2 AND seq < $3 AND type = 'stop.attempted'
     ORDER BY seq DESC LIMIT 1`,
    [session.partitionDay, session.id, session.before],
  )
  return rows[0] ?? null
}
