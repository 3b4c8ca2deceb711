import { trace } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { openTelemetry } from '@signalbox/runtime/telemetry'
import { afterEach, expect, test } from 'vitest'
import { createPromptSession, MarkdownSection, Prompt, PromptTemplate } from '../index.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const GIVEN = `00-${TRACE_ID}-b7ad6b7169203331-01`

afterEach(() => trace.disable())

test('a prompt session of the library sends traces', async () => {
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor(exporter)]
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))
  const [ns, key] = ['team', 'library']
  const template = new PromptTemplate({ ns, key, sections: [new MarkdownSection({ title: 'Do' })] })
  const options = { telemetry: openTelemetry(), trace: GIVEN }
  const run = createPromptSession(new Prompt(template), options)
  await run.execute({ tool: 'nonsense', args: {} })
  await run.end({ reason: 'completed' })
  const spans = exporter.getFinishedSpans()
  expect(spans.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['execute_tool nonsense', 'tool_arguments_invalid'],
    ['invoke_agent team/library', undefined],
  ])
  expect(spans[1]?.parentSpanContext?.traceId).toBe(TRACE_ID)
})
