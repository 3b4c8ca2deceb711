import type { CheckResult, Effect, ShadowAnswer, ShadowDiffered } from '@signalbox/core'
import type { DecisionDifference } from '@signalbox/core/analysis'

type Difference = Omit<ShadowDiffered, 'version' | 'digest' | 'fidelity' | 'own_facts'>

const MAX_TEXT = 2000

/** null: the agent would not have noticed, or the difference was already reported at the request of the call. */
export function shadowDifference(difference: DecisionDifference): Difference | null {
  const { seq: of, before, after, acts } = difference
  const subject = toShadowSubject(after ?? before)
  if (!acts || subject === null) return null
  if (subject === 'call' && (before === null || after === null)) return null
  const [live, shadow] = [toShadowAnswer(before), toShadowAnswer(after)]
  const rule = (shadow === 'allowed' ? null : findShadowRule(after)) ?? findShadowRule(before)
  const text = readShadowText(after)
  return {
    of,
    subject,
    ...toCallFields(after ?? before),
    ...(rule === null ? {} : { rule }),
    live,
    shadow,
    ...(text === null ? {} : { text: text.slice(0, MAX_TEXT) }),
  }
}

function toShadowSubject(effect: Effect | null): ShadowDiffered['subject'] | null {
  switch (effect?.kind) {
    case 'tool.decided':
    case 'approval.requested':
      return 'call'
    case 'feedback.delivered':
    case 'feedback.failed':
      return 'feedback'
    case 'stop.decided':
      return 'stop'
    default:
      return null
  }
}

/** An absent decision about feedback counts as `silent`. */
function toShadowAnswer(effect: Effect | null): ShadowAnswer {
  switch (effect?.kind) {
    case 'tool.decided':
      return effect.data.decision === 'allowed' ? 'allowed' : 'refused'
    case 'approval.requested':
      return 'waits'
    case 'stop.decided':
      return effect.data.message === null ? 'allowed' : 'refused'
    case 'feedback.delivered':
      return effect.data.mode === 'enforce' ? 'said' : 'silent'
    case 'feedback.failed':
      return 'failed'
    default:
      return 'silent'
  }
}

function toCallFields(effect: Effect | null): {
  readonly call_id?: string
  readonly tool?: string
} {
  switch (effect?.kind) {
    case 'tool.decided':
    case 'approval.requested':
      return { call_id: effect.data.call_id, tool: effect.data.tool }
    case 'feedback.delivered':
      return { call_id: effect.data.call_id }
    default:
      return {}
  }
}

/** Rule that refuses, requires approval or gives feedback; null: none. */
function findShadowRule(effect: Effect | null): string | null {
  switch (effect?.kind) {
    case 'tool.decided':
      return (
        effect.data.rules.find(({ mode, result }) => mode === 'enforce' && result !== 'allow')
          ?.rule ?? null
      )
    case 'approval.requested':
      return effect.data.rules[0] ?? null
    case 'feedback.delivered':
    case 'feedback.failed':
      return effect.data.provider
    case 'stop.decided':
      return effect.data.message === null ? null : blockingChecker(effect.data.check)
    default:
      return null
  }
}

/** Innermost unsatisfied check; null: none. */
function blockingChecker(check: CheckResult | null): string | null {
  if (check === null || !isUnmet(check)) return null
  return blockingChecker(check.children?.find(isUnmet) ?? null) ?? check.checker
}

function isUnmet({ status }: CheckResult): boolean {
  return status === 'incomplete' || status === 'error'
}

function readShadowText(effect: Effect | null): string | null {
  switch (effect?.kind) {
    case 'tool.decided':
      return effect.data.reason
    case 'stop.decided':
      return effect.data.message
    case 'feedback.delivered':
      return effect.data.mode === 'enforce' ? effect.data.summary : null
    default:
      return null
  }
}
