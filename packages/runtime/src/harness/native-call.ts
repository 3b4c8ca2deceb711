import type { ToolOutcome } from '@signalbox/core'

export interface NativeCall {
  readonly tool: string
  readonly input: unknown
  /** The tool gets its input in another form, so masked input cannot be given to it. */
  readonly isReshaped?: boolean
  /** Absent: the harness gives none; results are paired by tool and input, first in first out. */
  readonly callId?: string
  /** Id of the sub-agent that makes the call. Absent: the main agent. */
  readonly agent?: string
}

export interface NativeResult extends NativeCall {
  /** Unknown satisfies no rule. `denied`: allowed by the guardrails, but refused before it ran by something else, such as the harness's permissions. */
  readonly outcome: ToolOutcome
  readonly output?: unknown
  readonly error?: string
  readonly durationMs?: number
}

export interface NativeStop {
  readonly via: 'turn_end' | 'structured_output' | 'subagent_end'
  readonly output?: unknown
  readonly lastMessage?: string
  readonly stopReason?: string
  readonly agent?: string
}
