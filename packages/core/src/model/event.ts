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
import { getOwn, type JsonObject, type JsonValue } from './json.ts'

interface Envelope<Type extends string, Data> {
  /** `sess_…`; unique over all projects. */
  readonly session: string
  /** Sequence number in the session, from 1 without gaps. */
  readonly seq: number
  /** Epoch milliseconds on the runtime's clock. */
  readonly at: number
  /** One of the types below. */
  readonly type: Type
  /** Fields of the type. */
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
  /** Input and output together, in tokens. Absent: not limited. */
  readonly max_total_tokens?: number
  /** In tokens. Absent: not limited. */
  readonly max_input_tokens?: number
  /** In tokens. Absent: not limited. */
  readonly max_output_tokens?: number
}

export interface RecordedCapabilities {
  /** True: the agent can read why a call was denied. */
  readonly deny_reason: boolean
  /** Place where feedback reaches the agent: a message of its own, the result of the call, or none. */
  readonly inject: 'message' | 'in_result' | 'none'
  /** How a stop is refused: within the run, by another prompt, or not at all. */
  readonly block_stop: 'in_loop' | 'reprompt' | 'none'
  /** The harness's own limit on consecutive blocked stops; null: none. */
  readonly max_blocks: number | null
  /** Moment at which a structured output is judged: before it is accepted, with the final message, afterwards, or never. */
  readonly structured: 'before_accept' | 'final_message' | 'post_only' | 'none'
  /** Number of structured outputs that the model may offer; null: no limit. */
  readonly structured_attempts: number | null
  /** Signal that separates a failed tool from a successful one. */
  readonly failure: 'event' | 'text' | 'stream' | 'none'
  /** True: the harness gives each call an id, so results of parallel calls cannot be mixed up. */
  readonly call_ids: boolean
  /** Calls of one turn are asked about one after another, or at once. */
  readonly batch: 'serial' | 'parallel'
  /** `closed`: a call is denied when the guard crashes. */
  readonly on_guard_crash: 'closed' | 'open'
  /** `closed`: a call is denied when the guard does not answer in time. */
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
  /** Number of the semantics by which every fold of this log decides. Absent: 1. */
  readonly semantics?: number
  /** First part of the prompt, `ns/key`. */
  readonly ns: string
  /** Second part of the prompt. */
  readonly key: string
  /** Environment of the API key, or of the config that was given. */
  readonly environment: string
  /** Id of the registered runtime. Absent: used without a control plane. */
  readonly runtime?: string
  /** Program that runs the agent. */
  readonly harness: {
    /** Name of the adapter, the framework or the language; `library`: the host's own loop. */
    readonly name: string
    /** Reported by the program. Absent: it reports none. */
    readonly version?: string
  }
  /** Version of the runtime library. Absent: not recorded. */
  readonly sdk?: string
  /** Number of the config version in force. Absent: the version is not published (bootstrap or local). */
  readonly config_version?: number
  /** Absolute path of the workspace, to normalize paths. Absent: tools give relative paths. */
  readonly workspace_root?: string
  /** Epoch milliseconds. Absent: no deadline. */
  readonly deadline_at?: number
  /** Limits of the whole session. Absent: not limited. */
  readonly budget?: BudgetLimits
  /** Set by the host, for lists and staged rollouts. Absent: none. */
  readonly tags?: { readonly [name: string]: string }
  /** Custom rule types for which the runtime has code, sorted. Absent: none. */
  readonly custom_types?: readonly string[]
  /** Abilities of the harness. Absent: the host's own loop, which requests a decision before every call. */
  readonly capabilities?: RecordedCapabilities
}

export interface SessionEnded {
  /** `failed`: the agent or its host reported an error. `aborted`: the run was cut off. */
  readonly reason: 'completed' | 'failed' | 'aborted'
  /** Result of the run. Absent: none was given. */
  readonly output?: JsonValue
  /** Text of the error. Absent: no error. */
  readonly error?: string
}

export interface ToolRequested {
  /** Id of the call in the session; later events of the call repeat it. */
  readonly call_id: string
  /** Tool name as rules use it, unless the config's aliases map it to another name. */
  readonly tool: string
  /** Tool name in the harness. Absent: same as `tool`. */
  readonly native_tool?: string
  /** Arguments after redaction, as the rules see them. */
  readonly args: JsonObject
  /** Sub-agent id. Absent: the main agent. */
  readonly agent?: string
  /** Looked up for this decision. Absent: none were needed. */
  readonly facts?: Facts
}

export interface ApprovalDecided {
  /** The call that waited. */
  readonly call_id: string
  /** `timed_out`: no reviewer answered in time. `unavailable`: no one could be asked. Only `approved` lets the call run. */
  readonly decision: 'approved' | 'denied' | 'timed_out' | 'unavailable'
  /** Name of the approver, from the control plane. Absent: none. */
  readonly by?: string
  /** The reviewer's note, or the reason of a time-out. Absent: none. */
  readonly note?: string
}

