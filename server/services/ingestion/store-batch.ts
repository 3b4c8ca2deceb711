// One transaction for one request: locks the sessions that it names, stores what is new, moves the contiguous ends, verifies
// and projects. Everything or nothing: a failure at any point leaves events, counters and snapshots as they were.
import type { KeyScope } from '../../auth/scope.ts'
import { addActivity } from '../../repositories/ingest/activity-rows.ts'
import {
  type EventKey,
  insertEvents,
  readHashes,
  readSeqsAfter,
} from '../../repositories/ingest/event-rows.ts'
import {
  addMinuteCounts,
  insertDenials,
  insertStops,
  nameAttempt,
  namePrompt,
  readLastAttempt,
  type SnapshotRow,
  writeSnapshots,
} from '../../repositories/ingest/projection-rows.ts'
import {
  ensureSessions,
  lockSessions,
  type SessionRow,
  writeSessions,
} from '../../repositories/ingest/session-rows.ts'
import { insertShadowDifferences, upsertShadowSessions } from '../../repositories/shadows.ts'
import type { SqlTx } from '../../repositories/sql-transaction.ts'
import { notifyBySql } from '../live-bus.ts'
import { countByDay } from './activity-days.ts'
import { breachesAmong, withBreaches } from './enforcement.ts'
import { toSnapshot } from './fold.ts'
import { conflictOf, type IncomingEvent, type LineProblem, problemOf } from './incoming.ts'
import type { LiveState } from './live-states.ts'
import { countByMinute } from './minute-counts.ts'
import {
  type Attempt,
  eventRowOf,
  needsEarlierAttempt,
  type Projection,
  project,
  storableInt,
} from './projection.ts'
import { advance, type Gap, gapsAfter } from './sequence.ts'
import { shadowRowsOf } from './shadow-rows.ts'
import { verifyOn } from './verify.ts'

export interface StoredBatch {
  readonly ackedThrough: Readonly<Record<string, number>>
  readonly gaps: readonly (Gap & { readonly session: string })[]
  readonly problems: readonly LineProblem[]
  readonly stored: number
  readonly duplicates: number
  /** To be kept once the transaction is committed; null: forget, the session has ended. */
  readonly liveStates: ReadonlyMap<string, LiveState | null>
}

interface Work {
  readonly sql: SqlTx
  readonly scope: KeyScope
  readonly sessions: ReadonlyMap<string, readonly IncomingEvent[]>
  /** Today, `YYYY-MM-DD` in UTC: the partition of sessions that are new. */
  readonly today: string
}

/** A session's part of the batch. */
interface Part {
  readonly row: SessionRow
  readonly events: readonly IncomingEvent[]
}

/** What became of a part: the row as it will be, and the events that were not stored before. */
interface Outcome extends Projection {
  readonly fresh: readonly IncomingEvent[]
  readonly live: LiveState | null
  readonly gaps: readonly Gap[]
}

async function lockParts({ sql, scope, sessions, today }: Work): Promise<{
  readonly parts: readonly Part[]
  readonly problems: readonly LineProblem[]
}> {
  const { projectId, environment } = scope
  const ids = [...sessions.keys()].sort()
  await ensureSessions(
    sql,
    ids.map((id) => {
      const at = sessions.get(id)?.[0]?.event.at ?? 0
      return { id, projectId, environment, partitionDay: today, at }
    }),
  )
  const rows = await lockSessions(sql, ids)
  const parts: Part[] = []
  const problems: LineProblem[] = []
  for (const row of rows) {
    const events = sessions.get(row.id) ?? []
    if (row.projectId !== projectId || row.environment !== environment)
      problems.push(...events.map(foreign))
    else if (row.isRemoved) problems.push(...events.map(tooLate))
    else parts.push({ row, events })
  }
  return { parts, problems }
}

function foreign(incoming: IncomingEvent): LineProblem {
  const detail = 'This session belongs to another project or environment than the API key.'
  return problemOf(incoming, 'foreign_session', detail)
}

