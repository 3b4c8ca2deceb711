import type { ConfigDocument, ExpressionRules } from '@signalbox/core'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import type { StartupPolicy } from '../control-plane/config-source.ts'
import type { ApprovalSource } from '../facts/approvals.ts'
import type { CustomRules } from '../facts/custom-rules.ts'
import type { JudgeOptions } from '../facts/judge.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'

interface CommonOptions {
  /** Epoch milliseconds. Absent: the system clock. */
  readonly now?: () => number
  readonly onDiagnostic?: OnDiagnostic
  /** Code for rule types that core does not know. A config with a type without code is refused. */
  readonly custom?: CustomRules
  /**
   * Evaluates `expression` rules: `celExpressions()` of `@signalbox/core/expression`. Absent: loaded when the control plane sends a config
   * with such rules; a config given in code, or of a resumed session, is refused if it has such rules.
   */
  readonly expressions?: ExpressionRules
  /** Time limit for a file look-up or custom code before the rule counts as unanswered. Absent: 5,000 milliseconds. */
  readonly answerTimeoutMs?: number
  /** Model for `llm_judge` checkers. Absent: a checker that requires a model is never satisfied. */
  readonly judge?: JudgeOptions
  /** Absent: the control plane's queue; without a control plane, calls that need approval are denied. */
  readonly approvals?: ApprovalSource
  /** Tracing system that observes sessions, e.g. `openTelemetry()` of `@signalbox/runtime/telemetry`. Absent: none. */
  readonly telemetry?: Telemetry
}

export interface OnlineOptions extends CommonOptions {
  /** Address of the control plane, e.g. http://127.0.0.1:3000. */
  readonly url: string
  /** API key of one environment of one project. */
  readonly apiKey: string
  /** `ns/key` */
  readonly prompt: string
  /** Name in the console. Absent: host name and process id. */
  readonly name?: string
  readonly harness?: { readonly name: string; readonly version?: string }
  /** Ed25519, base64url; its proven successors are trusted, too. Absent: SIGNALBOX_PUBLIC_KEY; without it the first key seen is trusted and stored. */
  readonly publicKey?: string
  /** Folder for the spool and the last good bundle. Absent: a folder in the user's state directory. */
  readonly dataDir?: string
  /** Behavior until the server answers. Absent: last_known_good. Without any config every call is denied. */
  readonly startupPolicy?: StartupPolicy
  readonly bootstrap?: ConfigDocument
  /** Most bytes of events that may wait on disk; beyond them, calls are denied. Absent: 256 MiB. */
  readonly maxSpoolBytes?: number
  readonly fetch?: typeof globalThis.fetch
}

export interface OfflineOptions extends CommonOptions {
  readonly config: ConfigDocument
  readonly harness?: { readonly name: string; readonly version?: string }
  /** Called with each event as JSON text before its decision is returned. Throwing denies the call. */
  readonly onEvent?: (line: string) => void
}

export type GuardrailsOptions = OnlineOptions | OfflineOptions
