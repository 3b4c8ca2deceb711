// What every policy type provides. A policy is compiled once per config version and holds no state of its own:
// what it remembers is in SessionState under its rule id.
import type { RuleMode } from '../config.ts'
import type { RuleResult } from '../effect.ts'
import type { Facts, FileFact } from '../fact.ts'
import type { JsonObject } from '../json.ts'
import type { SessionState, StateDraft } from '../state.ts'

/** A tool call as policies see it: canonical tool name, arguments after redaction. */
export interface Call {
  readonly tool: string
  readonly args: JsonObject
  readonly facts: Facts | undefined
}

export type Finding = Pick<
  RuleResult,
  'result' | 'code' | 'params' | 'because' | 'reason_class' | 'reason'
>

export interface Policy {
  /** Tools that this policy can deny. */
  readonly denies: readonly string[]
  /** Tools whose success this policy remembers, beyond the session's own list of successes. */
  readonly remembers: readonly string[]
  /** The path argument in normal form; null when the call has none that can be used. */
  path(call: Call, state: SessionState): string | null
  /** null: the rule does not apply to this call. */
  check(call: Call, state: SessionState): Finding | null
  /** Notes a successful call whose path was `success.path`. */
  remember(draft: StateDraft, success: Success): void
}

export interface Success {
  readonly seq: number
  readonly path: string
  readonly file: FileFact
}

/** A policy in its place in the document. */
export interface CompiledPolicy {
  readonly id: string
  readonly pointer: string
  readonly type: string
  readonly mode: RuleMode
  readonly policy: Policy
}
