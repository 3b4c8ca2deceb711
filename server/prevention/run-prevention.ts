// Reads the good sessions for a worker thread, which searches. A retry begins anew: a search takes a minute at most.
import { describeFault } from '@signalbox/core/prevent'
import { digestTakenBy } from '@signalbox/core/tighten'
import { computeDigest, parseConfigText } from '@signalbox/wire'
import { parsePiece, type ReplayPlace, readReplayPage } from '@/server/backtests/replay-log.sql.ts'
import { fitPlaces, readWholeLog, readWholeLogs } from '@/server/backtests/whole-logs.ts'
import { findConfigInForce } from '@/server/explanations/config-in-force.sql.ts'
import { readCustomTypes } from '@/server/ingest/compiled-configs.ts'
import { findVersionText } from '@/server/ingest/config-texts.sql.ts'
import {
  type BadDecision,
  countSessionUse,
  LONGEST_LOG,
  listBadDecisions,
  listGoodSessions,
} from '@/server/labels/good-sessions.sql.ts'
import { InvalidInput, ServiceError } from '@/server/platform/base/errors.ts'
import { type OpenWorker, openWorker } from '@/server/platform/base/open-worker.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { logger } from '@/server/platform/observability/log.mjs'
import { runCancelable } from '@/server/platform/queue/run-cancelable.ts'
import { requireLogPlace } from '@/server/sessions/log/log-place.ts'
import { readLogAt } from '@/server/sessions/log/session-log.sql.ts'
import { findSessionHead } from '@/server/sessions/session-head.sql.ts'
import type { Answer, Found, MarkedLog, Sent, Version, Work } from './prevent-worker.mjs'
import {
  endPrevention,
  type FoundChange,
  findPrevention,
  markProgress,
  type PreventedExample,
  type PreventionRow,
  type Progress,
  type StoredFindings,
} from './preventions.sql.ts'

const WORKER = 'server/prevention/prevent-worker.mjs'
const MEMORY_MB = 2048
const DAYS = 30
const MOST_SESSIONS = 10_000
const MOST_BAD = 100
/** Of all good sessions, or of all other marked calls and stops; those that do not fit are left out, the oldest first. */
const MOST_EVENTS = { good: 2_000_000, bad: 200_000 }
/** The worker ends its search by itself; this is for one that does not answer. */
const MOST_JOB_MS = 300_000
const MOST_MS = 60_000
const TELL_MS = 300
const LISTED_SESSIONS = 50
/** Configs that a session is read with. */
const MOST_VERSIONS = 4_000

interface Incident extends Pick<PreventionRow, 'projectId' | 'sessionId' | 'seq'> {
  readonly environment: string
}

/** Ends early, without an error, when the search was canceled. Rejects when `signal` aborts. */
export async function runPrevention(id: string, signal: AbortSignal): Promise<void> {
  const row = await findPrevention(id)
  if (row === null || row.finishedAt !== null) return
  const isOpen = async (): Promise<boolean> => {
    const found = await findPrevention(id)
    return found !== null && found.finishedAt === null
  }
  const cancelable = { signal, mostMs: MOST_JOB_MS, isOpen }
  const ended = await runCancelable(cancelable, (stopped) => search(row, stopped))
  if (ended === 'canceled') return
  const findings = ended === 'late' ? { error: 'The search took more than 5 minutes.' } : ended
  await inTransaction(async (tx) => {
    const end =
      'error' in findings
        ? ({ status: 'failed', ...findings } as const)
        : ({ status: 'done', findings } as const)
    if (await endPrevention(tx, row, end)) await tellSession(tx, row)
  })
}

export async function failPrevention(id: string): Promise<void> {
  const row = await findPrevention(id)
  if (row === null) return
  const error = 'The server could not finish the search. Its log has the reason.'
  await inTransaction(async (tx) => {
    if (await endPrevention(tx, row, { status: 'failed', error })) await tellSession(tx, row)
  })
}

export async function tellSession(
  tx: Parameters<typeof notify>[0],
  { projectId, sessionId }: Pick<PreventionRow, 'projectId' | 'sessionId'>,
): Promise<void> {
  await notify(tx, { project: projectId, kind: 'prevention', id: sessionId })
}

const DECIDED: readonly string[] = ['tool.decided', 'stop.decided']