export type ToolOutcome = 'success' | 'failure' | 'denied' | 'invalid' | 'unknown'

export interface ToolInvoked {
  /** The call that ended. */
  readonly call_id: string
  /** Name as in `tool.requested`. */
  readonly tool: string
  /** Only `success` satisfies a rule. `denied`: the call did not run. `invalid`: the arguments were refused. `unknown`: the harness does not report it. */
  readonly outcome: ToolOutcome
  /** Milliseconds. Absent: not measured. */
  readonly duration_ms?: number
  /** Result after redaction. Absent: none, or not reported. */
  readonly output?: JsonValue
  /** Text of the error. Absent: the call did not fail, or gave no text. */
  readonly error?: string
  /** Sub-agent id. Absent: the main agent. */
  readonly agent?: string
  /** Looked up after the call. Absent: none were needed. */
  readonly facts?: Facts
}

export interface PlanStep {
  /** The agent's own id of the step. Absent: it has none. */
  readonly id?: string
  /** Text of the step. */
  readonly title: string
  /** Only `done` means finished. Absent: not done. */
  readonly status?: string
}

/** The whole plan; it replaces the previous one. */
export interface PlanUpdated {
  /** All steps, in order; they replace the former plan. */
  readonly steps: readonly PlanStep[]
}

/** Usage of one model evaluation. A later event with the same evaluation id replaces the earlier one. */
export interface UsageRecorded {
  /** A later event with the same id replaces this one. */
  readonly evaluation_id: string
  /** Tokens that the model read. */
  readonly input_tokens: number
  /** Tokens that the model wrote. */
  readonly output_tokens: number
  /** Absent: input + output. */
  readonly total_tokens?: number
}

export type StopVia = 'turn_end' | 'structured_output' | 'subagent_end' | 'final'

export interface StopAttempted {
  /** How the agent wants to stop. `final`: the session ended without asking, and is judged afterwards. */
  readonly via: StopVia
  /** The harness's or the model's own word. Absent: none. */
  readonly stop_reason?: string
  /** Structured output of the run. Absent: none. */
  readonly output?: JsonValue
  /** Last text of the model, after redaction. Absent: not known. */
  readonly last_message?: string
  /** Sub-agent id. Absent: the main agent. */
  readonly agent?: string
  /** The harness's own limit on blocked stops. Absent: none known. */
  readonly harness_max_blocks?: number
  /** Looked up for this decision. Absent: none were needed. */
  readonly facts?: Facts
}

/** A moment at which the harness continued without a decision, or might have. */
export interface EnforcementLapse {
  /** The kind of the gap. */
  readonly code: 'guard_unreachable' | 'guard_timeout' | 'hook_missing' | 'unsupported_version'
  /** Text for people. */
  readonly detail: string
  /** Absent: the lapse is not about one call. */
  readonly call_id?: string
  /** Absent: the lapse is not about one call. */
  readonly tool?: string
}

/** Order of a person about the running session, which the runtime verified (specs/session-control.md). */
export interface SessionControlled {
  /** `pause` denies every call until `resume`. `end` denies every call, and lets the agent stop. */
  readonly action: 'pause' | 'resume' | 'end'
  /** Name of the person or API key that gave the order, from the control plane. */
  readonly by: string
  /** One line that the agent reads. */
  readonly reason: string
  /** Number of the order in its session; grows with each order. */
  readonly counter: number
}

export interface ShadowStarted {
  /** Number of the shadow version. */
  readonly version: number
  /** Digest of the shadow version, `sha256:…`. */
  readonly digest: string
}

/** A decision of the shadow version that the agent would have noticed as different. */
export interface ShadowDiffered extends ShadowStarted {
  /** Sequence number of the event that was decided on. */
  readonly of: number
  /** The kind of decision that differs. */
  readonly subject: 'call' | 'feedback' | 'stop'
  /** Absent: the difference is not about one call. */
  readonly call_id?: string
  /** Absent: the difference is not about one call. */
  readonly tool?: string
  /** Id of the rule, provider or checker that causes the difference. Absent: no single one does. */
  readonly rule?: string
  /** Answer of the version in force. */
  readonly live: ShadowAnswer
  /** Answer of the shadow version. */
  readonly shadow: ShadowAnswer
  /** Message that the shadow version would have sent to the agent. Absent: none. */
  readonly text?: string
  /** `approximate`: the agent would have acted differently since an earlier difference. */
  readonly fidelity: 'exact' | 'approximate'
  /** True: the difference depends on facts that only the shadow version looked up, possibly at a later time. Absent: false. */
  readonly own_facts?: boolean
}

