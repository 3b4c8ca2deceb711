import type { CheckStatus, EventOf, StopDecision } from '@signalbox/core'
import {
  type AttemptFacts,
  progressSentence,
  type StopProgress,
  stopProgress,
} from '@signalbox/core/analysis'
import { parseEventId } from '@signalbox/wire'
import { findCompiledConfig } from '@/server/ingest/compiled-configs.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { loadAttemptChanges } from './attempt-changes.ts'
import {
  type CallsBetween,
  type LoggedAttempt,
  loggedAttempts,
  readCallsBetween,
  type Stretch,
} from './attempt-log.sql.ts'
import type { StopFacts } from './stop-list.sql.ts'

export interface ShownProgress extends StopProgress {
  readonly sentence: string
}

export interface ChainedAttempt {
  readonly stop: StopFacts
  /** Result of the whole tree; null: no checker, or not known. */
  readonly checked: CheckStatus | null
  /** Null: it was neither refused nor allowed incomplete, or its events are no longer stored. */
  readonly progress: ShownProgress | null
  /** Since the previous attempt; null: the first attempt, or its events are no longer stored. */
  readonly since: {
    /** Sentences per check; empty: every check had the same result. */
    readonly changes: readonly string[]
    readonly calls: readonly {
      readonly tool: string
      readonly succeeded: number
      readonly calls: number
    }[]
    readonly configChanged: boolean
  } | null
}

type Attempted = EventOf<'stop.attempted'>['data']

interface Recorded extends LoggedAttempt {
  readonly partitionDay: string
  readonly attempted: Attempted
  readonly decided: StopDecision
}

/** Rows were written from events that the wire schema accepted, with the types in the statement. */
function isRecorded(attempt: LoggedAttempt): attempt is Recorded {
  const { partitionDay, attempted, decided } = attempt
  return partitionDay !== null && attempted !== null && decided !== null
}

const NO_DECISION: StopDecision = {
  attempt: 0,
  verdict: 'allowed',
  prior_blocks: 0,
  code: '',
  params: {},
  message: null,
  check: null,
}

/** The lower of the config's limit and the harness's; null: the version is not known here. */
async function resolveBlockLimit(
  projectId: AuthorizedProjectId,
  { configDigest, attempted }: Recorded,
) {
  const { harness_max_blocks: harness } = attempted
  // Limits do not depend on custom types. A version that this build cannot evaluate has no known limit.
  const config =
    configDigest === null ? null : await findCompiledConfig(projectId, configDigest, [])
  return config === null
    ? (harness ?? null)
    : Math.min(config.maxStopBlocks, harness ?? config.maxStopBlocks)
}

interface Link {
  readonly attempt: LoggedAttempt
  readonly facts: AttemptFacts
  readonly calls: readonly CallsBetween[]
}

interface Placed {
  readonly attempt: LoggedAttempt
  readonly between: readonly CallsBetween[]
  readonly open: number
}

async function loadChainLink(
  projectId: AuthorizedProjectId,
  { attempt, between, open }: Placed,
): Promise<Link> {
  if (!isRecorded(attempt)) {
    const facts = { decision: NO_DECISION, limit: null, openCalls: 0, successes: 0 }
    return { attempt, facts, calls: [] }
  }
  const calls = between.filter(({ type }) => type === 'tool.invoked')
  const successes = calls.reduce((sum, { succeeded }) => sum + succeeded, 0)
  const limit = await resolveBlockLimit(projectId, attempt)
  const facts = { decision: attempt.decided, limit, openCalls: Math.max(0, open), successes }
  return { attempt, facts, calls }
}

function openAfter(open: number, between: readonly CallsBetween[]): number {
  return between.reduce(
    (sum, { type, calls }) => sum + (type === 'tool.requested' ? calls : -calls),
    open,
  )
}

function chained(links: readonly Link[], index: number): ChainedAttempt | null {
  const [now, before] = [links[index], links[index - 1]]
  if (now === undefined) return null
  const { attempt, facts, calls } = now
  const { attempted: _a, decided: _d, partitionDay: _p, ...stop } = attempt
  if (!isRecorded(attempt)) return { stop, checked: null, progress: null, since: null }
  const found = stopProgress(links.slice(0, index + 1).map((link) => link.facts))
  const since =
    before === undefined || !isRecorded(before.attempt)
      ? null
      : {
          changes: loadAttemptChanges(before.facts.decision, facts.decision),
          calls: calls.map(({ tool, succeeded, calls: n }) => ({ tool, succeeded, calls: n })),
          configChanged: before.attempt.configDigest !== attempt.configDigest,
        }
  const progress =
    found === null ? null : { ...found, sentence: progressSentence(found, stop.attempt) }
  return { stop, checked: attempt.decided.check?.status ?? null, progress, since }
}

async function loadChainLinks(
  projectId: AuthorizedProjectId,
  attempts: readonly LoggedAttempt[],
  findCallsBetween: (attempt: LoggedAttempt) => readonly CallsBetween[],
): Promise<readonly Link[]> {
  const links: Link[] = []
  let open = 0
  for (const attempt of attempts) {
    const between = findCallsBetween(attempt)
    open = openAfter(open, between)
    links.push(await loadChainLink(projectId, { attempt, between, open }))
  }
  return links
}

/** By session id, in order of attempt. Sessions without attempts are missing. */
export async function attemptChains(
  projectId: AuthorizedProjectId,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ChainedAttempt[]>> {
  const attempts = await loggedAttempts(projectId, sessionIds)
  const recorded = attempts.filter(isRecorded)
  const stretches = recorded.map((attempt, index): Stretch => {
    const { sessionId, partitionDay, attemptedSeq } = attempt
    const before = recorded[index - 1]
    const after = before?.sessionId === sessionId ? before.attemptedSeq : 0
    return { sessionId, partitionDay, after, before: attemptedSeq }
  })
  const rows = await readCallsBetween(stretches)
  const findCallsBetween = (attempt: LoggedAttempt): readonly CallsBetween[] =>
    rows.filter(({ stretch }) => recorded[stretch]?.id === attempt.id)
  const chains = new Map<string, readonly ChainedAttempt[]>()
  for (const sessionId of new Set(attempts.map((attempt) => attempt.sessionId))) {
    const own = attempts.filter((attempt) => attempt.sessionId === sessionId)
    const links = await loadChainLinks(projectId, own, findCallsBetween)
    chains.set(
      sessionId,
      links.flatMap((_, index) => chained(links, index) ?? []),
    )
  }
  return chains
}

/** Progress at these stops. Omits stops without a result, and ids of other objects. */
export async function loadStopProgress(
  projectId: AuthorizedProjectId,
  stopIds: readonly string[],
): Promise<readonly (ShownProgress & { readonly stopId: string })[]> {
  const sessions = stopIds.flatMap((id) => parseEventId(id)?.session ?? [])
  const chains = await attemptChains(projectId, sessions)
  const wanted = new Set(stopIds)
  return [...chains.values()].flatMap((chain) =>
    chain.flatMap(({ stop, progress }) =>
      progress === null || !wanted.has(stop.id) ? [] : [{ stopId: stop.id, ...progress }],
    ),
  )
}
