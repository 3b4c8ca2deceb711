import { toApprovalId } from '@signalbox/wire'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { notifyBySql } from '@/server/platform/live/live-bus.ts'
import {
  batchColumns,
  int,
  lines,
  type RowOf,
  text,
  time,
} from '@/server/platform/sql/batch-columns.ts'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import {
  type Batch,
  defineProjector,
  EVENT_COLUMNS,
  namePrompts,
  type Outcome,
  toEventColumns,
} from './projector.ts'

const columns = batchColumns({
  ...EVENT_COLUMNS,
  callId: text(),
  tool: text(),
  rules: lines(),
  requestedAt: time(),
  waitsUntil: time(),
})

const INSERT_SQL = `
  INSERT INTO call_approvals (project_id, half_over_at, ${columns.names})
  SELECT $1, now() + make_interval(secs => (n.waits_until - n.requested_at) / 2000), ${columns.values} FROM ${columns.source(2)}
  ON CONFLICT (id) DO NOTHING RETURNING id`

const answers = batchColumns({
  sessionId: text(),
  /** Null: every call of the session. */
  callId: text<string | null>(),
  seq: int(),
  at: time(),
  outcome: text<'approved' | 'denied' | 'timed_out' | 'unavailable' | 'ended'>(),
  note: text<string | null>(),
})

/** An answer closes the open request of its call; the end of a session closes all open requests. */
const CLOSE_SQL = `
  UPDATE call_approvals a SET outcome = c.outcome, outcome_seq = c.seq, outcome_at = to_timestamp(c.at / 1000),
    outcome_note = c.note
  FROM (
    SELECT DISTINCT ON (w.id) w.id, n.outcome, n.seq, n.at, n.note FROM ${answers.source(1)}
    JOIN call_approvals w ON w.session_id = n.session_id AND w.outcome IS NULL AND w.seq < n.seq
      AND (n.call_id IS NULL OR w.call_id = n.call_id)
    ORDER BY w.id, n.seq
  ) c
  WHERE a.id = c.id RETURNING a.id`

interface Rows {
  readonly asked: readonly RowOf<typeof columns>[]
  readonly answered: readonly RowOf<typeof answers>[]
}

function toRows(outcome: Outcome): Rows {
  const asked: RowOf<typeof columns>[] = []
  const answered: RowOf<typeof answers>[] = []
  const sessionId = outcome.row.id
  for (const { event } of outcome.fresh) {
    const { seq, at } = event
    if (event.type === 'approval.requested') {
      asked.push({
        ...toEventColumns(outcome, event),
        id: toApprovalId(sessionId, seq),
        callId: storableText(event.data.call_id),
        tool: storableText(event.data.tool),
        rules: event.data.rules.map(storableText),
        requestedAt: at,
        waitsUntil: event.data.expires_at,
      })
    }
    if (event.type === 'approval.decided') {
      const { call_id, decision, note } = event.data
      const callId = storableText(call_id)
      const answer = { outcome: decision, note: note ? storableText(note) : null }
      answered.push({ sessionId, callId, seq, at, ...answer })
    }
    if (event.type === 'session.ended') {
      answered.push({ sessionId, callId: null, seq, at, outcome: 'ended', note: null })
    }
  }
  return { asked, answered }
}

type Ids = readonly { readonly id: string }[]

async function insertAsked(sql: SqlTx, rows: readonly Rows[], { scope }: Batch): Promise<Ids> {
  const asked = rows.flatMap((each) => each.asked)
  if (asked.length === 0) return []
  return await sql.query<{ id: string }>(INSERT_SQL, [
    scope.projectId,
    ...columns.parameters(asked),
  ])
}

async function closeAnswered(sql: SqlTx, rows: readonly Rows[]): Promise<Ids> {
  const answered = rows.flatMap((each) => each.answered)
  if (answered.length === 0) return []
  return await sql.query<{ id: string }>(CLOSE_SQL, answers.parameters(answered))
}

export const callApprovals = defineProjector({
  rows: ({ outcomes }) => outcomes.map(toRows),
  async write(sql, rows, batch) {
    const [, ...changed] = await Promise.all([
      namePrompts(sql, 'call_approvals', batch.outcomes),
      insertAsked(sql, rows, batch),
      closeAnswered(sql, rows),
    ])
    const { projectId: project } = batch.scope
    const notifications = changed
      .flat()
      .map(({ id }) => ({ project, kind: 'approval' as const, id }))
    await notifyBySql(sql, notifications)
  },
})
