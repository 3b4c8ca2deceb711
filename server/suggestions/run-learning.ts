// Counts what is new in the good and bad sessions of a prompt, and tests the rules that follow (specs/suggestions.md). The counts of a day
// are stored once they are whole, so that the next run, or another attempt, reads only what is new.
import { type ConfigDocument, compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { COUNTS_VERSION, chooseTools, MIN_SESSIONS, YOUNG_DAYS } from '@signalbox/core/learn'
import { computeDigest, parseConfigText } from '@signalbox/wire'
import { fitPlaces, readWholeLogs } from '@/server/backtests/whole-logs.ts'
import { findConfig } from '@/server/configs/configs.sql.ts'
import { sumActivity } from '@/server/configs/rule-activity.sql.ts'
import { findLiveVersion, findNewestVersion } from '@/server/configs/versions.sql.ts'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import {
  countSessionUse,
  listLabeledSessions,
  type SampledSession,
} from '@/server/labels/good-sessions.sql.ts'
import { systemScope } from '@/server/platform/auth/system.ts'
import { type OpenWorker, openWorker } from '@/server/platform/base/open-worker.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { runCancelable } from '@/server/platform/queue/run-cancelable.ts'
import { listDismissedRules } from './dismissed-rules.sql.ts'
import {
  type DayCounts,
  deleteDayCounts,
  listDayCounts,
  type SampleLabel,
  storeDayCounts,
} from './learn-counts.sql.ts'
import {
  type DuePlace,
  endLearnRun,
  findLearnRunById,
  isLearnRunOpen,
  type LearnFindings,
  type LearnRun,
  listDuePlaces,
  markLearnProgress,
  openLearnRun,
} from './learn-runs.sql.ts'
import type { Answer, Sent, Work } from './learn-worker.mjs'

const WORKER = 'server/suggestions/learn-worker.mjs'
const MEMORY_MB = 2048
export const LEARN_DAYS = 30
const DAY_MS = 86_400_000
const MOST_SESSIONS = 5_000
/** Newest sessions whose events are counted; those that do not fit are left out, the oldest first. */
const MOST_EVENTS = 20_000_000
/** Newest good sessions that rules are tested on, and their events. */
const MOST_TESTED = 2_000
const MOST_TESTED_EVENTS = 2_000_000
const MOST_JOB_MS = 1_800_000
/** Sessions for which no time is left are not tested; the numbers of tested ones say so. */
const MOST_TEST_MS = 600_000
const TELL_MS = 1_000

type Talk = OpenWorker<Sent, Answer>
type Labeled = SampledSession & { readonly label: SampleLabel }

/** Ends early, without an error, when the run was canceled. Rejects when `signal` aborts. */
export async function runLearning(id: string, signal: AbortSignal): Promise<void> {
  const run = await findLearnRunById(id)
  if (run === null || run.finishedAt !== null) return
  const cancelable = { signal, mostMs: MOST_JOB_MS, isOpen: () => isLearnRunOpen(run) }
  const end = await runCancelable(cancelable, (stopped) => learn(run, stopped))
  if (end === 'canceled') return
  const written = end === 'late' ? fail('The run took more than 30 minutes.') : end
  await inTransaction(async (tx) => {
    if (await endLearnRun(tx, run, written)) await tellPrompt(tx, run)
  })
}

export async function failLearning(id: string): Promise<void> {
  const run = await findLearnRunById(id)
  if (run === null) return
  const error = 'The server could not finish the run. Its log has the reason.'
  await inTransaction(async (tx) => {
    if (await endLearnRun(tx, run, { status: 'failed', error })) await tellPrompt(tx, run)
  })
}

export async function tellPrompt(tx: Tx, { projectId, ns, key }: DuePlace): Promise<void> {
  await notify(tx, { project: projectId, kind: 'suggestion', id: `${ns}/${key}` })
}

/** Priority of jobs that start when no one waits for another one. */
const AFTER_OTHERS = 10

/** Null: a run for the place is open. */
export async function enqueueLearning(
  tx: Tx,
  place: DuePlace,
  isNightly = false,
): Promise<string | null> {
  const id = await openLearnRun(tx, place.projectId, place)
  if (id === null) return null
  await enqueue(tx, {
    task: 'learn.run',
    payload: { runId: id },
    key: toJobKey(id),
    ...(isNightly ? { priority: AFTER_OTHERS } : {}),
  })
  await tellPrompt(tx, place)
  return id
}

export const toJobKey = (id: string): string => `learn ${id}`

export async function enqueueDueRuns(): Promise<void> {
  for (const place of await listDuePlaces(LEARN_DAYS, MIN_SESSIONS)) {
    await inTransaction((tx) => enqueueLearning(tx, place, true))
  }
}

type End =
  | { readonly status: 'done'; readonly findings: LearnFindings }
  | { readonly status: 'failed'; readonly error: string }

const fail = (error: string): End => ({ status: 'failed', error })

async function learn(run: LearnRun, signal: AbortSignal): Promise<End> {
  const { projectId } = run
  const prompt = { ...run, days: LEARN_DAYS }
  const present = await findPresent(run)
  if (present === null) return fail('This server cannot read the version that is live there.')
  const [sample, uses, dismissed, { tools, youngTools }, days] = await Promise.all([
    listLabeledSessions(projectId, prompt, MOST_SESSIONS),
    countSessionUse(projectId, prompt),
    listDismissedRules(projectId, run),
    listTools(run, present.document),
    listDayCounts(projectId, run),
  ])
  const workerData: Work = {
    present: present.document,
    ...{ tools, youngTools, minSessions: MIN_SESSIONS },
    dismissed: dismissed.map(({ id }) => id),
  }
  const worker: Talk = openWorker({ file: WORKER, workerData, memoryMb: MEMORY_MB, signal })
  try {
    if ((await worker.next()).kind === 'unreadable') {
      return fail('This server cannot evaluate the version that is live there.')
    }
    const used = selectNewest(sample, { sessions: MOST_SESSIONS, events: MOST_EVENTS })
    const basis = { basis: toBasis(present.document), tools: computeDigest([...tools].sort()) }
    const plan = planDays({ sample: used, days, ...basis })
    const toTest = selectNewest(used, { sessions: MOST_TESTED, events: MOST_TESTED_EVENTS })
    const found = plan.reduce((sum, { added, removed }) => sum + added.length + removed.length, 0)
    const progress = new Progress(run, found + toTest.length)
    await progress.add(0)
    for (const day of plan) await countDay(run, { day, worker, progress })
    await test(run, { toTest, worker, progress })
    worker.send({ kind: 'end' })
    const answer = await worker.next()
    if (answer.kind !== 'found') throw new Error('The worker gave no findings.')
    const told = { at: Date.now(), uses, days: LEARN_DAYS, minSessions: MIN_SESSIONS }
    return {
      status: 'done',
      findings: { ...told, version: present.version, ...answer.found },
    }
  } finally {
    worker.end()
  }
}

interface Present {
  readonly document: ConfigDocument
  /** Null: none was published. */
  readonly version: number | null
}

/** The version that is live there, or else the newest one. Null: it cannot be read. */
async function findPresent(run: LearnRun): Promise<Present | null> {
  const { projectId, ns, key, environment } = run
  const config = await findConfig(systemScope(projectId), run)
  const environments = await listEnvironments(projectId)
  const environmentId = environments.find(({ name }) => name === environment)?.id
  const configId = config?.id
  const live =
    configId === undefined || environmentId === undefined
      ? null
      : await findLiveVersion({ projectId, environmentId, configId })
  const version = live ?? (configId === undefined ? null : await findNewestVersion({ configId }))
  if (version === null) return { document: { schema_version: 1, ns, key }, version: null }
  const parsed = parseConfigText(version.text)
  return parsed.ok ? { document: parsed.document, version: version.number } : null
}

interface LearnTools {
  /** The busiest. */
  readonly tools: readonly string[]
  /** Those of them that were called only in the last days. */
  readonly youngTools: readonly string[]
}

async function listTools(run: LearnRun, document: ConfigDocument): Promise<LearnTools> {
  const [all, late] = await Promise.all([
    countCalls(run, { document, days: LEARN_DAYS }),
    countCalls(run, { document, days: YOUNG_DAYS - 1 }),
  ])
  const tools = chooseTools(all)
  return { tools, youngTools: tools.filter((tool) => late.get(tool) === all.get(tool)) }
}

/** Calls of each tool, today and on so many days before. */
async function countCalls(
  { projectId, ns, key, environment }: LearnRun,
  { document, days }: { readonly document: ConfigDocument; readonly days: number },
): Promise<ReadonlyMap<string, number>> {
  const since = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
  const sums = await sumActivity({ projectId, ns, key, environment, since })
  const options = { expressions: celExpressions(), customTypes: 'any' } as const
  const compiled = compileConfig(document, options)
  const calls = new Map<string, number>()
  for (const { kind, name, count } of sums) {
    if (kind !== 'tool') continue
    const tool = compiled.ok ? compiled.config.canonicalTool(name) : name
    calls.set(tool, (calls.get(tool) ?? 0) + count)
  }
  return calls
}

/** Counts of another basis are made again. */
function toBasis({ aliases = {}, limits = {} }: ConfigDocument): string {
  return computeDigest({ version: COUNTS_VERSION, aliases: { ...aliases }, limits: { ...limits } })
}

/** Good and bad ones, the newest of each that fit. */
function selectNewest(
  sample: readonly Labeled[],
  most: { readonly sessions: number; readonly events: number },
): readonly Labeled[] {
  return (['good', 'bad'] as const).flatMap((label) => {
    const labeled = sample.filter((one) => one.label === label)
    return fitPlaces(labeled.slice(0, most.sessions), most.events)
  })
}

interface PlannedDay {
  readonly day: string
  readonly label: SampleLabel
  readonly basis: string
  readonly tools: string
  /** Those to count on; null: the day is counted anew. */
  readonly stored: DayCounts | null
  readonly wanted: readonly SampledSession[]
  readonly added: readonly SampledSession[]
  readonly removed: readonly SampledSession[]
}

interface Sampled {
  readonly sample: readonly Labeled[]
  readonly days: readonly DayCounts[]
  readonly basis: string
  readonly tools: string
}

function planDays({ sample, days, basis, tools }: Sampled): readonly PlannedDay[] {
  const stored = new Map(days.map((one) => [`${one.day} ${one.label}`, one]))
  const wanted = new Map<string, Labeled[]>()
  for (const one of sample) {
    const name = `${one.partitionDay} ${one.label}`
    const group = wanted.get(name)
    if (group === undefined) wanted.set(name, [one])
    else group.push(one)
  }
  const kept = new Map(sample.map((one) => [one.sessionId, one]))
  return [...new Set([...stored.keys(), ...wanted.keys()])].map((name) => {
    const [day = '', label] = name.split(' ')
    const place = { day, label: label === 'bad' ? 'bad' : 'good', basis, tools } as const
    return planDay(place, {
      stored: stored.get(name) ?? null,
      wanted: wanted.get(name) ?? [],
      kept,
    })
  })
}

function planDay(
  place: Pick<PlannedDay, 'day' | 'label' | 'basis' | 'tools'>,
  known: {
    readonly stored: DayCounts | null
    readonly wanted: readonly Labeled[]
    /** Sessions of the sample, of which the logs are stored, by id. */
    readonly kept: ReadonlyMap<string, Labeled>
  },
): PlannedDay {
  const { stored, wanted, kept } = known
  const anew = { ...place, stored: null, wanted, added: wanted, removed: [] }
  if (stored === null || stored.basis !== place.basis) return anew
  const isCounted = ({ sessionId, upTo }: SampledSession) => stored.members[sessionId] === upTo
  const now = new Map(wanted.map((one) => [one.sessionId, one.upTo]))
  const gone = Object.entries(stored.members).filter(([id, upTo]) => now.get(id) !== upTo)
  // Only a log that is still stored, counted with the same tools, can be taken out of the counts.
  if (gone.some(([id]) => !kept.has(id))) return anew
  if (gone.length > 0 && stored.tools !== place.tools) return anew
  const removed = gone.map(([sessionId, upTo]) => ({ sessionId, partitionDay: place.day, upTo }))
  const added = wanted.filter((one) => !isCounted(one))
  return { ...place, stored, wanted, added, removed }
}

interface Counting {
  readonly day: PlannedDay
  readonly worker: Talk
  readonly progress: Progress
}

async function countDay(run: LearnRun, counting: Counting): Promise<void> {
  const { day } = counting
  const anew = { ...counting, day: { ...day, stored: null, added: day.wanted, removed: [] } }
  if (day.stored !== null && (await countChanges(run, counting))) return
  if (!(await countChanges(run, anew))) throw new Error('The worker did not count.')
}

/** False: the stored counts are of no use. */
async function countChanges(run: LearnRun, counting: Counting): Promise<boolean> {
  const { day, worker } = counting
  const { stored, added, removed, label } = day
  worker.send({ kind: 'open', counts: stored?.counts ?? null })
  const opened = await worker.next()
  if (opened.kind !== 'opened' || !opened.isUsed) return false
  const read = await send(run, { ...counting, kind: 'add', sessions: added })
  await send(run, { ...counting, kind: 'subtract', sessions: removed })
  worker.send({ kind: 'close', label })
  const counted = await worker.next()
  if (counted.kind !== 'counted') return false
  if (stored === null || added.length + removed.length > 0) {
    await storeDay(run, day, { counts: counted.counts, read })
  }
  return true
}

interface CountedDay {
  readonly counts: Uint8Array
  /** Sessions that were added. One without a log is looked for again by the next run. */
  readonly read: ReadonlySet<string>
}

async function storeDay(
  run: LearnRun,
  { day, label, basis, tools, stored, wanted, removed }: PlannedDay,
  { counts, read }: CountedDay,
): Promise<void> {
  const { projectId } = run
  if (wanted.length === 0) return await deleteDayCounts(projectId, run, { day, label })
  const gone = new Set(removed.map(({ sessionId }) => sessionId))
  const isCounted = ({ sessionId, upTo }: SampledSession): boolean =>
    read.has(sessionId) || (!gone.has(sessionId) && stored?.members[sessionId] === upTo)
  const members = Object.fromEntries(
    wanted.filter(isCounted).map(({ sessionId, upTo }) => [sessionId, upTo]),
  )
  const isMixed = stored !== null && stored.tools !== tools
  await storeDayCounts(projectId, run, {
    ...{ day, label, basis, members, counts },
    tools: isMixed ? 'mixed' : tools,
  })
}

interface Sending extends Pick<Counting, 'worker' | 'progress'> {
  readonly kind: 'add' | 'subtract'
  readonly sessions: readonly SampledSession[]
}

/** Ids of the sessions whose logs were there. */
async function send(
  { projectId }: LearnRun,
  { worker, progress, kind, sessions }: Sending,
): Promise<ReadonlySet<string>> {
  const read = new Set<string>()
  for await (const logs of readWholeLogs(projectId, sessions)) {
    const found = logs.filter(({ texts }) => texts.length > 0)
    for (const { session } of found) read.add(session)
    worker.send({ kind, logs: found })
    await worker.next()
    await progress.add(logs.length)
  }
  return read
}

interface Testing extends Pick<Counting, 'worker' | 'progress'> {
  readonly toTest: readonly Labeled[]
}

async function test(run: LearnRun, { toTest, worker, progress }: Testing): Promise<void> {
  const { projectId } = run
  const until = Date.now() + MOST_TEST_MS
  const sendAll = async (label: SampleLabel, kind: 'test' | 'test_together'): Promise<void> => {
    const sessions = toTest.filter((one) => one.label === label)
    for await (const logs of readWholeLogs(projectId, sessions)) {
      worker.send({ kind, label, logs })
      await worker.next()
      await progress.add(logs.length)
      if (Date.now() > until) break
    }
  }
  worker.send({ kind: 'propose' })
  const proposed = await worker.next()
  if (proposed.kind === 'proposed' && proposed.rules > 0) {
    await sendAll('bad', 'test')
    await sendAll('good', 'test')
  }
  worker.send({ kind: 'choose' })
  const chosen = await worker.next()
  if (chosen.kind === 'proposed' && chosen.rules > 1) await sendAll('good', 'test_together')
}

/** Written once a second. Sessions that are read once more are not counted again. */
class Progress {
  readonly #run: LearnRun
  readonly #all: number
  #read = 0
  #toldAt = 0

  constructor(run: LearnRun, all: number) {
    this.#run = run
    this.#all = all
  }

  async add(sessions: number): Promise<void> {
    this.#read = Math.min(this.#all, this.#read + sessions)
    if (Date.now() - this.#toldAt < TELL_MS) return
    this.#toldAt = Date.now()
    const progress = { sessionsFound: this.#all, sessionsRead: this.#read }
    await markLearnProgress(this.#run, progress)
    await inTransaction((tx) => tellPrompt(tx, this.#run))
  }
}
