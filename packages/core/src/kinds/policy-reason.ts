// Meaning of a policy's reason code. It determines causes, evidence, remedies and the steps that would allow the call.
import type { RuleResult } from '../model/effect.ts'
import type { JsonValue } from '../model/json.ts'

/** Evidence on which a result rests. */
export type ReasonBasis =
  /** Arguments of the call. */
  | 'input'
  /** A path in the arguments that cannot be judged or must not be written. */
  | 'path'
  /** A file that was looked up for the call. */
  | 'file'
  | 'unknown_file'
  | 'read_file'
  | 'unread_file'
  | 'changed_file'
  /** Earlier successes. */
  | 'tools'
  | 'missing_tools'
  /** Earlier calls that count against a limit. */
  | 'calls'
  /** A person's answer. */
  | 'approval'
  /** An answer from code outside core. */
  | 'answer'

export interface AllowStep {
  readonly rule: string
  /** Imperative sentence; Markdown code spans mark names. */
  readonly text: string
  readonly owner: 'agent' | 'operator' | 'config'
  /** Call after which the denied call would be allowed, on one line: `read_file src/tax.py`; null: no call allows it. */
  readonly call: string | null
}

export type Step = Omit<AllowStep, 'rule'>

export interface PolicyReason<Policy> {
  readonly basis: ReasonBasis
  /**
   * Steps that would allow the call. `policy`: the rule that denied it; undefined: not known here. Absent: the rule allows the call, or
   * only a fixed or changed rule would allow it.
   */
  steps?(denial: RuleResult, policy: Policy | undefined): readonly Step[]
}

export function step(owner: Step['owner'], text: string, call: string | null = null): Step {
  return { text, owner, call }
}

/** Items of a list parameter that are names. */
export function namesIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
