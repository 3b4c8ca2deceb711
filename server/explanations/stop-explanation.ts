// The captured record and what core computes from it now are kept separate, and computed results are never stored.
import type { CheckResult, CompiledConfig, StopDecision } from '@signalbox/core'
import {
  type CheckNode,
  checkerRule,
  checkNode,
  evaluateAll,
  MOST_TITLES,
  openChecks,
  openItems,
  releasingChecks,
  type UnblockPlan,
  unblock,
} from '@signalbox/core/analysis'
import { eventHash } from '@signalbox/wire'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { toLoggedEvent } from '@/server/sessions/log/logged-event.ts'
import { findFoldStart, foldTo } from '@/server/sessions/log/session-fold.ts'
import {
  findLogPlace,
  type LogPlace,
  type LogRow,
  type RemovedEvents,
  readLogAt,
} from '@/server/sessions/log/session-log.sql.ts'
import { findSessionHead, type SessionHead } from '@/server/sessions/session-head.sql.ts'
import { attemptChains, type ChainedAttempt } from './attempt-chain.ts'
import { type Computed, computedTree, hasUntouched } from './check-nodes.ts'
import { type ConfigInForce, findConfigInForce } from './config-in-force.sql.ts'
import { type FollowUp, readFollowUp } from './follow-up.ts'
import { findStopsBeside, type Neighbors } from './neighbors.sql.ts'
import { type Redaction, redactionsIn } from './redactions.ts'
import { findStop, listAttempts, type RecordedStop } from './stop-attempts.sql.ts'
import { type Before, loadStopEvidence, type StopEvidence } from './stop-evidence.ts'

/** Open items that the message named, because checkers shorten long lists (specs/completion.md). */
interface NamedItems {
  readonly named: number
  readonly open: number
  /** Every open item, in the order of the checks. */
  readonly items: readonly string[]
}

export interface StopRecord {
  readonly hash: string
  readonly isIntact: boolean
  readonly decidedAt: number
  /** Exact text that the agent received; null: the stop was allowed. */
  readonly message: string | null
  readonly priorBlocks: number
  /** Null: no checker is configured. */
  readonly checks: CheckNode | null
  /** True: a check rests on files that the runtime looks up. */
  readonly needsFiles: boolean
  readonly told: NamedItems | null
  readonly redactions: readonly Redaction[]
}

export interface ComputedStop {
  /** `any`: one passing child of the root suffices. Null: the root is not a composite. */
  readonly rootMode: 'all' | 'any' | null
  /** Results that checks without a recorded result would have had; null: all were evaluated. */
  readonly rest: Computed | null
  readonly unblock: UnblockPlan
  /** Checkers of which removing any one would have allowed the stop. */
  readonly releasing: readonly string[]
  readonly maxBlocks: number
}

export interface StopExplanation {
  readonly stop: RecordedStop
  readonly session: SessionHead
  readonly sdk: string | null
  /** Null: the events are no longer stored. */
  readonly record: StopRecord | null
  readonly removed: RemovedEvents | null
  /** Null: it cannot be computed, because the config or the attempt is not known here. */
  readonly computed: ComputedStop | null
  readonly evidence: StopEvidence | null
  /** Attempts of the session, including the runtime's final verification. */
  readonly attempts: readonly ChainedAttempt[]
  readonly next: FollowUp | null
  readonly config: ConfigInForce | null
  readonly beside: Neighbors
}

/** Null: the attempt was not recorded, or an event before it is missing. */
async function beforeStop(
  projectId: AuthorizedProjectId,
  place: LogPlace,
  stop: Pick<RecordedStop, 'attemptedSeq'>,
): Promise<Before | null> {
  if (stop.attemptedSeq > place.contiguousSeq) return null
  const [row] = await readLogAt(place, [stop.attemptedSeq])
  const attempt = row === undefined ? null : toLoggedEvent(place.sessionId, row)
  if (attempt?.type !== 'stop.attempted') return null
  const start = await findFoldStart(projectId, place)
  return { attempt, ...(await foldTo(place, start, stop.attemptedSeq - 1)) }
}

interface Decided {
  readonly row: LogRow
  readonly session: string
  readonly decision: StopDecision
  readonly attempt: unknown
}

/** Null: the message named all of them. */
function findNamedItems({
  message,
  check,
}: Pick<StopDecision, 'message' | 'check'>): NamedItems | null {
  if (message === null || check === null) return null
  const heard = openChecks(check).filter(
    ({ feedback }) => feedback !== null && message.includes(feedback),
  )
  const lists = heard.map(openItems)
  const items = lists.flat()
  const named = lists.reduce((sum, list) => sum + Math.min(MOST_TITLES, list.length), 0)
  return items.length > named ? { named, open: items.length, items } : null
}

