// The port to tracing systems (specs/telemetry.md). What is behind it only looks on: it is shown what was recorded, as text, and
// nothing that it does changes a decision or loses an event.
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import { normalTraceparent } from './traceparent.ts'

/** The config that a session holds to. */
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
  /** Traceparent that the session was given. null: none. */
  readonly trace: string | null
  /** Traceparent that the process was given, for when nothing nearer is known. null: none. */
  readonly processTrace: string | null
  /** Epoch ms. */
  readonly at: number
}

export interface SessionTelemetry {
  /** Traceparent of its own span, stored in every event of the session. null: it has none, so the given one is stored. */
  readonly trace: string | null
  /** Is shown each event after it was written, as its JSON text. null: nothing of this session is to be shown. */
  readonly onEvent: ((line: string) => void) | null
}

/** A tracing system. What it throws is reported as `telemetry_failed` and changes nothing. */
export interface Telemetry {
  open(start: TelemetryStart): SessionTelemetry
}

/** Traceparent from the environment of this process; null: none that is valid. */
export function processTrace(): string | null {
  // biome-ignore lint/style/noProcessEnv: trace context is handed to a process in its environment, by convention.
  return normalTraceparent(process.env['TRACEPARENT'])
}

/** Opens what looks on at a session; never throws, and neither does what it gives. */
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
    // A text that is not a traceparent would make every event invalid, and so every call denied.
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
