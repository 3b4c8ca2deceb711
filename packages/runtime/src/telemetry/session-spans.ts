// Built only from recorded events, so that a trace agrees with the log.
import { type Context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import type { EventOf, SessionEvent, UsageRecorded } from '@signalbox/core'
import {
  agentSpan,
  appliedEvent,
  decisionEvents,
  errorAttribute,
  evaluationEvent,
  feedbackEvent,
  mapCallError,
  mapResult,
  mapSessionError,
  mapUsage,
  type Named,
  rejectedEvent,
  toArgumentAttributes,
  toolSpan,
} from './mapping.ts'
import type { TelemetryStart } from './telemetry.ts'

export interface SpanParts {
  readonly tracer: Tracer
  readonly parent: Context
  readonly start: TelemetryStart
  readonly content: boolean
}

/** The API reads a number below the process's age as monotonic time; a Date is always absolute. */
function instant(at: number): Date {
  return new Date(at)
}

export class SessionSpans {
  readonly span: Span
  readonly #parts: SpanParts
  readonly #inside: Context
  /** Unfinished calls by id. A second call with the id of an unfinished one is denied, and so finishes first. */
  readonly #calls = new Map<string, Span[]>()
  readonly #usage = new Map<string, UsageRecorded>()
  #tokens = { input: 0, output: 0 }
  #stopping: string | undefined
  #overridden = false
  #ended = false

  constructor(parts: SpanParts) {
    this.#parts = parts
    const { name, attributes } = agentSpan(parts.start)
    const startTime = instant(parts.start.at)
    this.span = parts.tracer.startSpan(name, { attributes, startTime }, parts.parent)
    this.#inside = trace.setSpan(parts.parent, this.span)
  }

  see(event: SessionEvent): void {
    if (!this.#ended) this.#see(event)
  }

  #see(event: SessionEvent): void {
    const { start } = this.#parts
    switch (event.type) {
      case 'config.applied':
        this.#tell(event, appliedEvent(start, event.data))
        break
      case 'config.rejected':
        this.#tell(event, rejectedEvent(start))
        break
      case 'tool.requested':
        this.#begin(event)
        break
      case 'tool.decided':
        this.#decide(event)
        break
      case 'tool.invoked':
        this.#finish(event)
        break
      case 'feedback.delivered':
        this.#tell(event, feedbackEvent(start, event.data))
        break
      case 'stop.attempted':
        this.#stopping = event.data.agent
        break
      case 'stop.decided':
        this.#judge(event)
        break
      case 'completion.overridden':
        this.#overridden = true
        break
      case 'usage.recorded':
        this.#use(event.data)
        break
      case 'session.ended':
        this.#end(event)
        break
      default:
        // Other events are not part of the conventions.
        break
    }
  }

  #tell({ at }: SessionEvent, named: Named | null): void {
    if (named !== null) this.span.addEvent(named.name, named.attributes, instant(at))
  }

  #begin({ at, data }: EventOf<'tool.requested'>): void {
    const span = this.#callSpan(data, at)
    if (this.#parts.content) span.setAttributes(toArgumentAttributes(data.args))
    const others = this.#calls.get(data.call_id) ?? []
    this.#calls.set(data.call_id, [...others, span])
  }

  #callSpan(call: Parameters<typeof toolSpan>[1], at: number): Span {
    const { tracer, start } = this.#parts
    const { name, attributes } = toolSpan(start, call)
    return tracer.startSpan(name, { attributes, startTime: instant(at) }, this.#inside)
  }

  #decide({ at, data }: EventOf<'tool.decided'>): void {
    const span = this.#calls.get(data.call_id)?.at(-1) ?? this.span
    for (const { name, attributes } of decisionEvents(this.#parts.start, data)) {
      span.addEvent(name, attributes, instant(at))
    }
  }

  /** A result without a request gets a span, too, because something ran. */
  #finish({ at, data }: EventOf<'tool.invoked'>): void {
    const span = this.#taken(data.call_id) ?? this.#callSpan(data, at - (data.duration_ms ?? 0))
    if (this.#parts.content && data.output !== undefined) span.setAttributes(mapResult(data.output))
    fail(span, mapCallError(data.outcome), this.#parts.content ? data.error : undefined)
    span.end(instant(at))
  }

  #taken(callId: string): Span | undefined {
    const spans = this.#calls.get(callId) ?? []
    const span = spans.at(-1)
    if (spans.length > 1) this.#calls.set(callId, spans.slice(0, -1))
    else this.#calls.delete(callId)
    return span
  }

  #judge(event: EventOf<'stop.decided'>): void {
    const { start, content } = this.#parts
    const stop = { decision: event.data, agent: this.#stopping, content }
    this.#tell(event, evaluationEvent(start, stop))
  }

  #use(usage: UsageRecorded): void {
    const former = this.#usage.get(usage.evaluation_id)
    this.#usage.set(usage.evaluation_id, usage)
    const { input, output } = this.#tokens
    this.#tokens = {
      input: input + usage.input_tokens - (former?.input_tokens ?? 0),
      output: output + usage.output_tokens - (former?.output_tokens ?? 0),
    }
    this.span.setAttributes(mapUsage(this.#tokens))
  }

  #end({ at, data }: EventOf<'session.ended'>): void {
    this.#ended = true
    for (const span of [...this.#calls.values()].flat()) span.end(instant(at))
    this.#calls.clear()
    const { content } = this.#parts
    fail(
      this.span,
      mapSessionError(data.reason, this.#overridden),
      content ? data.error : undefined,
    )
    this.span.end(instant(at))
  }
}

function fail(span: Span, type: string | null, message: string | undefined): void {
  if (type === null) return
  span.setAttributes(errorAttribute(type))
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) })
}
