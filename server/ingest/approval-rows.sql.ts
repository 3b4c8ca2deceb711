// Calls that wait for a person, as the events of a batch change them; written in the transaction that stores the events.
import 'server-only'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'

export interface ApprovalRow {
  readonly id: string
  readonly sessionId: string
  readonly environment: string
  readonly ns: string
  readonly key: string
  /** Of approval.requested. */
  readonly seq: number
  /** Epoch ms, as `waitsUntil`. */
  readonly at: number
  readonly callId: string
  readonly tool: string
  readonly rules: readonly string[]
  readonly waitsUntil: number
  readonly configDigest: string | null
}

export interface ApprovalClose {
  readonly sessionId: string
  /** Null: every call of the session. */
  readonly callId: string | null
  readonly seq: number
  /** Epoch ms. */
  readonly at: number
  readonly outcome: 'approved' | 'denied' | 'timed_out' | 'unavailable' | 'ended'
  readonly note: string | null
}

export interface ApprovalRows {
  readonly asked: readonly ApprovalRow[]
  readonly closed: readonly ApprovalClose[]
}

/** Returns the ids of rows that are new or closed now. Rules are joined by line breaks, which their ids cannot hold. */
export async function writeApprovals(
  sql: SqlTx,
  projectId: string,
  rows: readonly ApprovalRows[],
): Promise<readonly string[]> {
  const asked = rows.flatMap((each) => each.asked)
  const closed = rows.flatMap((each) => each.closed)
  const written = await Promise.all([
    asked.length === 0 ? [] : insertAsked(sql, projectId, asked),
    closed.length === 0 ? [] : closeWaiting(sql, closed),
  ])
  return written.flat()
}

async function insertAsked(
  sql: SqlTx,
  projectId: string,
  rows: readonly ApprovalRow[],
): Promise<readonly string[]> {
  const inserted = await sql.query<{ id: string }>(
    `INSERT INTO call_approvals (project_id, id, environment, session_id, seq, call_id, tool, ns, key, config_digest, rules,
       requested_at, waits_until)
     SELECT $1, n.id, n.environment, n.session_id, n.seq, n.call_id, n.tool, n.ns, n.key, n.config_digest,
       string_to_array(n.rules, chr(10)), to_timestamp(n.at / 1000), to_timestamp(n.waits_until / 1000)
     FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[], $11::text[], $12::float8[], $13::float8[])
       AS n(id, environment, session_id, seq, call_id, tool, ns, key, config_digest, rules, at, waits_until)
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [
      projectId,
      rows.map((row) => row.id),
      rows.map((row) => row.environment),
      rows.map((row) => row.sessionId),
      rows.map((row) => row.seq),
      rows.map((row) => row.callId),
      rows.map((row) => row.tool),
      rows.map((row) => row.ns),
      rows.map((row) => row.key),
      rows.map((row) => row.configDigest),
      rows.map((row) => row.rules.join('\n')),
      rows.map((row) => row.at),
      rows.map((row) => row.waitsUntil),
    ],
  )
  return inserted.map(({ id }) => id)
}

/** An answer closes the open question of its call; the end of a session closes all that are open. */
async function closeWaiting(
  sql: SqlTx,
  rows: readonly ApprovalClose[],
): Promise<readonly string[]> {
  const closed = await sql.query<{ id: string }>(
    `UPDATE call_approvals a SET outcome = n.outcome, outcome_seq = n.seq, outcome_at = to_timestamp(n.at / 1000),
       outcome_note = n.note
     FROM (
       SELECT DISTINCT ON (w.id) w.id, c.outcome, c.seq, c.at, c.note
       FROM unnest($1::text[], $2::text[], $3::int[], $4::float8[], $5::text[], $6::text[])
         AS c(session_id, call_id, seq, at, outcome, note)
       JOIN call_approvals w ON w.session_id = c.session_id AND w.outcome IS NULL AND w.seq < c.seq
         AND (c.call_id IS NULL OR w.call_id = c.call_id)
       ORDER BY w.id, c.seq
     ) n
     WHERE a.id = n.id RETURNING a.id`,
    [
      rows.map((row) => row.sessionId),
      rows.map((row) => row.callId),
      rows.map((row) => row.seq),
      rows.map((row) => row.at),
      rows.map((row) => row.outcome),
      rows.map((row) => row.note),
    ],
  )
  return closed.map(({ id }) => id)
}
