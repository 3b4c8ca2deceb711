// Why was this stop blocked, and what would unblock it? The record as it was captured, beside what core computes from it
// now; the two are kept apart, and nothing computed here is written.
import type { EventOf, FileFact, SessionState, StopDecision } from '@signalbox/core'
import { evaluateAll, type UnblockStep, unblock } from '@signalbox/core/views'
import type { ProjectScope } from '../../auth/scope.ts'
import { ServiceError } from '../../errors.ts'
import { type ConfigInForce, findConfigInForce } from '../../read-models/config-in-force.ts'
import { findSessionHead, type SessionHead } from '../../read-models/session-head.ts'
import { type LogPlace, readLog, readLogAt } from '../../read-models/session-log.ts'
import { findStop, listAttempts, type RecordedStop } from '../../read-models/stop-attempts.ts'
import type { StopFacts } from '../../read-models/stop-list.ts'
import { type CheckNode, checkNode, hasUntouched } from './check-nodes.ts'
import { eventOfRow } from './logged-event.ts'
import { type DatedStep, datedSteps, type PlanRecord } from './plan-history.ts'
import { foldStartOf, foldTo, type GovernedState } from './session-fold.ts'
import { requireLogPlace } from './session-state.ts'
import { type WhatNext, whatNext } from './what-next.ts'

export interface StopEvidence {
  /** When the agent tried to stop, epoch ms. */
  readonly at: number
  readonly plan: readonly DatedStep[] | null
  readonly planSeq: number | null
  readonly stopReason: string | null
  readonly lastMessage: string | null
  /** JSON text of the offered output; null when none was offered. */
  readonly output: string | null
  readonly files: readonly { readonly path: string; readonly exists: FileFact['exists'] }[]
  readonly deadlineAt: number | null
  readonly tokensUsed: number
  readonly tokenLimit: number | null
}

export interface StopAudit {
  readonly stop: RecordedStop
  readonly session: SessionHead
  readonly message: string | null
  readonly priorBlocks: number
  readonly maxBlocks: number | null
  /** Null when no checker is configured. */
  readonly checks: CheckNode | null
  /** Whether one passing child of the root is enough; null when the root is no composite or the config is unknown. */
  readonly rootMode: 'all' | 'any' | null
  /** Computed now over the recorded facts: what untouched checks would have said. Null when all were evaluated. */
  readonly computedNow: CheckNode | null
  /** Null when it cannot be computed, because the config or the attempt is not known here. */
  readonly unblock: readonly UnblockStep[] | null
  /** Items that the message named, of those that are open; null when it named all. */
  readonly told: { readonly named: number; readonly open: number } | null
  readonly evidence: StopEvidence | null
  readonly attempts: readonly StopFacts[]
  readonly next: WhatNext
  readonly config: ConfigInForce | null
}

const NAMED_AT_MOST = 3
const PLAN_RECORDS = 200

function toldOf({ message, params }: StopDecision): StopAudit['told'] {
  if (message === null) return null
  const sizeOf = (name: string): number => {
    const value = params[name]
    return Array.isArray(value) ? value.length : 0
  }
  const open =
    typeof params['open'] === 'number' ? params['open'] : sizeOf('missing') + sizeOf('unknown')
  return open > NAMED_AT_MOST ? { named: NAMED_AT_MOST, open } : null
}

interface Before extends GovernedState {
  readonly attempt: EventOf<'stop.attempted'>
}

async function planOf(place: LogPlace, state: SessionState): Promise<readonly DatedStep[] | null> {
  if (state.plan === null) return null
  const rows = await readLog(place, {
    from: 1,
    to: state.plan.seq,
    limit: PLAN_RECORDS,
    types: ['plan.updated'],
    order: 'newest',
  })
  const records = rows.flatMap((row): readonly PlanRecord[] => {
    const event = eventOfRow(place.sessionId, row)
    return event.type === 'plan.updated' ? [{ seq: row.seq, steps: event.data.steps }] : []
  })
  return datedSteps(records)
}

async function evidenceOf(place: LogPlace, { state, attempt }: Before): Promise<StopEvidence> {
  const { data } = attempt
  return {
    at: attempt.at,
    plan: await planOf(place, state),
    planSeq: state.plan?.seq ?? null,
    stopReason: data.stop_reason ?? null,
    lastMessage: data.last_message ?? null,
    output: data.output === undefined ? null : JSON.stringify(data.output, null, 2),
    files: Object.entries(data.facts?.files ?? {}).map(([path, { exists }]) => ({ path, exists })),
    deadlineAt: state.deadlineAt,
    tokensUsed: state.usage.total,
    tokenLimit: state.budget?.max_total_tokens ?? null,
  }
}

/** Null when the attempt itself was not recorded, or a gap before it is still open. */
async function beforeOf(
  projectId: string,
  place: LogPlace,
  stop: RecordedStop,
): Promise<Before | null> {
  if (stop.attemptedSeq > place.contiguousSeq) return null
  const [row] = await readLogAt(place, [stop.attemptedSeq])
  const attempt = row === undefined ? null : eventOfRow(place.sessionId, row)
  if (attempt?.type !== 'stop.attempted') return null
  const start = await foldStartOf(projectId, place)
  return { attempt, ...(await foldTo(place, start, stop.attemptedSeq - 1)) }
}

function computedOf(before: Before | null, checks: CheckNode | null) {
  if (before === null || before.digest === null) {
    return { unblock: null, computedNow: null, rootMode: null, maxBlocks: null }
  }
  const { config } = before
  const whole =
    checks !== null && hasUntouched(checks)
      ? evaluateAll(config, before.state, before.attempt)
      : null
  const { checker } = config
  const mode = checker?.kind === 'composite' ? (checker.allMustPass ? 'all' : 'any') : null
  return {
    unblock: unblock(config, before.state, before.attempt).steps,
    computedNow: whole === null ? null : checkNode(whole),
    rootMode: mode,
    maxBlocks: config.maxStopBlocks,
  } as const
}

/** Rejects with `not_found` when the project has no such stop. */
export async function stopAudit(scope: ProjectScope, stopId: string): Promise<StopAudit> {
  const { projectId } = scope
  const stop = await findStop(projectId, stopId)
  const session = stop === null ? null : await findSessionHead(projectId, stop.sessionId)
  if (stop === null || session === null) {
    throw new ServiceError('not_found', `There is no stop ${stopId}.`)
  }
  const place = await requireLogPlace(projectId, stop.sessionId)
  const [row] = await readLogAt(place, [stop.seq])
  const event = row === undefined ? null : eventOfRow(place.sessionId, row)
  if (row === undefined || event?.type !== 'stop.decided') {
    throw new ServiceError('not_found', `The record of ${stopId} is no longer stored.`)
  }
  const decision = event.data
  const checks = decision.check === null ? null : checkNode(decision.check)
  const digest = stop.configDigest
  const [before, attempts, next, config] = await Promise.all([
    beforeOf(projectId, place, stop),
    listAttempts(projectId, stop.sessionId),
    whatNext(place, row, session.maxSeq),
    digest === null ? null : findConfigInForce(projectId, digest, stop.environment),
  ])
  return {
    stop,
    session,
    message: decision.message,
    priorBlocks: decision.prior_blocks,
    checks,
    ...computedOf(before, checks),
    told: toldOf(decision),
    evidence: before === null ? null : await evidenceOf(place, before),
    attempts,
    next,
    config,
  }
}
