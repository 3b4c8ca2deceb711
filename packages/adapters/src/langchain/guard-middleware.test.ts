import { ToolMessage } from '@langchain/core/messages'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { interrupt, MemorySaver } from '@langchain/langgraph'
import { createGuardrails, type GuardedSession, type SessionOptions } from '@signalbox/runtime'
import { RULES } from '@signalbox/testkit'
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  providerStrategy,
  tool,
  toolRetryMiddleware,
  toolStrategy,
} from 'langchain'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import { type ScriptedAnswer, ScriptedChatModel } from '../test/scripted-chat-model.ts'
import { guardMiddleware } from './guard-middleware.ts'

const ANY = z.looseObject({})
const BEGIN = { messages: [{ role: 'user', content: 'Work.' }] }

function workbench(options: SessionOptions = {}) {
  const ran: string[] = []
  const lines: string[] = []
  const session = createGuardrails({
    config: RULES,
    onEvent: (line) => void lines.push(line),
  }).openSession({ channel: 'message', ...options })
  const record = (name: string, returnDirect = false) =>
    tool(
      () => {
        ran.push(name)
        return `${name} ran`
      },
      { name, description: name, schema: ANY, returnDirect },
    )
  const failing = (name: string, fail: () => ToolMessage) =>
    tool(fail, { name, description: name, schema: ANY })
  const tools = [
    record('lint'),
    record('test'),
    record('deploy'),
    record('show', true),
    failing('broken', () => {
      throw new Error('the tool broke')
    }),
    failing(
      'polite',
      () => new ToolMessage({ content: 'not today', tool_call_id: '1', status: 'error' }),
    ),
    tool(() => 'ok', { name: 'strict', description: '', schema: z.object({ n: z.number() }) }),
  ]
  const events = (type: string): Record<string, unknown>[] =>
    lines
      .map((line): { type: string; data: Record<string, unknown> } => JSON.parse(line))
      .filter((event) => event.type === type)
      .map(({ data }) => data)
  return { ran, session, tools, events }
}

interface Workbench {
  readonly session: GuardedSession
  readonly tools: StructuredToolInterface[]
}

async function invoke(
  { session, tools }: Workbench,
  script: readonly ScriptedAnswer[],
  inner: readonly AgentMiddleware[] = [],
) {
  const model = new ScriptedChatModel(script)
  const agent = createAgent({ model, tools, middleware: [guardMiddleware(session), ...inner] })
  const { messages } = await agent.invoke(BEGIN)
  return { messages, requests: model.requests }
}

const call = (id: string, name: string, input = {}): ScriptedAnswer => ({
  calls: [{ id, tool: name, input }],
})

