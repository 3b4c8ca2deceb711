import { ToolMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { toolsCondition } from '@langchain/langgraph/prebuilt'
import { createGuardrails, type GuardedSession, type SessionOptions } from '@signalbox/runtime'
import { RULES } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import { type ScriptedAnswer, ScriptedChatModel } from '../test/scripted-chat-model.ts'
import { type GraphGuard, guardGraph } from './guard-graph.ts'

const ANY = z.looseObject({})
const BEGIN = { messages: [{ role: 'user', content: 'Work.' }] }
const State = Annotation.Root({ ...MessagesAnnotation.spec, answer: Annotation<unknown> })

function workbench(options: SessionOptions = {}) {
  const ran: string[] = []
  const lines: string[] = []
  const session = createGuardrails({
    config: RULES,
    onEvent: (line) => void lines.push(line),
  }).openSession({ channel: 'in_result', ...options })
  const define = (name: string, run: () => unknown = () => `${name} ran`) =>
    tool(
      () => {
        ran.push(name)
        return run()
      },
      { name, description: name, schema: ANY },
    )
  const events = (type: string): Record<string, unknown>[] =>
    lines
      .map((line): { type: string; data: Record<string, unknown> } => JSON.parse(line))
      .filter((event) => event.type === type)
      .map(({ data }) => data)
  return { ran, session, define, events, tools: ['lint', 'test', 'deploy'].map((n) => define(n)) }
}

interface GraphParts {
  readonly guard: GraphGuard
  readonly tools: readonly StructuredToolInterface[]
  readonly script: readonly ScriptedAnswer[]
  readonly handleToolErrors?: boolean
  /** Structured output that comes with the answer of this number. Absent: none. */
  readonly answers?: ReadonlyMap<number, unknown>
}

function buildGraph({ guard, tools, script, handleToolErrors = true, answers }: GraphParts) {
  const model = new ScriptedChatModel(script)
  const graph = new StateGraph(State)
    .addNode('model', async ({ messages }) => {
      const answer = answers?.get(model.requests.length)
      return {
        messages: [await model.invoke(messages)],
        ...(answer === undefined ? {} : { answer }),
      }
    })
    .addNode('tools', guard.toolNode([...tools], { handleToolErrors }))
    .addNode('stop', guard.stopNode({ model: 'model', output: 'answer' }), { ends: ['model', END] })
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition, { tools: 'tools', [END]: 'stop' })
    .addEdge('tools', 'model')
  return { graph, requests: model.requests }
}

async function invoke(
  session: GuardedSession,
  tools: readonly StructuredToolInterface[],
  script: readonly ScriptedAnswer[],
) {
  const { graph, requests } = buildGraph({ guard: guardGraph(session), tools, script })
  const { messages } = await graph.compile().invoke(BEGIN, { recursionLimit: 100 })
  return { messages, requests }
}

const call = (id: string, name: string, input = {}): ScriptedAnswer => ({
  calls: [{ id, tool: name, input }],
})

const plan = (status: 'pending' | 'done') => [{ title: 'Publish', status }]

