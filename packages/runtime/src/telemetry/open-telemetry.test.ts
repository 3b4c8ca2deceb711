import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { ConfigDocument, SessionEvent } from '@signalbox/core'
import { FakeControlPlane, RULES } from '@signalbox/testkit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createGuardrails,
  type Diagnostic,
  type OfflineOptions,
  SDK_VERSION,
  type SessionOptions,
} from '../index.ts'
import { openTelemetry } from './index.ts'
import { SCHEMA_URL } from './mapping.ts'

const exporter = new InMemorySpanExporter()
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const GIVEN = `00-${TRACE_ID}-b7ad6b7169203331-01`
const OF_PROCESS = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const PROMPT = 'team/bots/writer'

function register(options: ConstructorParameters<typeof BasicTracerProvider>[0] = {}): void {
  const spanProcessors = [new SimpleSpanProcessor(exporter)]
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors, ...options }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
}

beforeEach(() => vi.stubEnv('TRACEPARENT', undefined))

afterEach(() => {
  vi.unstubAllEnvs()
  trace.disable()
  context.disable()
  exporter.reset()
})

interface Opening {
  readonly config?: ConfigDocument
  readonly content?: boolean
  readonly session?: SessionOptions
  readonly options?: Partial<OfflineOptions>
}

function opened({ config = RULES, content = false, session = {}, options = {} }: Opening = {}) {
  const events: SessionEvent[] = []
  const diagnostics: Diagnostic[] = []
  const guarded = createGuardrails({
    config,
    telemetry: openTelemetry({ content }),
    onEvent: (line) => void events.push(JSON.parse(line)),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  }).openSession(session)
  return { session: guarded, events, diagnostics }
}

const spans = () => exporter.getFinishedSpans()
const named = (name: string) => spans().filter((span) => span.name === name)
const agentSpan = () => named(`invoke_agent ${PROMPT}`)[0]!

function listSpanEvents(span: ReadableSpan, name: string) {
  return span.events.filter((event) => event.name === name).map(({ attributes }) => attributes)
}

const TEST_CALL = { tool: 'test', args: { suite: 'ACME' }, callId: 'call-1' }
const DEPLOY = { tool: 'deploy', args: { to: 'ACME' }, callId: 'call-2' }
const DIGEST = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)

async function work({ session }: ReturnType<typeof opened>): Promise<void> {
  await session.beforeToolCall(DEPLOY)
  await session.beforeToolCall(TEST_CALL)
  await session.afterToolCall({ ...TEST_CALL, outcome: 'success', output: { seen: 'ACME' } })
  await session.recordUsage({ evaluation_id: 'e1', input_tokens: 10, output_tokens: 2 })
  await session.recordUsage({ evaluation_id: 'e2', input_tokens: 5, output_tokens: 1 })
  await session.recordUsage({ evaluation_id: 'e1', input_tokens: 20, output_tokens: 4 })
  await session.updatePlan([{ title: 'Write to ACME', status: 'pending' }])
  await session.beforeStop({ via: 'turn_end' })
  await session.updatePlan([{ title: 'Write to ACME', status: 'done' }])
  await session.beforeStop({ via: 'turn_end' })
  await session.end({ reason: 'completed' })
}