describe('a guarded call in LangChain', () => {
  test('a guarded call in LangChain does not run when denied, and is answered with an error message that has the reason', async () => {
    const bench = workbench()
    const { messages } = await invoke(bench, [call('1', 'deploy')])
    expect(bench.ran).toEqual([])
    expect(messages[2]).toMatchObject({
      content: "Tool 'deploy' requires: test",
      tool_call_id: '1',
      name: 'deploy',
      status: 'error',
    })
  })

  test('a guarded call in LangChain is evaluated before any call of its turn runs, even when the evaluation takes long', async () => {
    const lookUp = () =>
      new Promise<{ exists: boolean }>((resolve) => {
        setImmediate(() => resolve({ exists: false }))
      })
    const { session, events } = workbench({ files: { lookUp } })
    const seen: number[] = []
    const look = (name: string) =>
      tool(() => void seen.push(events('tool.decided').length), {
        name,
        description: '',
        schema: ANY,
      })
    const calls = [
      { id: '1', tool: 'test' },
      { id: '2', tool: 'write_file', input: { file_path: 'a.txt' } },
      { id: '3', tool: 'deploy' },
    ]
    const tools = ['test', 'write_file', 'deploy'].map(look)
    await invoke({ session, tools }, [{ calls }])
    expect(seen).toEqual([3, 3])
    expect(events('tool.decided').map(({ decision }) => decision)).toEqual([
      'allowed',
      'allowed',
      'denied',
    ])
  })

  test('fails when it throws, and the model reads the error', async () => {
    const bench = workbench()
    const { requests } = await invoke(bench, [call('1', 'broken')])
    expect(requests[1]).toContain('tool: "the tool broke"')
    expect(bench.events('tool.invoked')).toMatchObject([
      { outcome: 'failure', error: 'the tool broke' },
    ])
  })

  test('fails when it answers with an error', async () => {
    const bench = workbench()
    await invoke(bench, [call('1', 'polite')])
    expect(bench.events('tool.invoked')).toMatchObject([{ outcome: 'failure', error: 'not today' }])
  })

  test('a guarded call in LangChain is invalid with wrong arguments or the name of a nonexistent tool', async () => {
    const bench = workbench()
    await invoke(bench, [call('1', 'strict', { n: 'one' }), call('2', 'nope')])
    expect(bench.events('tool.invoked')).toMatchObject([
      { outcome: 'invalid' },
      { outcome: 'invalid', tool: 'nope' },
    ])
  })

  test('a guarded call in LangChain neither fails nor is evaluated twice when its tool interrupts the run and is resumed', async () => {
    const { session, events } = workbench()
    const ask = tool(() => `The person says ${interrupt('May I?')}.`, {
      name: 'lint',
      description: '',
      schema: ANY,
    })
    const model = new ScriptedChatModel([call('1', 'lint')])
    const agent = createAgent({
      model,
      tools: [ask],
      middleware: [guardMiddleware(session)],
      checkpointer: new MemorySaver(),
    })
    const thread = { configurable: { thread_id: 'one' } }
    await agent.invoke(BEGIN, thread)
    expect(events('tool.invoked')).toEqual([])
    const { Command } = await import('@langchain/langgraph')
    await agent.invoke(new Command({ resume: 'yes' }), thread)
    expect(events('tool.requested')).toHaveLength(1)
    expect(events('tool.invoked')).toMatchObject([
      { outcome: 'success', output: 'The person says yes.' },
    ])
  })

  test('counts as one call when another middleware retries it', async () => {
    const { session, events } = workbench()
    let attempts = 0
    const flaky = tool(
      () => {
        attempts += 1
        if (attempts === 1) throw new Error('not yet')
        return 'at last'
      },
      { name: 'lint', description: '', schema: ANY },
    )
    const retry = toolRetryMiddleware({ maxRetries: 1, initialDelayMs: 0, jitter: false })
    const bench = { session, tools: [flaky] }
    const { requests } = await invoke(bench, [call('1', 'lint')], [retry])
    expect(requests[1]).toContain('at last')
    expect(events('tool.invoked')).toMatchObject([{ outcome: 'success' }])
  })

  test('a guarded call in LangChain is evaluated as the tool that another middleware changed it to', async () => {
    const bench = workbench()
    const redirect: AgentMiddleware = createMiddleware({
      name: 'redirect',
      wrapModelCall: async (request, handler) => {
        const message = await handler(request)
        for (const each of message.tool_calls ?? []) if (each.name === 'lint') each.name = 'deploy'
        return message
      },
    })
    await invoke(bench, [call('1', 'lint')], [redirect])
    expect(bench.ran).toEqual([])
    expect(bench.events('tool.decided')).toMatchObject([{ tool: 'deploy', decision: 'denied' }])
  })
})

test('feedback in LangChain is a user message that stays in the history', async () => {
  const bench = workbench()
  const { messages } = await invoke(bench, [call('1', 'lint'), call('2', 'lint')])
  expect(messages.map(({ type }) => type)).toEqual([
    'human',
    'ai',
    'tool',
    'ai',
    'tool',
    'human',
    'ai',
  ])
  expect(messages[5]?.text).toContain('Keep it &lt;short&gt;.')
  expect(bench.events('feedback.delivered')).toMatchObject([{ delivery: 'message' }])
})

