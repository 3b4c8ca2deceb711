// What newly stored events say of calls that wait for a person: which ones ask, and which wait no longer. Pure.
import { approvalIdOf } from '@signalbox/wire'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import type { ApprovalClose, ApprovalRow, ApprovalRows } from './approval-rows.sql.ts'
import type { IncomingEvent } from './incoming.ts'
import type { SessionRow } from './session-rows.sql.ts'

export function approvalsOf({
  row,
  fresh,
}: {
  readonly row: SessionRow
  readonly fresh: readonly IncomingEvent[]
}): readonly ApprovalRows[] {
  const asked: ApprovalRow[] = []
  const closed: ApprovalClose[] = []
  const { id: sessionId, environment, ns, key, configDigest } = row
  for (const { event } of fresh) {
    const { seq, at } = event
    if (event.type === 'approval.requested') {
      asked.push({
        ...{ id: approvalIdOf(sessionId, seq), sessionId, environment, ns, key, seq, at },
        callId: storableText(event.data.call_id),
        tool: storableText(event.data.tool),
        rules: event.data.rules.map(storableText),
        waitsUntil: event.data.expires_at,
        configDigest: event.config === undefined ? configDigest : storableText(event.config),
      })
    }
    if (event.type === 'approval.decided') {
      const { call_id, decision: outcome, note } = event.data
      const callId = storableText(call_id)
      closed.push({ sessionId, callId, seq, at, outcome, note: note ? storableText(note) : null })
    }
    if (event.type === 'session.ended') {
      closed.push({ sessionId, callId: null, seq, at, outcome: 'ended', note: null })
    }
  }
  return asked.length + closed.length === 0 ? [] : [{ asked, closed }]
}
