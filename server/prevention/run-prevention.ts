// Reads the good sessions for a worker thread, which searches. A retry begins anew: a search takes a minute at most.
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ConfigDocument } from '@signalbox/core'
import { FOLDED_EVENT_TYPES } from '@signalbox/core/analysis'
import { describeFault, type IncidentFault } from '@signalbox/core/prevent'
import { digestTakenBy } from '@signalbox/core/tighten'
import { parseConfigText } from '@signalbox/wire'
import { parsePiece, type ReplayPlace, readReplayPage } from '@/server/backtests/replay-log.sql.ts'
import { readCustomTypes } from '@/server/ingest/compiled-configs.ts'
import { findVersionText } from '@/server/ingest/config-texts.sql.ts'
import {
  type BadDecision,
  countSessionUse,
  listBadDecisions,
  listGoodSessions,
} from '@/server/labels/good-sessions.sql.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { requireLogPlace } from '@/server/sessions/log/log-place.ts'
import { findSessionHead } from '@/server/sessions/session-head.sql.ts'
import type { Answer, Found, Sent, SentLog, Work } from './prevent-worker.mjs'
import {
  endPrevention,
  type FoundChange,
  findPrevention,
  markProgress,
  type PreventionRow,
  type StoredFindings,
} from './preventions.sql.ts'

const WORKER = 'server/prevention/prevent-worker.mjs'
const MEMORY = { maxOldGenerationSizeMb: 2048 }
/** A fold makes the decisions again; the recorded ones say which calls ran. */
const READ_TYPES = [...FOLDED_EVENT_TYPES, 'tool.decided', 'approval.requested', 'stop.decided']
const DAYS = 30
const MOST_SESSIONS = 10_000
const MOST_BAD = 100
const MOST_MS = 60_000
/** Events of a read, like that of a backtest. */
const PAGE = 4_000
const TELL_MS = 300
const LISTED_SESSIONS = 50

type Incident = Pick<PreventionRow, 'projectId' | 'sessionId' | 'seq'>

