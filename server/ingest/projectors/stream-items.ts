import { isCountedSession, toDecisionId, toStopId } from '@signalbox/wire'
import { batchColumns, text } from '@/server/platform/sql/batch-columns.ts'
import { defineProjector } from './projector.ts'

const columns = batchColumns({ environment: text(), recordId: text() })

// A lock on the streams, because one may be removed at the same time.
const INSERT = `INSERT INTO webhook_stream_items (stream_id, project_id, record_id)
  SELECT s.id, s.project_id, n.record_id FROM webhook_streams s, ${columns.source(2)}
  WHERE s.project_id = $1 AND s.decisions AND (s.environment IS NULL OR s.environment = n.environment)
  FOR KEY SHARE OF s
  ON CONFLICT DO NOTHING`

export const streamItems = defineProjector({
  rows: ({ outcomes }) =>
    outcomes
      .filter(({ row }) => isCountedSession(row.id))
      .flatMap(({ row: { environment }, fresh, stops }) => [
        ...stops.map(({ event: { session, seq } }) => ({
          environment,
          recordId: toStopId(session, seq),
        })),
        ...fresh.flatMap(({ event }) =>
          event.type === 'tool.decided' && event.data.decision !== 'allowed'
            ? [{ environment, recordId: toDecisionId(event.session, event.seq) }]
            : [],
        ),
      ]),
  write: async (sql, rows, { scope }) => {
    if (rows.length > 0) await sql.query(INSERT, [scope.projectId, ...columns.parameters(rows)])
  },
})