describe('the trace of a session', () => {
  test('the trace of a session has one span with its stops and feedback, and a span for each call', async () => {
    register()
    const watched = opened()
    await work(watched)
    const { id } = watched.session
    expect(spans().map(({ name }) => name)).toEqual([
      'execute_tool deploy',
      'execute_tool test',
      `invoke_agent ${PROMPT}`,
    ])
    const agent = agentSpan()
    expect(agent.kind).toBe(SpanKind.INTERNAL)
    expect(agent.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': PROMPT,
      'gen_ai.conversation.id': id,
      'gen_ai.usage.input_tokens': 25,
      'gen_ai.usage.output_tokens': 5,
    })
    expect(agent.status).toEqual({ code: SpanStatusCode.UNSET })
    const evaluated = {
      'gen_ai.evaluation.name': 'task_completion',
      'guardrail.policy.id': 'plan',
      'guardrail.policy.version': DIGEST,
    }
    const incomplete = {
      'gen_ai.evaluation.score.label': 'fail',
      'gen_ai.evaluation.explanation': 'plan.open_steps',
      'guardrail.decision': 'blocked',
      'guardrail.reason.code': 'plan.open_steps',
    }
    const complete = {
      'gen_ai.evaluation.score.label': 'pass',
      'gen_ai.evaluation.explanation': 'plan.done',
      'guardrail.decision': 'allowed',
      'guardrail.reason.code': 'plan.done',
    }
    expect(agent.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      [
        'feature_flag.evaluation',
        {
          'feature_flag.key': PROMPT,
          'feature_flag.set.id': 'local',
          'feature_flag.provider.name': 'signalbox',
          'feature_flag.result.variant': DIGEST,
          'feature_flag.result.reason': 'default',
        },
      ],
      [
        'guardrail.feedback',
        {
          'guardrail.policy.id': 'hint',
          'guardrail.policy.version': DIGEST,
          'gen_ai.tool.call.id': 'call-1',
        },
      ],
      ['gen_ai.evaluation.result', { ...evaluated, ...incomplete }],
      ['gen_ai.evaluation.result', { ...evaluated, ...complete }],
      ['gen_ai.evaluation.result', { ...evaluated, ...complete }],
    ])
    expect(agent.instrumentationScope).toEqual({
      name: '@signalbox/runtime',
      version: SDK_VERSION,
      schemaUrl: SCHEMA_URL,
    })
  })

  test('shows an allowed call with its decision', async () => {
    register()
    const watched = opened()
    await work(watched)
    const [span] = named('execute_tool test')
    expect(span?.parentSpanContext?.spanId).toBe(agentSpan().spanContext().spanId)
    expect(span?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'test',
      'gen_ai.tool.call.id': 'call-1',
      'gen_ai.conversation.id': watched.session.id,
    })
    expect(span?.status).toEqual({ code: SpanStatusCode.UNSET })
    expect(span?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      [
        'guardrail.decision',
        { 'guardrail.decision': 'allowed', 'guardrail.policy.version': DIGEST },
      ],
    ])
  })

  test('shows a denied call as an error, with the rule that denied it', async () => {
    register()
    const watched = opened()
    await work(watched)
    const [span] = named('execute_tool deploy')
    expect(span?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'deploy',
      'gen_ai.tool.call.id': 'call-2',
      'gen_ai.conversation.id': watched.session.id,
      'error.type': 'guardrail_denied',
    })
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(listSpanEvents(span!, 'guardrail.decision')).toEqual([
      {
        'guardrail.policy.id': 'order',
        'guardrail.policy.version': DIGEST,
        'guardrail.decision': 'denied',
        'guardrail.reason.code': 'sequential.missing',
      },
    ])
  })

  test('contains texts of agents and tools only on request, and then as recorded', async () => {
    register()
    await work(opened())
    expect(
      JSON.stringify(spans().map(({ attributes, events }) => [attributes, events])),
    ).not.toMatch(/ACME|redacted|seen|Write/)
    exporter.reset()
    const watched = opened({ content: true })
    await work(watched)
    const message = watched.events.find(({ type }) => type === 'stop.decided')
    const [call] = named('execute_tool test')
    expect(call?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"suite":{"$redacted":"customers"}}',
      'gen_ai.tool.call.result': '{"seen":{"$redacted":"customers"}}',
    })
    const [blocked] = listSpanEvents(agentSpan(), 'gen_ai.evaluation.result')
    expect(message?.data).toMatchObject({ message: blocked?.['gen_ai.evaluation.explanation'] })
    expect(blocked?.['gen_ai.evaluation.explanation']).toContain('1 incomplete task')
    expect(
      JSON.stringify(spans().map(({ attributes, events }) => [attributes, events])),
    ).not.toContain('ACME')
  })

  test('the trace of a session has the times of its events, even when their clock is far from the real time', async () => {
    register()
    let now = 0
    const watched = opened({ options: { now: () => (now += 1) } })
    await work(watched)
    const at = (type: string) =>
      watched.events.filter((event) => event.type === type).map((event) => event.at)
    const ms = ([seconds, nanos]: readonly [number, number]) => seconds * 1000 + nanos / 1e6
    const [deploy, test_] = [named('execute_tool deploy')[0]!, named('execute_tool test')[0]!]
    expect([ms(deploy.startTime), ms(test_.startTime)]).toEqual(at('tool.requested'))
    expect([ms(deploy.endTime), ms(test_.endTime)]).toEqual(at('tool.invoked'))
    expect([ms(agentSpan().endTime)]).toEqual(at('session.ended'))
    expect(ms(agentSpan().startTime)).toBeLessThan(at('session.started')[0]!)
    const stops = agentSpan().events.filter(({ name }) => name === 'gen_ai.evaluation.result')
    expect(stops.map(({ time }) => ms(time))).toEqual(at('stop.decided'))
  })
})

