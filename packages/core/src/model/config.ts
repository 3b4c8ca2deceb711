// The config document, version 1: all guardrails of one prompt (specs/guardrails.md). Field names are those of the
// stored JSON. These types describe documents that packages/wire has already validated; nothing is parsed here.
import type { JsonObject } from './json.ts'
import type { LeaseDocument } from './lease-calibration.ts'

/** `enforce` acts, `shadow` is evaluated and recorded but does not act, `off` is not evaluated. Absent means `enforce`. */
export type RuleMode = 'enforce' | 'shadow' | 'off'

interface RuleBase {
  /** Unique in the document; state is kept under this id. */
  readonly id: string
  readonly mode?: RuleMode
  /** When true, a runtime that does not know the type skips the rule and reports it; otherwise it refuses the version. */
  readonly optional?: boolean
}

/** `dependencies[tool]` must each have succeeded in the session before `tool` may run. Not transitive. */
export interface SequentialDependencyDocument extends RuleBase {
  readonly type: 'sequential_dependency'
  readonly dependencies: { readonly [tool: string]: readonly string[] }
}

/** An existing file must have been read before a tool in `write_tools` may overwrite it. */
export interface ReadBeforeWriteDocument extends RuleBase {
  readonly type: 'read_before_write'
  readonly read_tools: readonly string[]
  readonly write_tools: readonly string[]
  /** Argument names that hold the path, first match wins. Absent: `path`, `file_path`. */
  readonly path_params?: readonly string[]
  /** Prefix under which the tools see the workspace, e.g. `/workspace`. Absent: none. */
  readonly mount_point?: string
  /** Absent: true. A file whose fingerprint changed since it was read must be read again. */
  readonly reads_expire_on_change?: boolean
  /** Absent: true. A successful write makes the written content known to the agent. */
  readonly writes_count_as_reads?: boolean
}

/** A CEL condition on a call; exactly one of `deny_when` and `require` is present. */
export interface ExpressionPolicyDocument extends RuleBase {
  readonly type: 'expression'
  /** Absent: every tool. */
  readonly tools?: readonly string[]
  /** Denies when true. */
  readonly deny_when?: string
  /** Denies when false. */
  readonly require?: string
  /** What the agent is told. Absent: `Denied by policy.` */
  readonly reason?: string
}

/** At most `max_calls` allowed calls of all `tools` together in any `per_seconds` seconds. */
export interface RateLimitDocument extends RuleBase {
  readonly type: 'rate_limit'
  readonly tools: readonly string[]
  readonly max_calls: number
  readonly per_seconds: number
}

/** A person decides each call of `tools`; no answer within `timeout_seconds` denies. */
export interface ApprovalDocument extends RuleBase {
  readonly type: 'approval'
  readonly tools: readonly string[]
  readonly timeout_seconds: number
}

/** A rule of a type that code outside core answers for. Refused when that code is not there, unless `optional`. */
export interface CustomPolicyDocument extends RuleBase {
  readonly type: string
  /** Absent: every tool. */
  readonly tools?: readonly string[]
  /** Settings of the type; their JSON Schema is registered with the code. */
  readonly params?: JsonObject
}

export type KnownPolicyDocument =
  | SequentialDependencyDocument
  | ReadBeforeWriteDocument
  | ExpressionPolicyDocument
  | RateLimitDocument
  | ApprovalDocument
export type PolicyDocument = KnownPolicyDocument | CustomPolicyDocument

/** Conditions are OR-ed; at least one must be present. */
export interface TriggerDocument {
  /** ≥ 1 finished calls since this provider's own last delivery. */
  readonly every_n_calls?: number
  /** > 0 seconds since this provider's own last delivery; the first opportunity fires. */
  readonly every_n_seconds?: number
  /** Fires once per session when the file is seen to exist. */
  readonly on_file_created?: { readonly filename: string }
}

interface ProviderBase extends RuleBase {
  readonly trigger: TriggerDocument
}

/** Tells how much time is left, as a warning near the end. Silent without a deadline. */
export interface DeadlineProviderDocument extends ProviderBase {
  readonly type: 'deadline'
  /** Seconds of remaining time from which feedback becomes a warning. Absent: 120. */
  readonly warning_threshold_seconds?: number
}

/** Says the same whenever its trigger fires. */
export interface StaticProviderDocument extends ProviderBase {
  readonly type: 'static'
  readonly feedback: string
}

/** Tells the number of calls, as a caution above the limit. */
export interface ToolUsageProviderDocument extends ProviderBase {
  readonly type: 'tool_usage'
  /** Absent: 20. */
  readonly max_calls_without_progress?: number
}

/** Speaks when a tool did not succeed `times` times in a row. */
export interface RepeatedFailureProviderDocument extends ProviderBase {
  readonly type: 'repeated_failure'
  /** Absent: whichever tool was called. */
  readonly tool?: string
  /** Absent: 3. */
  readonly times?: number
}

