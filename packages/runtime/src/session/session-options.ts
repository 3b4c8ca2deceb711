// Options of openSession, from a host or the adapter of a harness.
import type { BudgetLimits, ConfigDocument } from '@signalbox/core'
import type { FileLookup } from '../facts/file-lookup.ts'
import type { HarnessCapabilities } from './harness-capabilities.ts'
import type { RecordedSession } from './recorded-session.ts'
import type { Pulse } from './session.ts'
import type { FeedbackChannel } from './session-answers.ts'

export interface SessionOptions {
  /** Folder that file rules are about. Absent: existence of files is unknown, so file rules deny. */
  readonly workspaceRoot?: string
  /** Instead of a folder on disk. */
  readonly files?: FileLookup
  /** Epoch milliseconds. */
  readonly deadlineAt?: number
  readonly budget?: BudgetLimits
  readonly tags?: { readonly [name: string]: string }
  /** Channel by which feedback reaches the agent; set by adapters. Absent: in_result. */
  readonly channel?: FeedbackChannel
  /** Feedback without markup, for harnesses that escape it; set by adapters. Absent: in tags. */
  readonly plainFeedback?: boolean
  /** The harness of this session, when one process serves several. Absent: that of the guardrails. */
  readonly harness?: { readonly name: string; readonly version?: string }
  /** Capabilities of the harness; recorded. Absent: a custom loop that submits every call and stop. */
  readonly capabilities?: HarnessCapabilities
  /** W3C traceparent under which the session stands; recorded. Absent or not valid: TRACEPARENT of the environment. */
  readonly trace?: string
  /** Called before and after every tool call; a `Heartbeat` extends the lease of the message that the session works on. */
  readonly heartbeat?: Pulse
  /** Is shown each event of this session after it was written. What it throws is reported and changes nothing. */
  readonly onEvent?: (line: string) => void
  /** Stores the session, so that it can be resumed when this process is killed. Absent: it ends with the process. */
  readonly journal?: SessionJournal
  /**
   * Resumes a session that a killed process recorded, under the config that was in force in it. The other options apply from now on; the
   * workspace, if absent, is the recorded one. openSession throws GuardrailError `resume_invalid`, naming the line, when the log is
   * incomplete, of another prompt or has ended. Absent: a new session.
   */
  readonly resume?: RecordedSession
}

/** Storage of a session. An error that it throws denies the call, like a full disk. */
export interface SessionJournal {
  /** Called before the first line of a session: the config that it begins with; null: none was in force. */
  begin(config: ConfigDocument | null): void
  /**
   * Called before the line of `config.applied` with which the session takes a stricter version over while it runs; that line may fail
   * to follow. What it throws leaves the session under its version. Kept in order, as `RecordedSession.taken`.
   */
  take(config: ConfigDocument): void
  /**
   * Called with every event before it is recorded elsewhere. An event that cannot be recorded is followed by another with the same `seq`.
   */
  append(line: string): void
}