describe('a guarded call in LangGraph', () => {
  test('does not run when denied, and the tool message has the reason', async () => {
    const { session, tools, ran } = workbench()
    const { messages } = await invoke(session, tools, [call('1', 'deploy')])
    expect(ran).toEqual([])
    expect(messages[2]).toMatchObject({
      content: "Tool 'deploy' requires: test",
      tool_call_id: '1',
      name: 'deploy',
      status: 'error',
    })
  })

  test('is evaluated before any call of its step runs', async () => {
    const { session, define, events } = workbench()
    const seen: number[] = []
    const look = (name: string) => define(name, () => void seen.push(events('tool.decided').length))
    const calls = ['test', 'lint'].map((name, at) => ({ id: `${at}`, tool: name }))
    await invoke(session, [look('test'), look('lint')], [{ calls }])
    expect(seen).toEqual([2, 2])
  })

  test.each([
    { title: 'fails when its tool throws', name: 'broken', outcome: 'failure', text: 'it broke' },
    { title: 'fails when its tool says so', name: 'polite', outcome: 'failure', text: 'not today' },
    { title: 'is invalid when refused', name: 'strict', outcome: 'invalid', text: 'expected' },
    { title: 'is invalid without a tool', name: 'none', outcome: 'invalid', text: 'not found' },
  ])('$title', async ({ name, outcome, text }) => {
    const { session, define, events } = workbench()
    const tools = [
      define('broken', () => {
        throw new Error('it broke')
      }),
      define(
        'polite',
        () => new ToolMessage({ content: 'not today', tool_call_id: '1', status: 'error' }),
      ),
      tool(() => 'ok', { name: 'strict', description: '', schema: z.object({ n: z.number() }) }),
    ]
    const { requests } = await invoke(session, tools, [call('1', name)])
    expect(requests[1]).toContain(text)
    expect(events('tool.invoked')).toMatchObject([{ tool: name, outcome }])
  })

  test('throws the error of its tool where the node must not handle errors, and records it', async () => {
    const { session, define, events } = workbench()
    const broken = define('lint', () => {
      throw new Error('the tool broke')
    })
    const parts = { guard: guardGraph(session), tools: [broken], script: [call('1', 'lint')] }
    const { graph } = buildGraph({ ...parts, handleToolErrors: false })
    await expect(graph.compile().invoke(BEGIN)).rejects.toThrow('the tool broke')
    expect(events('tool.invoked')).toMatchObject([{ outcome: 'failure', error: 'the tool broke' }])
  })

  test('that waits for a reviewer is evaluated once, and reported when it has run', async () => {
    const { session, define, events } = workbench()
    const ask = define('lint', () => `The reviewer says ${interrupt('May I?')}.`)
    const parts = { guard: guardGraph(session), tools: [ask], script: [call('1', 'lint')] }
    const graph = buildGraph(parts).graph.compile({ checkpointer: new MemorySaver() })
    const thread = { configurable: { thread_id: '1' } }
    await graph.invoke(BEGIN, thread)
    expect(events('tool.invoked')).toEqual([])
    await graph.invoke(new Command({ resume: 'yes' }), thread)
    expect(events('tool.requested')).toHaveLength(1)
    expect(events('tool.invoked')).toMatchObject([
      { outcome: 'success', output: 'The reviewer says yes.' },
    ])
  })

  test('that runs again because another call of its step waited is evaluated and reported again', async () => {
    const { session, define, events, ran } = workbench()
    const ask = define('lint', () => `The reviewer says ${interrupt('May I?')}.`)
    const calls = [
      { id: '1', tool: 'test' },
      { id: '2', tool: 'lint' },
    ]
    const parts = { guard: guardGraph(session), tools: [define('test'), ask], script: [{ calls }] }
    const graph = buildGraph(parts).graph.compile({ checkpointer: new MemorySaver() })
    const thread = { configurable: { thread_id: '1' } }
    await graph.invoke(BEGIN, thread)
    await graph.invoke(new Command({ resume: 'yes' }), thread)
    expect(ran.filter((name) => name === 'test')).toHaveLength(2)
    expect(events('tool.invoked').map(({ tool: name, outcome }) => [name, outcome])).toEqual([
      ['test', 'success'],
      ['test', 'success'],
      ['lint', 'success'],
    ])
  })

  test('that a Send carries is evaluated like any other', async () => {
    const { session, tools, ran, events } = workbench()
    const guard = guardGraph(session)
    const lg_tool_call = { id: '1', name: 'deploy', args: {}, type: 'tool_call' }
    const graph = new StateGraph(State)
      .addNode('tools', guard.toolNode([...tools]))
      .addConditionalEdges(START, (state) => [new Send('tools', { ...state, lg_tool_call })])
      .compile()
    const { messages } = await graph.invoke(BEGIN)
    expect(messages.at(-1)?.text).toContain("Tool 'deploy' requires: test")
    expect(ran).toEqual([])
    expect(events('tool.decided')).toHaveLength(1)
  })
})