function refuse(why: string): never {
  throw new ServiceError('invalid', why, 'seq')
}

/** The marked session, as the worker reads it, and what is live where it ran. Rejects with `not_found`, `invalid` or `limit`. */
async function readIncident(incident: Incident): Promise<Subject> {
  const { projectId, sessionId, seq, environment } = incident
  const place = await requireLogPlace(projectId, sessionId)
  const { configDigest, partitionDay, contiguousSeq } = place
  if (seq > LONGEST_LOG) {
    const most = LONGEST_LOG.toLocaleString('en')
    throw new ServiceError('limit', `A search reads the first ${most} events of a session.`, 'seq')
  }
  if (seq > contiguousSeq) refuse(`Events before #${seq} are missing.`)
  const [event] = await readLogAt(place, [seq])
  if (event === undefined || !DECIDED.includes(event.type)) {
    const message = `Event #${seq} decides nothing. Name the decision of a call or a stop.`
    throw new InvalidInput({ reason: 'event_decides_nothing', field: 'seq', message })
  }
  if (configDigest === null) refuse('The session ran without a config of this server.')
  const marked = await readMarked(projectId, {
    sessionId,
    partitionDay,
    upTo: seq,
    seq,
    configDigest,
  })
  if (marked === null) refuse('This server does not know the version that the session ran under.')
  const inForce = await findConfigInForce(projectId, configDigest, environment)
  const digest = inForce?.liveDigest ?? configDigest
  const [live = null] = digest === configDigest ? [] : await readVersions(projectId, [digest])
  return { ...marked, live }
}

type Subject = Omit<Work, 'mostMs'>

function toSubject({ document, question }: PreventedExample): Subject {
  const versions = [{ digest: computeDigest({ ...document }), document }]
  const log = { session: '', texts: [] }
  return { versions, customTypes: 'any', log, seq: 0, question, live: null }
}

/** Null: the version with which it began is not known. */
async function readMarked(
  projectId: AuthorizedProjectId,
  place: BadDecision,
): Promise<MarkedLog | null> {
  const { configDigest, seq } = place
  const page = { types: ['session.started', 'config.applied'], after: 0, limit: MOST_VERSIONS }
  const events = (await readReplayPage(projectId, [place], page)).flatMap(parsePiece)
  const taken = events.flatMap((event) => digestTakenBy(event, null) ?? [])
  const versions =
    configDigest === null ? [] : await readVersions(projectId, [configDigest, ...taken])
  if (versions[0] === undefined || versions[0].digest !== configDigest) return null
  const customTypes = [...readCustomTypes(events[0] ?? null)]
  return { versions, customTypes, log: await readWholeLog(projectId, place), seq, question: null }
}

async function readVersions(
  projectId: AuthorizedProjectId,
  digests: readonly string[],
): Promise<readonly Version[]> {
  const found: Version[] = []
  for (const digest of new Set(digests)) {
    const text = await findVersionText(projectId, digest)
    const parsed = text === null ? null : parseConfigText(text)
    if (parsed?.ok) found.push({ digest, document: parsed.document })
  }
  return found
}

async function search(
  row: PreventionRow,
  signal: AbortSignal,
): Promise<StoredFindings | { readonly error: string }> {
  const { projectId, sessionId } = row
  const session = row.example ?? (await findSessionHead(projectId, sessionId))
  if (session === null) return { error: 'The session is no longer stored.' }
  const prompt = { ...session, days: DAYS }
  const [incident, all, bad, uses] = await Promise.all([
    row.example === null
      ? readIncident({ ...row, environment: session.environment })
      : toSubject(row.example),
    listGoodSessions(projectId, prompt, MOST_SESSIONS),
    listBadDecisions(projectId, prompt, { than: row, most: MOST_BAD }),
    countSessionUse(projectId, prompt),
  ])
  // A session with an incident is not good as it was, also while no one has labeled it.
  const good = fitPlaces(
    all.filter((one) => one.sessionId !== sessionId),
    MOST_EVENTS.good,
  )
  const worker = openSearch({ ...incident, mostMs: MOST_MS }, signal)
  try {
    const fault = toFault(await worker.next())
    if (fault !== null) return { error: fault.message }
    await sendGood(row, good, worker)
    for (const one of fitPlaces(bad, MOST_EVENTS.bad)) {
      const marked = await readMarked(projectId, one)
      if (marked === null) continue
      worker.send({ kind: 'bad', marked })
      await worker.next()
    }
    worker.send({ kind: 'search' })
    for (;;) {
      const answer = await worker.next()
      if (answer.kind !== 'found') throw new Error('The worker gave no findings.')
      const findings = { ...toFindings(answer.found), uses, days: DAYS }
      if (answer.isOver) return findings
      // Whoever waits sees it now; better changes may still be found if the search does not end.
      const counts = { sessionsFound: good.length, sessionsRead: good.length }
      await progress(row, counts, { ...findings, isCut: true })
    }
  } finally {
    worker.end()
  }
}

