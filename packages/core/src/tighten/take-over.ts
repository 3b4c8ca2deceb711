// A rule keeps its memory if it means the same under the new version; otherwise the memory starts empty, like that of a new rule.

import type { CompiledConfig } from '../engine/compile.ts'
import { placeDocument } from '../kinds/placed.ts'
import { placed } from '../kinds/policies/evaluate.ts'
import { cannotTell } from '../kinds/policies/finding.ts'
import { bareCall, type CompiledPolicy } from '../kinds/policies/policy.ts'
import type { RuleMemory } from '../kinds/policies/policy-rule.ts'
import { type PolicyDocument, policyRule } from '../kinds/policies.ts'
import type { RuleResult } from '../model/effect.ts'
import { createWorkLimit } from '../model/expression-engine.ts'
import { getIn, listEntries, mapFrom } from '../model/persistent-map.ts'
import { differingFields } from '../model/same-fields.ts'
import type { PendingCall, SessionState } from '../model/state.ts'

/** `state` is a state between two events. Total: works even if `to` is looser. */
export function takeOver(
  from: CompiledConfig,
  to: CompiledConfig,
  state: SessionState,
): SessionState {
  const before = mapActiveRules(from)
  const kept = [...mapActiveRules(to)].flatMap(([id, after]) => {
    const old = before.get(id)
    if (old?.type !== after.type) return []
    return [[id, policyRule(after).carryOver(old, after, readMemory(id, state))] as const]
  })
  const remembered = {
    ...state,
    rates: mapFrom(kept.flatMap(([id, { rate }]) => (rate === undefined ? [] : [[id, rate]]))),
    reads: mapFrom(kept.flatMap(([id, { reads }]) => (reads === undefined ? [] : [[id, reads]]))),
  }
  const pending = listEntries(state.pending).map(
    ([callId, call]) => [callId, judgeAgain(call, { from, to, state: remembered })] as const,
  )
  return { ...remembered, pending: mapFrom(pending) }
}

function mapActiveRules({ document }: CompiledConfig): ReadonlyMap<string, PolicyDocument> {
  const rules = placeDocument(document).policies.map(({ item }) => item)
  return new Map(rules.filter(({ mode }) => mode !== 'off').map((rule) => [rule.id, rule]))
}

function readMemory(id: string, { rates, reads }: SessionState): RuleMemory {
  const [rate, marks] = [getIn(rates, id), getIn(reads, id)]
  return {
    ...(rate === undefined ? {} : { rate }),
    ...(marks === undefined ? {} : { reads: marks }),
  }
}

interface Change {
  readonly from: CompiledConfig
  readonly to: CompiledConfig
  readonly state: SessionState
}

/** A waiting call must not be allowed by rules that have not evaluated it. */
function judgeAgain(call: PendingCall, { from, to, state }: Change): PendingCall {
  const { approval, tool } = call
  if (approval === null) return call
  const before = new Map(from.rulesFor(tool).policies.map((rule) => [rule.id, rule]))
  const documents = [mapActiveRules(from), mapActiveRules(to)] as const
  const rules = to.rulesFor(tool).policies.flatMap((rule) => {
    // The reviewer's answer is the result of these rules.
    if (rule.policy.approvalSeconds !== null) return []
    const [old, after] = documents.map((of) => of.get(rule.id))
    const isSame = old !== undefined && after !== undefined && isSameRule(old, after)
    if (!isSame || !before.has(rule.id)) {
      const canJudge = after !== undefined && policyRule(after).needsToolOnly
      return canJudge ? judgeNow(rule, tool, state) : notJudged(rule, tool)
    }
    const result = approval.rules.find((one) => one.rule === rule.id)
    return result === undefined ? [] : [{ ...result, pointer: rule.pointer, mode: rule.mode }]
  })
  return { ...call, approval: { ...approval, rules } }
}

function isSameRule(old: PolicyDocument, after: PolicyDocument): boolean {
  return differingFields(old, after, ['mode']).length === 0
}

function judgeNow(rule: CompiledPolicy, tool: string, state: SessionState): RuleResult[] {
  const finding = rule.policy.check(bareCall(tool), state, createWorkLimit(state))
  return finding === null ? [] : [placed(rule, finding)]
}

function notJudged(rule: CompiledPolicy, tool: string): RuleResult[] {
  const reason = `Rule '${rule.id}' came into force while this call waited, so it has not judged it. Make the call again.`
  return [placed(rule, cannotTell('rule.not_judged', { tool }, { reason }))]
}
