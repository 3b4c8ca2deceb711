// Field names are those of the stored JSON (specs/events.md). Events that record a decision of `step` (tool.decided, approval.requested,
// content.decided, feedback.delivered, feedback.failed, stop.decided) do not change the state.
import type {
  ApprovalRequest,
  ContentDecision,
  FeedbackDelivery,
  FeedbackFailure,
  Severity,
  StopDecision,
  StopVerdict,
  ToolDecision,
} from './effect.ts'
import type { Facts } from './fact.ts'
import type { JsonObject, JsonValue } from './json.ts'

interface Envelope<Type extends string, Data> {
  /** `sess_…`; unique over all projects. */
  readonly session: string
  /** Sequence number in the session, from 1 without gaps. */
  readonly seq: number
  /** Epoch milliseconds on the runtime's clock. */
  readonly at: number
  readonly type: Type
  readonly data: Data
  /** Digest of the config version in force, `sha256:…`. Absent: no config. */
  readonly config?: string
  /** W3C traceparent. Absent: not traced. */
  readonly trace?: string
  /** Hash of the previous event of the session. Absent on the first. */
  readonly prev?: string
}

/** Limits in tokens. Absent: not limited. */
export interface BudgetLimits {
  readonly max_total_tokens?: number
  readonly max_input_tokens?: number
  readonly max_output_tokens?: number
}

export interface RecordedCapabilities {
  /** True: the agent can read why a call was denied. */
  readonly deny_reason: boolean
  readonly inject: 'message' | 'in_result' | 'none'
  readonly block_stop: 'in_loop' | 'reprompt' | 'none'
  /** The harness's own limit on consecutive blocked stops; null: none. */
  readonly max_blocks: number | null
  readonly structured: 'before_accept' | 'final_message' | 'post_only' | 'none'
  /** Number of structured outputs that the model may offer; null: no limit. */
  readonly structured_attempts: number | null
  /** Signal that separates a failed tool from a successful one. */
  readonly failure: 'event' | 'text' | 'stream' | 'none'
  readonly call_ids: boolean
  readonly batch: 'serial' | 'parallel'
  readonly on_guard_crash: 'closed' | 'open'
  readonly on_guard_timeout: 'closed' | 'open'
  /** Longest time in seconds that a call may wait for a reviewer; null: no limit. Absent: not recorded. */
  readonly approval_seconds?: number | null
  /** True: a call can run with other arguments than those that the model gave. Absent: false. */
  readonly replaces_arguments?: boolean
  /** True: the model can be given another result than the tool returned. Absent: false. */
  readonly replaces_results?: boolean
  /** Content rules of the config that only warn in this session, because the harness cannot replace the value. Absent: none. */
  readonly unkept_content?: readonly string[]
  /** Tools that the guard does not cover, as text for people. */
  readonly ungoverned: readonly string[]
}

export interface SessionStarted {
  /** Number of the semantics by which every fold of this log decides (semantics.ts). Absent: 1. */
  readonly semantics?: number
  readonly ns: string
  readonly key: string
  readonly environment: string
  /** Id of the registered runtime. Absent: used without a control plane. */
  readonly runtime?: string
  readonly harness: { readonly name: string; readonly version?: string }
  readonly sdk?: string
  /** Number of the config version in force. Absent: the version is not published (bootstrap or local). */
  readonly config_version?: number
  /** Absolute path of the workspace, to normalize paths. Absent: tools give relative paths. */
  readonly workspace_root?: string
  readonly deadline_at?: number
  readonly budget?: BudgetLimits
  readonly tags?: { readonly [name: string]: string }
  /** Custom rule types for which the runtime has code, sorted. Absent: none. */
  readonly custom_types?: readonly string[]
  /** Absent: the host's own loop, which requests a decision before every call. */
  readonly capabilities?: RecordedCapabilities
}

export interface SessionEnded {
  readonly reason: 'completed' | 'failed' | 'aborted'
  readonly output?: JsonValue
  readonly error?: string
}

export interface ToolRequested {
  readonly call_id: string
  /** Tool name as rules use it, unless the config's aliases map it to another name. */
  readonly tool: string
  /** Tool name in the harness. Absent: same as `tool`. */
  readonly native_tool?: string
  readonly args: JsonObject
  /** Sub-agent id. Absent: the main agent. */
  readonly agent?: string
  readonly facts?: Facts
}

export interface ApprovalDecided {
  readonly call_id: string
  readonly decision: 'approved' | 'denied' | 'timed_out' | 'unavailable'
  /** Name of the approver, from the control plane. Absent: none. */
  readonly by?: string
  readonly note?: string
}

export type ToolOutcome = 'success' | 'failure' | 'denied' | 'invalid' | 'unknown'

export interface ToolInvoked {
  readonly call_id: string
  readonly tool: string
  /** Only `success` satisfies a rule. */
  readonly outcome: ToolOutcome
  readonly duration_ms?: number
  readonly output?: JsonValue
  readonly error?: string
  readonly agent?: string
  readonly facts?: Facts
}

