import { decidingCheck, stopSentence, wouldBlock } from '@signalbox/core/analysis'
import { toStopId } from '@signalbox/wire'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { batchColumns, int, text, time } from '@/server/platform/sql/batch-columns.ts'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import { storableInt } from '../batch/projection.ts'
import type { DecidedStop } from '../batch/stop-attempts.ts'
import {
  type CountedSession,
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
  attemptedSeq: int(),
  attempt: int(),
  via: text(),
  verdict: text(),
  bypass: text<string | null>(),
  /** Id of the check that refused it; null: it was not refused. */
  checker: text<string | null>(),
  code: text(),
  reason: text(),
})

const insert = insertInto('stops', columns)

function refusingChecker({ verdict, check }: DecidedStop['event']['data']): string | null {
  const isRefused = verdict === 'blocked' || verdict === 'error'
  return !isRefused || check === null ? null : storableText(decidingCheck(check).checker)
}

function toRow(outcome: Outcome, { event, attempt }: DecidedStop) {
  const { data, session, seq, at } = event
  return {
    ...toEventColumns(outcome, event),
    id: toStopId(session, seq),
    at,
    attemptedSeq: attempt?.seq ?? seq,
    via: attempt?.via ?? 'turn_end',
    attempt: storableInt(data.attempt),
    verdict: data.verdict,
    bypass: data.bypass ?? null,
    checker: refusingChecker(data),
    code: wouldBlock(data) ? 'stop.would_block' : storableText(data.code),
    reason: storableText(stopSentence(data)),
  }
}

async function nameAttempts(sql: SqlTx, outcomes: readonly Outcome[]): Promise<void> {
  const attempts = outcomes.flatMap(({ row, lateAttempts }) =>
    lateAttempts.map(({ seq, via }) => [row.id, seq, via]),
  )
  await Promise.all(
    attempts.map((attempt) =>
      sql.query(
        `UPDATE stops SET attempted_seq = $2, via = $3
         WHERE session_id = $1 AND attempted_seq = seq
           AND seq = (SELECT min(seq) FROM stops WHERE session_id = $1 AND seq > $2)`,
        attempt,
      ),
    ),
  )
}

const counted = batchColumns({ sessionId: text(), seq: int(), until: int() })

/** Stores on each allowed stop the number of attempts since the last one that was let through, itself included. */
export async function writeAttempts(
  sql: SqlTx,
  sessions: readonly CountedSession[],
): Promise<void> {
  const rows = sessions.flatMap(({ row, counter }) =>
    (counter?.allowed ?? []).map((stop) => ({ sessionId: row.id, ...stop })),
  )
  if (rows.length === 0) return
  await sql.query(
    `UPDATE stops s SET until = n.until FROM ${counted.source(1)}
     WHERE s.session_id = n.session_id AND s.seq = n.seq`,
    counted.parameters(rows),
  )
}

export const stops = defineProjector({
  rows: ({ outcomes }) =>
    outcomes.flatMap((outcome) => outcome.stops.map((stop) => toRow(outcome, stop))),
  write: (sql, rows, batch) =>
    Promise.all([
      insert(sql, rows, batch),
      writeAttempts(sql, batch.outcomes),
      nameAttempts(sql, batch.outcomes),
      namePrompts(sql, 'stops', batch.outcomes),
    ]),
})
