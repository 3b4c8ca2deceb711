// Calls that the rules decided, of each prompt on each runtime per minute, for alert rules about one runtime (specs/alerts.md). Sessions that are imported or of the demo are not counted.
import { isCountedSession } from '@signalbox/wire'
import { batchColumns, int, type RowOf, text, time } from '@/server/platform/sql/batch-columns.ts'
import { UNKNOWN_PROMPT } from '../batch/projection.ts'
import { type Batch, defineProjector, floorToMinute, type Outcome } from './projector.ts'
import { CALL_MINUTES, toCountSql } from './shared-counts.sql.ts'

const columns = batchColumns({
  /** Empty: the session names none. */
  runtimeId: text(),
  ns: text(),
  key: text(),
  environment: text(),
  minute: time(),
  calls: int(),
  denied: int(),
})

type Row = RowOf<typeof columns>

/** Reads every day of the events, but almost no batch needs it. */
const STORED_SQL = `
  SELECT coalesce(s.runtime_id, ''), s.ns, s.key, s.environment, date_trunc('minute', least(e.at, e.received_at), 'UTC'),
    count(*), count(*) FILTER (WHERE e.verdict IN ('denied', 'error'))
  FROM sessions s JOIN session_events e ON e.session_id = s.id AND e.partition_day = s.partition_day
  WHERE s.id = ANY($9::text[]) AND e.type = 'tool.decided'
  GROUP BY 1, 2, 3, 4, 5`

const COUNT_SQL = toCountSql(CALL_MINUTES, columns)
const COUNT_WITH_STORED_SQL = toCountSql(CALL_MINUTES, columns, STORED_SQL)

/** True for a session whose prompt becomes known with this batch: SQL counts all of its stored calls. */
function isCountedFromStore({ row, namesPrompt }: Outcome): boolean {
  return namesPrompt && row.ns !== UNKNOWN_PROMPT && isCountedSession(row.id)
}

function countCalls({ outcomes, now }: Batch): readonly Row[] {
  return outcomes.flatMap(({ row, fresh, namesPrompt }) => {
    if (row.ns === UNKNOWN_PROMPT || namesPrompt || !isCountedSession(row.id)) return []
    const { runtimeId, ns, key, environment } = row
    const minutes = new Map<number, { calls: number; denied: number }>()
    for (const { event } of fresh) {
      if (event.type !== 'tool.decided') continue
      const minute = floorToMinute(event.at, now)
      const counts = minutes.get(minute) ?? { calls: 0, denied: 0 }
      minutes.set(minute, counts)
      counts.calls += 1
      if (event.data.decision !== 'allowed') counts.denied += 1
    }
    const place = { runtimeId: runtimeId ?? '', ns, key, environment }
    return [...minutes].map(([minute, counts]) => ({ ...place, minute, ...counts }))
  })
}

export const callMinutes = defineProjector({
  rows: countCalls,
  async write(sql, rows, { scope, outcomes }) {
    const late = outcomes.filter(isCountedFromStore).map(({ row }) => row.id)
    if (rows.length === 0 && late.length === 0) return
    const added = [scope.projectId, ...columns.parameters(rows)]
    await (late.length === 0
      ? sql.query(COUNT_SQL, added)
      : sql.query(COUNT_WITH_STORED_SQL, [...added, late]))
  },
})
