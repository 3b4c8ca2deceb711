// A failure at any point leaves events, counters and snapshots unchanged.
import type { SessionEvent } from '@signalbox/core'
import type { IngestTarget } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'
import { type Advanced, advanceSession } from './advance-session.ts'
import { type EventKey, insertEvents, readHashes } from './batch/event-rows.sql.ts'
import {
  type IncomingEvent,
  type LineProblem,
  toConflictProblem,
  toProblem,
} from './batch/incoming.ts'
import { toStoredEventRow } from './batch/projection.ts'
import {
  ensureSessions,
  lockSessions,
  type SessionRow,
  writeSessions,
} from './batch/session-rows.sql.ts'
import { hasLiveState, type LiveState } from './live-states.ts'
import { PROJECTORS } from './projectors/all.ts'
import type { Outcome } from './projectors/projector.ts'
import { RollupCounts, type RollupRow } from './rollups/series.ts'
import type { Gap } from './sequence.ts'

export interface StoredSession {
  readonly ackedThrough: number
  readonly gaps: readonly Gap[]
  readonly stored: number
}

export interface StoredBatch {
  /** By id; without sessions in which nothing may be stored. */
  readonly sessions: ReadonlyMap<string, StoredSession>
  readonly problems: readonly LineProblem[]
  readonly notifications: readonly ChangeNotification[]
  /** To keep once the transaction is committed; null: remove, because the session has ended. */
  readonly liveStates: ReadonlyMap<string, LiveState | null>
  /** Their series are known once the transaction is committed. */
  readonly rollups: readonly RollupRow[]
  readonly diverged: number
  /** Some call or stop in it was refused, or let through unchecked, which alert rules count. */
  readonly isRefusing: boolean
  /** Calls began or ceased to wait for approval. */
  readonly isAsking: boolean
}

interface Work {
  readonly sql: SqlTx
  readonly scope: IngestTarget
  readonly sessions: ReadonlyMap<string, readonly IncomingEvent[]>
  /** Current day in UTC, `YYYY-MM-DD`: the partition of new sessions. */
  readonly today: string
}

/** Sessions of the batch whose events the archive must give back first. Nothing is stored. */
export class ArchivedSessions extends ServiceError {
  readonly ids: readonly string[]

  constructor(ids: readonly string[]) {
    super('unavailable', 'A session of this batch is being archived. Send it again.')
    this.ids = ids
  }
}

interface Part {
  readonly row: SessionRow
  readonly events: readonly IncomingEvent[]
}

async function lockParts({ sql, scope, sessions, today }: Work): Promise<{
  readonly parts: readonly Part[]
  readonly problems: readonly LineProblem[]
}> {
  const { projectId, environment } = scope
  const ids = [...sessions.keys()].sort()
  const ensure = (): Promise<void> =>
    ensureSessions(
      sql,
      ids.map((id) => {
        const startedAt = sessions.get(id)?.[0]?.event.at ?? 0
        return { id, projectId, environment, partitionDay: today, startedAt }
      }),
    )
  // The usual batch continues sessions that this process stored, so it saves a statement and the wait for its answer.
  if (!ids.every(hasLiveState)) await ensure()
  let rows = await lockSessions(sql, ids)
  if (rows.length < ids.length) {
    // A session was deleted since, and begins again.
    await ensure()
    rows = await lockSessions(sql, ids)
  }
  const parts: Part[] = []
  const problems: LineProblem[] = []
  for (const row of rows) {
    const events = sessions.get(row.id) ?? []
    if (row.projectId !== projectId || row.environment !== environment)
      problems.push(...events.map(foreign))
    else if (row.isRemoved) problems.push(...events.map(tooLate))
    else parts.push({ row: { ...row, projectId }, events })
  }
  const archived = parts.filter(({ row }) => row.isArchived)
  if (archived.length > 0) throw new ArchivedSessions(archived.map(({ row }) => row.id))
  return { parts, problems }
}

function foreign(incoming: IncomingEvent): LineProblem {
  const detail = 'This session belongs to another project or environment than the API key.'
  return toProblem(incoming, 'foreign_session', detail)
}

function tooLate(incoming: IncomingEvent): LineProblem {
  const detail = 'The events of this session were removed by the retention rule of its project.'
  return toProblem(incoming, 'events_removed', detail)
}