/** Speaks when one tool was called `times` times in a row with the same arguments. */
export interface RepeatedCallProviderDocument extends ProviderBase {
  readonly type: 'repeated_call'
  /** Absent: 3. */
  readonly times?: number
}

/** A provider that code outside core speaks for. */
export interface CustomProviderDocument extends ProviderBase {
  readonly type: string
  readonly params?: JsonObject
}

export type KnownProviderDocument =
  | DeadlineProviderDocument
  | StaticProviderDocument
  | ToolUsageProviderDocument
  | RepeatedFailureProviderDocument
  | RepeatedCallProviderDocument
export type FeedbackProviderDocument = KnownProviderDocument | CustomProviderDocument

interface CheckerBase {
  readonly id: string
}

/** Every step of the session's plan must be `done`. */
export interface PlanCheckerDocument extends CheckerBase {
  readonly type: 'plan'
}

/** Every file must exist in the workspace. */
export interface FilesExistCheckerDocument extends CheckerBase {
  readonly type: 'files_exist'
  readonly files: readonly string[]
}

/** Several checks as one; at most 16 deep. */
export interface CompositeCheckerDocument extends CheckerBase {
  readonly type: 'composite'
  readonly checkers: readonly CheckerDocument[]
  /** Absent: true. False: one passing child is enough. */
  readonly all_must_pass?: boolean
}

/** The last result of `tool` is a success, and newer than the last success of any tool in `after`. */
export interface ToolSucceededCheckerDocument extends CheckerBase {
  readonly type: 'tool_succeeded'
  readonly tool: string
  readonly after?: readonly string[]
}

/** A model judges the work by `criteria`. */
export interface LlmJudgeCheckerDocument extends CheckerBase {
  readonly type: 'llm_judge'
  readonly criteria: string
  /** Absent: true. False: without a model there is nothing to check. */
  readonly require_adapter?: boolean
}

/** A CEL condition on the session that must be true. */
export interface ExpressionCheckerDocument extends CheckerBase {
  readonly type: 'expression'
  readonly require: string
  /** What the agent is told when it is not. Absent: `Tasks are incomplete.` */
  readonly feedback?: string
}

/** A checker that code outside core answers for. */
export interface CustomCheckerDocument extends CheckerBase {
  readonly type: string
  /** True: left out where the code is not there; otherwise the version is refused. */
  readonly optional?: boolean
  readonly params?: JsonObject
}

export type KnownCheckerDocument =
  | PlanCheckerDocument
  | FilesExistCheckerDocument
  | CompositeCheckerDocument
  | ToolSucceededCheckerDocument
  | LlmJudgeCheckerDocument
  | ExpressionCheckerDocument
export type CheckerDocument = KnownCheckerDocument | CustomCheckerDocument

export interface SectionDocument {
  readonly id: string
  readonly title?: string
  /** Canonical names of the tools that this section declares. */
  readonly tools?: readonly string[]
  /** Rules that govern the tools of this section only. */
  readonly policies?: readonly PolicyDocument[]
  readonly sections?: readonly SectionDocument[]
}

/** Bounds of what the guardrails themselves may do. */
export interface LimitsDocument {
  /** Blocked stops after which the next stop is allowed as `bypassed(max_blocks)`. Absent: 10. */
  readonly max_stop_blocks?: number
}

/** What the runtime removes from events before they leave the process. At least one of the two fields is present. */
export interface RedactionRuleDocument {
  readonly id: string
  /** Property names (case-insensitive) whose values are replaced. */
  readonly keys?: readonly string[]
  /** Literal substrings that are replaced wherever a string holds them. */
  readonly literals?: readonly string[]
}

/** All guardrails of one prompt. Versioned as a whole. */
export interface ConfigDocument {
  readonly schema_version: 1
  readonly ns: string
  readonly key: string
  /** Absent: `ns:key`. */
  readonly name?: string
  readonly description?: string
  /** Harness tool name → canonical name, e.g. `{"Write": "write_file"}`. */
  readonly aliases?: { readonly [harnessName: string]: string }
  readonly sections?: readonly SectionDocument[]
  /** Rules that govern every tool. */
  readonly policies?: readonly PolicyDocument[]
  readonly feedback_providers?: readonly FeedbackProviderDocument[]
  /** True: only the first matching provider of a pass delivers. Absent: false. */
  readonly feedback_exclusive?: boolean
  /** Absent: stops are not checked. */
  readonly task_completion_checker?: CheckerDocument
  /** What an output given with an incomplete task does at the end of a run. Absent: `warning`. */
  readonly final_verification?: 'warning' | 'error'
  readonly limits?: LimitsDocument
  /** Of the queue message that a worker holds while a session runs (specs/leases.md). */
  readonly lease?: LeaseDocument
  readonly redaction?: readonly RedactionRuleDocument[]
  /** Free for the author's tools; not interpreted. */
  readonly metadata?: JsonObject
}