export interface PlanStep {
  readonly id?: string
  readonly title: string
  /** Only `done` means finished. Absent: not done. */
  readonly status?: string
}

/** The whole plan; it replaces the previous one. */
export interface PlanUpdated {
  readonly steps: readonly PlanStep[]
}

/** Usage of one model evaluation. A later event with the same evaluation id replaces the earlier one. */
export interface UsageRecorded {
  readonly evaluation_id: string
  readonly input_tokens: number
  readonly output_tokens: number
  /** Absent: input + output. */
  readonly total_tokens?: number
}

export type StopVia = 'turn_end' | 'structured_output' | 'subagent_end' | 'final'

export interface StopAttempted {
  readonly via: StopVia
  readonly stop_reason?: string
  readonly output?: JsonValue
  readonly last_message?: string
  readonly agent?: string
  /** The harness's own limit on blocked stops. Absent: none known. */
  readonly harness_max_blocks?: number
  readonly facts?: Facts
}

/** A moment at which the harness continued without a decision, or might have. */
export interface EnforcementLapse {
  readonly code: 'guard_unreachable' | 'guard_timeout' | 'hook_missing' | 'unsupported_version'
  readonly detail: string
  /** Absent: the lapse is not about one call. */
  readonly call_id?: string
  readonly tool?: string
}

/** Order of a person about the running session, which the runtime verified (specs/session-control.md). */
export interface SessionControlled {
  readonly action: 'pause' | 'resume' | 'end'
  /** Name of the person or API key that gave the order, from the control plane. */
  readonly by: string
  readonly reason: string
  /** Number of the order in its session; grows with each order. */
  readonly counter: number
}

export interface ShadowStarted {
  readonly version: number
  readonly digest: string
}

/** A decision of the shadow version that the agent would have noticed as different. */
export interface ShadowDiffered extends ShadowStarted {
  /** Sequence number of the event that was decided on. */
  readonly of: number
  readonly subject: 'call' | 'feedback' | 'stop'
  /** Absent: the difference is not about one call. */
  readonly call_id?: string
  readonly tool?: string
  /** Id of the rule, provider or checker that causes the difference. Absent: no single one does. */
  readonly rule?: string
  readonly live: ShadowAnswer
  readonly shadow: ShadowAnswer
  /** Message that the shadow version would have sent to the agent. Absent: none. */
  readonly text?: string
  /** `approximate`: the agent would have acted differently since an earlier difference. */
  readonly fidelity: 'exact' | 'approximate'
  /** True: the difference depends on facts that only the shadow version looked up, possibly at a later time. */
  readonly own_facts?: boolean
}

export type ShadowAnswer = 'allowed' | 'refused' | 'waits' | 'silent' | 'said' | 'failed'

export type FeedbackDelivered = FeedbackDelivery & {
  readonly delivery: 'message' | 'in_result' | 'none'
}

/** Data of every event type. A type without its look below, its lines in analysis/event-kinds.ts or its schema does not compile. */
export interface EventData {
  readonly 'session.started': SessionStarted
  readonly 'session.ended': SessionEnded
  readonly 'prompt.rendered': { readonly prompt: string }
  readonly 'prompt.executed': { readonly prompt: string }
  readonly 'tool.requested': ToolRequested
  readonly 'approval.requested': ApprovalRequest
  readonly 'approval.decided': ApprovalDecided
  readonly 'tool.decided': ToolDecision
  readonly 'tool.invoked': ToolInvoked
  readonly 'content.decided': ContentDecision
  readonly 'feedback.delivered': FeedbackDelivered
  readonly 'feedback.failed': FeedbackFailure
  readonly 'plan.updated': PlanUpdated
  readonly 'file.observed': { readonly path: string; readonly facts?: Facts }
  readonly 'usage.recorded': UsageRecorded
  readonly 'stop.attempted': StopAttempted
  readonly 'stop.decided': StopDecision
  readonly 'completion.overridden': { readonly cause: string; readonly attempt?: number }
  readonly 'enforcement.lapsed': EnforcementLapse
  readonly 'session.controlled': SessionControlled
  readonly 'shadow.started': ShadowStarted
  readonly 'shadow.differed': ShadowDiffered
  readonly 'shadow.stopped': ShadowStarted & { readonly reason: string }
  readonly 'lease.extended': { readonly seconds: number }
  readonly 'lease.expired': { readonly message?: string }
  readonly 'config.applied': { readonly digest: string; readonly revision?: number }
  readonly 'config.rejected': { readonly reason: string; readonly revision?: number }
  readonly heartbeat: JsonObject
  readonly note: { readonly text: string }
}

export type EventType = keyof EventData
export type SessionEvent = {
  readonly [Type in EventType]: Envelope<Type, EventData[Type]>
}[EventType]
export type EventOf<Type extends EventType> = Extract<SessionEvent, { readonly type: Type }>