export type ShadowAnswer = 'allowed' | 'refused' | 'waits' | 'silent' | 'said' | 'failed'

export type FeedbackDelivered = FeedbackDelivery & {
  /** How the advice reached the agent. */
  readonly delivery: 'message' | 'in_result' | 'none'
}

/** Data of every event type. A type without its look below, its lines in analysis/event-kinds.ts or its schema does not compile. */
export interface EventData {
  /**
   * Sent first, once: the session began.
   * @example {"semantics":2,"ns":"team","key":"coder","environment":"dev","harness":{"name":"claude-code","version":"2.1.329"},"config_version":7,"workspace_root":"/srv/shop","deadline_at":1795780800000,"budget":{"max_total_tokens":200000}}
   */
  readonly 'session.started': SessionStarted
  /**
   * Sent last, once: the session ended. A session that is never ended is shown as lost.
   * @example {"reason":"completed","output":"The release notes are written."}
   */
  readonly 'session.ended': SessionEnded
  /**
   * Sent when the text of a prompt is made: its rules apply from now on.
   * @example {"prompt":"team/coder"}
   */
  readonly 'prompt.rendered': {
    /** `ns/key`. */
    readonly prompt: string
  }
  /**
   * Sent when the text was given to a model.
   * @example {"prompt":"team/coder"}
   */
  readonly 'prompt.executed': {
    /** `ns/key`. */
    readonly prompt: string
  }
  /**
   * Sent when the agent wants to call a tool, before anything runs.
   * @example {"call_id":"c1","tool":"write_file","native_tool":"Write","args":{"file_path":"notes.md","content":"# Notes"},"facts":{"files":{"notes.md":{"exists":true,"kind":"file"}}}}
   */
  readonly 'tool.requested': ToolRequested
  /**
   * Sent when the call waits for a reviewer. `approval.decided` and `tool.decided` follow.
   * @example {"call_id":"c1","tool":"deploy","rules":["ask-first"],"expires_at":1795780800000}
   */
  readonly 'approval.requested': ApprovalRequest
  /**
   * Sent when a reviewer answered, or the wait ended without an answer.
   * @example {"call_id":"c1","decision":"approved","by":"Ana","note":"The tests passed."}
   */
  readonly 'approval.decided': ApprovalDecided
  /**
   * Sent when the call was judged, before it runs or is refused.
   * @example {"call_id":"c1","tool":"deploy","decision":"denied","reason":"Tool 'deploy' requires: build","rules":[{"rule":"order","pointer":"/policies/0","type":"sequential_dependency","mode":"enforce","result":"deny","code":"sequential.missing","params":{"tool":"deploy","missing":["build"]},"because":[],"reason_class":"prerequisite_missing","reason":"Tool 'deploy' requires: build"}]}
   */
  readonly 'tool.decided': ToolDecision
  /**
   * Sent when the call ended, or when a denied call was answered.
   * @example {"call_id":"c2","tool":"build","outcome":"success","duration_ms":1840,"output":"12 files"}
   */
  readonly 'tool.invoked': ToolInvoked
  /**
   * Sent after `tool.invoked` when content rules found something in the result.
   * @example {"call_id":"c2","tool":"read_file","verdict":"withheld","text":"The result contains a secret.","rules":[]}
   */
  readonly 'content.decided': ContentDecision
  /**
   * Sent after a call whose end made a feedback provider speak.
   * @example {"provider":"tests","type":"static","name":"Run the tests","pointer":"/feedback_providers/0","mode":"enforce","conditions":["every_n_calls"],"severity":"caution","summary":"Run the tests now.","observations":[],"suggestions":["Run npm test."],"call_index":10,"prompt":"team/coder","call_id":"c10","delivery":"in_result"}
   */
  readonly 'feedback.delivered': FeedbackDelivered
  /**
   * Sent when a feedback provider failed. The call is not affected.
   * @example {"provider":"tests","error":"The code of the provider took too long."}
   */
  readonly 'feedback.failed': FeedbackFailure
  /**
   * Sent when the agent changed its plan.
   * @example {"steps":[{"title":"Write the notes","status":"done"},{"title":"Publish"}]}
   */
  readonly 'plan.updated': PlanUpdated
  /**
   * Sent when a file of the workspace was looked at outside a call.
   * @example {"path":"notes.md","facts":{"files":{"notes.md":{"exists":false}}}}
   */
  readonly 'file.observed': {
    /** Relative to the workspace. */
    readonly path: string
    /** Absent: nothing is known about the file. */
    readonly facts?: Facts
  }
  /**
   * Sent after a model evaluation, or again with newer numbers.
   * @example {"evaluation_id":"turn-1","input_tokens":900,"output_tokens":80}
   */
  readonly 'usage.recorded': UsageRecorded
  /**
   * Sent when the agent wants to stop.
   * @example {"via":"turn_end","last_message":"Done."}
   */
  readonly 'stop.attempted': StopAttempted
  /**
   * Sent when the stop was judged.
   * @example {"attempt":1,"verdict":"blocked","prior_blocks":0,"code":"files.missing","params":{"files":["CHANGELOG.md"]},"message":"Missing required files: CHANGELOG.md","check":{"checker":"changelog","pointer":"/task_completion_checker","type":"files_exist","status":"incomplete","code":"files.missing","params":{"files":["CHANGELOG.md"]},"feedback":"Missing required files: CHANGELOG.md","because":[]}}
   */
  readonly 'stop.decided': StopDecision
  /**
   * Sent when the run ended although its task is not known to be complete.
   * @example {"cause":"The harness ended the run after 8 blocked stops.","attempt":9}
   */
  readonly 'completion.overridden': {
    /** Text for people. */
    readonly cause: string
    /** Number of the stop attempt. Absent: the run ended without one. */
    readonly attempt?: number
  }
  /**
   * Sent when the harness continued without a decision, or might have.
   * @example {"code":"guard_timeout","detail":"The hook took longer than 600 s.","call_id":"c3","tool":"shell"}
   */
  readonly 'enforcement.lapsed': EnforcementLapse
  /**
   * Sent when the runtime carries out an order of a user about this session.
   * @example {"action":"pause","by":"Ana","reason":"It loops.","counter":1}
   */
  readonly 'session.controlled': SessionControlled
  /**
   * Sent when another version begins to be evaluated beside the one in force.
   * @example {"version":8,"digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000"}
   */
  readonly 'shadow.started': ShadowStarted
  /**
   * Sent when the shadow version would have answered differently.
   * @example {"version":8,"digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000","of":12,"subject":"call","call_id":"c4","tool":"deploy","rule":"order","live":"allowed","shadow":"refused","text":"Tool 'deploy' requires: test","fidelity":"exact"}
   */
  readonly 'shadow.differed': ShadowDiffered
  /**
   * Sent when the shadow version is no longer evaluated.
   * @example {"version":8,"digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000","reason":"The shadow was removed."}
   */
  readonly 'shadow.stopped': ShadowStarted & {
    /** Text for people. */
    readonly reason: string
  }
  /**
   * Sent when a worker keeps its message for longer.
   * @example {"seconds":60}
   */
  readonly 'lease.extended': {
    /** Seconds from now. */
    readonly seconds: number
  }
  /**
   * Sent when a worker lost its message.
   * @example {"message":"The message was given to another worker."}
   */
  readonly 'lease.expired': {
    /** Text for people. Absent: none. */
    readonly message?: string
  }
  /**
   * Sent when a version comes into force in this session.
   * @example {"digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000","revision":41}
   */
  readonly 'config.applied': {
    /** Digest of the version, `sha256:…`. */
    readonly digest: string
    /** Revision of the environment. Absent: the version is not published. */
    readonly revision?: number
  }
  /**
   * Sent when a newer version was refused. The earlier one stays in force.
   * @example {"reason":"The signature is not by a trusted key.","revision":42}
   */
  readonly 'config.rejected': {
    /** Text for people. */
    readonly reason: string
    /** Revision of the environment. Absent: not known. */
    readonly revision?: number
  }
  /**
   * Sent by hosts that want a sign of life in the log. Its fields are their own.
   * @example {}
   */
  readonly heartbeat: JsonObject
  /**
   * Sent when the agent or its host leaves a remark.
   * @example {"text":"The build server was restarted."}
   */
  readonly note: {
    /** The remark. */
    readonly text: string
  }
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
  'tool.requested': look('requested', 'Requested'),
  'approval.requested': look('waiting', 'Waiting for approval', 'caution'),
  'approval.decided': look('answered', 'Approval'),
  'tool.decided': {
    allowed: look('allowed', 'Allowed', 'allow'),
    denied: look('denied', 'Denied', 'deny'),
    error: look('failed', 'Error, denied', 'deny'),
    would_deny: look('shadow', 'Would deny', 'caution'),
  },
  'tool.invoked': look('finished', 'Finished'),
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
  'completion.overridden': look('bypassed', 'Ended incomplete'),
  'enforcement.lapsed': look('unguarded', 'Not enforced', 'deny'),
  'session.controlled': {
    pause: look('waiting', 'Paused', 'caution'),
    resume: look('started', 'Resumed'),
    end: look('ended', 'Ended by a user', 'caution'),
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
  const looks = getOwn(LOOKS, type)
  if (looks === undefined) return null
  return 'word' in looks ? looks : (getOwn<EventLook>(looks, verdict ?? '') ?? null)
}
