// Session rows on the ingest path: created, locked in one order, and written back together. The transaction that locks a session's row owns
// its events, counters and snapshot until it ends.
import 'server-only'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import {
  batchColumns,
  int,
  type RowOf,
  text,
  textAs,
  time,
} from '@/server/platform/sql/batch-columns.ts'

/**
 * Every column that a batch may change; the others are fixed when the row is created. Counters are absolute: the row is locked while they
 * are computed.
 */
const CHANGING = {
  runtimeId: text<string | null>(),
  ns: text(),
  key: text(),
  configDigest: text<string | null>(),
  configVersion: int<number | null>(),
  /** Digest of the newest config.applied that is stored; null: none is. */
  governingDigest: text<string | null>(),
  governingSeq: int<number | null>(),
  harness: textAs('json'),
  startedAt: time(),
  endedAt: time<number | null>(),
  endReason: text<string | null>(),
  lastEventAt: time(),
  contiguousSeq: int(),
  maxSeq: int(),
  deadlineAt: time<number | null>(),
  tokenLimit: int<number | null>(),
  tokensUsed: int(),
  planDone: int<number | null>(),
  planTotal: int<number | null>(),
  calls: int(),
  denied: int(),
  feedback: int(),
  warnings: int(),
  stopAttempts: int(),
  stopsBlocked: int(),
  overridden: int(),
  lastVerdict: text<string | null>(),
  lastStopId: text<string | null>(),
  lastEventText: text<string | null>(),
  /** Activity of the session after its newest event (server/ingest/standing.ts). */
  doing: text<'call' | 'approval' | 'refused' | 'turn_over' | 'lease_expired' | null>(),
  doingSeq: int<number | null>(),
  doingText: text<string | null>(),
  anomalies: int(),
  verification: textAs<'pending' | 'verified' | 'diverged'>('verification'),
  divergedSeq: int<number | null>(),
  /** Null: the host's own loop, or not known yet. */
  capabilities: textAs<string | null>('json'),
  /** The first ones. */
  breaches: textAs('json'),
  breachCount: int(),
  enforcement: textAs<'unknown' | 'full' | 'gap' | 'breach'>('enforcement'),
  /** Up to here it is counted for Analytics; smaller than contiguousSeq only where a job has still to count. */
  rolledSeq: int(),
  /** State of counting; null: none yet. */
  rollupState: textAs<string | null>('json'),
  /** Up to here its deliveries are listed; smaller than rolledSeq only where a job has still to list them. */
  listedSeq: int(),
  /** Count at its end; null: it is not counted yet, or had no deadline. Percent of its time. */
  timeUsed: int<number | null>(),
  /** Quarters of the plan that were done, as Analytics counts them; -1: there was no plan. */
  planEnd: int<number | null>(),
}

const changing = batchColumns(CHANGING)
const written = batchColumns({ id: text(), ...CHANGING })

/** Times are epoch ms. */
export interface LockedSession extends RowOf<typeof written> {
  readonly projectId: string
  readonly environment: string
  /** Day partition of its events, `YYYY-MM-DD`. */
  readonly partitionDay: string
  /** Its events were removed by the retention rule: nothing more is stored. */
  readonly isRemoved: boolean
}

/** A locked session of the caller's own project. */
export interface SessionRow extends LockedSession {
  readonly projectId: AuthorizedProjectId
}

const LOCK_SQL = `
  SELECT id, project_id AS "projectId", environment, partition_day::text AS "partitionDay",
    events_removed_at IS NOT NULL AS "isRemoved", ${changing.selection}
  FROM sessions WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`

const UPDATE_SQL = `
  UPDATE sessions s SET received_at = now(), ${changing.assignments}
  FROM ${written.source(1)} WHERE s.id = n.id`

const made = batchColumns({
  id: text(),
  projectId: text<AuthorizedProjectId>(),
  environment: text(),
  partitionDay: textAs('date'),
  /** Time of its first event, epoch ms. */
  startedAt: time(),
})

type NewSession = RowOf<typeof made>

/**
 * Makes the rows that are missing, in order of id, and leaves the others alone. A row starts without knowing its prompt
 * (`?`): its session.started may still be on the way.
 */
export async function ensureSessions(sql: SqlTx, sessions: readonly NewSession[]): Promise<void> {
  const known = await sql.query<{ id: string }>(
    'SELECT id FROM sessions WHERE id = ANY($1::text[])',
    [sessions.map(({ id }) => id)],
  )
  const present = new Set(known.map(({ id }) => id))
  const missing = sessions.filter(({ id }) => !present.has(id))
  if (missing.length === 0) return
  await sql.query(
    `INSERT INTO sessions (${made.names}, ns, key, harness, last_event_at, received_at)
     SELECT ${made.values}, '?', '?', '{}', to_timestamp(n.started_at / 1000), now() FROM ${made.source(1)}
     ORDER BY n.id ON CONFLICT (id) DO NOTHING`,
    made.parameters(missing),
  )
}

/**
 * Locks in order of id, for sessions of any projects. After `ensureSessions` with the same ids no two requests can deadlock: rows are
 * created in the same order, and a request that locks rows has created all of its own.
 */
export async function lockSessions(
  sql: SqlTx,
  ids: readonly string[],
): Promise<readonly LockedSession[]> {
  return await sql.query<LockedSession & Record<string, unknown>>(LOCK_SQL, [ids])
}

export async function writeSessions(sql: SqlTx, rows: readonly SessionRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql.query(UPDATE_SQL, written.parameters(rows))
}