export type EventBody = {
  readonly [Type in EventType]: Pick<EventOf<Type>, 'type' | 'data'>
}[EventType]

export type Tone = 'allow' | 'deny' | 'blocked' | 'warning' | 'caution' | 'info' | 'neutral'

export type EventSign =
  | 'started'
  | 'ended'
  | 'message'
  | 'requested'
  | 'finished'
  | 'allowed'
  | 'denied'
  | 'blocked'
  | 'bypassed'
  | 'failed'
  | 'unguarded'
  | 'waiting'
  | 'answered'
  | 'info'
  | 'caution'
  | 'warning'
  | 'plan'
  | 'usage'
  | 'shadow'
  | 'lease'
  | 'config'

export interface EventLook {
  readonly sign: EventSign
  readonly word: string
  readonly tone: Tone
}

const look = (sign: EventSign, word: string, tone: Tone = 'neutral'): EventLook => ({
  sign,
  word,
  tone,
})

/** A decision that shadow mode did not enforce. */
export type ShadowVerdict = 'would_deny' | 'would_block'

interface EventVerdicts {
  readonly 'session.controlled': SessionControlled['action']
  readonly 'tool.decided': ToolDecision['decision'] | 'would_deny'
  readonly 'content.decided': ContentDecision['verdict']
  readonly 'feedback.delivered': Severity
  readonly 'stop.decided': StopVerdict | 'would_block' | 'incomplete'
}

type LooksOf<Type extends EventType> = Type extends keyof EventVerdicts
  ? { readonly [Verdict in EventVerdicts[Type]]: EventLook }
  : EventLook

const LOOKS: { readonly [Type in EventType]: LooksOf<Type> } = {
  'session.started': look('started', 'Started'),
  'session.ended': look('ended', 'Ended'),
  'prompt.rendered': look('message', 'Prompt rendered'),
  'prompt.executed': look('message', 'Prompt executed'),
  'tool.requested': look('requested', 'requested'),
  'approval.requested': look('waiting', 'Waits for approval', 'caution'),
  'approval.decided': look('answered', 'Approval'),
  'tool.decided': {
    allowed: look('allowed', 'allowed', 'allow'),
    denied: look('denied', 'Denied', 'deny'),
    error: look('failed', 'Error, denied', 'deny'),
    would_deny: look('shadow', 'Would deny', 'caution'),
  },
  'tool.invoked': look('finished', 'finished'),
  'content.decided': {
    passed: look('info', 'Content found', 'caution'),
    masked: look('caution', 'Result masked', 'caution'),
    withheld: look('denied', 'Result withheld', 'deny'),
  },
  'feedback.delivered': {
    info: look('info', 'Info', 'info'),
    caution: look('caution', 'Caution', 'caution'),
    warning: look('warning', 'Warning', 'warning'),
  },
  'feedback.failed': look('failed', 'Feedback failed', 'deny'),
  'plan.updated': look('plan', 'Plan updated'),
  'file.observed': look('info', 'File observed'),
  'usage.recorded': look('usage', 'Usage'),
  'stop.attempted': look('requested', 'Stop attempted'),
  'stop.decided': {
    allowed: look('allowed', 'Stop allowed', 'allow'),
    blocked: look('blocked', 'Stop blocked', 'blocked'),
    bypassed: look('bypassed', 'Bypassed'),
    no_checker: look('finished', 'No checker'),
    error: look('failed', 'Error, blocked', 'deny'),
    would_block: look('shadow', 'Would block', 'caution'),
    incomplete: look('finished', 'Incomplete'),
  },
  'completion.overridden': look('bypassed', 'Overridden'),
  'enforcement.lapsed': look('unguarded', 'Not enforced', 'deny'),
  'session.controlled': {
    pause: look('waiting', 'Paused', 'caution'),
    resume: look('started', 'Resumed'),
    end: look('ended', 'Ended by a person', 'caution'),
  },
  'shadow.started': look('shadow', 'Shadow version'),
  'shadow.differed': look('shadow', 'Would differ', 'caution'),
  'shadow.stopped': look('shadow', 'Shadow stopped'),
  'lease.extended': look('lease', 'Lease extended'),
  'lease.expired': look('lease', 'Lease expired'),
  'config.applied': look('config', 'Config applied'),
  'config.rejected': look('config', 'Config rejected', 'warning'),
  heartbeat: look('info', 'Heartbeat'),
  note: look('message', 'Note'),
}

/** null: this build does not know the type or the verdict. */
export function findEventLook(type: string, verdict: string | null): EventLook | null {
  const looks = own(LOOKS, type)
  if (looks === null || 'word' in looks) return looks
  return own<EventLook>(looks, verdict ?? '')
}

function own<Value>(values: { readonly [name: string]: Value }, name: string): Value | null {
  return Object.hasOwn(values, name) ? (values[name] ?? null) : null
}
