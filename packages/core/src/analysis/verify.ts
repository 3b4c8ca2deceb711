// Compares the decisions of a log with those that `step` recomputes (specs/verification.md). Works event by event, so that a server can
// resume where it stopped. packages/wire verifies the hash chain.
import type { CompiledConfig } from '../engine/compile.ts'
import { step } from '../engine/step.ts'
import type { Effect } from '../model/effect.ts'
import type { SessionEvent } from '../model/event.ts'
import type { JsonValue } from '../model/json.ts'
import { isSameJson } from '../model/same-json.ts'
import { initialState, type SessionState } from '../model/state.ts'
import { restoreState, type StateSnapshot, snapshotState } from '../snapshot/snapshot.ts'
import {
  type Governing,
  type RanUnder,
  takenWith,
  toSessionVersions,
} from '../tighten/governing.ts'
import { decisionKey, recordedEffect } from './decision-record.ts'

/** A recomputed decision that is not recorded yet. */
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

/** JSON form of a `Verification`. */
export interface VerificationSnapshot {
  readonly state: StateSnapshot
  readonly expected: readonly ExpectedDecision[]
}

export type DivergenceCause =
  /** The recorded decision differs from the recomputed one. */
  | 'other_decision'
  /** No event led to the recorded decision. */
  | 'unexpected_decision'
  /** The call ended before its decision was recorded. */
  | 'acted_before_decision'
  /** The session ended before a decision was recorded. */
  | 'ended_before_decision'
  /** The version that the session took over is not known here. */
  | 'unknown_version'
  /** More decisions are unrecorded than an agent can have open calls. */
  | 'too_many_open'

export interface Divergence {
  /** Sequence number of the event that does not agree. */
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
  /** True when the event records a decision that agrees. */
  readonly confirms: boolean
  /** null: the event agrees. */
  readonly divergence: Divergence | null
}

const MOST_EXPECTED = 1_000

export function startVerification(config: CompiledConfig): Verification {
  return { state: initialState(config.promptName), expected: [] }
}

/** JSON from which a verification can continue elsewhere. */
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
  /** All `decisions` of the log agree, and none is missing. */
  | { readonly status: 'verified'; readonly decisions: number }
  /** The last `waiting` decisions are not recorded yet; all before them agree. */
  | { readonly status: 'pending'; readonly decisions: number; readonly waiting: number }
  /** `decisions`: number of decisions that agreed before the divergence. */
  | ({ readonly status: 'diverged'; readonly decisions: number } & Divergence)

/** Stops at the first event that does not agree. */
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

/** Detects a call that ended, or a session that ended, before its decision was recorded. */
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