describe('a stop in LangChain', () => {
  const plan = (status: 'pending' | 'done') => [{ title: 'Publish', status }]

  test('sends the agent back to its model when the plan is open', async () => {
    const bench = workbench()
    await bench.session.updatePlan(plan('pending'))
    const { messages } = await invoke(bench, [{ text: 'Finished!' }])
    expect(messages[1]?.text).toBe('Finished!')
    expect(messages[2]?.type).toBe('human')
    expect(messages[2]?.text).toContain('You have 1 incomplete task(s) out of 1.')
    expect(bench.events('stop.decided').map(({ verdict }) => verdict)).toEqual([
      'blocked',
      'blocked',
      'blocked',
      'bypassed',
    ])
  })

  test('a stop in LangChain is evaluated when the result of a tool is the answer', async () => {
    const bench = workbench()
    await bench.session.updatePlan(plan('pending'))
    const { requests } = await invoke(bench, [call('1', 'show')])
    expect(requests[1]).toContain('You have 1 incomplete task(s) out of 1.')
  })

  test('a stop in LangChain is blocked in a stream as well', async () => {
    const { session, tools } = workbench()
    await session.updatePlan(plan('pending'))
    const model = new ScriptedChatModel([])
    const agent = createAgent({ model, tools, middleware: [guardMiddleware(session)] })
    for await (const _ of await agent.stream(BEGIN, { streamMode: 'values' }));
    expect(model.requests).toHaveLength(4)
  })

  test.each([
    ['a tool', true],
    ['the provider', false],
  ])(
    'with structured output by %s is blocked, and the next output replaces the draft',
    async (_, byTool) => {
      const { session, tools, events } = workbench()
      await session.updatePlan(plan('pending'))
      const finish = tool(() => session.updatePlan(plan('done')), {
        name: 'finish',
        description: '',
        schema: ANY,
      })
      const schema = z.object({ n: z.number() })
      const strategy = toolStrategy(schema)
      const [{ name } = { name: '' }] = strategy
      const answer = (n: number): ScriptedAnswer =>
        byTool ? call(`o${n}`, name, { n }) : { text: JSON.stringify({ n }) }
      const model = new ScriptedChatModel([answer(1), call('2', 'finish'), answer(2)])
      const middleware = [guardMiddleware(session)]
      const settings = { model, tools: [...tools, finish], middleware }
      const agent = byTool
        ? createAgent({ ...settings, responseFormat: strategy })
        : createAgent({ ...settings, responseFormat: providerStrategy(schema) })
      const { structuredResponse } = await agent.invoke(BEGIN)
      expect(structuredResponse).toEqual({ n: 2 })
      expect(events('stop.attempted')).toMatchObject([
        { via: 'structured_output', output: { n: 1 } },
        { via: 'structured_output', output: { n: 2 } },
      ])
    },
  )

  test('leaves no structured output behind when blocked', async () => {
    const { session, tools } = workbench()
    await session.updatePlan(plan('pending'))
    const strategy = toolStrategy(z.object({ n: z.number() }))
    const [{ name } = { name: '' }] = strategy
    const model = new ScriptedChatModel([call('1', name, { n: 1 }), { text: 'Enough.' }])
    const middleware = [guardMiddleware(session)]
    const agent = createAgent({ model, tools, responseFormat: strategy, middleware })
    const result = await agent.invoke(BEGIN)
    expect(result.structuredResponse).toBeUndefined()
  })

  test('a stop in LangChain of a sub-agent is separate from that of its parent', async () => {
    const { session, tools, events } = workbench()
    const guard = guardMiddleware(session, { agent: 'researcher' })
    const model = new ScriptedChatModel([call('1', 'lint')])
    await createAgent({ model, tools, middleware: [guard] }).invoke(BEGIN)
    expect(events('tool.invoked')).toMatchObject([{ agent: 'researcher' }])
    expect(events('stop.attempted')).toMatchObject([{ agent: 'researcher', via: 'subagent_end' }])
  })
})

test('a guard in LangChain that throws denies: the tool does not run and the run continues', async () => {
  const bench = workbench()
  bench.session.beforeToolCall = () => Promise.reject(new Error('defect'))
  const { requests, messages } = await invoke(bench, [call('1', 'lint')])
  expect(bench.ran).toEqual([])
  expect(requests[1]).toContain('could not decide this call')
  expect(messages.at(-1)?.text).toBe('Done.')
})

test('usage in LangChain is recorded for each answer of the model', async () => {
  const bench = workbench()
  await invoke(bench, [call('1', 'lint')])
  expect(bench.session.state.usage).toEqual({ input: 20, output: 10, total: 30 })
})
