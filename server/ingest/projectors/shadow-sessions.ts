import { batchColumns, text, time } from '@/server/platform/sql/batch-columns.ts'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import { defineProjector } from './projector.ts'

const columns = batchColumns({
  sessionId: text(),
  environment: text(),
  digest: text(),
  at: time(),
  /** Reason why the evaluation stopped; null: it did not. */
  stopped: text<string | null>(),
})

/** The two events of a session may arrive in either order: each keeps what the other wrote. */
const WRITE_SQL = `
  INSERT INTO shadow_sessions AS s (project_id, ${columns.names})
  SELECT DISTINCT ON (n.session_id) $1, ${columns.values} FROM ${columns.source(2)}
  ORDER BY n.session_id, n.stopped NULLS LAST
  ON CONFLICT (session_id) DO UPDATE SET at = least(s.at, excluded.at), stopped = coalesce(s.stopped, excluded.stopped)`

export const shadowSessions = defineProjector({
  rows: ({ scope: { environment }, outcomes }) =>
    outcomes
      .flatMap(({ fresh }) => fresh)
      .flatMap(({ event }) => {
        if (event.type !== 'shadow.started' && event.type !== 'shadow.stopped') return []
        const { session: sessionId, at } = event
        const stopped = event.type === 'shadow.stopped' ? storableText(event.data.reason) : null
        return [{ sessionId, environment, digest: event.data.digest, at, stopped }]
      }),
  async write(sql, rows, { scope }) {
    if (rows.length > 0) await sql.query(WRITE_SQL, [scope.projectId, ...columns.parameters(rows)])
  },
})
