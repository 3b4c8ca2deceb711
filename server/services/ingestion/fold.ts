// Verification: folds a session's events with the same `step` that decided in the agent's process, and compares every
// recorded decision with the recomputed one, and every `prev` with the hash before it. Pure.
import {
  type CompiledConfig,
  type Effect,
  initialState,
  type JsonValue,
  restoreState,
  type SessionEvent,
  type SessionState,
  type StateSnapshot,
  snapshotState,
  step,
} from '@signalbox/core'
import { isSameJson } from './same-json.ts'

/** A decision that was recomputed and whose record has not come yet. */
interface Expected {
  /** Joins a recomputed decision and its record, e.g. `tool:call_1`. */
  readonly key: string
  readonly data: JsonValue
}

export interface Folded {
  readonly seq: number
  /** Hash of event `seq`; null before the first. */
  readonly hash: string | null
  /** Digest of the config that it is folded with; null when that config is not known here. Never changes. */
  readonly digest: string | null
  readonly state: SessionState
  readonly expected: readonly Expected[]
}

/** Stored in session_snapshots; `v` is raised when the form changes. */
export interface FoldedSnapshot {
  readonly v: 2
  readonly hash: string | null
  readonly digest: string | null
  readonly state: StateSnapshot
  readonly expected: readonly Expected[]
}

export interface FoldInput {
  readonly event: SessionEvent
  readonly hash: string
}

export interface FoldResult {
  readonly folded: Folded
  /** Sequence number of the first event that does not agree; null: all agree. */
  readonly divergedAt: number | null
  readonly anomalies: number
}

/** Decisions that may wait for their record at once; agents do not have more calls open. */
const MOST_EXPECTED = 1_000

export function beginFold(config: CompiledConfig, digest: string | null): Folded {
  return { seq: 0, hash: null, digest, state: initialState(config.promptName), expected: [] }
}

export function toSnapshot({ hash, digest, state, expected }: Folded): FoldedSnapshot {
  return { v: 2, hash, digest, state: snapshotState(state), expected }
}

/** Null for a snapshot of another version: fold from the first event again. */
export function fromSnapshot(snapshot: FoldedSnapshot): Folded | null {
  if (snapshot.v !== 2) return null
  const { hash, digest, expected } = snapshot
  const state = restoreState(snapshot.state)
  return { seq: state.seq, hash, digest, state, expected }
}

function expectedOf(effect: Effect): Expected | null {
  // Effects are JSON by construction: their types hold strings, numbers, booleans, arrays and objects of these.
  const data = effect.data as unknown as JsonValue
  switch (effect.kind) {
    case 'tool.decided':
      return { key: `tool:${effect.data.call_id}`, data }
    case 'approval.requested':
      return { key: `approval:${effect.data.call_id}`, data }
    case 'feedback.failed':
      return { key: `feedback:${effect.data.provider}`, data }
    case 'feedback.delivered':
      return { key: `feedback:${effect.data.call_id}:${effect.data.provider}`, data }
    case 'stop.decided':
      return { key: 'stop', data }
    case 'anomaly':
      return null
    default:
      return effect satisfies never
  }
}

/** The decision that an event records, in the form of the recomputed one; null for events that record none. */
function recordOf(event: SessionEvent): Expected | null {
  switch (event.type) {
    case 'tool.decided':
      return expectedOf({ kind: event.type, data: event.data })
    case 'stop.decided':
      return expectedOf({ kind: event.type, data: event.data })
    case 'approval.requested':
      return expectedOf({ kind: event.type, data: event.data })
    case 'feedback.failed':
      return expectedOf({ kind: event.type, data: event.data })
    case 'feedback.delivered': {
      // How it was delivered is the harness's report, not part of the decision.
      const { delivery: _delivery, ...data } = event.data
      return expectedOf({ kind: event.type, data })
    }
    default:
      return null
  }
}

/** What still waits after the event, and whether the event agrees with what was recomputed. */
function settle(
  expected: readonly Expected[],
  event: SessionEvent,
): { readonly expected: readonly Expected[]; readonly agrees: boolean } {
  const record = recordOf(event)
  if (record !== null) {
    const at = expected.findIndex(({ key }) => key === record.key)
    const agrees = at !== -1 && isSameJson(expected[at]?.data, record.data)
    return { agrees, expected: expected.filter((_, index) => index !== at) }
  }
  if (expected.length === 0) return { agrees: true, expected }
  // A call that ran, or a session that ended, before its decision was recorded.
  if (event.type === 'tool.invoked') {
    const key = `tool:${event.data.call_id}`
    return { expected, agrees: !expected.some((waiting) => waiting.key === key) }
  }
  return { expected, agrees: event.type !== 'session.ended' }
}

/** `events` continue `folded` without a gap. */
export function foldOn(
  config: CompiledConfig,
  folded: Folded,
  events: Iterable<FoldInput>,
): FoldResult {
  let { seq, hash, state, expected } = folded
  let divergedAt: number | null = null
  let anomalies = 0
  for (const { event, hash: eventHash } of events) {
    const settled = settle(expected, event)
    const isChained = (event.prev ?? null) === hash
    const next = step(config, state, event)
    expected = settled.expected
    for (const effect of next.effects) {
      const waiting = expectedOf(effect)
      if (waiting === null) anomalies += 1
      else expected = [...expected, waiting]
    }
    const isOverfull = expected.length > MOST_EXPECTED
    if (isOverfull) expected = expected.slice(1)
    if (!settled.agrees || !isChained || isOverfull) divergedAt ??= event.seq
    seq = event.seq
    hash = eventHash
    state = next.state
  }
  return { folded: { ...folded, seq, hash, state, expected }, divergedAt, anomalies }
}
