// Folds of sessions, from which later reads start.
import { batchColumns, int, text, textAs } from '@/server/platform/sql/batch-columns.ts'
import { defineProjector } from '../projector.ts'

const columns = batchColumns({ sessionId: text(), seq: int(), hash: text(), state: textAs('json') })

const WRITE_SQL = `
  INSERT INTO session_snapshots (${columns.names}) SELECT ${columns.values} FROM ${columns.source(1)}
  ON CONFLICT (session_id, seq) DO UPDATE SET hash = excluded.hash, state = excluded.state`

export const sessionSnapshots = defineProjector({
  rows: ({ outcomes }) => outcomes.flatMap(({ kept }) => kept),
  async write(sql, rows) {
    if (rows.length > 0) await sql.query(WRITE_SQL, columns.parameters(rows))
  },
})
