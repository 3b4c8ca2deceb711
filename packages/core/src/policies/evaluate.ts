// All governing policies must allow. Each is evaluated and recorded; what throws or cannot be evaluated denies.
import type { ReasonClass, RuleResult, ToolDecision } from '../effect.ts'
import type { SessionState } from '../state.ts'
import type { Call, CompiledPolicy, Finding } from './policy.ts'

const NO_REASON = 'Denied by policy.'

export function decide(
  policies: readonly CompiledPolicy[],
  call: Call & { readonly callId: string },
  state: SessionState,
): ToolDecision {
  const rules: RuleResult[] = []
  for (const compiled of policies) {
    const finding = evaluate(compiled, call, state)
    if (finding === null) continue
    rules.push(placed(compiled, finding))
  }
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
function placed(compiled: CompiledPolicy, finding: Finding): RuleResult {
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
    const reasonClass: ReasonClass = 'could_not_evaluate'
    return {
      result: 'error',
      code: 'policy.threw',
      params: {},
      because: [],
      reason_class: reasonClass,
      reason: `Rule '${compiled.id}' could not be evaluated.`,
    }
  }
}