/** Ends early, without an error, when the search was canceled. Rejects when `signal` aborts. */
export async function runPrevention(id: string, signal: AbortSignal): Promise<void> {
  const row = await findPrevention(id)
  if (row === null || row.finishedAt !== null) return
  const findings = await search(row, signal)
  if (findings === null) return
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

/** The marked session, as the worker reads it. Rejects with `not_found` or `invalid`. */
async function readIncident({ projectId, sessionId, seq }: Incident): Promise<Work> {
  const place = await requireLogPlace(projectId, sessionId)
  const { configDigest, partitionDay, contiguousSeq } = place
  if (configDigest === null) {
    throw new ServiceError('invalid', 'The session ran without a config of this server.', 'seq')
  }
  if (seq > contiguousSeq) {
    throw new ServiceError('invalid', `Events before #${seq} are missing.`, 'seq')
  }
  // To the end, because the record of a decision follows its request.
  const incident = await readLog(projectId, { sessionId, partitionDay, upTo: contiguousSeq })
  const events = incident.texts.flatMap((text) => parsePiece({ ...NO_PIECE, text }))
  const taken = events.flatMap((event) => digestTakenBy(event, null) ?? [])
  const versions = await readVersions(projectId, [configDigest, ...taken])
  if (versions[0]?.digest !== configDigest) {
    throw new ServiceError('invalid', 'The version under which it ran is not known here.', 'seq')
  }
  const customTypes = [...readCustomTypes(events[0] ?? null)]
  return { versions, customTypes, incident, seq, mostMs: MOST_MS }
}

const NO_PIECE = { session: '', count: 0, last: 0 }

async function readVersions(projectId: AuthorizedProjectId, digests: readonly string[]) {
  const found: { digest: string; document: ConfigDocument }[] = []
  for (const digest of new Set(digests)) {
    const text = await findVersionText(projectId, digest)
    const parsed = text === null ? null : parseConfigText(text)
    if (parsed?.ok) found.push({ digest, document: parsed.document })
  }
  return found
}

async function readLog(projectId: AuthorizedProjectId, place: ReplayPlace): Promise<SentLog> {
  const texts: string[] = []
  for (let after = 0; ; ) {
    const page = { types: READ_TYPES, after, limit: PAGE }
    const pieces = await readReplayPage(projectId, [place], page)
    texts.push(...pieces.map(({ text }) => text))
    if (pieces.reduce((sum, { count }) => sum + count, 0) < PAGE) break
    after = pieces.at(-1)?.last ?? place.upTo
  }
  return { session: place.sessionId, texts }
}

/** Sessions that together have about a page of events. */
function groupPlaces(places: readonly ReplayPlace[]): readonly (readonly ReplayPlace[])[] {
  const groups: ReplayPlace[][] = []
  let events = 0
  for (const place of places) {
    const group = groups.at(-1)
    if (group === undefined || events + place.upTo > PAGE) {
      groups.push([place])
      events = place.upTo
    } else {
      group.push(place)
      events += place.upTo
    }
  }
  return groups
}

async function readGroup(
  projectId: AuthorizedProjectId,
  group: readonly ReplayPlace[],
): Promise<readonly SentLog[]> {
  const [first, ...others] = group
  if (first === undefined) return []
  if (others.length === 0) return [await readLog(projectId, first)]
  const page = { types: READ_TYPES, after: 0, limit: PAGE }
  const pieces = await readReplayPage(projectId, group, page)
  return group.map(({ sessionId }) => ({
    session: sessionId,
    texts: pieces.flatMap(({ session, text }) => (session === sessionId ? [text] : [])),
  }))
}

/** Null: it was canceled. */
async function search(
  row: PreventionRow,
  signal: AbortSignal,
): Promise<StoredFindings | { readonly error: string } | null> {
  const { projectId, sessionId } = row
  const session = await findSessionHead(projectId, sessionId)
  if (session === null) return { error: 'The session is no longer stored.' }
  const prompt = { ...session, days: DAYS }
  const [work, good, bad, uses] = await Promise.all([
    readIncident(row),
    listGoodSessions(projectId, prompt, MOST_SESSIONS),
    listBadDecisions(projectId, prompt, MOST_BAD),
    countSessionUse(projectId, prompt),
  ])
  const others = await readBad(
    projectId,
    bad.filter((one) => one.sessionId !== sessionId),
  )
  const versions = [...work.versions, ...others.versions]
  const worker = openWorker({ ...work, versions })
  try {
    const first = await worker.next(signal)
    if (first.kind === 'fault') return { error: describeFault(first.fault) }
    if (!(await sendGood(row, good, { worker, signal }))) return null
    worker.send({ kind: 'search', bad: others.logs })
    const answer = await worker.next(signal)
    if (answer.kind !== 'found') throw new Error('The worker gave no findings.')
    const sample = { uses, days: DAYS, otherBad: others.logs.length }
    return { ...toFindings(answer.found), ...sample }
  } finally {
    worker.end()
  }
}

async function readBad(projectId: AuthorizedProjectId, bad: readonly BadDecision[]) {
  const versions = await readVersions(
    projectId,
    bad.flatMap(({ configDigest }) => configDigest ?? []),
  )
  const isKnown = new Set(versions.map(({ digest }) => digest))
  const logs = []
  for (const one of bad) {
    const digest = one.configDigest
    if (digest === null || !isKnown.has(digest)) continue
    logs.push({ ...(await readLog(projectId, one)), seq: one.seq, digest })
  }
  return { versions, logs }
}

/** False: it was canceled. */
async function sendGood(
  row: PreventionRow,
  good: readonly ReplayPlace[],
  { worker, signal }: { readonly worker: OpenWorker; readonly signal: AbortSignal },
): Promise<boolean> {
  let [read, toldAt] = [0, 0]
  for (const group of groupPlaces(good)) {
    worker.send({ kind: 'good', logs: await readGroup(row.projectId, group) })
    await worker.next(signal)
    read += group.length
    if (Date.now() - toldAt < TELL_MS) continue
    toldAt = Date.now()
    if (!(await progress(row, good.length, read))) return false
  }
  return await progress(row, good.length, read)
}

async function progress(row: PreventionRow, sessionsFound: number, sessionsRead: number) {
  if (!(await markProgress(row, { sessionsFound, sessionsRead }))) return false
  await inTransaction((tx) => tellSession(tx, row))
  return true
}

function toFindings(found: Found): Omit<StoredFindings, 'uses' | 'days' | 'otherBad'> {
  const toChange = (candidate: Found['candidates'][number]): FoundChange => {
    const { kind, sentence, outcome, denies, denied, atoms, edit, changes, alsoStops } = candidate
    const listed = denied.slice(0, LISTED_SESSIONS)
    const told = { evidence: candidate.text, alsoStops }
    return { kind, sentence, outcome, denies, denied: listed, atoms, edit, changes, ...told }
  }
  const { candidates, nearMisses, noAnswer, used, isCut } = found
  return {
    candidates: candidates.map(toChange),
    nearMisses: nearMisses.map(toChange),
    ...{ noAnswer, isCut, goodSessions: used.sessions, goodCalls: used.calls },
  }
}

interface OpenWorker {
  send(sent: Sent): void
  /** The next answer. Rejects when the worker ends without one, and when `signal` aborts. */
  next(signal: AbortSignal): Promise<Answer>
  end(): void
}

function openWorker(workerData: Work): OpenWorker {
  const worker = new Worker(path.join(/* turbopackIgnore: true */ process.cwd(), WORKER), {
    workerData,
    resourceLimits: MEMORY,
  })
  const answers: Answer[] = []
  let failure: Error | null = null
  let wake = (): void => undefined
  worker.on('message', (answer: Answer) => {
    answers.push(answer)
    wake()
  })
  const fail = (error: Error): void => {
    failure ??= error
    wake()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The search ended without an answer.')))
  return {
    send: (sent) => worker.postMessage(sent),
    async next(signal) {
      for (;;) {
        signal.throwIfAborted()
        const answer = answers.shift()
        if (answer !== undefined) return answer
        if (failure !== null) throw failure
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
    end: () => void worker.terminate(),
  }
}

/** Why no change is needed or possible; null: the event is an allowed call or stop. */
export async function findFault(incident: Incident): Promise<IncidentFault | null> {
  const worker = openWorker(await readIncident(incident))
  try {
    const answer = await worker.next(AbortSignal.timeout(MOST_MS))
    return answer.kind === 'fault' ? answer.fault : null
  } finally {
    worker.end()
  }
}
