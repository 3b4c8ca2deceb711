// Verification on ingest: core compares every recorded decision with the recomputed one, and every `prev` must be the hash of
// the event before it. Pure.
import type { Anomaly, CompiledConfig, SessionEvent } from '@signalbox/core'
import {
  restoreVerification,
  snapshotVerification,
  startVerification,
  type Verification,
  type VerificationSnapshot,
  verifyEvent,
} from '@signalbox/core/views'
import { isLinked } from '@signalbox/wire'

/** What a session is folded with; never changes. */
export interface FoldBasis {
  /** Digest of the config; null when that config is not known here. */
  readonly digest: string | null
  /** Custom rule types that the session's runtime has code for. */
  readonly customTypes: readonly string[]
}

export interface Folded extends Verification {
  readonly seq: number
  /** Hash of event `seq`; null before the first. */
  readonly hash: string | null
  readonly basis: FoldBasis
}

/** Stored in session_snapshots; `v` is raised when the form changes. */
export interface FoldedSnapshot extends VerificationSnapshot {
  readonly v: 3
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
}

export interface FoundAnomaly {
  /** The event that led to it. */
  readonly seq: number
  readonly anomaly: Anomaly
}

export function beginFold(config: CompiledConfig, basis: FoldBasis): Folded {
  return { seq: 0, hash: null, basis, ...startVerification(config) }
}

export function toSnapshot({ hash, basis, state, expected }: Folded): FoldedSnapshot {
  const { digest, customTypes: custom_types } = basis
  return { v: 3, hash, digest, custom_types, ...snapshotVerification({ state, expected }) }
}

/** Null for a snapshot of another version: fold from the first event again. */
export function fromSnapshot(snapshot: FoldedSnapshot): Folded | null {
  if (snapshot.v !== 3) return null
  const { hash, digest, custom_types: customTypes } = snapshot
  const verification = restoreVerification(snapshot)
  return { seq: verification.state.seq, hash, basis: { digest, customTypes }, ...verification }
}

/** `events` continue `folded` without a gap. */
export function foldOn(
  config: CompiledConfig,
  folded: Folded,
  events: Iterable<FoldInput>,
): FoldResult {
  let { seq, hash } = folded
  let verification: Verification = folded
  let divergedAt: number | null = null
  const anomalies: FoundAnomaly[] = []
  for (const { event, hash: eventHash } of events) {
    const next = verifyEvent(config, verification, event)
    if (next.divergence !== null || !isLinked(event, hash)) divergedAt ??= event.seq
    for (const effect of next.effects) {
      if (effect.kind === 'anomaly') anomalies.push({ seq: event.seq, anomaly: effect.data })
    }
    verification = next.verification
    seq = event.seq
    hash = eventHash
  }
  return { folded: { seq, hash, basis: folded.basis, ...verification }, divergedAt, anomalies }
}
