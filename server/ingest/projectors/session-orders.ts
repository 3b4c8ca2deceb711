import { batchColumns, int, text } from '@/server/platform/sql/batch-columns.ts'
import { defineProjector } from './projector.ts'

const recorded = batchColumns({ sessionId: text(), counter: int(), seq: int() })

/** Sessions that were imported have events without orders. */
const RECORD_SQL = `
  UPDATE session_orders o SET recorded_seq = n.seq, recorded_at = now()
  FROM ${recorded.source(2)}
  WHERE o.project_id = $1 AND o.session_id = n.session_id AND o.counter = n.counter AND o.recorded_seq IS NULL`

export const sessionOrders = defineProjector({
  rows: ({ outcomes }) =>
    outcomes.flatMap(({ row, fresh }) =>
      fresh.flatMap(({ event: { type, seq, data } }) =>
        type === 'session.controlled' ? [{ sessionId: row.id, counter: data.counter, seq }] : [],
      ),
    ),
  async write(sql, rows, { scope }) {
    if (rows.length === 0) return
    await sql.query(RECORD_SQL, [scope.projectId, ...recorded.parameters(rows)])
  },
})