function toStopRecord({ row, session, decision, attempt }: Decided): StopRecord {
  return {
    hash: row.hash,
    isIntact: eventHash(toLoggedEvent(session, row)) === row.hash,
    decidedAt: row.at,
    message: decision.message,
    priorBlocks: decision.prior_blocks,
    checks: decision.check === null ? null : checkNode(decision.check),
    needsFiles: decision.check !== null && restsOnFiles(decision.check),
    told: findNamedItems(decision),
    redactions: redactionsIn(attempt),
  }
}

function restsOnFiles({ checker: id, type, children = [] }: CheckResult): boolean {
  return checkerRule({ id, type })?.restsOn === 'files' || children.some(restsOnFiles)
}

function anyModes({ checker }: CompiledConfig): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (node: CompiledConfig['checker']): void => {
    if (node?.kind !== 'composite') return
    if (!node.allMustPass) found.add(node.id)
    node.children.forEach(visit)
  }
  visit(checker)
  return found
}

function computeStop(before: Before | null, checks: CheckNode | null): ComputedStop | null {
  if (before === null || before.digest === null) return null
  const { config, state, attempt } = before
  const { checker, maxStopBlocks } = config
  const whole = checks !== null && hasUntouched(checks) ? evaluateAll(config, state, attempt) : null
  const modes = anyModes(config)
  const { facts, harness_max_blocks: harnessCap = maxStopBlocks } = attempt.data
  const mode = checker?.kind === 'composite' ? (checker.allMustPass ? 'all' : 'any') : null
  return {
    rootMode: mode,
    rest:
      whole === null || checks === null
        ? null
        : computedTree(whole, checks, { facts, isAny: (id) => modes.has(id) }),
    unblock: unblock(config, state, attempt),
    releasing: releasingChecks(config, state, attempt),
    maxBlocks: Math.min(maxStopBlocks, harnessCap),
  }
}

async function loadAttempts(projectId: AuthorizedProjectId, sessionId: string) {
  const [stops, chains] = await Promise.all([
    listAttempts(projectId, sessionId),
    attemptChains(projectId, [sessionId]),
  ])
  const chain = chains.get(sessionId) ?? []
  return stops.map(
    (stop): ChainedAttempt =>
      chain.find((one) => one.stop.id === stop.id) ?? {
        stop,
        checked: null,
        progress: null,
        since: null,
      },
  )
}

interface Reading {
  readonly projectId: AuthorizedProjectId
  readonly maxSeq: number
}

/** Facts that only the events contain; empty: they are no longer stored. */
async function fromEvents(place: LogPlace, stop: RecordedStop, { projectId, maxSeq }: Reading) {
  const rows = await readLogAt(place, [1, stop.seq])
  const row = rows.find(({ seq }) => seq === stop.seq)
  const event = row === undefined ? null : toLoggedEvent(place.sessionId, row)
  const [first] = rows
  const began = first === undefined ? null : toLoggedEvent(place.sessionId, first)
  const sdk = began?.type === 'session.started' ? (began.data.sdk ?? null) : null
  if (row === undefined || event?.type !== 'stop.decided') {
    return { sdk, record: null, computed: null, evidence: null, next: null }
  }
  const [before, next] = await Promise.all([
    beforeStop(projectId, place, stop),
    readFollowUp(place, row, maxSeq),
  ])
  const record = toStopRecord({
    row,
    session: place.sessionId,
    decision: event.data,
    attempt: before?.attempt.data,
  })
  return {
    sdk,
    record,
    next,
    computed: computeStop(before, record.checks),
    evidence: before === null ? null : await loadStopEvidence(place, before),
  }
}

/** Rejects with `not_found` when the project has no such stop. */
export async function stopExplanation(
  scope: ProjectScope,
  stopId: string,
): Promise<StopExplanation> {
  const { projectId } = scope
  const stop = await findStop(projectId, stopId)
  const session = stop === null ? null : await findSessionHead(projectId, stop.sessionId)
  const place = session === null ? null : await findLogPlace(projectId, session.id)
  if (stop === null || session === null || place === null) {
    throw new ServiceError('not_found', `There is no stop ${stopId}.`)
  }
  const digest = stop.configDigest
  const [found, attempts, config, beside] = await Promise.all([
    fromEvents(place, stop, { projectId, maxSeq: session.maxSeq }),
    loadAttempts(projectId, stop.sessionId),
    digest === null ? null : findConfigInForce(projectId, digest, stop.environment),
    findStopsBeside(projectId, stop),
  ])
  return { stop, session, ...found, removed: place.removed, attempts, config, beside }
}
