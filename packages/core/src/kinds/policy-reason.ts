// What a reason code of a policy stands for: causes, evidence, remedies and the way out of a denial follow from it.
import type { RuleResult } from '../model/effect.ts'
import type { JsonValue } from '../model/json.ts'

/** What a result rests on. */
export type ReasonBasis =
  /** The call's arguments. */
  | 'input'
  /** A path in the arguments that cannot be judged, or not be written. */
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
  /** An answer of code outside core. */
  | 'answer'

export interface AllowStep {
  readonly rule: string
  /** A sentence with the verb first; Markdown code spans mark names. */
  readonly text: string
  readonly owner: 'agent' | 'operator' | 'config'
  /** The call after which it would be allowed, as a line: `read_file src/tax.py`; null: no call does it. */
  readonly call: string | null
}

export type Step = Omit<AllowStep, 'rule'>

export interface PolicyReason<Policy> {
  readonly basis: ReasonBasis
  /**
   * Steps that would allow the call. `policy`: the rule that denied it; undefined: it is not known here. Absent: the rule allows the call,
   * or only a mended or changed rule would.
   */
  steps?(denial: RuleResult, policy: Policy | undefined): readonly Step[]
}

export function step(owner: Step['owner'], text: string, call: string | null = null): Step {
  return { text, owner, call }
}

/** The items of a parameter that are names. */
export function namesIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
