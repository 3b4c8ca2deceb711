import type { EventOf } from '@signalbox/core'
import { batchColumns, bool, int, text, time } from '@/server/platform/sql/batch-columns.ts'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import { defineProjector, insertInto } from './projector.ts'

const columns = batchColumns({
  sessionId: text(),
  environment: text(),
  seq: int(),
  digest: text(),
  at: time(),
  ofSeq: int(),
  subject: text(),
  /** Empty: not about a tool. */
  tool: text(),
  /** Empty: no single rule makes the difference. */
  rule: text(),
  live: text(),
  shadow: text(),
  text: text<string | null>(),
  isExact: bool(),
  ownFacts: bool(),
})

function toRow(environment: string, event: EventOf<'shadow.differed'>) {
  const { session: sessionId, seq, at, data } = event
  const { digest, of: ofSeq, subject, tool = '', rule = '', live, shadow, text: said } = data
  return {
    sessionId,
    environment,
    seq,
    at,
    digest,
    ofSeq,
    subject,
    live,
    shadow,
    tool: storableText(tool),
    rule: storableText(rule),
    text: said === undefined ? null : storableText(said),
    isExact: data.fidelity === 'exact',
    ownFacts: data.own_facts === true,
  }
}

export const shadowDifferences = defineProjector({
  rows: ({ scope: { environment }, outcomes }) =>
    outcomes
      .flatMap(({ fresh }) => fresh)
      .flatMap(({ event }) =>
        event.type === 'shadow.differed' ? [toRow(environment, event)] : [],
      ),
  write: insertInto('shadow_differences', columns, 'ON CONFLICT DO NOTHING'),
})
