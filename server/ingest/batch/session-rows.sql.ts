// The transaction that locks a session's row owns its events, counters and snapshots until it ends.
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

/** Columns that a batch may change. Counters are absolute, because the row is locked while they are computed. */
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
  /** Activity after the newest event (server/ingest/standing.ts). */
  doing: text<'call' | 'approval' | 'refused' | 'turn_over' | 'lease_expired' | null>(),
  doingSeq: int<number | null>(),
  doingText: text<string | null>(),
  anomalies: int(),
  verification: textAs<'pending' | 'verified' | 'diverged'>('verification'),
  divergedSeq: int<number | null>(),
  /** Null: the host's own loop, or not known yet. */
  capabilities: textAs<string | null>('json'),
  /** The first 50 by sequence number. */
  breaches: textAs('json'),
  breachCount: int(),
  enforcement: textAs<'unknown' | 'full' | 'gap' | 'breach'>('enforcement'),
  /** Sequence number up to which Analytics has counted it; smaller than contiguousSeq only while a job has yet to count. */
  rolledSeq: int(),
  /** State of counting; null: nothing is counted yet. */
  rollupState: textAs<string | null>('json'),
  /** Deliveries are listed up to here; smaller than rolledSeq only while a job has yet to list them, or when their events were removed. */
  listedSeq: int(),
  /** Percent of the time to its deadline at its end; null: the end is not counted yet, or it had no deadline. */
  timeUsed: int<number | null>(),
  /** Plan at its end, as in Analytics: 0 nothing done to 5 all done; -1: no plan; null: the end is not counted yet. */
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
  /** Retention removed its events, so nothing more is stored. */
  readonly isRemoved: boolean
  /** Its events are not rows, so the archive must give them back before more are stored. */
  readonly isArchived: boolean
}

export interface SessionRow extends LockedSession {
  readonly projectId: AuthorizedProjectId
}

const LOCK_SQL = `
  SELECT id, project_id AS "projectId", environment, partition_day::text AS "partitionDay",
    events_removed_at IS NOT NULL AS "isRemoved", archived_at IS NOT NULL AS "isArchived", ${changing.selection}
  FROM sessions WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`

const UPDATE_SQL = `
  UPDATE sessions s SET received_at = now(), ${changing.assignments}
  FROM ${written.source(1)} WHERE s.id = n.id`

const made = batchColumns({
  id: text(),
  projectId: text<AuthorizedProjectId>(),
  environment: text(),
  partitionDay: textAs('date'),
  startedAt: time(),
})

type NewSession = RowOf<typeof made>

/** Creates missing rows in order of id. A new row has the prompt `?`, because its session.started may arrive later. */
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

/** Any projects. After `ensureSessions` with the same ids no two requests can deadlock: rows are created and locked in order of id. */
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
