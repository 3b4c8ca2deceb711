// Ingestion of event batches (specs/data-plane.md): at-least-once delivery plus unique (session, seq) stores every event
// exactly once. Bad lines are named and never stop good ones.
import type { KeyScope } from '../../auth/scope.ts'
import { ServiceError } from '../../errors.ts'
import { ensureEventPartition } from '../../repositories/ingest/event-rows.ts'
import { inSqlTransaction, waitingForConnection } from '../../repositories/sql-transaction.ts'
import { type IncomingLine, type LineProblem, readIncoming } from './incoming.ts'
import { keepLiveState } from './live-states.ts'
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

/** Requests at work at once in this process, and queries waiting for a connection, beyond which senders are put off. */
const MOST_IN_FLIGHT = 32
const MOST_WAITING = 32

let inFlight = 0

/** True while the next batch should be refused with 429. */
function isUnderPressure(): boolean {
  return inFlight >= MOST_IN_FLIGHT || waitingForConnection() >= MOST_WAITING
}

/**
 * Admits one request, runs it, and counts it while it runs; the body is read inside, so that its memory is counted too.
 * Rejects with `limit` under pressure.
 */
export async function withIngestSlot<T>(work: () => Promise<T>): Promise<T> {
  if (isUnderPressure()) {
    throw new ServiceError('limit', 'Too many batches at once. Send this one again in a second.')
  }
  inFlight += 1
  try {
    return await work()
  } finally {
    inFlight -= 1
  }
}

/** Rejects only when the database fails; then nothing of the batch is stored and it can be sent again. */
export async function ingestLines(
  scope: KeyScope,
  lines: readonly IncomingLine[],
): Promise<IngestResult> {
  const { sessions, problems, repeats } = readIncoming(lines)
  if (sessions.size === 0) {
    return { ackedThrough: {}, gaps: [], problems, stored: 0, duplicates: repeats }
  }
  const today = new Date().toISOString().slice(0, 10)
  await ensureEventPartition(today)
  const result = await inSqlTransaction((sql) => storeBatch({ sql, scope, sessions, today }))
  for (const [id, state] of result.liveStates) keepLiveState(id, state)
  return {
    ackedThrough: result.ackedThrough,
    gaps: result.gaps,
    problems: [...problems, ...result.problems].sort((a, b) => a.line - b.line),
    stored: result.stored,
    duplicates: result.duplicates + repeats,
  }
}
