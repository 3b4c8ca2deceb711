// Result of a release request: it was made, or it was refused for a reason that the caller can fix.
import type { Problem } from '@signalbox/core'
import type { Gate } from './release-input.ts'

export interface MadeRelease {
  readonly id: string
  readonly environment: string
  readonly version: number
  readonly previousVersion: number | null
  readonly revision: number
  /** Set when a share of new sessions gets the version first; `id` is then that of the rollout. */
  readonly rolloutId: string | null
}

/**
 * `stale`: the draft was saved after the caller looked. `problems`: the text cannot be published. `unchanged`: the
 * environment runs this content already. `behind`: the environment runs a newer version than the draft was made from.
 * `moved`: the environment's version changed after the caller looked. `approvals`, `backtest`, `cases`, `runtimes`: the
 * gate of that name is missing, or asks and was not acknowledged. `nothing_before`: the environment runs nothing that a share
 * of sessions could keep, or that a watched release could be compared with. `looser`: running sessions were to be tightened, and it is
 * looser than what they run.
 */
export type RefusalReason = Gate['id'] | 'moved' | 'nothing_before' | 'looser'

export interface Refusal {
  readonly ok: false
  readonly reason: RefusalReason
  /** A sentence for the person who asked. */
  readonly message: string
  /** Only with `problems`. */
  readonly problems: readonly Problem[]
}

export type ReleaseResult = { readonly ok: true; readonly release: MadeRelease } | Refusal

export function refuse(
  reason: RefusalReason,
  message: string,
  problems: readonly Problem[] = [],
): Refusal {
  return { ok: false, reason, message, problems }
}
