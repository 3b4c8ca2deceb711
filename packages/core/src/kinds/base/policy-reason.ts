// Determines causes, evidence, remedies and the steps that would allow the call.
import type { RuleResult } from '../../model/effect.ts'
import type { JsonValue } from '../../model/json.ts'

export type ReasonBasis =
  | 'input'
  /** A path in the arguments that cannot be judged or must not be written. */
  | 'path'
  | 'file'
  | 'unknown_file'
  | 'read_file'
  | 'unread_file'
  | 'changed_file'
  | 'tools'
  | 'missing_tools'
  | 'calls'
  | 'approval'
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
  /** `policy`: the rule that denied the call; undefined: not known here. Absent: only a fixed or changed rule would allow the call. */
  steps?(denial: RuleResult, policy: Policy | undefined): readonly Step[]
}

export function step(owner: Step['owner'], text: string, call: string | null = null): Step {
  return { text, owner, call }
}

export function namesIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Tools whose success a denial with the basis `missing_tools` asks for. */
export function listToolsToRun({ params }: Pick<RuleResult, 'params'>): readonly string[] {
  return [...namesIn(params['missing']), ...namesIn(params['outdated'])]
}
