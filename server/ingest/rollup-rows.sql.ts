// Writes what a batch adds to the counts of Analytics: two statements at most, however many events it had.
import 'server-only'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { remembered } from '@/server/platform/process-memory.ts'

/** One (series, hour) of a batch; rows come in order of id and hour, each once, so that no two writers wait for each other. */
export interface RollupCount {
  readonly series: {
    readonly projectId: string
    readonly environment: string
    readonly ns: string
    readonly key: string
    readonly digest: string
    readonly kind: string
    readonly a: string
    readonly b: string
    readonly c: string
  }
  readonly id: string
  /** Epoch ms. */
  readonly hour: number
  readonly count: number
}

/** Ids of series that are committed: a usual batch names no new one. */
const known = remembered(new Set<string>())
const MOST_KNOWN = 50_000

/** Only after the transaction that wrote the rows committed. */
export function rememberSeries(rows: readonly RollupCount[]): void {
  if (known.size + rows.length > MOST_KNOWN) known.clear()
  for (const { id } of rows) known.add(id)
}

async function insertSeries(sql: SqlTx, rows: readonly RollupCount[]): Promise<void> {
  const missing = [...new Map(rows.map((row) => [row.id, row.series]))].filter(
    ([id]) => !known.has(id),
  )
  if (missing.length === 0) return
  const column = (name: keyof RollupCount['series']) => missing.map(([, series]) => series[name])
  await sql.query(
    `INSERT INTO rollup_series (id, project_id, environment, ns, key, config_digest, kind, a, b, c)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::text[], $10::text[]) AS n(id, project_id, environment, ns, key, config_digest, kind, a, b, c)
     ORDER BY n.id ON CONFLICT (id) DO NOTHING`,
    [
      missing.map(([id]) => id),
      ...(['projectId', 'environment', 'ns', 'key', 'digest', 'kind', 'a', 'b', 'c'] as const).map(
        column,
      ),
    ],
  )
}

/**
 * A connection adds to rows of its own (one of eight), so that batches which count the same hour seldom wait for each other; the
 * job that tidies up makes one row of them.
 */
export async function addRollups(sql: SqlTx, rows: readonly RollupCount[]): Promise<void> {
  if (rows.length === 0) return
  await Promise.all([insertSeries(sql, rows), addHours(sql, rows)])
}

async function addHours(sql: SqlTx, rows: readonly RollupCount[]): Promise<void> {
  await sql.query(
    `INSERT INTO rollup_hours AS h (series_id, hour, shard, count)
     SELECT n.id, to_timestamp(n.hour / 1000), pg_backend_pid() % 8, n.count
     FROM unnest($1::uuid[], $2::float8[], $3::int[]) AS n(id, hour, count)
     ORDER BY n.id, n.hour
     ON CONFLICT (series_id, hour, shard) DO UPDATE SET count = h.count + excluded.count`,
    [rows.map(({ id }) => id), rows.map(({ hour }) => hour), rows.map(({ count }) => count)],
  )
}
