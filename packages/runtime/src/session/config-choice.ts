// A session in the share of a staged rollout gets its candidate (specs/staged-rollouts.md). Pure.
import { isInShare } from '@signalbox/wire'
import type { AppliedConfig, Candidate } from '../control-plane/applied-config.ts'
import type { SourceStatus } from '../control-plane/config-source.ts'
import type { ConfigOrigin } from './session-answers.ts'

export interface Choice {
  readonly applied: AppliedConfig | null
  readonly origin: ConfigOrigin
  /** Shadow version; null: there is none. */
  readonly shadow: AppliedConfig | null
}

export interface Offer extends Choice {
  /** null: every session gets the version in force. */
  readonly candidate: Candidate | null
}

export function onlyOffer(applied: AppliedConfig | null, origin: ConfigOrigin): Offer {
  return { applied, origin, candidate: null, shadow: null }
}

/** Uses `bootstrap` only until a bundle came from the server or from disk. */
export function inForce(status: SourceStatus, bootstrap: AppliedConfig | null): Offer {
  const { applied: bundle, rejected } = status
  if (bundle === null && bootstrap !== null) {
    const note =
      'Started with the bootstrap config, because the control plane has not sent one yet.'
    const origin = { kind: 'applied', digest: bootstrap.digest, revision: null, note } as const
    return onlyOffer(bootstrap, origin)
  }
  const applied = bundle?.applied ?? null
  if (bundle === null || applied === null)
    return onlyOffer(null, { kind: 'none', reason: explainNone(status, rejected) })
  const note =
    bundle.source === 'disk'
      ? 'Started with the last good config from disk, because the control plane has not answered yet.'
      : null
  const { revision, candidate, shadow } = bundle
  const origin = { kind: 'applied', digest: applied.digest, revision, note } as const
  return { applied, origin, candidate, shadow }
}

export function resolveEnvironment({ environment, applied }: SourceStatus): string {
  return environment ?? applied?.environment ?? 'unknown'
}

function explainNone(status: SourceStatus, rejected: SourceStatus['rejected']): string {
  if (rejected !== null) return `The only config was rejected: ${rejected.reason}`
  if (status.applied !== null) return 'The environment has no released version of this prompt.'
  return `The control plane has not sent a config yet${status.trouble === null ? '' : ` (${status.trouble})`}.`
}

/** A session of the candidate has no shadow version, because differences are reported against the version in force. */
export function chosenFor({ applied, origin, candidate, shadow }: Offer, session: string): Choice {
  if (candidate === null || origin.kind === 'none' || !isInShare(candidate, session))
    return { applied, origin, shadow }
  const { digest, version, share } = candidate
  const chosen = `One of the ${share / 10}% of new sessions that run v${version}.`
  const note = origin.note === null ? chosen : `${origin.note} ${chosen}`
  return { applied: candidate, origin: { ...origin, digest, note }, shadow: null }
}