function byDay(parts: readonly Part[]): ReadonlyMap<string, readonly Part[]> {
  const days = new Map<string, Part[]>()
  for (const part of parts) {
    const list = days.get(part.row.partitionDay) ?? []
    days.set(part.row.partitionDay, list)
    list.push(part)
  }
  return days
}

const keyText = ({ sessionId, seq }: EventKey): string => `${sessionId} ${seq}`
const toEventKey = ({ event }: IncomingEvent): EventKey => ({
  sessionId: event.session,
  seq: event.seq,
})

interface StoredDay {
  readonly isFresh: (incoming: IncomingEvent) => boolean
  readonly problems: readonly LineProblem[]
}

async function storeDay(
  { sql, scope }: Work,
  partitionDay: string,
  parts: readonly Part[],
): Promise<StoredDay> {
  const events = parts.flatMap((part) => part.events)
  const place = { projectId: scope.projectId, partitionDay }
  const inserted = await insertEvents(sql, place, events.map(toStoredEventRow))
  if (inserted === null) return { isFresh: () => true, problems: [] }
  const fresh = new Set(inserted.map(keyText))
  const isFresh = (incoming: IncomingEvent): boolean => fresh.has(keyText(toEventKey(incoming)))
  const old = events.filter((incoming) => !isFresh(incoming))
  const stored = await readHashes(sql, partitionDay, old.map(toEventKey))
  const hashes = new Map(stored.map((key) => [keyText(key), key.hash]))
  const problems = old
    .filter((incoming) => hashes.get(keyText(toEventKey(incoming))) !== incoming.hash)
    .map(toConflictProblem)
  return { isFresh, problems }
}

/** The statements are sent together, because none needs the result of another. */
async function writeOutcomes(
  { sql, scope }: Work,
  outcomes: readonly Outcome[],
  rollups: readonly RollupRow[],
): Promise<void> {
  const rows = outcomes.map(({ row }) => row)
  const batch = { scope, outcomes, rollups, now: Date.now() }
  await Promise.all([
    writeSessions(sql, rows),
    ...PROJECTORS.map((projector) => projector(sql, batch)),
  ])
}

function keepLive(outcomes: readonly Advanced[]): StoredBatch['liveStates'] {
  return new Map(
    outcomes.flatMap(({ row: { id, endedAt }, live }) =>
      live === null ? [] : [[id, endedAt === null ? live : null]],
    ),
  )
}

function toNotification({ projectId, id, contiguousSeq: seq }: SessionRow): ChangeNotification {
  return { project: projectId, kind: 'session', id, seq }
}

function isRefusal(event: SessionEvent): boolean {
  return (
    (event.type === 'tool.decided' && event.data.decision !== 'allowed') ||
    (event.type === 'stop.decided' && event.data.verdict !== 'allowed')
  )
}

/** The end of a session closes its requests, too; the job of the next minute resolves their alerts. */
function isAboutApproval({ type }: SessionEvent): boolean {
  return type === 'approval.requested' || type === 'approval.decided'
}

/** Rejects with `ArchivedSessions`, or when the database fails; the answer has every fault of the batch. */
export async function storeBatch(work: Work): Promise<StoredBatch> {
  const { sql, scope } = work
  const { projectId, environment } = scope
  const counts = new RollupCounts({ projectId, environment })
  const { parts, problems: refused } = await lockParts(work)
  const outcomes: Advanced[] = []
  const problems = [...refused]
  const sessions = new Map<string, StoredSession>()
  for (const [day, ofDay] of byDay(parts)) {
    const { isFresh, problems: conflicts } = await storeDay(work, day, ofDay)
    problems.push(...conflicts)
    for (const part of ofDay) {
      const news = part.events.filter(isFresh)
      const outcome = await advanceSession({ sql, counts }, part.row, news)
      const { row, gaps } = outcome
      sessions.set(row.id, { ackedThrough: row.contiguousSeq, gaps, stored: news.length })
      if (news.length > 0) outcomes.push(outcome)
    }
  }
  const rollups = counts.rows()
  await writeOutcomes(work, outcomes, rollups)
  return {
    sessions,
    problems,
    rollups,
    liveStates: keepLive(outcomes),
    notifications: outcomes.map(({ row }) => toNotification(row)),
    diverged: outcomes.filter(({ isNewlyDiverged }) => isNewlyDiverged).length,
    isRefusing: outcomes.some(({ fresh }) => fresh.some(({ event }) => isRefusal(event))),
    isAsking: outcomes.some(({ fresh }) => fresh.some(({ event }) => isAboutApproval(event))),
  }
}
