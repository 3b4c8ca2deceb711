import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { breachesAmong, withBreaches } from './batch/enforcement.ts'
import { readLastAttempt, readSeqsAfter } from './batch/event-rows.sql.ts'
import type { IncomingEvent } from './batch/incoming.ts'
import { project, storableInt } from './batch/projection.ts'
import type { SessionRow } from './batch/session-rows.sql.ts'
import { type Attempt, needsEarlierAttempt } from './batch/stop-attempts.ts'
import { countEvents } from './count-events.ts'
import type { LiveState } from './live-states.ts'
import type { Outcome } from './projectors/projector.ts'
import {
  type CountedEnd,
  listedAfter,
  parseCounted,
  SessionCounter,
} from './rollups/count-session.ts'
import type { RollupCounts } from './rollups/series.ts'
import { advance, type Gap, gapsAfter } from './sequence.ts'
import { standingAfter } from './standing.ts'
import { verifyOn } from './verify.ts'

export interface Advanced extends Outcome {
  /** Null: no event became contiguous. */
  readonly live: LiveState | null
  readonly gaps: readonly Gap[]
  readonly isNewlyDiverged: boolean
}

async function storedAbove(
  sql: SqlTx,
  row: SessionRow,
  fresh: readonly IncomingEvent[],
): Promise<readonly number[]> {
  if (row.maxSeq === row.contiguousSeq) return fresh.map(({ event }) => event.seq)
  const { id, partitionDay, contiguousSeq: after } = row
  return await readSeqsAfter(sql, { id, partitionDay, after })
}

async function earlierAttempt(
  sql: SqlTx,
  row: SessionRow,
  fresh: readonly IncomingEvent[],
): Promise<Attempt | null> {
  const before = needsEarlierAttempt(fresh)
  if (before === null) return null
  const { id, partitionDay } = row
  const stored = await readLastAttempt(sql, { id, partitionDay, before })
  if (stored === null) return null
  const { data } = stored
  const via = typeof data === 'object' && data !== null && 'via' in data ? String(data.via) : ''
  return { seq: stored.seq, via }
}

function computeVerification(
  row: SessionRow,
  live: LiveState,
  divergedAt: number | null,
): Pick<SessionRow, 'verification' | 'divergedSeq'> {
  if (row.verification === 'diverged')
    return { verification: 'diverged', divergedSeq: row.divergedSeq }
  if (divergedAt !== null) return { verification: 'diverged', divergedSeq: divergedAt }
  if (live.folded.basis.digest === null) return { verification: 'pending', divergedSeq: null }
  return { verification: 'verified', divergedSeq: null }
}

/** `before`: locked by the transaction. `fresh`: stored by it, ascending. `counts` collects what becomes countable. */
export async function advanceSession(
  { sql, counts }: { readonly sql: SqlTx; readonly counts: RollupCounts },
  before: SessionRow,
  fresh: readonly IncomingEvent[],
): Promise<Advanced> {
  const projection = project(before, fresh, await earlierAttempt(sql, before, fresh))
  const above = await storedAbove(sql, before, fresh)
  const contiguousSeq = advance(before.contiguousSeq, above)
  const gaps = gapsAfter(contiguousSeq, above)
  const events = fresh.map(({ event }) => event)
  const row = { ...projection.row, contiguousSeq, ...standingAfter(before, events, null) }
  if (contiguousSeq === before.contiguousSeq) {
    const breached = { ...row, ...withBreaches(row, projection.lapses) }
    const nothing = { live: null, kept: [], counter: null, isNewlyDiverged: false }
    return { ...projection, row: breached, fresh, gaps, ...nothing }
  }
  const bySeq = new Map(fresh.map((incoming) => [incoming.event.seq, incoming]))
  const counter = startCounter(before, counts)
  const verified = await verifyOn(sql, row, {
    contiguousBefore: before.contiguousSeq,
    fresh: bySeq,
    onContiguous: async (contiguous) => {
      if (counter !== null) await countEvents(counter, before.projectId, contiguous)
    },
  })
  const { live, kept, divergedAt, anomalies, loosened } = verified
  const { usage, plan } = live.folded.state
  return {
    ...projection,
    fresh,
    gaps,
    live,
    kept,
    counter,
    isNewlyDiverged: divergedAt !== null && before.verification !== 'diverged',
    row: {
      ...row,
      ...(contiguousSeq < row.maxSeq ? {} : standingAfter(before, events, live.folded.state)),
      ...computeVerification(row, live, divergedAt),
      ...withBreaches(row, [...projection.lapses, ...breachesAmong(anomalies), ...loosened]),
      ...(counter === null ? {} : rolledUp(before, contiguousSeq, counter)),
      anomalies: row.anomalies + anomalies.length,
      tokensUsed: storableInt(usage.total),
      planDone: plan === null ? null : plan.steps.filter(({ status }) => status === 'done').length,
      planTotal: plan === null ? null : plan.steps.length,
    },
  }
}

/** Null: earlier events are not counted yet, so the job that counts them also counts these. */
function startCounter(before: SessionRow, counts: RollupCounts): SessionCounter | null {
  if (before.rolledSeq !== before.contiguousSeq) return null
  return new SessionCounter(counts, parseCounted(before.rollupState))
}

function rolledUp(
  before: SessionRow,
  rolledSeq: number,
  { counted, end }: SessionCounter,
): Pick<SessionRow, 'rolledSeq' | 'listedSeq' | 'rollupState'> & Partial<CountedEnd> {
  const listedSeq = listedAfter(before, rolledSeq)
  return { rolledSeq, listedSeq, rollupState: JSON.stringify(counted), ...end }
}
