// A connection adds to its own shard (one of eight), so batches rarely wait for each other's commit. Readers use the view `all_<table>`.
import 'server-only'
import { inSqlTransaction } from '@/server/platform/db/sql-transaction.ts'
import type { BatchColumns } from '@/server/platform/sql/batch-columns.ts'

interface Columns {
  readonly key: readonly string[]
  readonly sums: readonly string[]
  readonly latest: readonly string[]
}

interface SharedCounts extends Columns {
  readonly table: string
  readonly shards: string
}

export const MINUTE_COUNTS: SharedCounts = {
  table: 'minute_counts',
  shards: 'minute_count_shards',
  key: ['project_id', 'environment', 'minute'],
  sums: ['calls', 'denied', 'feedback', 'warnings', 'stops', 'blocked', 'bypassed', 'sessions'],
  latest: [],
}

export const CALL_MINUTES: SharedCounts = {
  table: 'call_minutes',
  shards: 'call_minute_shards',
  key: ['project_id', 'runtime_id', 'ns', 'key', 'environment', 'minute'],
  sums: ['calls', 'denied'],
  latest: [],
}

export const ACTIVITY_DAYS: SharedCounts = {
  table: 'activity_days',
  shards: 'activity_day_shards',
  key: ['project_id', 'ns', 'key', 'day', 'kind', 'name', 'environment'],
  sums: ['count'],
  latest: ['last_at'],
}

/** Shard of this connection, also in `rollup_hours`. */
export const SHARD_SQL = 'pg_backend_pid() % 8'

/** Adds the rows of `source` to those of the table. All writers use the order of the key, so that no two deadlock. */
function toAddSql(table: string, { key, sums, latest }: Columns, source: string): string {
  const keys = key.join(', ')
  const selected = [
    ...key,
    ...sums.map((name) => `sum(${name})`),
    ...latest.map((name) => `max(${name})`),
  ]
  const added = [
    ...sums.map((name) => `${name} = t.${name} + excluded.${name}`),
    ...latest.map((name) => `${name} = greatest(t.${name}, excluded.${name})`),
  ]
  return `INSERT INTO ${table} AS t (${[...key, ...sums, ...latest].join(', ')})
    SELECT ${selected.join(', ')} FROM ${source} GROUP BY ${keys} ORDER BY ${keys}
    ON CONFLICT (${keys}) DO UPDATE SET ${added.join(', ')}`
}

/** Statement that counts rows of the project `$1`, from `columns.source(2)` and from the SELECT `more`. */
export function toCountSql<Row>(
  { shards, key, ...counts }: SharedCounts,
  columns: BatchColumns<Row>,
  more?: string,
): string {
  const sent = `SELECT ${columns.values} FROM ${columns.source(2)}`
  const rows = more === undefined ? sent : `${sent} UNION ALL ${more}`
  return toAddSql(
    shards,
    { key: [...key, 'shard'], ...counts },
    `(SELECT $1::text, ${SHARD_SQL}, n.* FROM (${rows}) AS n) AS n (project_id, shard, ${columns.names})`,
  )
}

const BATCH = 5_000

function toMoveSql({ table, shards, ...columns }: SharedCounts): string {
  return `WITH moved AS (
      DELETE FROM ${shards} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${shards} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)) RETURNING *
    ), added AS (${toAddSql(table, columns, 'moved')})
    SELECT count(*)::int AS moved FROM moved`
}

/** Moves at most one batch; skips rows that a batch of events has locked. Returns the number of removed rows. */
async function moveShards(counts: SharedCounts): Promise<number> {
  return await inSqlTransaction(async (sql) => {
    // Shorter than deadlock detection, so that a batch of an older build, which adds to the same table, is never the victim.
    await sql.query("SET LOCAL lock_timeout = '500ms'", [])
    const [row] = await sql.query<{ moved: number }>(toMoveSql(counts), [])
    return row?.moved ?? 0
  })
}

/** Moves all shards to their tables. May be interrupted and run again. */
export async function mergeShards(signal: AbortSignal): Promise<void> {
  for (const counts of [MINUTE_COUNTS, CALL_MINUTES, ACTIVITY_DAYS])
    while ((await moveShards(counts)) === BATCH) signal.throwIfAborted()
}
