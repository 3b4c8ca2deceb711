// Options of createGuardrails.
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
  /** Code for rule types that core does not know. A config with a type that is missing here is refused. */
  readonly custom?: CustomRules
  /**
   * Evaluates `expression` rules: `celExpressions()` of `@signalbox/core/expression`. Absent: loaded when the control plane sends a config
   * with such rules; a config given here, or with a resumed session, is refused if it has some.
   */
  readonly expressions?: ExpressionRules
  /** Time limit for a file lookup or custom code before the rule counts as unanswered. Absent: 5,000 milliseconds. */
  readonly answerTimeoutMs?: number
  /** The model that `llm_judge` asks. Absent: a judge that requires one is never satisfied. */
  readonly judge?: JudgeOptions
  /**
   * Approval source of `approval` rules. Absent: the control plane's queue; without one no approval is possible, so those calls are denied.
   */
  readonly approvals?: ApprovalSource
  /** A tracing system that looks on, e.g. `openTelemetry()` of `@signalbox/runtime/telemetry`. Absent: none does. */
  readonly telemetry?: Telemetry
}

/** With a control plane: the config comes from it and events go to it. */
export interface OnlineOptions extends CommonOptions {
  /** Address of the control plane, e.g. http://127.0.0.1:3000. */
  readonly url: string
  /** Belongs to one environment of one project. */
  readonly apiKey: string
  /** `ns/key` */
  readonly prompt: string
  /** Shown in the console. Absent: host name and process id. */
  readonly name?: string
  readonly harness?: { readonly name: string; readonly version?: string }
  /**
   * Ed25519 key that signs the configs, base64url; it and the keys that follow it by records are believed. Absent: SIGNALBOX_PUBLIC_KEY
   * of the environment; without it the first key seen is believed and remembered.
   */
  readonly publicKey?: string
  /** Folder for the spool and the last good bundle. Absent: a folder in the user's state directory. */
  readonly dataDir?: string
  /** Startup policy until the server answers. Absent: last_known_good. Without any config every call is denied. */
  readonly startupPolicy?: StartupPolicy
  /** The config for startup policy `bootstrap`. */
  readonly bootstrap?: ConfigDocument
  /** Bytes of events that may wait on disk. Absent: 256 MiB. Beyond them calls are denied. */
  readonly maxSpoolBytes?: number
  readonly fetch?: typeof globalThis.fetch
}

/** Without a control plane: the config is given, and events go to `onEvent` or nowhere. */
export interface OfflineOptions extends CommonOptions {
  readonly config: ConfigDocument
  readonly harness?: { readonly name: string; readonly version?: string }
  /** Gets each event as its JSON text, before the decision is returned; throwing denies the call. */
  readonly onEvent?: (line: string) => void
}

export type GuardrailsOptions = OnlineOptions | OfflineOptions