const FAULTS = {
  no_example:
    'No run does what the question asks about, or the search for one did not end in time.',
  refused_by_live: 'The version that is live now refuses this already. No change is needed.',
  unreadable: 'This server cannot evaluate the version under which it ran.',
} as const

interface Fault {
  readonly code: string
  readonly message: string
}

function toFault(answer: Answer): Fault | null {
  switch (answer.kind) {
    case 'fault':
      return { code: answer.fault.code, message: describeFault(answer.fault) }
    case 'no_example':
    case 'refused_by_live':
    case 'unreadable':
      return { code: answer.kind, message: FAULTS[answer.kind] }
    default:
      return null
  }
}

async function sendGood(
  row: PreventionRow,
  good: readonly ReplayPlace[],
  worker: OpenWorker<Sent, Answer>,
): Promise<void> {
  let [read, toldAt] = [0, 0]
  for await (const logs of readWholeLogs(row.projectId, good)) {
    worker.send({ kind: 'good', logs })
    await worker.next()
    read += logs.length
    if (Date.now() - toldAt < TELL_MS) continue
    toldAt = Date.now()
    await progress(row, { sessionsFound: good.length, sessionsRead: read })
  }
  await progress(row, { sessionsFound: good.length, sessionsRead: read })
}

async function progress(
  row: PreventionRow,
  made: Progress,
  found: StoredFindings | null = null,
): Promise<void> {
  await markProgress(row, made, found)
  await inTransaction((tx) => tellSession(tx, row))
}

function openSearch(workerData: Work, signal: AbortSignal): OpenWorker<Sent, Answer> {
  return openWorker({ file: WORKER, workerData, memoryMb: MEMORY_MB, signal })
}

function toFindings(found: Found): Omit<StoredFindings, 'uses' | 'days'> {
  const toChange = (candidate: Found['candidates'][number]): FoundChange => {
    const { kind, sentence, outcome, denies, denied, atoms, edit, changes, alsoStops } = candidate
    const { madeOn, faults } = candidate
    const listed = denied.slice(0, LISTED_SESSIONS)
    const told = { evidence: candidate.text, alsoStops, madeOn, faults }
    return { kind, sentence, outcome, denies, denied: listed, atoms, edit, changes, ...told }
  }
  const { candidates, nearMisses, noAnswer, used, otherBad, isCut } = found
  return {
    candidates: candidates.map(toChange),
    nearMisses: nearMisses.map(toChange),
    ...{ noAnswer, isCut, otherBad, goodSessions: used.sessions, goodCalls: used.calls },
  }
}

/** A search for a change, and a look whether one is needed, have a worker each; more of them wait. */
const looks = new Set<Promise<unknown>>()
const MOST_LOOKS = 2

/** Why no change is needed or possible; null: the event is an allowed call or stop, which the live version would allow, too. */
export async function findFault(incident: Incident): Promise<Fault | null> {
  while (looks.size >= MOST_LOOKS) await Promise.race(looks)
  const look = lookForFault(incident)
  const settled = look.then(
    () => undefined,
    () => undefined,
  )
  looks.add(settled)
  try {
    return await look
  } finally {
    looks.delete(settled)
  }
}

async function lookForFault(incident: Incident): Promise<Fault | null> {
  const marked = await readIncident(incident)
  const worker = openSearch({ ...marked, mostMs: MOST_MS }, AbortSignal.timeout(MOST_MS))
  try {
    return toFault(await worker.next())
  } catch (error) {
    if (error instanceof ServiceError) throw error
    logger.error({ err: error }, 'a marked session could not be folded')
    throw new ServiceError('unavailable', 'The session could not be read in time. Try again later.')
  } finally {
    worker.end()
  }
}
