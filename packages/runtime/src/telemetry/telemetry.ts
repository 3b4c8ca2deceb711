// A tracing system only observes recorded events: nothing that it does changes a decision or loses an event (specs/telemetry.md).
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import { normalTraceparent } from './traceparent.ts'

export interface TelemetryConfig {
  readonly digest: string
  /** Revision of the environment. null: not from a control plane. */
  readonly revision: number | null
  /** Number of the prompt's version. null: not published. */
  readonly version: number | null
}

export interface TelemetryStart {
  readonly session: string
  /** `ns/key` */
  readonly prompt: string
  readonly environment: string
  /** null: none is in force. */
  readonly config: TelemetryConfig | null
  /** Traceparent given to the session. null: none. */
  readonly trace: string | null
  /** Traceparent given to the process, used if no nearer one is known. null: none. */
  readonly processTrace: string | null
  /** Epoch ms. */
  readonly at: number
}

export interface SessionTelemetry {
  /** Traceparent of its own span, stored in every event of the session. null: it has none, so the given one is stored. */
  readonly trace: string | null
  /** Called with the JSON text of each event after it was written. null: this session is not observed. */
  readonly onEvent: ((line: string) => void) | null
}

/** A tracing system. Its errors are reported as `telemetry_failed` and change nothing. */
export interface Telemetry {
  open(start: TelemetryStart): SessionTelemetry
}

/** Traceparent from the environment of this process; null: absent or not valid. */
export function processTrace(): string | null {
  // biome-ignore lint/style/noProcessEnv: by convention, a process receives its trace context in its environment.
  return normalTraceparent(process.env['TRACEPARENT'])
}

/** Opens the telemetry of a session. Never throws, and neither does the returned `onEvent`. */
export function sessionTelemetry(
  telemetry: Telemetry | undefined,
  start: TelemetryStart,
  report: OnDiagnostic,
): SessionTelemetry {
  const given = start.trace ?? start.processTrace
  if (telemetry === undefined) return { trace: given, onEvent: null }
  const failed = (error: unknown) =>
    report({ level: 'warning', code: 'telemetry_failed', message: describeError(error) })
  try {
    const { trace, onEvent } = telemetry.open(start)
    // An invalid traceparent would make every event invalid, and so deny every call.
    const own = normalTraceparent(trace ?? undefined)
    return { trace: own ?? given, onEvent: onEvent === null ? null : guarded(onEvent, failed) }
  } catch (error) {
    failed(error)
    return { trace: given, onEvent: null }
  }
}

function guarded(
  onEvent: (line: string) => void,
  failed: (error: unknown) => void,
): (line: string) => void {
  return (line) => {
    try {
      onEvent(line)
    } catch (error) {
      failed(error)
    }
  }
}
