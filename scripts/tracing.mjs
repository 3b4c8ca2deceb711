// @ts-check
// Sends spans to the collector at OTEL_EXPORTER_OTLP_ENDPOINT; scripts/start.mjs loads this before the server. Spans keep only the attributes
// listed here: addresses can contain tokens, and errors the values of rows.
import { createRequire } from 'node:module'
import { context, DiagLogLevel, diag, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { logger } from '../server/platform/observability/log.mjs'

const KEPT = new Set([
  ...['http.method', 'http.request.method', 'http.route', 'next.route', 'next.span_type'],
  ...['http.status_code', 'http.response.status_code', 'error.type'],
  ...['db.system', 'db.system.name', 'db.name', 'db.namespace', 'db.statement', 'db.query.text'],
  ...['signalbox.route', 'signalbox.events', 'signalbox.request_id'],
])
/** Time for which a stopping server waits for a silent collector. */
const LAST_SPANS_WITHIN_MS = 2000

class Processor extends BatchSpanProcessor {
  /** @override @param {import('@opentelemetry/sdk-trace-node').ReadableSpan} span */
  onEnd(span) {
    const { attributes } = span
    for (const name of Object.keys(attributes)) if (!KEPT.has(name)) delete attributes[name]
    const { 'next.span_type': type, 'http.route': route } = attributes
    // Next puts addresses into the names of its spans.
    const name = typeof type === 'string' ? [type, route].filter(Boolean).join(' ') : span.name
    const { code } = span.status
    super.onEnd(Object.assign(span, { name, events: [], status: { code } }))
  }
}

diag.setLogger(
  {
    verbose: () => undefined,
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (text) => logger.warn(`OpenTelemetry: ${text}`),
  },
  { logLevel: DiagLogLevel.ERROR },
)

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'signalbox' }).merge(
    detectResources({ detectors: [envDetector] }),
  ),
  spanProcessors: [new Processor(new OTLPTraceExporter())],
})
provider.register()
registerInstrumentations({
  instrumentations: [
    new HttpInstrumentation({ requireParentforOutgoingSpans: true }),
    // Only statements within a request get a span, because the queue polls the database for jobs.
    new PgInstrumentation({ requireParentSpan: true }),
  ],
})

// Modules are instrumented when required; an import then returns the same objects.
const require = createRequire(import.meta.url)
for (const name of ['http', 'https', 'pg']) require(name)

const tracer = trace.getTracer('signalbox')

/** @type {import('../server/platform/observability/traced.ts').Tracing} */
const tracing = {
  noteRequest: ({ method, route, requestId }) => {
    const span = trace.getSpan(context.active())
    span?.updateName(`${method} ${route}`)
    span?.setAttributes({ 'signalbox.route': route, 'signalbox.request_id': requestId })
  },
  run: (name, attributes, work) =>
    tracer.startActiveSpan(name, { attributes }, async (span) => {
      try {
        return await work()
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    }),
  end: async () => {
    const late = new Promise((resolve) => setTimeout(resolve, LAST_SPANS_WITHIN_MS).unref())
    await Promise.race([provider.shutdown().catch(() => undefined), late])
  },
}
Object.assign(globalThis, { signalboxTracing: tracing })
