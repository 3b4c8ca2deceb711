import type {
  JsonObject,
  JsonValue,
  SessionEnded,
  StopDecision,
  StopVia,
  ToolDecision,
  ToolOutcome,
} from '@signalbox/core'

export interface ToolCall {
  readonly tool: string
  /** Arguments as the agent gave them, an object. Redacted before they are recorded. */
  readonly args: unknown
  /** Absent: the harness gives none; results are paired by tool and arguments. */
  readonly callId?: string
  /** Id of the sub-agent that makes the call. Absent: the main agent. */
  readonly agent?: string
  /** The harness's own name of the tool, for display. Absent: `tool`. */
  readonly nativeTool?: string
}

export interface ToolCallResult extends ToolCall {
  /** `denied`: allowed by the guardrails, but refused before it ran by something else. */
  readonly outcome: ToolOutcome
  readonly output?: unknown
  readonly error?: string
  readonly durationMs?: number
}

interface JudgedCall {
  readonly callId: string
  readonly decision: ToolDecision
}

export interface AllowedCall extends JudgedCall {
  readonly allowed: true
  /** Arguments with which the tool must run instead of the given ones, because a content rule masked them. Absent: the given ones. */
  readonly args?: JsonObject
  readonly reason: null
  readonly feedback: null
}

export interface DeniedCall extends JudgedCall {
  readonly allowed: false
  readonly reason: string
  /** Feedback with the denial; null: none. */
  readonly feedback: string | null
}

export type CallVerdict = AllowedCall | DeniedCall

/** Parts that the model must read instead of the tool's own; it has each part that the result has. */
export type Replacement = {
  readonly output?: JsonValue
  readonly error?: string
}

export interface FinishedCall {
  /** Feedback for the agent; null: none. */
  readonly feedback: string | null
  /** null: the model may read the result as it is. */
  readonly replaced: Replacement | null
}

export interface StopAttempt {
  readonly via: StopVia
  readonly output?: unknown
  readonly lastMessage?: string
  readonly stopReason?: string
  /** Id of the sub-agent that wants to stop. Absent: the main agent. */
  readonly agent?: string
  /** The harness's own cap on blocked stops. Absent: none is known. */
  readonly harnessMaxBlocks?: number
}

export interface AllowedStop {
  readonly allowed: true
  /** null: no message for the agent. */
  readonly message: string | null
  readonly decision: StopDecision
}

export interface BlockedStop {
  readonly allowed: false
  readonly message: string
  readonly decision: StopDecision
}

export type StopAnswer = AllowedStop | BlockedStop

export type FeedbackChannel = 'message' | 'in_result' | 'none'

export type ConfigOrigin =
  | {
      readonly kind: 'applied'
      readonly digest: string
      readonly revision: number | null
      readonly note: string | null
    }
  | { readonly kind: 'none'; readonly reason: string }

export interface SessionEnd {
  readonly reason: SessionEnded['reason']
  /** Result of the run for the host; redacted before it is recorded. Absent: none. */
  readonly output?: unknown
  readonly error?: string
}

/** Verification at the end of a session; null: no checker is declared, or the run did not complete. */
export type FinalVerification = StopAnswer | null
