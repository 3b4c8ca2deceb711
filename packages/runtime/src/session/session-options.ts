import type { BudgetLimits, ConfigDocument } from '@signalbox/core'
import type { FileLookup } from '../facts/file-lookup.ts'
import type { HarnessCapabilities } from './harness-capabilities.ts'
import type { RecordedSession } from './recorded-session.ts'
import type { Pulse } from './session.ts'
import type { FeedbackChannel } from './session-answers.ts'

export interface SessionOptions {
  /** Workspace folder for file rules. Absent: existence of files is unknown, so file rules deny. */
  readonly workspaceRoot?: string
  readonly files?: FileLookup
  /** Epoch milliseconds. */
  readonly deadlineAt?: number
  readonly budget?: BudgetLimits
  readonly tags?: { readonly [name: string]: string }
  /** Channel by which feedback reaches the agent; adapters set it. Absent: in_result. */
  readonly channel?: FeedbackChannel
  /** Feedback without markup, for harnesses that escape it; adapters set it. Absent: with tags. */
  readonly plainFeedback?: boolean
  /** Harness of this session, if one process serves several. Absent: that of the guardrails. */
  readonly harness?: { readonly name: string; readonly version?: string }
  /** Capabilities of the harness; recorded. Absent: a custom loop that submits every call and stop. */
  readonly capabilities?: HarnessCapabilities
  /** W3C traceparent of the session's parent; recorded. Absent or not valid: TRACEPARENT of the environment. */
  readonly trace?: string
  /** Called before and after every tool call. A `Heartbeat` extends the lease of the message that the session works on. */
  readonly heartbeat?: Pulse
  /** Called with each event of this session after it was written. Its errors are reported and change nothing. */
  readonly onEvent?: (line: string) => void
  /** Stores the session, so that it can resume after this process is killed. Absent: it ends with the process. */
  readonly journal?: SessionJournal
  /**
   * Continues a session that a killed process recorded, under its config. An absent workspace is the recorded one. openSession throws
   * GuardrailError `resume_invalid`, which names the line, if the log is incomplete, of another prompt or has ended. Absent: a new session.
   */
  readonly resume?: RecordedSession
  /** Id that `newDemoSessionId` made: no figure of the console counts the session. openSession throws GuardrailError `bad_options` for another id. */
  readonly demo?: string
}

/** Storage of a session. An error that it throws denies the call, as a full disk does. */
export interface SessionJournal {
  /** Called before the first line of a session, with the config that it begins with; null: none was in force. */
  begin(config: ConfigDocument | null): void
  /**
   * Called before the line of `config.applied` with which the session moves to a stricter version; that line may fail to follow. If it
   * throws, the session keeps its version. Must be stored in order, as `RecordedSession.taken`.
   */
  take(config: ConfigDocument): void
  /** Called with every event before it is recorded elsewhere. If an event cannot be recorded, another one with the same `seq` follows. */
  append(line: string): void
}
