// Ingestion of event batches (specs/data-plane.md): at-least-once delivery plus unique (session, seq) stores every event
// exactly once. Bad lines are named and never stop good ones.
import type { IngestTarget } from '@/server/platform/auth/scope.ts'
import { inSqlTransaction } from '@/server/platform/db/sql-transaction.ts'
import { traced } from '@/server/platform/observability/traced.ts'
import { countBatch } from './count-batch.ts'
import { ensureEventPartition } from './event-rows.sql.ts'
import { type IncomingLine, type LineProblem, readIncoming } from './incoming.ts'
import { forgetLiveState, keepLiveState } from './live-states.ts'
import { lookSoon } from './look-soon.ts'
import { rememberSeries } from './projectors/rollup-hours.ts'
import type { Gap } from './sequence.ts'
import { storeBatch } from './store-batch.ts'

export interface IngestResult {
  /** Highest contiguous stored sequence number of every session that a good line named. */
  readonly ackedThrough: Readonly<Record<string, number>>
  readonly gaps: readonly (Gap & { readonly session: string })[]
  /** Ascending by line. */
  readonly problems: readonly LineProblem[]
  readonly stored: number
  readonly duplicates: number
}

/** Rejects only when the database fails; then nothing of the batch is stored and it can be sent again. */
export async function ingestLines(
  scope: IngestTarget,
  lines: readonly IncomingLine[],
): Promise<IngestResult> {
  const { sessions, problems, repeats } = readIncoming(lines)
  if (sessions.size === 0) {
    return { ackedThrough: {}, gaps: [], problems, stored: 0, duplicates: repeats }
  }
  const today = new Date().toISOString().slice(0, 10)
  await ensureEventPartition(today)
  const result = await traced('store batch', { 'signalbox.events': lines.length }, () =>
    inSqlTransaction((sql) => storeBatch({ sql, scope, sessions, today })),
  )
  rememberSeries(result.rollups)
  countBatch(sessions, result, problems.length + result.problems.length)
  if (result.isRefusing) lookSoon(scope.projectId)
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
