// Nothing is emitted, and no event is parsed, until the host registers an SDK (specs/telemetry.md).
import {
  type Context,
  context,
  isSpanContextValid,
  type SpanContext,
  trace,
} from '@opentelemetry/api'
import type { SessionEvent } from '@signalbox/core'
import { SDK_VERSION } from '../base/version.ts'
import { SCHEMA_URL } from './mapping.ts'
import { SessionSpans } from './session-spans.ts'
import type { Telemetry, TelemetryStart } from './telemetry.ts'
import { formatTraceparent, parseTraceparent } from './traceparent.ts'

export interface OpenTelemetryOptions {
  /** Adds arguments, results, errors and the texts that block a stop, as recorded. Absent: false; telemetry has no text of an agent or a tool. */
  readonly content?: boolean
}

/** Value for `telemetry` of createGuardrails. Uses the tracer that is registered when a session opens. */
export function openTelemetry({ content = false }: OpenTelemetryOptions = {}): Telemetry {
  return {
    open(start) {
      const tracer = trace
        .getTracerProvider()
        .getTracer('@signalbox/runtime', SDK_VERSION, { schemaUrl: SCHEMA_URL })
      const spans = new SessionSpans({
        tracer,
        parent: resolveParentContext(start),
        start,
        content,
      })
      const own = spans.span.spanContext()
      return {
        trace: isSpanContextValid(own) ? toTraceparent(own) : null,
        onEvent: spans.span.isRecording() ? (line) => show(spans, line) : null,
      }
    },
  }
}

/** Parent given to the session, else the span that is active when it opens, else the parent given to the process. */
function resolveParentContext({ trace: given, processTrace }: TelemetryStart): Context {
  const active = context.active()
  if (given === null && trace.getSpanContext(active) !== undefined) return active
  const parent = parseTraceparent(given ?? processTrace ?? undefined)
  if (parent === null) return active
  const { traceId, spanId, flags } = parent
  return trace.setSpanContext(active, { traceId, spanId, traceFlags: flags, isRemote: true })
}

function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return formatTraceparent({ traceId, spanId, flags: traceFlags })
}

function show(spans: SessionSpans, line: string): void {
  // The recorder wrote the line, and writes only lines that parse as events.
  const event: SessionEvent = JSON.parse(line)
  spans.see(event)
}
