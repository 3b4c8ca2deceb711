import type { Problem } from '@signalbox/core'
import type { Gate } from './release-input.ts'

export interface MadeRelease {
  readonly id: string
  readonly environment: string
  readonly version: number
  readonly previousVersion: number | null
  readonly revision: number
  /** Id of the staged rollout, which `id` then is as well, when a share of new sessions gets the version first; null: the release goes to all. */
  readonly rolloutId: string | null
}

/**
 * `stale`: the draft was saved after the caller read it. `problems`: the text cannot be published. `unchanged`: this content is live
 * already. `behind`: a newer version is live than the draft is based on. `base_required`: the project
 * demands a base that the content does not extend. `moved`: the live version changed after the caller read it.
 * `approvals`, `backtest`, `cases`, `runtimes`: the gate of that name is missing, or asks and was not acknowledged. `claim_broken`: a claim
 * does not hold for the content. `claim_unknown`: it was not acknowledged that a claim is not known to hold. `nothing_before`: no
 * version is live that a share of sessions could keep, or that a watched release could be compared with. `looser`: running sessions were to
 * be tightened, but the content is looser than what they run.
 */
export type RefusalReason = Gate['id']

export interface Refusal {
  readonly ok: false
  readonly reason: RefusalReason
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
