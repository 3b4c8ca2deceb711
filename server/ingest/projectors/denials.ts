import type { EventOf } from '@signalbox/core'
import { decisionSentence } from '@signalbox/core/analysis'
import { toDecisionId } from '@signalbox/wire'
import { batchColumns, text, time } from '@/server/platform/sql/batch-columns.ts'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import {
  defineProjector,
  EVENT_COLUMNS,
  insertInto,
  namePrompts,
  type Outcome,
  toEventColumns,
} from './projector.ts'

const columns = batchColumns({
  ...EVENT_COLUMNS,
  at: time(),
  tool: text(),
  decision: text(),
  rule: text(),
  code: text(),
  /** Null: not in the log. */
  reasonClass: text<string | null>(),
  reason: text(),
})

const insert = insertInto('denials', columns)

function toRow(outcome: Outcome, event: EventOf<'tool.decided'>) {
  const { data, session, seq, at } = event
  const deciding = data.rules.find(({ mode, result }) => mode === 'enforce' && result !== 'allow')
  return {
    ...toEventColumns(outcome, event),
    id: toDecisionId(session, seq),
    at,
    tool: storableText(data.tool),
    decision: data.decision,
    rule: storableText(deciding?.rule ?? ''),
    code: storableText(deciding?.code ?? ''),
    reasonClass:
      data.decision === 'error' ? 'could_not_evaluate' : (deciding?.reason_class ?? null),
    reason: storableText(decisionSentence(data)),
  }
}

export const denials = defineProjector({
  rows: ({ outcomes }) =>
    outcomes.flatMap((outcome) =>
      outcome.fresh.flatMap(({ event }) =>
        event.type === 'tool.decided' && event.data.decision !== 'allowed'
          ? [toRow(outcome, event)]
          : [],
      ),
    ),
  write: (sql, rows, batch) =>
    Promise.all([insert(sql, rows, batch), namePrompts(sql, 'denials', batch.outcomes)]),
})
