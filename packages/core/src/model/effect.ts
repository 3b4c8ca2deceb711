// Each effect is also the data of the event that records it, so that a stored decision can be compared with a recomputed one byte for byte.

import type { JsonObject } from './json.ts'
import type { RuleMode } from './rule.ts'
import type { TriggerCondition } from './trigger.ts'

export type ReasonClass = 'rule_said_no' | 'prerequisite_missing' | 'could_not_evaluate'

/** Result of one rule for one call. `error` counts as a denial. */
export interface RuleResult {
  /** Id of the rule. */
  readonly rule: string
  /** JSON pointer of the rule in the config version in force. */
  readonly pointer: string
  /** Type of the policy or content rule. */
  readonly type: string
  /** Only `enforce` denies. */
  readonly mode: RuleMode
  /** Verdict of this rule. */
  readonly result: 'allow' | 'deny' | 'error'
  /** Stable name of the finding. */
  readonly code: string
  /** Values of the sentence that explains the finding. */
  readonly params: JsonObject
  /** Sequence numbers of the events that caused the result, ascending. */
  readonly because: readonly number[]
  /** Kind of the refusal. Absent: the rule did not refuse. */
  readonly reason_class?: ReasonClass
  /** Sentence for the agent. Absent: the rule allows. */
  readonly reason?: string
}

export interface ToolDecision {
  /** The call that was judged. */
  readonly call_id: string
  /** Canonical tool name. */
  readonly tool: string
  /** `error`: no rule refused, but one could not be evaluated, so the call is denied. */
  readonly decision: 'allowed' | 'denied' | 'error'
  /** Text for the agent; null when allowed. */
  readonly reason: string | null
  /** Only rules that govern this tool, in the order of evaluation. */
  readonly rules: readonly RuleResult[]
}

/** Verdict on the result of a call, whose outcome stays the one that the tool reported. */
export interface ContentDecision {
  /** The call whose result was judged. */
  readonly call_id: string
  /** Canonical tool name. */
  readonly tool: string
  /** `passed`: the model reads the result as it is. */
  readonly verdict: 'passed' | 'masked' | 'withheld'
  /** Text that takes the place of the result; null: it is not withheld. */
  readonly text: string | null
  /** Content rules that found something. */
  readonly rules: readonly RuleResult[]
}

export type Severity = 'info' | 'caution' | 'warning'

export interface Observation {
  /** Heading of the observation. */
  readonly category: string
  /** Text for the agent. */
  readonly description: string
  /** Quotation that supports the observation. Absent: none. */
  readonly evidence?: string
}

export interface Advice {
  /** Urgency of the advice. */
  readonly severity: Severity
  /** Text for the agent. */
  readonly summary: string
  /** Reasons for the advice. */
  readonly observations: readonly Observation[]
  /** Next steps for the agent. */
  readonly suggestions: readonly string[]
}

export interface FeedbackDelivery extends Advice {
  /** Id of the feedback provider. */
  readonly provider: string
  /** Type of the provider, e.g. `deadline`. Absent: decided under semantics 1, which did not record it. */
  readonly type?: string
  /** Display name of the provider. */
  readonly name: string
  /** JSON pointer of the provider in the config version in force. */
  readonly pointer: string
  /** Only `enforce` reaches the agent. */
  readonly mode: RuleMode
  /** Conditions of the trigger that held, in the order of `TriggerDocument`. */
  readonly conditions: readonly TriggerCondition[]
  /** Number of finished calls of this prompt, including the call `call_id`. */
  readonly call_index: number
  /** Prompt whose calls are counted. */
  readonly prompt: string
  /** The call after which the advice was given. */
  readonly call_id: string
}

export interface FeedbackFailure {
  /** Id of the feedback provider. */
  readonly provider: string
  /** Text for people. */
  readonly error: string
}

/** The call waits for a reviewer; `tool.decided` follows `approval.decided`. */
export interface ApprovalRequest {
  /** The call that waits. */
  readonly call_id: string
  /** Canonical tool name. */
  readonly tool: string
  /** Ids of the approval rules that ask. */
  readonly rules: readonly string[]
  /** Epoch ms on the runtime's clock. A later approval counts as a timeout. */
  readonly expires_at: number
}

export type CheckStatus =
  | 'passed'
  | 'nothing_to_check'
  | 'incomplete'
  | 'not_evaluated'
  | 'bypassed'
  | 'error'

/** Result of one checker of the tree for one stop attempt; every checker of the config appears once. */
export interface CheckResult {
  /** Id of the checker. */
  readonly checker: string
  /** JSON pointer of the checker in the config version in force. */
  readonly pointer: string
  /** Type of the checker. */
  readonly type: string
  /** `bypassed` and `not_evaluated`: its answer was not needed. */
  readonly status: CheckStatus
  /** Stable name of the result. */
  readonly code: string
  /** Values of the sentence that explains the result. */
  readonly params: JsonObject
  /** Message of the checker to the agent; null: none. */
  readonly feedback: string | null
  /** Sequence numbers of the events that caused the result, ascending. */
  readonly because: readonly number[]
  /** Results of the checkers inside. Absent: it has none. */
  readonly children?: readonly CheckResult[]
}

export type StopVerdict = 'allowed' | 'blocked' | 'bypassed' | 'no_checker' | 'error'
export type BypassCause = 'deadline' | 'budget' | 'max_blocks' | 'ended'

export interface StopDecision {
  /** 1 for the first attempt of the session. */
  readonly attempt: number
  /** `error`: a checker could not be evaluated; the agent must continue, as for `blocked`. */
  readonly verdict: StopVerdict
  /** Why the stop passed although the task is not known to be complete. Absent: it was not bypassed. */
  readonly bypass?: BypassCause
  /** Number of consecutive blocked stops before this one. */
  readonly prior_blocks: number
  /** Stable name of the outcome. */
  readonly code: string
  /** Values of the sentence that explains the outcome. */
  readonly params: JsonObject
  /** Exact text for the agent; null: the stop is allowed. */
  readonly message: string | null
  /** Result of the checker; null: none was evaluated. */
  readonly check: CheckResult | null
}

/** Log entry that a working runtime does not produce. The first two codes are breaches (specs/enforcement.md). */
export interface Anomaly {
  readonly code:
    | 'result_without_request'
    | 'ran_despite_denial'
    | 'duplicate_request'
    | 'approval_without_request'
  readonly call_id: string
  readonly tool: string
}

export type Effect =
  | { readonly kind: 'tool.decided'; readonly data: ToolDecision }
  | { readonly kind: 'content.decided'; readonly data: ContentDecision }
  | { readonly kind: 'approval.requested'; readonly data: ApprovalRequest }
  | { readonly kind: 'feedback.delivered'; readonly data: FeedbackDelivery }
  | { readonly kind: 'feedback.failed'; readonly data: FeedbackFailure }
  | { readonly kind: 'stop.decided'; readonly data: StopDecision }
  | { readonly kind: 'anomaly'; readonly data: Anomaly }
