// All policies that govern a call must allow it. Every result is recorded; a policy that throws or cannot be evaluated denies.
import { DENIED_BY_POLICY } from '../../model/default-texts.ts'
import type { RuleResult, ToolDecision } from '../../model/effect.ts'
import { createWorkLimit, type WorkLeft } from '../../model/expression-engine.ts'
import type { SessionState } from '../../model/state.ts'
import { type Finding, unevaluated } from './finding.ts'
import type { Call, CompiledPolicy } from './policy.ts'

export function evaluateRules(
  policies: readonly CompiledPolicy[],
  call: Call,
  state: SessionState,
): readonly RuleResult[] {
  const rules: RuleResult[] = []
  const left = createWorkLimit(state)
  for (const compiled of policies) {
    const finding = evaluate(compiled, { call, state, left })
    if (finding !== null) rules.push(placed(compiled, finding))
  }
  return rules
}

export function conclude(
  { call_id, tool }: Pick<ToolDecision, 'call_id' | 'tool'>,
  rules: readonly RuleResult[],
): ToolDecision {
  const against = rules.filter((rule) => rule.mode === 'enforce' && rule.result !== 'allow')
  if (against.length === 0) return { call_id, tool, decision: 'allowed', reason: null, rules }
  const decision = against.some((rule) => rule.result === 'deny') ? 'denied' : 'error'
  const reason = against.map((rule) => rule.reason || DENIED_BY_POLICY).join('\n')
  return { call_id, tool, decision, reason, rules }
}

/** Both forms are written out, because a spread costs ten times as much, once for every rule of every call. */
export function placed(compiled: CompiledPolicy, finding: Finding): RuleResult {
  const { id, pointer, type, mode } = compiled
  const { result, code, params, because, reason, reason_class } = finding
  return reason === undefined || reason_class === undefined
    ? { rule: id, pointer, type, mode, result, code, params, because }
    : { rule: id, pointer, type, mode, result, code, params, because, reason_class, reason }
}

interface Asked {
  readonly call: Call
  readonly state: SessionState
  readonly left: WorkLeft
}

function evaluate({ id, policy }: CompiledPolicy, { call, state, left }: Asked): Finding | null {
  try {
    return policy.check(call, state, left)
  } catch {
    return unevaluated(id, 'policy.threw')
  }
}
