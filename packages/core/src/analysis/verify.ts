// Works event by event, so that a server can resume where it stopped (specs/verification.md). packages/wire verifies the hash chain.
import type { CompiledConfig } from '../engine/compile.ts'
import { step } from '../engine/step.ts'
import type { Effect } from '../model/effect.ts'
import type { SessionEvent } from '../model/event.ts'
import type { JsonValue } from '../model/json.ts'
import { isSameJson } from '../model/same-json.ts'
import { initialState, type SessionState } from '../model/state.ts'
import { restoreState, type StateSnapshot, snapshotState } from '../snapshot/snapshot.ts'
import { type Governing, type RanUnder, toSessionVersions } from '../tighten/governing.ts'
import { takenWith } from '../tighten/taken-with.ts'
import { decisionKey, recordedEffect } from './base/decision-record.ts'

export interface ExpectedDecision {
  /** Joins a recomputed decision with its record, e.g. `tool call_1`. */
  readonly key: string
  readonly data: JsonValue
}

export interface Verification {
  readonly state: SessionState
  /** Oldest first. */
  readonly expected: readonly ExpectedDecision[]
}

export interface VerificationSnapshot {
  readonly state: StateSnapshot
  readonly expected: readonly ExpectedDecision[]
}

export type DivergenceCause =
  | 'other_decision'
  | 'unexpected_decision'
  | 'acted_before_decision'
  | 'ended_before_decision'
  | 'unknown_version'
  | 'too_many_open'

export interface Divergence {
  readonly at: number
  readonly why: DivergenceCause
  /** Recomputed decision; null: none. */
  readonly expected: JsonValue
  /** Recorded decision; null: the event records none. */
  readonly recorded: JsonValue
}

export interface VerifiedEvent {
  readonly verification: Verification
  readonly effects: readonly Effect[]
  readonly confirms: boolean
  /** null: the event agrees. */
  readonly divergence: Divergence | null
}

const MOST_EXPECTED = 1_000

export function startVerification(config: CompiledConfig): Verification {
  return { state: initialState(config.promptName), expected: [] }
}

export function snapshotVerification({ state, expected }: Verification): VerificationSnapshot {
  return { state: snapshotState(state), expected }
}

/** Accepts only results of `snapshotVerification`. Throws on the state of another snapshot version. */
export function restoreVerification({ state, expected }: VerificationSnapshot): Verification {
  return { state: restoreState(state), expected }
}

/** `event` must continue the log without a gap. After a divergence the fold continues, so that the state remains available. */
export function verifyEvent(
  config: CompiledConfig,
  { state, expected }: Verification,
  event: SessionEvent,
): VerifiedEvent {
  const settled = settle(expected, event)
  const next = step(config, state, event)
  const added = next.effects.flatMap((effect) => toExpectedDecision(effect) ?? [])
  const waiting = added.length === 0 ? settled.expected : [...settled.expected, ...added]
  const isOverfull = waiting.length > MOST_EXPECTED
  return {
    verification: {
      state: next.state,
      expected: isOverfull ? waiting.slice(-MOST_EXPECTED) : waiting,
    },
    effects: next.effects,
    confirms: settled.confirms,
    divergence:
      settled.divergence ??
      (isOverfull ? { at: event.seq, why: 'too_many_open', expected: null, recorded: null } : null),
  }
}

export type SessionVerification =
  | { readonly status: 'verified'; readonly decisions: number }
  /** The last `waiting` decisions are not recorded yet; all before them agree. */
  | { readonly status: 'pending'; readonly decisions: number; readonly waiting: number }
  /** `decisions`: number of decisions that agreed before the divergence. */
  | ({ readonly status: 'diverged'; readonly decisions: number } & Divergence)

export function verifySession(
  ranUnder: RanUnder,
  events: Iterable<SessionEvent>,
): SessionVerification {
  const { began: config, find } = toSessionVersions(ranUnder)
  let verification = startVerification(config)
  let governing: Governing | null = null
  let decisions = 0
  for (const event of events) {
    governing ??= { digest: event.config ?? null, config }
    const taken = takenWith({ event, state: verification.state }, governing, find)
    if (taken !== null) {
      governing = taken.governing
      if (governing.digest === null) {
        const unknown = { why: 'unknown_version', expected: null, recorded: null } as const
        return { status: 'diverged', decisions, at: event.seq, ...unknown }
      }
      verification = { ...verification, state: taken.state }
    }
    const next: VerifiedEvent = verifyEvent(governing.config, verification, event)
    if (next.divergence !== null) return { status: 'diverged', decisions, ...next.divergence }
    if (next.confirms) decisions += 1
    verification = next.verification
  }
  const waiting = verification.expected.length
  return waiting === 0
    ? { status: 'verified', decisions }
    : { status: 'pending', decisions, waiting }
}

function toExpectedDecision(effect: Effect): ExpectedDecision | null {
  const key = decisionKey(effect)
  // Effects are JSON by construction: their types contain only strings, numbers, booleans, arrays and objects of these.
  return key === null ? null : { key, data: effect.data as unknown as JsonValue }
}

function readExpectedDecision(event: SessionEvent): ExpectedDecision | null {
  const effect = recordedEffect(event)
  return effect === null ? null : toExpectedDecision(effect)
}

interface Settled {
  readonly expected: readonly ExpectedDecision[]
  readonly confirms: boolean
  readonly divergence: Divergence | null
}

function settle(expected: readonly ExpectedDecision[], event: SessionEvent): Settled {
  const record = readExpectedDecision(event)
  if (record !== null) return settleRecord(expected, record, event.seq)
  const early = expected.length === 0 ? null : findEarlyAction(expected, event)
  return { expected, confirms: false, divergence: early }
}

function settleRecord(
  expected: readonly ExpectedDecision[],
  record: ExpectedDecision,
  at: number,
): Settled {
  const place = expected.findIndex(({ key }) => key === record.key)
  const found = expected[place]
  const rest = found === undefined ? expected : expected.filter((_, index) => index !== place)
  if (found !== undefined && isSameJson(found.data, record.data)) {
    return { expected: rest, confirms: true, divergence: null }
  }
  const why = found === undefined ? 'unexpected_decision' : 'other_decision'
  const divergence = { at, why, expected: found?.data ?? null, recorded: record.data } as const
  return { expected: rest, confirms: false, divergence }
}

function findEarlyAction(
  expected: readonly ExpectedDecision[],
  event: SessionEvent,
): Divergence | null {
  const early = (waiting: ExpectedDecision | undefined, why: DivergenceCause): Divergence | null =>
    waiting === undefined ? null : { at: event.seq, why, expected: waiting.data, recorded: null }
  if (event.type === 'session.ended') return early(expected[0], 'ended_before_decision')
  if (event.type !== 'tool.invoked') return null
  const key = `tool ${event.data.call_id}`
  return early(
    expected.find((waiting) => waiting.key === key),
    'acted_before_decision',
  )
}
