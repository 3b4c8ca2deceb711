// A policy is compiled once per config version and has no state of its own: its memory is in SessionState, under its rule id.

import type { WorkLeft } from '../../model/expression-engine.ts'
import type { Facts } from '../../model/fact.ts'
import type { JsonObject } from '../../model/json.ts'
import type { RuleMode } from '../../model/rule.ts'
import type { SessionState, StateDraft } from '../../model/state.ts'
import type { Finding } from './finding.ts'
import type { FoundPaths, PathForm } from './path-argument.ts'

/** A tool call as policies evaluate it: canonical tool name, arguments after redaction. */
export interface Call {
  readonly tool: string
  readonly args: JsonObject
  readonly facts: Facts | undefined
  readonly paths: readonly FoundPaths[]
}

export function bareCall(tool: string): Call {
  return { tool, args: {}, facts: undefined, paths: [] }
}

/** A compiled condition on a call. */
export interface CallCondition {
  /** null: the condition cannot be evaluated. */
  test(call: Call, state: SessionState, left: WorkLeft): boolean | null
  /** False: the condition reads only tool and state. */
  readonly needsArguments: boolean
}

export interface Policy {
  readonly denies: readonly string[] | 'every'
  /** null: the rule does not apply to this call. `left`: work left for the conditions of all rules of this decision. */
  check(call: Call, state: SessionState, left: WorkLeft): Finding | null
  /** Memory of successful calls in addition to the session's tallies; null: none. */
  readonly reads: ReadMemory | null
  /** Memory of allowed calls; null: none. */
  readonly rate: RateMemory | null
  /** Seconds to wait for an approval of a call that every other rule allows; null: none is needed. */
  readonly approvalSeconds: number | null
  /** Prerequisites of a tool; null: the policy has none for any tool. */
  readonly order: ((tool: string, state: SessionState) => CallOrder) | null
  /** True: code outside core answers, and `check` reads the answer from the facts. */
  readonly external: boolean
  /** False: the policy reads only tool and state, so it can be evaluated again while the call waits. */
  readonly needsCall: boolean
}

/** `needsCall` is true by default, because a policy may need the call. */
export function createPolicy(policy: Pick<Policy, 'denies' | 'check'> & Partial<Policy>): Policy {
  return {
    reads: null,
    rate: null,
    approvalSeconds: null,
    order: null,
    external: false,
    needsCall: true,
    ...policy,
  }
}

export interface CallOrder {
  readonly needed: readonly string[]
  /** Tools of `needed` that must succeed, or succeed again. */
  readonly missing: readonly string[]
  /** A success of these makes an earlier success of `needed` outdated. */
  readonly after: readonly string[]
}

export interface ReadMemory {
  readonly rule: string
  readonly tools: readonly string[]
  readonly form: PathForm
}

export interface RateMemory {
  readonly tools: readonly string[]
  admit(draft: StateDraft): void
}

export interface CompiledPolicy {
  readonly id: string
  readonly pointer: string
  readonly type: string
  readonly mode: RuleMode
  readonly policy: Policy
}