function tooLate(incoming: IncomingEvent): LineProblem {
  const detail = 'The events of this session were removed by the retention rule of its project.'
  return problemOf(incoming, 'events_removed', detail)
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
const keyOf = ({ event }: IncomingEvent): EventKey => ({ sessionId: event.session, seq: event.seq })

/** Stores one day's parts. Returns the keys that are new, and the lines that contradict what is stored. */
async function storeDay(
  { sql, scope }: Work,
  partitionDay: string,
  parts: readonly Part[],
): Promise<{ readonly fresh: ReadonlySet<string>; readonly problems: readonly LineProblem[] }> {
  const events = parts.flatMap((part) => part.events)
  const place = { projectId: scope.projectId, partitionDay }
  const inserted = await insertEvents(sql, place, events.map(eventRowOf))
  const fresh = new Set(inserted.map(keyText))
  const old = events.filter((incoming) => !fresh.has(keyText(keyOf(incoming))))
  const stored = await readHashes(sql, partitionDay, old.map(keyOf))
  const hashes = new Map(stored.map((key) => [keyText(key), key.hash]))
  const problems = old
    .filter((incoming) => hashes.get(keyText(keyOf(incoming))) !== incoming.hash)
    .map(conflictOf)
  return { fresh, problems }
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

function verificationOf(
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

async function advanceSession(
  sql: SqlTx,
  { row: before }: Part,
  fresh: readonly IncomingEvent[],
): Promise<Outcome> {
  const projection = project(before, fresh, await earlierAttempt(sql, before, fresh))
  const above = await storedAbove(sql, before, fresh)
  const contiguousSeq = advance(before.contiguousSeq, above)
  const gaps = gapsAfter(contiguousSeq, above)
  const row = { ...projection.row, contiguousSeq }
  if (contiguousSeq === before.contiguousSeq) {
    const breached = { ...row, ...withBreaches(row, projection.lapses) }
    return { ...projection, row: breached, fresh, gaps, live: null }
  }
  const bySeq = new Map(fresh.map((incoming) => [incoming.event.seq, incoming]))
  const verified = await verifyOn(sql, row, {
    contiguousBefore: before.contiguousSeq,
    fresh: bySeq,
  })
  const { live, divergedAt, anomalies, loosened } = verified
  const { usage, plan } = live.folded.state
  return {
    ...projection,
    fresh,
    gaps,
    live,
    row: {
      ...row,
      ...verificationOf(row, live, divergedAt),
      ...withBreaches(row, [...projection.lapses, ...breachesAmong(anomalies), ...loosened]),
      anomalies: row.anomalies + anomalies.length,
      tokensUsed: storableInt(usage.total),
      planDone: plan === null ? null : plan.steps.filter(({ status }) => status === 'done').length,
      planTotal: plan === null ? null : plan.steps.length,
    },
  }
}

/** A snapshot is due every 500 events, later when the state is large (a state of 1 MB: every 10,000), and at the end. */
function snapshotOf({ row, live }: Outcome): SnapshotRow | null {
  if (live === null) return null
  const { folded, snapshotSeq, snapshotBytes } = live
  const { seq, hash } = folded
  const isDue = seq - snapshotSeq >= Math.max(500, snapshotBytes / 100)
  if (hash === null || (!isDue && row.endedAt === null)) return null
  return { sessionId: row.id, seq, hash, state: JSON.stringify(toSnapshot(folded)) }
}

async function writeOutcomes(
  { sql, scope }: Work,
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<string, LiveState | null>> {
  const { projectId: project, environment } = scope
  const snapshots = outcomes.map(snapshotOf)
  await writeSnapshots(
    sql,
    snapshots.filter((snapshot) => snapshot !== null),
  )
  await insertStops(
    sql,
    project,
    outcomes.flatMap(({ stops }) => stops),
  )
  await insertDenials(
    sql,
    project,
    outcomes.flatMap(({ denials }) => denials),
  )
  const news = outcomes.flatMap(({ fresh }) => fresh)
  const shadow = shadowRowsOf(environment, news)
  await upsertShadowSessions(sql, project, shadow.sessions)
  await insertShadowDifferences(sql, project, shadow.differences)
  for (const { row, namesPrompt: isNamed, lateAttempts } of outcomes) {
    if (isNamed) await namePrompt(sql, row.id, row)
    for (const attempt of lateAttempts) await nameAttempt(sql, row.id, attempt)
  }
  await writeSessions(
    sql,
    outcomes.map(({ row }) => row),
  )
  await notifyBySql(
    sql,
    outcomes.map(({ row }) => ({ project, kind: 'session', id: row.id, seq: row.contiguousSeq })),
  )
  await addMinuteCounts(sql, project, countByMinute(environment, news))
  await addActivity(
    sql,
    project,
    outcomes.flatMap(({ row, fresh }) => countByDay({ ...row, environment }, fresh)),
  )
  const live = new Map<string, LiveState | null>()
  outcomes.forEach((outcome, index) => {
    const snapshot = snapshots[index]
    if (outcome.live === null) return
    const stored =
      snapshot === null || snapshot === undefined
        ? {}
        : { snapshotSeq: snapshot.seq, snapshotBytes: snapshot.state.length }
    const hasEnded = outcome.row.endedAt !== null
    live.set(outcome.row.id, hasEnded ? null : { ...outcome.live, ...stored })
  })
  return live
}

/** Rejects only when the database fails; every fault of the batch is in the answer. */
export async function storeBatch(work: Work): Promise<StoredBatch> {
  const { sql } = work
  const { parts, problems } = await lockParts(work)
  const outcomes: Outcome[] = []
  const allProblems = [...problems]
  const gaps: (Gap & { readonly session: string })[] = []
  const ackedThrough: Record<string, number> = {}
  for (const [day, ofDay] of byDay(parts)) {
    const { fresh, problems: conflicts } = await storeDay(work, day, ofDay)
    allProblems.push(...conflicts)
    for (const part of ofDay) {
      const news = part.events.filter((incoming) => fresh.has(keyText(keyOf(incoming))))
      const outcome = await advanceSession(sql, part, news)
      const session = part.row.id
      ackedThrough[session] = outcome.row.contiguousSeq
      gaps.push(...outcome.gaps.map((gap) => ({ session, ...gap })))
      if (news.length > 0) outcomes.push(outcome)
    }
  }
  const liveStates = await writeOutcomes(work, outcomes)
  const stored = outcomes.reduce((sum, { fresh }) => sum + fresh.length, 0)
  const known = parts.reduce((sum, { events }) => sum + events.length, 0)
  const conflicts = allProblems.length - problems.length
  const duplicates = known - stored - conflicts
  return { ackedThrough, gaps, problems: allProblems, stored, duplicates, liveStates }
}
