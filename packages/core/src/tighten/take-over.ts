// What a session remembers when it takes another version over while it runs. A rule goes on with what it remembers where that means
// the same; else it begins empty, as a rule does that is new.

import type { CompiledConfig } from '../engine/compile.ts'
import { placeDocument } from '../kinds/placed.ts'
import { placed } from '../kinds/policies/evaluate.ts'
import { cannotTell } from '../kinds/policies/finding.ts'
import { pathFormOf } from '../kinds/policies/path-argument.ts'
import { bareCall, type CompiledPolicy } from '../kinds/policies/policy.ts'
import type { RateLimitDocument } from '../kinds/policies/rate-limit.ts'
import type { ReadBeforeWriteDocument } from '../kinds/policies/read-before-write.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import { isKnownPolicy } from '../kinds/policies.ts'
import type { RuleResult } from '../model/effect.ts'
import { workOfDecision } from '../model/expression-engine.ts'
import { entriesOf, getIn, mapFrom } from '../model/persistent-map.ts'
import type { PendingCall, RateWindow, SessionState } from '../model/state.ts'
import { knownBy } from './compare-policies.ts'
import { differingFields } from './same-fields.ts'

/** The versions of a session before and after, and its state between two events. Total: also where `to` is looser. */
export function takeOver(
  from: CompiledConfig,
  to: CompiledConfig,
  state: SessionState,
): SessionState {
  const before = rulesOf(from)
  const pairs = [...rulesOf(to)].flatMap(([id, after]) => {
    const old = before.get(id)
    return old === undefined ? [] : [{ id, old, after }]
  })
  const rates = pairs.flatMap(({ id, old, after }) => {
    const window = getIn(state.rates, id)
    if (window === undefined || !isRate(old) || !isRate(after) || !coversTools(old, after))
      return []
    return [[id, laidOut(window, old.max_calls, after.max_calls)] as const]
  })
  const reads = pairs.flatMap(({ id, old, after }) => {
    const marks = getIn(state.reads, id)
    const isKept = marks !== undefined && isRead(old) && isRead(after) && remembersAlike(old, after)
    return isKept ? [[id, marks] as const] : []
  })
  const kept = { ...state, rates: mapFrom(rates), reads: mapFrom(reads) }
  const pending = entriesOf(state.pending).map(
    ([callId, call]) => [callId, judgedAgain(call, { from, to, state: kept })] as const,
  )
  return { ...kept, pending: mapFrom(pending) }
}

/** Those that remember: rules that are off do not. */
function rulesOf({ document }: CompiledConfig): ReadonlyMap<string, PolicyDocument> {
  const rules = placeDocument(document).policies.map(({ item }) => item)
  return new Map(rules.filter(({ mode }) => mode !== 'off').map((rule) => [rule.id, rule]))
}

function isRate(rule: PolicyDocument): rule is RateLimitDocument {
  return isKnownPolicy(rule) && rule.type === 'rate_limit'
}

function isRead(rule: PolicyDocument): rule is ReadBeforeWriteDocument {
  return isKnownPolicy(rule) && rule.type === 'read_before_write'
}

function coversTools(old: RateLimitDocument, after: RateLimitDocument): boolean {
  return old.tools.every((tool) => after.tools.includes(tool))
}

function remembersAlike(old: ReadBeforeWriteDocument, after: ReadBeforeWriteDocument): boolean {
  const [was, is] = [[...knownBy(old)].sort(), [...knownBy(after)].sort()]
  return was.join('\n') === is.join('\n') && pathFormOf(old).key === pathFormOf(after).key
}

/** A ring has `max_calls` places; with another number each call stands in another place. The newest are kept. */
function laidOut({ admitted, ring }: RateWindow, places: number, now: number): RateWindow {
  if (places === now) return { admitted, ring }
  const count = Math.min(admitted, places, now)
  const calls = Array.from({ length: count }, (_, i) => {
    const index = admitted - count + i
    const call = getIn(ring, String(index % places))
    return call === undefined ? [] : [[String(index % now), call] as const]
  })
  return { admitted, ring: mapFrom(calls.flat()) }
}

interface Change {
  readonly from: CompiledConfig
  readonly to: CompiledConfig
  readonly state: SessionState
}

/** A call that waits for a person is not allowed by rules that did not judge it. */
function judgedAgain(call: PendingCall, { from, to, state }: Change): PendingCall {
  const { approval, tool } = call
  if (approval === null) return call
  const before = new Map(from.rulesFor(tool).policies.map((rule) => [rule.id, rule]))
  const documents = [rulesOf(from), rulesOf(to)] as const
  const rules = to.rulesFor(tool).policies.flatMap((rule) => {
    // What the person answers is the finding of these.
    if (rule.policy.approvalSeconds !== null) return []
    const [old, after] = documents.map((of) => of.get(rule.id))
    const isSame = old !== undefined && after !== undefined && isSameRule(old, after)
    if (!isSame || !before.has(rule.id)) return judgedNow(rule, tool, state)
    const result = approval.rules.find((one) => one.rule === rule.id)
    return result === undefined ? [] : [{ ...result, pointer: rule.pointer, mode: rule.mode }]
  })
  return { ...call, approval: { ...approval, rules } }
}

function isSameRule(old: PolicyDocument, after: PolicyDocument): boolean {
  return differingFields(old, after, ['mode']).length === 0
}

/** Types that look at nothing but the tool and the session. */
const NEED_THE_TOOL_ONLY: readonly string[] = ['rate_limit', 'sequential_dependency', 'approval']

function judgedNow(rule: CompiledPolicy, tool: string, state: SessionState): RuleResult[] {
  if (NEED_THE_TOOL_ONLY.includes(rule.type)) {
    const finding = rule.policy.check(bareCall(tool), state, workOfDecision(state))
    return finding === null ? [] : [placed(rule, finding)]
  }
  const reason = `Rule '${rule.id}' came into force while this call waited, so it has not judged it. Make the call again.`
  return [placed(rule, cannotTell('rule.not_judged', { tool }, { reason }))]
}
