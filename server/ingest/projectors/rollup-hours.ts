import { registerCache } from '@/server/platform/base/process-memory.ts'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { batchColumns, int, text, textAs, time } from '@/server/platform/sql/batch-columns.ts'
import type { RollupRow } from '../rollups/series.ts'
import { defineProjector } from './projector.ts'
import { SHARD_SQL } from './shared-counts.sql.ts'

/** Ids of committed series; a usual batch has no new one. */
const known = registerCache(new Set<string>())
const MOST_KNOWN = 50_000

/** Call only after the transaction that wrote the rows has committed. */
export function rememberSeries(rows: readonly RollupRow[]): void {
  if (known.size + rows.length > MOST_KNOWN) known.clear()
  for (const { id } of rows) known.add(id)
}

const series = batchColumns({
  id: textAs('uuid'),
  projectId: text(),
  environment: text(),
  ns: text(),
  key: text(),
  configDigest: text(),
  kind: text(),
  a: text(),
  b: text(),
  c: text(),
})

const SERIES_SQL = `
  INSERT INTO rollup_series (${series.names}) SELECT ${series.values} FROM ${series.source(1)}
  ORDER BY n.id ON CONFLICT (id) DO NOTHING`

const hours = batchColumns({ seriesId: textAs('uuid'), hour: time(), count: int() })

/** The cleanup job merges the shards into one row. */
const HOURS_SQL = `
  INSERT INTO rollup_hours AS h (project_id, ${hours.names}, shard)
  SELECT $1, ${hours.values}, ${SHARD_SQL} FROM ${hours.source(2)}
  ORDER BY n.series_id, n.hour
  ON CONFLICT (series_id, hour, shard) DO UPDATE SET count = h.count + excluded.count`

/** `rows`: of one project, in order of id and hour, each once, so that no two writers deadlock. */
export async function addRollups(sql: SqlTx, rows: readonly RollupRow[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const missing = new Map(
    rows
      .filter(({ id }) => !known.has(id))
      .map(({ id, series: { digest: configDigest, ...names } }) => [
        id,
        { id, configDigest, ...names },
      ]),
  )
  await Promise.all([
    ...(missing.size === 0
      ? []
      : [sql.query(SERIES_SQL, series.parameters([...missing.values()]))]),
    sql.query(HOURS_SQL, [
      first.series.projectId,
      ...hours.parameters(rows.map(({ id: seriesId, hour, count }) => ({ seriesId, hour, count }))),
    ]),
  ])
}

export const rollupHours = defineProjector({ rows: ({ rollups }) => rollups, write: addRollups })
