// Core compares every recorded decision with the recomputed one, and every `prev` must be the hash of the event before it. Pure.
import type { Anomaly, CompiledConfig, SessionEvent } from '@signalbox/core'
import {
  type Breach,
  looserBreach,
  restoreVerification,
  snapshotVerification,
  startVerification,
  type Verification,
  type VerificationSnapshot,
  type VerifiedEvent,
  verifyEvent,
} from '@signalbox/core/analysis'
import { type FindConfig, type Governing, takenWith } from '@signalbox/core/tighten'
import { isLinked } from '@signalbox/wire'

export interface FoldBasis {
  /** Digest of the version in force after the last event; null when a version that governed the session is not known here. */
  readonly digest: string | null
  /** Custom rule types that the session's runtime has code for; they never change. */
  readonly customTypes: readonly string[]
}

export interface Folded extends Verification {
  readonly seq: number
  /** Hash of event `seq`; null before the first. */
  readonly hash: string | null
  readonly basis: FoldBasis
}

/** Raised when the stored form changes. */
export const SNAPSHOT_FORM = 3

/** Stored as JSON in session_snapshots. */
export interface FoldedSnapshot extends VerificationSnapshot {
  readonly v: typeof SNAPSHOT_FORM
  readonly hash: string | null
  readonly digest: string | null
  readonly custom_types: readonly string[]
}

export interface FoldInput {
  readonly event: SessionEvent
  readonly hash: string
}

export interface FoldResult {
  readonly folded: Folded
  /** Sequence number of the first event that does not agree; null: all agree. */
  readonly divergedAt: number | null
  readonly anomalies: readonly FoundAnomaly[]
  readonly loosened: readonly Breach[]
}

export interface FoundAnomaly {
  readonly seq: number
  readonly anomaly: Anomaly
}

export function beginFold(config: CompiledConfig, basis: FoldBasis): Folded {
  return { seq: 0, hash: null, basis, ...startVerification(config) }
}

export function toSnapshot({ hash, basis, state, expected }: Folded): FoldedSnapshot {
  const { digest, customTypes: custom_types } = basis
  return {
    v: SNAPSHOT_FORM,
    hash,
    digest,
    custom_types,
    ...snapshotVerification({ state, expected }),
  }
}

/** Null for a snapshot of another form: fold from the first event again. */
export function fromSnapshot(snapshot: FoldedSnapshot): Folded | null {
  if (snapshot.v !== SNAPSHOT_FORM) return null
  const { hash, digest, custom_types: customTypes } = snapshot
  const verification = restoreVerification(snapshot)
  return { seq: verification.state.seq, hash, basis: { digest, customTypes }, ...verification }
}

/** `config`: of the version in force, as in `folded.basis`. `find`: finds a version that an event puts into force. */
export interface FoldConfigs {
  readonly config: CompiledConfig
  readonly find: FindConfig
}

/** `events` continue `folded` without a gap. */
export function foldOn(
  { config, find }: FoldConfigs,
  folded: Folded,
  events: Iterable<FoldInput>,
): FoldResult {
  const { customTypes } = folded.basis
  let { seq, hash } = folded
  let governing: Governing = { digest: folded.basis.digest, config }
  let verification: Verification = folded
  let divergedAt: number | null = null
  const anomalies: FoundAnomaly[] = []
  const loosened: Breach[] = []
  for (const { event, hash: eventHash } of events) {
    const taken = takenWith({ event, state: verification.state }, governing, find)
    if (taken !== null) {
      const breach = looserBreach(event.seq, taken.looser)
      if (breach !== null) loosened.push(breach)
      governing = taken.governing
      verification = { ...verification, state: taken.state }
    }
    const next = verifyEvent(governing.config, verification, event)
    if (!agrees(event, { hash, next, digest: governing.digest })) divergedAt ??= event.seq
    for (const effect of next.effects) {
      if (effect.kind === 'anomaly') anomalies.push({ seq: event.seq, anomaly: effect.data })
    }
    verification = next.verification
    seq = event.seq
    hash = eventHash
  }
  const basis = { digest: governing.digest, customTypes }
  const on = { state: verification.state, expected: verification.expected }
  return { folded: { seq, hash, basis, ...on }, divergedAt, anomalies, loosened }
}

interface Recomputed {
  readonly hash: string | null
  readonly next: VerifiedEvent
  readonly digest: string | null
}

/** Decisions under an unknown version are neither confirmed nor refuted; the hash chain needs no version, and a log may have no chain. */
function agrees(event: SessionEvent, { hash, next, digest }: Recomputed): boolean {
  if (digest === null) return event.prev === undefined || isLinked(event, hash)
  return next.divergence === null && isLinked(event, hash)
}
