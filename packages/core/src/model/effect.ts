// Each effect is also the data of the event that records it, so that a stored decision can be compared with a recomputed one byte for byte.

import type { JsonObject } from './json.ts'
import type { RuleMode } from './rule.ts'
import type { TriggerCondition } from './trigger.ts'

export type ReasonClass = 'rule_said_no' | 'prerequisite_missing' | 'could_not_evaluate'

/** Result of one rule for one call. `error` counts as a denial. */
export interface RuleResult {
  readonly rule: string
  /** JSON pointer of the rule in the config version in force. */
  readonly pointer: string
  readonly type: string
  readonly mode: RuleMode
  readonly result: 'allow' | 'deny' | 'error'
  readonly code: string
  readonly params: JsonObject
  /** Sequence numbers of the events that caused the result, ascending. */
  readonly because: readonly number[]
  readonly reason_class?: ReasonClass
  /** Sentence for the agent; only for `deny` and `error`. */
  readonly reason?: string
}

export interface ToolDecision {
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
  readonly call_id: string
  /** Canonical tool name. */
  readonly tool: string
  /** `passed`: the model reads the result as it is. */
  readonly verdict: 'passed' | 'masked' | 'withheld'
  /** Text that takes the place of the result; null: it is not withheld. */
  readonly text: string | null
  readonly rules: readonly RuleResult[]
}

export type Severity = 'info' | 'caution' | 'warning'

export interface Observation {
  readonly category: string
  readonly description: string
  readonly evidence?: string
}

export interface Advice {
  readonly severity: Severity
  readonly summary: string
  readonly observations: readonly Observation[]
  readonly suggestions: readonly string[]
}

export interface FeedbackDelivery extends Advice {
  readonly provider: string
  /** Type of the provider, e.g. `deadline`. Absent: decided under semantics 1, which did not record it. */
  readonly type?: string
  readonly name: string
  readonly pointer: string
  readonly mode: RuleMode
  /** Conditions of the trigger that held, in the order of `TriggerDocument`. */
  readonly conditions: readonly TriggerCondition[]
  /** Number of finished calls of this prompt, including the call `call_id`. */
  readonly call_index: number
  readonly prompt: string
  readonly call_id: string
}

export interface FeedbackFailure {
  readonly provider: string
  readonly error: string
}

/** The call waits for a reviewer; `tool.decided` follows `approval.decided`. */
export interface ApprovalRequest {
  readonly call_id: string
  readonly tool: string
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
  readonly checker: string
  readonly pointer: string
  readonly type: string
  readonly status: CheckStatus
  readonly code: string
  readonly params: JsonObject
  /** Message of the checker to the agent; null: none. */
  readonly feedback: string | null
  readonly because: readonly number[]
  readonly children?: readonly CheckResult[]
}

export type StopVerdict = 'allowed' | 'blocked' | 'bypassed' | 'no_checker' | 'error'
export type BypassCause = 'deadline' | 'budget' | 'max_blocks' | 'ended'

export interface StopDecision {
  /** 1 for the first attempt of the session. */
  readonly attempt: number
  /** `error`: a checker could not be evaluated; the agent must continue, as for `blocked`. */
  readonly verdict: StopVerdict
  readonly bypass?: BypassCause
  readonly prior_blocks: number
  readonly code: string
  readonly params: JsonObject
  /** Exact text for the agent; null: the stop is allowed. */
  readonly message: string | null
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