describe('the trace context', () => {
  test('begins with the session, and every event of the session has it', async () => {
    register()
    const { session, events } = opened()
    await session.end({ reason: 'completed' })
    const { traceId, spanId } = agentSpan().spanContext()
    expect(agentSpan().parentSpanContext).toBeUndefined()
    expect(new Set(events.map((event) => event.trace))).toEqual(
      new Set([`00-${traceId}-${spanId}-01`]),
    )
  })

  test.each<readonly [string, SessionOptions, string]>([
    ['that was given to the session', { trace: GIVEN }, GIVEN],
    ['that was given to the process', {}, OF_PROCESS],
  ])('%s is continued', async (_, session, expected) => {
    register()
    vi.stubEnv('TRACEPARENT', OF_PROCESS)
    const watched = opened({ session })
    await watched.session.end({ reason: 'completed' })
    const { parentSpanContext } = agentSpan()
    const [, traceId, spanId] = expected.split('-')
    expect(parentSpanContext).toMatchObject({ traceId, spanId, isRemote: true })
    expect(watched.events[0]?.trace).toBe(`00-${traceId}-${agentSpan().spanContext().spanId}-01`)
  })

  test('the trace context is that of the active span instead of that of the process, but a given one takes precedence', async () => {
    register()
    vi.stubEnv('TRACEPARENT', OF_PROCESS)
    const outer = trace.getTracer('host').startSpan('request')
    for (const session of [{}, { trace: GIVEN }]) {
      const inside = trace.setSpan(context.active(), outer)
      await context.with(inside, () => opened({ session })).session.end({ reason: 'completed' })
    }
    const parents = named(`invoke_agent ${PROMPT}`).map((span) => span.parentSpanContext)
    expect(parents).toMatchObject([outer.spanContext(), { traceId: TRACE_ID }])
  })

  test('the trace context of a killed process is continued in the next one', async () => {
    register()
    const first = opened()
    await first.session.beforeToolCall(TEST_CALL)
    const events = first.events.map((event) => JSON.stringify(event))
    const { session } = opened({ session: { resume: { events, config: RULES } } })
    await session.afterToolCall({ ...TEST_CALL, outcome: 'success', durationMs: 3 })
    await session.end({ reason: 'aborted' })
    expect(spans().map(({ name }) => name)).toEqual(['execute_tool test', `invoke_agent ${PROMPT}`])
    const { traceId, spanId } = agentSpan().parentSpanContext!
    expect(`00-${traceId}-${spanId}-01`).toBe(first.events[0]?.trace)
  })

  test('the trace context is kept in events when the sampler drops the trace', async () => {
    register({ sampler: new AlwaysOffSampler() })
    const { session, events } = opened()
    await session.beforeToolCall(TEST_CALL)
    await session.end({ reason: 'completed' })
    expect(spans()).toEqual([])
    expect(events[0]?.trace).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  })
})

describe('telemetry without a registered SDK', () => {
  test('observes nothing, and passes a given trace on unchanged', () => {
    const start = { session: 'sess_1', prompt: PROMPT, environment: 'local', config: null, at: 0 }
    const none = { trace: null, onEvent: null }
    expect(openTelemetry().open({ ...start, trace: null, processTrace: null })).toEqual(none)
    expect(openTelemetry().open({ ...start, trace: GIVEN, processTrace: null })).toEqual({
      ...none,
      trace: GIVEN,
    })
    expect(opened({ session: { trace: GIVEN } }).events[0]?.trace).toBe(GIVEN)
    expect(opened().events[0]).not.toHaveProperty('trace')
  })

  test('traces sessions that open after the registration', async () => {
    const telemetry = openTelemetry()
    const guardrails = createGuardrails({ config: RULES, telemetry })
    await guardrails.openSession().end({ reason: 'completed' })
    register()
    await guardrails.openSession().end({ reason: 'completed' })
    expect(spans()).toHaveLength(1)
  })
})

