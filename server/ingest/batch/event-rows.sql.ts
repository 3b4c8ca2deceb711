// `(session, seq)` is stored at most once; what is stored never changes.
import 'server-only'
import { registerCache } from '@/server/platform/base/process-memory.ts'
import { database } from '@/server/platform/db/client.ts'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import {
  batchColumns,
  int,
  packedJson,
  packedPlain,
  packedText,
  type RowOf,
  text,
  time,
} from '@/server/platform/sql/batch-columns.ts'

const columns = batchColumns({
  sessionId: packedPlain(),
  seq: int(),
  at: time(),
  type: packedText(),
  verdict: packedPlain<string | null>(),
  subject: packedText<string | null>(),
  summary: packedText<string | null>(),
  durationMs: int<number | null>(),
  /** Name that the harness gives to the tool of a request; null: the same as the subject. */
  nativeTool: packedText<string | null>(),
  data: packedJson(),
  config: packedPlain<string | null>(),
  trace: packedText<string | null>(),
  prev: packedPlain<string | null>(),
  hash: packedPlain(),
})

export type EventRow = RowOf<typeof columns>

export interface EventKey {
  readonly sessionId: string
  readonly seq: number
}

const ensured = registerCache(new Set<string>())

/** Once per process and day, in a separate transaction. Under a lock, because the first batches of a day arrive together. */
export async function ensureEventPartition(day: string): Promise<void> {
  if (ensured.has(day)) return
  await database().pool.query(
    `WITH alone AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended('signalbox event partition', 0)))
     SELECT signalbox_ensure_event_partition($1::date) FROM alone`,
    [day],
  )
  ensured.add(day)
}

const INSERT_SQL = `
  WITH inserted AS (INSERT INTO session_events (project_id, partition_day, ${columns.names})
  SELECT $1, $2::date, ${columns.values} FROM ${columns.source(4)}
  ON CONFLICT (session_id, seq, partition_day) DO NOTHING
  RETURNING session_id, seq)
  SELECT CASE WHEN count(*) < $3::int
    THEN coalesce(json_agg(json_build_object('sessionId', session_id, 'seq', seq)), '[]') END AS keys FROM inserted`

export interface EventPlace {
  readonly projectId: AuthorizedProjectId
  /** `YYYY-MM-DD`; its partition exists. */
  readonly partitionDay: string
}

/** Expects at least one row. Null: all rows are new, which is usual, and a key for each would cost as much as its check. */
export async function insertEvents(
  sql: SqlTx,
  place: EventPlace,
  rows: readonly EventRow[],
): Promise<readonly EventKey[] | null> {
  const [inserted] = await sql.query<{ keys: readonly EventKey[] | null }>(INSERT_SQL, [
    place.projectId,
    place.partitionDay,
    rows.length,
    ...columns.parameters(rows),
  ])
  return inserted?.keys ?? null
}

const keyColumns = batchColumns({ sessionId: text(), seq: int() })

export async function readHashes(
  sql: SqlTx,
  partitionDay: string,
  keys: readonly EventKey[],
): Promise<readonly (EventKey & { readonly hash: string })[]> {
  if (keys.length === 0) return []
  return await sql.query<EventKey & { hash: string } & Record<string, unknown>>(
    `SELECT e.session_id AS "sessionId", e.seq, e.hash FROM ${keyColumns.source(2)}
     JOIN session_events e ON e.session_id = n.session_id AND e.seq = n.seq AND e.partition_day = $1::date`,
    [partitionDay, ...keyColumns.parameters(keys)],
  )
}

export async function readSeqsAfter(
  sql: SqlTx,
  session: { readonly id: string; readonly partitionDay: string; readonly after: number },
): Promise<readonly number[]> {
  const rows = await sql.query<{ seq: number }>(
    `SELECT seq FROM session_events
     WHERE partition_day = $1::date AND session_id = $2 AND seq > $3 ORDER BY seq`,
    [session.partitionDay, session.id, session.after],
  )
  return rows.map(({ seq }) => seq)
}

export interface StoredEvent {
  readonly seq: number
  readonly at: number
  readonly type: string
  readonly data: unknown
  readonly config: string | null
  readonly trace: string | null
  readonly prev: string | null
  readonly hash: string
}

/** Events `from` to `to`, both included, in order; at most `limit`. */
export async function readEvents(
  sql: SqlTx,
  range: {
    readonly sessionId: string
    readonly partitionDay: string
    readonly from: number
    readonly to: number
    readonly limit: number
  },
): Promise<readonly StoredEvent[]> {
  return await sql.query<StoredEvent & Record<string, unknown>>(
    `SELECT seq, (extract(epoch FROM at) * 1000)::float8 AS at, type, data, config, trace, prev, hash
     FROM session_events
     WHERE partition_day = $1::date AND session_id = $2 AND seq BETWEEN $3 AND $4
     ORDER BY seq LIMIT $5`,
    [range.partitionDay, range.sessionId, range.from, range.to, range.limit],
  )
}

export interface Snapshot {
  readonly sessionId: string
  readonly seq: number
  readonly hash: string
  /** JSON text. */
  readonly state: string
}

/** The newest one that is not after event `upTo`; null when there is none. */
export async function readSnapshot(
  sql: SqlTx,
  sessionId: string,
  upTo: number,
): Promise<Snapshot | null> {
  const rows = await sql.query<Snapshot & Record<string, unknown>>(
    `SELECT session_id AS "sessionId", seq, hash, state::text AS state
     FROM session_snapshots WHERE session_id = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`,
    [sessionId, upTo],
  )
  return rows[0] ?? null
}

/** Null when none is stored. The driver parses the data, because PostgreSQL's own operators refuse a text with NUL. */
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
