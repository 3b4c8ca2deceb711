// All governing policies must allow. Each is evaluated and recorded; what throws or cannot be evaluated denies.
import type { RuleResult, ToolDecision } from '../effect.ts'
import type { SessionState } from '../state.ts'
import { type Call, type CompiledPolicy, type Finding, unevaluated } from './policy.ts'

const NO_REASON = 'Denied by policy.'

/** What each policy with an opinion on this call says, in the order of evaluation. */
export function evaluateRules(
  policies: readonly CompiledPolicy[],
  call: Call,
  state: SessionState,
): readonly RuleResult[] {
  const rules: RuleResult[] = []
  for (const compiled of policies) {
    const finding = evaluate(compiled, call, state)
    if (finding !== null) rules.push(placed(compiled, finding))
  }
  return rules
}

export function conclude(
  call: { readonly callId: string; readonly tool: string },
  rules: readonly RuleResult[],
): ToolDecision {
  const against = rules.filter((rule) => rule.mode === 'enforce' && rule.result !== 'allow')
  const reason = against.map((rule) => rule.reason || NO_REASON).join('\n')
  return {
    call_id: call.callId,
    tool: call.tool,
    decision: verdictOf(against),
    reason: against.length === 0 ? null : reason,
    rules,
  }
}

/** Spelled out instead of spread: every answering rule of every call passes here. */
export function placed(compiled: CompiledPolicy, finding: Finding): RuleResult {
  const { id, pointer, type, mode } = compiled
  const { result, code, params, because, reason, reason_class } = finding
  const head = { rule: id, pointer, type, mode, result, code, params, because }
  if (reason === undefined || reason_class === undefined) return head
  return { ...head, reason_class, reason }
}

function verdictOf(against: readonly RuleResult[]): ToolDecision['decision'] {
  if (against.length === 0) return 'allowed'
  return against.some((rule) => rule.result === 'deny') ? 'denied' : 'error'
}

function evaluate(compiled: CompiledPolicy, call: Call, state: SessionState): Finding | null {
  try {
    return compiled.policy.check(call, state)
  } catch {
    return unevaluated(compiled.id, 'policy.threw')
  }
}