describe('the span of a call', () => {
  test.each([
    ['success', undefined],
    ['failure', 'tool_failed'],
    ['invalid', 'tool_arguments_invalid'],
    ['unknown', undefined],
  ] as const)('that ends as %s has the error type %s', async (outcome, type) => {
    register()
    const { session } = opened()
    await session.beforeToolCall(TEST_CALL)
    await session.afterToolCall({ ...TEST_CALL, outcome, error: 'ACME is down' })
    const [span] = spans()
    expect(span?.attributes['error.type']).toBe(type)
    const code = type === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR
    expect(span?.status).toEqual({ code })
  })

  test("the span of a call has the id of its sub-agent and the model's name of the tool", async () => {
    register()
    const { session } = opened()
    const call = { ...TEST_CALL, nativeTool: 'RunTests', agent: 'helper-7' }
    await session.beforeToolCall(call)
    await session.afterToolCall({ ...call, outcome: 'success' })
    expect(spans()[0]?.name).toBe('execute_tool RunTests')
    expect(spans()[0]?.attributes).toMatchObject({
      'gen_ai.tool.name': 'RunTests',
      'gen_ai.agent.id': 'helper-7',
    })
  })

  test('shows its duration without a request', async () => {
    register()
    const { session } = opened({ options: { now: () => 5000 } })
    await session.afterToolCall({ ...TEST_CALL, outcome: 'success', durationMs: 1500 })
    expect(spans().map(({ name }) => name)).toEqual(['execute_tool test'])
    expect(spans()[0]?.duration).toEqual([1, 500_000_000])
    expect(spans()[0]?.events).toEqual([])
  })

  test('the span of a call with the id of a running call does not end that call', async () => {
    register()
    const { session } = opened()
    await session.beforeToolCall(TEST_CALL)
    await session.beforeToolCall({ ...DEPLOY, callId: TEST_CALL.callId })
    expect(spans().map(({ name }) => name)).toEqual(['execute_tool deploy'])
    await session.afterToolCall({ ...TEST_CALL, outcome: 'success' })
    expect(spans().map(({ name }) => name)).toEqual(['execute_tool deploy', 'execute_tool test'])
    const decisions = spans().map((span) => listSpanEvents(span, 'guardrail.decision'))
    expect(decisions).toMatchObject([
      [{ 'guardrail.decision': 'denied' }],
      [{ 'guardrail.decision': 'allowed' }],
    ])
  })

  test('ends with the session when it has no end, and its late result adds no second span', async () => {
    register()
    const { session } = opened()
    await session.beforeToolCall(TEST_CALL)
    await session.end({ reason: 'aborted' })
    await session.afterToolCall({ ...TEST_CALL, outcome: 'failure' })
    expect(spans().map(({ name, status }) => [name, status.code])).toEqual([
      ['execute_tool test', SpanStatusCode.UNSET],
      [`invoke_agent ${PROMPT}`, SpanStatusCode.UNSET],
    ])
  })
})

describe('the end of a traced session', () => {
  test('the end of a traced session is an error when the session failed', async () => {
    register()
    const { session } = opened()
    await session.end({ reason: 'failed', error: 'ACME is down' })
    expect(agentSpan().attributes['error.type']).toBe('session_failed')
    expect(agentSpan().status).toEqual({ code: SpanStatusCode.ERROR })
  })

  test('the end of a traced session is an error with a failed evaluation when the output is incomplete', async () => {
    register()
    const { session } = opened()
    await session.updatePlan([{ title: 'Write', status: 'pending' }])
    await session.end({ reason: 'completed', output: 'Done!' })
    expect(agentSpan().attributes['error.type']).toBe('completion_overridden')
    expect(listSpanEvents(agentSpan(), 'gen_ai.evaluation.result')).toMatchObject([
      { 'gen_ai.evaluation.score.label': 'fail' },
    ])
  })

  test('the end of a traced session has a failed evaluation when the deadline allowed an incomplete stop', async () => {
    register()
    const { session } = opened({ session: { deadlineAt: 1 } })
    await session.updatePlan([{ title: 'Write', status: 'pending' }])
    expect((await session.beforeStop({ via: 'turn_end', agent: 'helper-7' })).allowed).toBe(true)
    await session.end({ reason: 'aborted' })
    expect(listSpanEvents(agentSpan(), 'gen_ai.evaluation.result')).toEqual([
      {
        'gen_ai.evaluation.name': 'task_completion',
        'gen_ai.evaluation.score.label': 'fail',
        'gen_ai.evaluation.explanation': 'stop.deadline',
        'gen_ai.agent.id': 'helper-7',
        'guardrail.policy.id': 'plan',
        'guardrail.policy.version': DIGEST,
        'guardrail.decision': 'bypassed',
        'guardrail.reason.code': 'stop.deadline',
      },
    ])
  })

  test('the end of a traced session has no evaluation without a checker', async () => {
    register()
    const { task_completion_checker: _, ...config } = RULES
    const { session } = opened({ config })
    await session.beforeStop({ via: 'turn_end' })
    await session.end({ reason: 'completed' })
    expect(listSpanEvents(agentSpan(), 'gen_ai.evaluation.result')).toEqual([])
  })
})

