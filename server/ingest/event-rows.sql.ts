// Event rows on the ingest path: one INSERT over arrays for a whole batch, and the reads that find duplicates and fill a
// fold. `(session, seq)` is stored at most once; what is stored never changes.
import 'server-only'
import { database } from '@/server/platform/db/client.ts'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { remembered } from '@/server/platform/process-memory.ts'
import { numberColumn, plainColumn, splitColumn, textColumn } from './column-text.sql.ts'

export interface EventRow {
  readonly sessionId: string
  readonly seq: number
  /** Epoch ms. */
  readonly at: number
  readonly type: string
  readonly verdict: string | null
  readonly subject: string | null
  readonly summary: string | null
  readonly durationMs: number | null
  /** Of a request whose harness names the tool otherwise; else null. */
  readonly nativeTool: string | null
  /** JSON text. */
  readonly data: string
  readonly config: string | null
  readonly trace: string | null
  readonly prev: string | null
  readonly hash: string
}

export interface EventKey {
  readonly sessionId: string
  readonly seq: number
}

const ensured = remembered(new Set<string>())

/** Makes the day's partition in a transaction of its own; once a process and day. Behind a lock: the first batches of a day come together. */
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
  WITH inserted AS (INSERT INTO session_events (project_id, partition_day, session_id, seq, at, type, verdict, subject, summary,
    duration_ms, data, config, trace, prev, hash, native_tool)
  SELECT $1, $2::date, e.session_id, e.seq, to_timestamp(e.at / 1000), e.type, e.verdict, e.subject, e.summary,
    e.duration_ms, e.data::json, e.config, e.trace, e.prev, e.hash, e.native_tool
  FROM unnest(${splitColumn(3)}, $4::int[], $5::float8[], ${splitColumn(6)}, ${splitColumn(7)}, ${splitColumn(8)},
    ${splitColumn(9)}, $10::int[], ${splitColumn(11)}, ${splitColumn(12)}, ${splitColumn(13)}, ${splitColumn(14)},
    ${splitColumn(15)}, ${splitColumn(16)})
    AS e(session_id, seq, at, type, verdict, subject, summary, duration_ms, data, config, trace, prev, hash, native_tool)
  ON CONFLICT (session_id, seq, partition_day) DO NOTHING
  RETURNING session_id, seq)
  SELECT CASE WHEN count(*) < $17::int
    THEN coalesce(json_agg(json_build_object('sessionId', session_id, 'seq', seq)), '[]') END AS keys FROM inserted`

export interface EventPlace {
  readonly projectId: string
  /** `YYYY-MM-DD`; its partition exists. */
  readonly partitionDay: string
}

/** Returns the keys of the rows that were not there before; null: all of them, as is usual: a key for each would cost as much as its check. At least one row. */
export async function insertEvents(
  sql: SqlTx,
  place: EventPlace,
  rows: readonly EventRow[],
): Promise<readonly EventKey[] | null> {
  const [inserted] = await sql.query<{ keys: readonly EventKey[] | null }>(INSERT_SQL, [
    place.projectId,
    place.partitionDay,
    plainColumn(rows.map((row) => row.sessionId)),
    numberColumn(rows.map((row) => row.seq)),
    numberColumn(rows.map((row) => row.at)),
    textColumn(rows.map((row) => row.type)),
    plainColumn(rows.map((row) => row.verdict)),
    textColumn(rows.map((row) => row.subject)),
    textColumn(rows.map((row) => row.summary)),
    numberColumn(rows.map((row) => row.durationMs)),
    plainColumn(rows.map((row) => row.data)),
    plainColumn(rows.map((row) => row.config)),
    textColumn(rows.map((row) => row.trace)),
    plainColumn(rows.map((row) => row.prev)),
    plainColumn(rows.map((row) => row.hash)),
    textColumn(rows.map((row) => row.nativeTool)),
    rows.length,
  ])
  return inserted?.keys ?? null
}

/** Hashes of stored events, of those keys that are stored in that day's partition. */
export async function readHashes(
  sql: SqlTx,
  partitionDay: string,
  keys: readonly EventKey[],
): Promise<readonly (EventKey & { readonly hash: string })[]> {
  if (keys.length === 0) return []
  return await sql.query<EventKey & { hash: string } & Record<string, unknown>>(
    `SELECT e.session_id AS "sessionId", e.seq, e.hash
     FROM unnest($2::text[], $3::int[]) AS k(session_id, seq)
     JOIN session_events e ON e.session_id = k.session_id AND e.seq = k.seq AND e.partition_day = $1::date`,
    [partitionDay, keys.map(({ sessionId }) => sessionId), keys.map(({ seq }) => seq)],
  )
}

/** Sequence numbers stored beyond `after`, ascending. */
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
