// Each verdict is in exactly one class.
import type { Effect } from '../../model/effect.ts'

export type VerdictClass =
  | 'would_deny'
  | 'would_allow'
  | 'would_block'
  | 'would_release'
  | 'unchanged'
  | 'cannot_replay'

export type Verdicts = { readonly [Name in VerdictClass]: number }

export interface ReplayedVerdict {
  readonly kind: 'call' | 'stop'
  /** null for stops. */
  readonly callId: string | null
  readonly class: VerdictClass
  /** True when the new config allows the call or stop; meaningless for `cannot_replay`. */
  readonly passes: boolean
  readonly fidelity: 'exact' | 'approximate'
}

export const NO_VERDICTS: Verdicts = {
  would_deny: 0,
  would_allow: 0,
  would_block: 0,
  would_release: 0,
  unchanged: 0,
  cannot_replay: 0,
}

export function addVerdicts(one: Verdicts, other: Verdicts): Verdicts {
  return {
    would_deny: one.would_deny + other.would_deny,
    would_allow: one.would_allow + other.would_allow,
    would_block: one.would_block + other.would_block,
    would_release: one.would_release + other.would_release,
    unchanged: one.unchanged + other.unchanged,
    cannot_replay: one.cannot_replay + other.cannot_replay,
  }
}

interface Lanes {
  readonly was: readonly Effect[]
  readonly is: readonly Effect[]
  readonly isKnown: boolean
  readonly fidelity: 'exact' | 'approximate'
}

type Outcome = 'passes' | 'refused' | 'waits'

/** null: there is no decision, for example while an approval is pending under both configs or under the new one. */
export function replayedVerdict({ was, is, isKnown, fidelity }: Lanes): ReplayedVerdict | null {
  const after = is.find(isDecision)
  const before = was.find(isVerdict)
  if (after === undefined || before === undefined) return null
  const passes = toVerdictOutcome(after) === 'passes'
  const kind = after.kind === 'stop.decided' ? 'stop' : 'call'
  const callId = after.kind === 'stop.decided' ? null : after.data.call_id
  const name = isKnown ? classifyVerdict(kind, toVerdictOutcome(before), passes) : 'cannot_replay'
  return { kind, callId, class: name, passes, fidelity }
}

type Decision = Extract<Effect, { readonly kind: 'tool.decided' | 'stop.decided' }>
type Verdict = Decision | Extract<Effect, { readonly kind: 'approval.requested' }>

function isDecision(effect: Effect): effect is Decision {
  return effect.kind === 'tool.decided' || effect.kind === 'stop.decided'
}

function isVerdict(effect: Effect): effect is Verdict {
  return isDecision(effect) || effect.kind === 'approval.requested'
}

function toVerdictOutcome(effect: Verdict): Outcome {
  switch (effect.kind) {
    case 'tool.decided':
      return effect.data.decision === 'allowed' ? 'passes' : 'refused'
    case 'stop.decided':
      return effect.data.message === null ? 'passes' : 'refused'
    case 'approval.requested':
      return 'waits'
    default:
      return effect satisfies never
  }
}

function classifyVerdict(kind: 'call' | 'stop', before: Outcome, passes: boolean): VerdictClass {
  if (before === (passes ? 'passes' : 'refused')) return 'unchanged'
  if (kind === 'call') return passes ? 'would_allow' : 'would_deny'
  return passes ? 'would_release' : 'would_block'
}