describe('feedback in LangGraph', () => {
  test('arrives in the message of the tool', async () => {
    const { session, tools, events } = workbench()
    const { messages } = await invoke(session, tools, [call('1', 'lint'), call('2', 'lint')])
    expect(messages[4]?.text).toMatch(/^lint ran\n\n.*Keep it &lt;short&gt;\./s)
    expect(events('feedback.delivered')).toMatchObject([{ delivery: 'in_result' }])
  })

  test('waits for the next message where a tool answers with a command', async () => {
    const { session, define } = workbench()
    const command = (id: string) =>
      new Command({ update: { messages: [new ToolMessage({ content: 'ok', tool_call_id: id })] } })
    const ids = ['1', '2']
    const jump = define('lint', () => command(ids.shift() ?? ''))
    await session.updatePlan(plan('pending'))
    const { requests } = await invoke(session, [jump], [call('1', 'lint'), call('2', 'lint')])
    expect(requests[2]).not.toContain('Keep it &lt;short&gt;.')
    expect(requests[3]).toContain('Keep it &lt;short&gt;.')
  })
})

describe('a stop in LangGraph', () => {
  test('returns to the model while the plan is open', async () => {
    const { session, tools, events } = workbench()
    await session.updatePlan(plan('pending'))
    const { messages } = await invoke(session, tools, [{ text: 'Finished!' }])
    expect(messages[2]?.type).toBe('human')
    expect(messages[2]?.text).toContain('You have 1 incomplete task(s) out of 1.')
    expect(events('stop.attempted')[0]).toMatchObject({
      via: 'turn_end',
      last_message: 'Finished!',
    })
    expect(events('stop.decided').map(({ verdict }) => verdict)).toEqual([
      'blocked',
      'blocked',
      'blocked',
      'bypassed',
    ])
  })

  test('with structured output withdraws the output when it is blocked', async () => {
    const { session, tools, events } = workbench()
    await session.updatePlan(plan('pending'))
    const { graph } = buildGraph({
      guard: guardGraph(session),
      tools,
      script: [],
      answers: new Map([[0, { n: 1 }]]),
    })
    const { answer } = await graph.compile().invoke(BEGIN, { recursionLimit: 100 })
    expect(answer).toBeNull()
    expect(events('stop.attempted').map(({ via, output }) => [via, output])).toEqual([
      ['structured_output', { n: 1 }],
      ...Array(3).fill(['turn_end', undefined]),
    ])
  })

  test('of a subgraph is separate from that of its parent, as are its calls', async () => {
    const { session, tools, events } = workbench()
    const inner = buildGraph({
      guard: guardGraph(session, { agent: 'researcher' }),
      tools,
      script: [call('1', 'lint')],
    })
    const guard = guardGraph(session)
    const graph = new StateGraph(State)
      .addNode('research', inner.graph.compile())
      .addNode('stop', guard.stopNode({ model: 'research' }), { ends: ['research', END] })
      .addEdge(START, 'research')
      .addEdge('research', 'stop')
      .compile()
    await graph.invoke(BEGIN)
    expect(events('tool.invoked')).toMatchObject([{ agent: 'researcher' }])
    expect(events('stop.attempted')).toMatchObject([
      { agent: 'researcher', via: 'subagent_end' },
      { via: 'turn_end' },
    ])
  })
})

test('a guard in LangGraph that throws denies: the tool does not run and the run continues', async () => {
  const { session, tools, ran } = workbench()
  session.beforeToolCall = () => Promise.reject(new Error('defect'))
  const { requests, messages } = await invoke(session, tools, [call('1', 'lint')])
  expect(ran).toEqual([])
  expect(requests[1]).toContain('could not decide this call')
  expect(messages.at(-1)?.text).toBe('Done.')
})

test('usage in LangGraph is recorded once for each answer of the model, also when the graph runs on', async () => {
  const { session, tools } = workbench()
  const { graph } = buildGraph({
    guard: guardGraph(session),
    tools,
    script: [call('1', 'lint'), call('2', 'test')],
  })
  await graph.compile().invoke(BEGIN)
  expect(session.state.usage).toEqual({ input: 30, output: 15, total: 45 })
})