describe('traces with a control plane', () => {
  const folders: string[] = []
  let plane: FakeControlPlane
  beforeEach(async () => {
    plane = new FakeControlPlane()
    await plane.start()
  })
  afterEach(async () => {
    await plane.stop()
    for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
  })

  async function denied(): Promise<void> {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-otel-'))
    folders.push(dataDir)
    const guardrails = createGuardrails({
      url: plane.url,
      apiKey: plane.apiKey,
      prompt: PROMPT,
      dataDir,
      telemetry: openTelemetry(),
    })
    await guardrails.ready()
    const session = guardrails.openSession()
    await session.beforeToolCall(DEPLOY)
    await session.end({ reason: 'aborted' })
    await guardrails.close(50)
  }

  test('traces with a control plane have the revision on every span, and the version on every decision', async () => {
    register()
    plane.publish(RULES)
    await denied()
    expect(spans().map(({ attributes }) => attributes['guardrail.config.revision'])).toEqual([1, 1])
    const [span] = named('execute_tool deploy')
    const [decision] = listSpanEvents(span!, 'guardrail.decision')
    expect(decision?.['guardrail.policy.version']).toBe('1')
    expect(listSpanEvents(agentSpan(), 'feature_flag.evaluation')).toEqual([
      {
        'feature_flag.key': PROMPT,
        'feature_flag.set.id': 'dev',
        'feature_flag.provider.name': 'signalbox',
        'feature_flag.version': '1',
        'feature_flag.result.variant': DIGEST,
        'feature_flag.result.reason': 'static',
      },
    ])
  })

  test('mark a session without a config and its denied call as errors', async () => {
    register()
    await denied()
    const [span] = named('execute_tool deploy')
    expect(span?.attributes['error.type']).toBe('guardrail_denied')
    expect(listSpanEvents(span!, 'guardrail.decision')).toEqual([{ 'guardrail.decision': 'error' }])
    expect(listSpanEvents(agentSpan(), 'feature_flag.evaluation')).toMatchObject([
      { 'feature_flag.result.reason': 'error', 'error.type': 'config_rejected' },
    ])
  })
})

describe('traces in shadow mode', () => {
  const [order] = RULES.policies!
  const [hint] = RULES.feedback_providers!

  test('contain no shadow rules and no shadow providers', async () => {
    register()
    const { session } = opened({
      config: {
        ...RULES,
        policies: [{ ...order!, mode: 'shadow' }],
        feedback_providers: [{ ...hint!, mode: 'shadow' }],
      },
    })
    for (const callId of ['a', 'b']) {
      await session.beforeToolCall({ ...DEPLOY, callId })
      await session.afterToolCall({ ...DEPLOY, callId, outcome: 'success' })
    }
    await session.end({ reason: 'aborted' })
    const [span] = named('execute_tool deploy')
    expect(listSpanEvents(span!, 'guardrail.decision')).toMatchObject([
      { 'guardrail.decision': 'allowed' },
    ])
    expect(listSpanEvents(agentSpan(), 'guardrail.feedback')).toEqual([])
  })

  test('traces in shadow mode do not name a shadow rule next to the rule that denied', async () => {
    register()
    const shadow = { ...order!, id: 'order-too', mode: 'shadow' as const }
    const { session } = opened({ config: { ...RULES, policies: [shadow, order!] } })
    await session.beforeToolCall(DEPLOY)
    expect(listSpanEvents(spans()[0]!, 'guardrail.decision')).toMatchObject([
      { 'guardrail.policy.id': 'order' },
    ])
  })
})

test('an exporter that throws changes no decision', async () => {
  const provider = new BasicTracerProvider({
    spanProcessors: [
      {
        onStart: () => undefined,
        onEnd: () => {
          throw new Error('the collector is gone')
        },
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
      },
    ],
  })
  trace.setGlobalTracerProvider(provider)
  const { session, diagnostics, events } = opened()
  expect((await session.beforeToolCall(DEPLOY)).reason).toBe("Tool 'deploy' requires: test")
  expect(events.map(({ type }) => type).slice(-2)).toEqual(['tool.decided', 'tool.invoked'])
  expect(diagnostics).toMatchObject([
    { code: 'telemetry_failed', message: 'the collector is gone' },
  ])
})
