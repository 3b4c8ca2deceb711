import type { AllowStep } from '../../kinds/base/policy-reason.ts'
import type { UnblockStep } from '../../kinds/checkers/unblock-step.ts'
import type { RuleResult, StopDecision, ToolDecision } from '../../model/effect.ts'
import type { RuleMode } from '../../model/rule.ts'
import { callSentence, ruleSentence } from '../base/sentences.ts'
import { stopSentence } from '../base/stop-sentences.ts'
import type { UnblockPlan } from '../unblock/unblock.ts'
import { type CheckNode, checkNode } from './check-node.ts'

export interface ReadRule {
  readonly rule: string
  readonly pointer: string
  readonly type: string
  readonly mode: RuleMode
  readonly result: RuleResult['result']
  readonly sentence: string
}

export interface DecisionReading {
  readonly verdict: string
  /** Without a period. */
  readonly sentence: string
  /** Message to the agent; null: none. */
  readonly message: string | null
  readonly steps: readonly Pick<UnblockStep, 'text' | 'owner' | 'obstacle'>[]
  /** null: the config has no checker, or the decision is about a call. */
  readonly checks: CheckNode | null
  /** Empty for a stop. */
  readonly rules: readonly ReadRule[]
}

/** `plan` null: it could not be computed. */
export function stopReading(decision: StopDecision, plan: UnblockPlan | null): DecisionReading {
  const steps = plan?.steps ?? []
  return {
    verdict: decision.verdict,
    sentence: stopSentence(decision),
    message: decision.message,
    steps: steps.map(({ text, owner, obstacle }) => ({ text, owner, obstacle })),
    checks: decision.check === null ? null : checkNode(decision.check),
    rules: [],
  }
}

export function callReading(decision: ToolDecision, steps: readonly AllowStep[]): DecisionReading {
  return {
    verdict: decision.decision,
    sentence: callSentence(decision),
    message: decision.reason,
    steps: steps.map(({ text, owner }) => ({ text, owner, obstacle: null })),
    checks: null,
    rules: decision.rules.map((rule) => ({
      rule: rule.rule,
      pointer: rule.pointer,
      type: rule.type,
      mode: rule.mode,
      result: rule.result,
      sentence: ruleSentence(rule),
    })),
  }
}
