// Delivery is at least once, and (session, seq) is unique, so every event is stored exactly once. Bad lines never stop good ones.
import { recallSession } from '@/server/archive/recall.ts'
import type { IngestTarget } from '@/server/platform/auth/scope.ts'
import { isDatabaseAway } from '@/server/platform/base/errors.ts'
import { registerCache } from '@/server/platform/base/process-memory.ts'
import { inSqlTransaction, type SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { notifySoon } from '@/server/platform/live/live-bus.ts'
import { metrics } from '@/server/platform/observability/metrics.mjs'
import { traced } from '@/server/platform/observability/traced.ts'
import { writeTogether } from '@/server/platform/write-together.ts'
import { ensureEventPartition } from './batch/event-rows.sql.ts'
import type { Incoming, LineProblem } from './batch/incoming.ts'
import { forgetLiveState, keepLiveState } from './live-states.ts'
import { rememberSeries } from './projectors/rollup-hours.ts'
import { requestApprovalEvaluationNow, requestEvaluationSoon } from './request-evaluation.ts'
import type { Gap } from './sequence.ts'
import { ArchivedSessions, type StoredBatch, storeBatch } from './store-batch.ts'

/** Events that are stored in one transaction, unless a single request has more. */
const MOST_TOGETHER = 3_000
/** Transactions of one environment at a time: PostgreSQL stores one while the server prepares the other. */
const AT_ONCE = 2
/** Events for which a transaction begins at once. Fewer share a later one, because most of a small transaction's cost is its own. */
const ENOUGH = 200
/** Time after which fewer events no longer wait for a transaction, which may be waiting for a lock itself. */
const PATIENCE_MS = 250
/** Time that requests gather after a transaction during which some arrived, as a multiple of its duration. */
const PAUSE_SHARE = 2
/** A small request does not wait longer behind a large one. */
const MOST_PAUSE_MS = 50

type Sessions = Incoming['sessions']
type Also = (sql: SqlTx, batch: StoredBatch) => Promise<void>

/** Called after the commit. */
function countBatch(
  sessions: Sessions,
  { sessions: storedSessions, problems, rollups, diverged }: StoredBatch,
): void {
  let stored = 0
  for (const session of storedSessions.values()) stored += session.stored
  const duplicates = countEvents(sessions) - stored - problems.length
  if (stored > 0) metrics.events.inc({ result: 'stored' }, stored)
  if (duplicates > 0) metrics.events.inc({ result: 'duplicate' }, duplicates)
  if (problems.length > 0) metrics.events.inc({ result: 'refused' }, problems.length)
  if (diverged > 0) metrics.divergences.inc(diverged)
  for (const { series, count } of rollups) {
    if (series.kind !== 'call' && series.kind !== 'stop') continue
    metrics.decisions.inc({ kind: series.kind, verdict: series.a }, count)
  }
  let newest = 0
  for (const events of sessions.values()) newest = Math.max(newest, events.at(-1)?.event.at ?? 0)
  if (stored > 0) metrics.lag.observe(Math.max(0, Date.now() - newest) / 1000)
}

function countEvents(sessions: Sessions): number {
  let events = 0
  for (const stored of sessions.values()) events += stored.length
  return events
}

/** Stores a batch. Events for an archived session bring it back first, outside of the transaction, because files are read for it. */
async function storeRecalled(scope: IngestTarget, work: () => Promise<StoredBatch>) {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ArchivedSessions)) throw error
    for (const id of error.ids) await recallSession(scope.projectId, id)
    return await work()
  }
}

/** Rejects only when the database or the archive fails; then nothing is stored. */
async function store(scope: IngestTarget, sessions: Sessions, also?: Also): Promise<StoredBatch> {
  const today = new Date().toISOString().slice(0, 10)
  await ensureEventPartition(today)
  const batch = await traced(
    'store batch',
    { 'signalbox.events': countEvents(sessions), 'signalbox.sessions': sessions.size },
    () =>
      storeRecalled(scope, () =>
        inSqlTransaction(async (sql) => {
          const stored = await storeBatch({ sql, scope, sessions, today })
          await also?.(sql, stored)
          return stored
        }),
      ),
  )
  rememberSeries(batch.rollups)
  countBatch(sessions, batch)
  notifySoon(batch.notifications)
  if (batch.isRefusing) requestEvaluationSoon(scope.projectId)
  if (batch.isAsking) requestApprovalEvaluationNow(scope.projectId)
  for (const [id, state] of batch.liveStates) {
    if (state === null) forgetLiveState(id)
    else keepLiveState(id, state)
  }
  return batch
}

type Store = (sessions: Sessions) => Promise<StoredBatch>

const writers = registerCache(new Map<string, Store>())

function writerFor(scope: IngestTarget): Store {
  const name = `${scope.projectId} ${scope.environment}`
  const writer =
    writers.get(name) ??
    writeTogether<Sessions, StoredBatch>({
      selectKeys: (sessions) => sessions.keys(),
      weigh: countEvents,
      most: MOST_TOGETHER,
      atOnce: AT_ONCE,
      enough: ENOUGH,
      patienceMs: PATIENCE_MS,
      pauseMs: (writeMs) => Math.min(PAUSE_SHARE * writeMs, MOST_PAUSE_MS),
      isOnesFault: (error) => !isDatabaseAway(error),
      async write(requests) {
        const batch = await store(scope, new Map(requests.flatMap((sessions) => [...sessions])))
        return requests.map(() => batch)
      },
    })
  writers.set(name, writer)
  return writer
}

export interface IngestResult {
  /** Highest contiguous stored sequence number of every session that a good line named. */
  readonly ackedThrough: Readonly<Record<string, number>>
  readonly gaps: readonly (Gap & { readonly session: string })[]
  readonly problems: readonly LineProblem[]
  readonly stored: number
  readonly duplicates: number
}

function toResult(
  { sessions, problems: unreadable, repeats }: Incoming,
  batch: StoredBatch,
): IngestResult {
  const ackedThrough: Record<string, number> = {}
  const gaps: (Gap & { readonly session: string })[] = []
  let stored = 0
  for (const session of sessions.keys()) {
    const found = batch.sessions.get(session)
    if (found === undefined) continue
    ackedThrough[session] = found.ackedThrough
    gaps.push(...found.gaps.map((gap) => ({ session, ...gap })))
    stored += found.stored
  }
  const refused = batch.problems.filter(
    ({ session }) => session !== undefined && sessions.has(session),
  )
  return {
    ackedThrough,
    gaps,
    problems: [...unreadable, ...refused].sort((a, b) => a.line - b.line),
    stored,
    duplicates: countEvents(sessions) - stored - refused.length + repeats,
  }
}

/**
 * Rejects only when the database fails, and then stores nothing of the request. `also`: writes in the same transaction, which stores no
 * other request.
 */
export async function ingest(
  scope: IngestTarget,
  incoming: Incoming,
  also?: Also,
): Promise<IngestResult> {
  const { sessions, problems, repeats } = incoming
  if (problems.length > 0) metrics.events.inc({ result: 'refused' }, problems.length)
  if (sessions.size === 0) {
    return { ackedThrough: {}, gaps: [], problems, stored: 0, duplicates: repeats }
  }
  const batch = await (also === undefined
    ? writerFor(scope)(sessions)
    : store(scope, sessions, also))
  return toResult(incoming, batch)
}
