// Ingestion of event batches (specs/data-plane.md). Delivery is at least once, and (session, seq) is unique, so every event is stored
// exactly once. Bad lines are named and never stop good ones.
import type { IngestTarget } from '@/server/platform/auth/scope.ts'
import { inSqlTransaction, type SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { metrics } from '@/server/platform/observability/metrics.mjs'
import { traced } from '@/server/platform/observability/traced.ts'
import { ensureEventPartition } from './event-rows.sql.ts'
import {
  type IncomingEvent,
  type IncomingLine,
  type LineProblem,
  readIncoming,
} from './incoming.ts'
import { forgetLiveState, keepLiveState } from './live-states.ts'
import { rememberSeries } from './projectors/rollup-hours.ts'
import { requestEvaluationSoon } from './request-evaluation.ts'
import type { Gap } from './sequence.ts'
import { type StoredBatch, storeBatch } from './store-batch.ts'

/** Called after the commit. `refused`: number of lines that were not stored. */
function countBatch(
  sessions: ReadonlyMap<string, readonly IncomingEvent[]>,
  { stored, duplicates, rollups, diverged }: StoredBatch,
  refused: number,
): void {
  if (stored > 0) metrics.events.inc({ result: 'stored' }, stored)
  if (duplicates > 0) metrics.events.inc({ result: 'duplicate' }, duplicates)
  if (refused > 0) metrics.events.inc({ result: 'refused' }, refused)
  if (diverged > 0) metrics.divergences.inc(diverged)
  for (const { series, count } of rollups) {
    if (series.kind !== 'call' && series.kind !== 'stop') continue
    metrics.decisions.inc({ kind: series.kind, verdict: series.a }, count)
  }
  let newest = 0
  for (const events of sessions.values()) newest = Math.max(newest, events.at(-1)?.event.at ?? 0)
  if (stored > 0) metrics.lag.observe(Math.max(0, Date.now() - newest) / 1000)
}

export interface IngestResult {
  /** Highest contiguous stored sequence number of every session that a good line named. */
  readonly ackedThrough: Readonly<Record<string, number>>
  readonly gaps: readonly (Gap & { readonly session: string })[]
  /** Ascending by line. */
  readonly problems: readonly LineProblem[]
  readonly stored: number
  readonly duplicates: number
}

/**
 * Rejects only when the database fails; then nothing of the batch is stored and it can be sent again. `also`: further
 * writes in the transaction that stores the batch.
 */
export async function ingestLines(
  scope: IngestTarget,
  lines: readonly IncomingLine[],
  also?: (sql: SqlTx, batch: StoredBatch) => Promise<void>,
): Promise<IngestResult> {
  const { sessions, problems, repeats } = readIncoming(lines)
  if (sessions.size === 0) {
    return { ackedThrough: {}, gaps: [], problems, stored: 0, duplicates: repeats }
  }
  const today = new Date().toISOString().slice(0, 10)
  await ensureEventPartition(today)
  const result = await traced('store batch', { 'signalbox.events': lines.length }, () =>
    inSqlTransaction(async (sql) => {
      const batch = await storeBatch({ sql, scope, sessions, today })
      await also?.(sql, batch)
      return batch
    }),
  )
  rememberSeries(result.rollups)
  countBatch(sessions, result, problems.length + result.problems.length)
  if (result.isRefusing) requestEvaluationSoon(scope.projectId)
  for (const [id, state] of result.liveStates) {
    if (state === null) forgetLiveState(id)
    else keepLiveState(id, state)
  }
  return {
    ackedThrough: result.ackedThrough,
    gaps: result.gaps,
    problems: [...problems, ...result.problems].sort((a, b) => a.line - b.line),
    stored: result.stored,
    duplicates: result.duplicates + repeats,
  }
}
