import {
  Agent,
  defineToolOutputGuardrail,
  type MCPServer,
  Runner,
  run,
  setTracingDisabled,
  ToolGuardrailFunctionOutputFactory,
  tool,
} from '@openai/agents'
import { createGuardrails, type SessionOptions } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { RULES } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import { OPENAI_AGENTS_PROFILE } from './capabilities.ts'
import { type AgentsGuard, guardAgents } from './guard-agents.ts'
import { observedTool } from './observed-tool.ts'
import { ScriptedAgentModel, type ScriptedTurn } from './test/scripted-agent-model.ts'

setTracingDisabled(true)

const NOTHING = z.object({})
const CHECK = 'signalbox_completion_check'

function workbench(options: SessionOptions = {}) {
  const ran: string[] = []
  const lines: string[] = []
  const session = createGuardrails({
    config: RULES,
    onEvent: (line) => void lines.push(line),
  }).openSession({ channel: 'message', ...options })
  const options_ = (name: string) => ({
    name,
    description: name,
    parameters: NOTHING,
    execute: async () => {
      ran.push(`${name} begins`)
      await Promise.resolve()
      ran.push(`${name} ends`)
      return `${name} ran`
    },
  })
  const broken = (name: string) => ({
    ...options_(name),
    execute: (): string => {
      throw new Error('the tool broke')
    },
  })
  const events = (type: string): Record<string, unknown>[] =>
    lines
      .map((line): { type: string; data: Record<string, unknown> } => JSON.parse(line))
      .filter((event) => event.type === type)
      .map(({ data }) => data)
  const tools = ['lint', 'test', 'deploy'].map((name) => observedTool(options_(name)))
  return { ran, session, events, tools, named: options_, broken, guard: guardAgents(session) }
}

type Settings = Partial<ConstructorParameters<typeof Agent>[0]>

async function generate(
  { guard, tools }: { readonly guard: AgentsGuard; readonly tools: Agent['tools'] },
  script: readonly ScriptedTurn[],
  settings: Settings = {},
) {
  const model = new ScriptedAgentModel(script)
  const agent = guard.agent(new Agent({ name: 'Worker', model, tools, ...settings }))
  const result = await run(agent, 'Work.', { maxTurns: 30 })
  return { model, result, requests: model.requests }
}

const call = (id: string, name: string, input?: unknown): ScriptedTurn => ({
  calls: [{ id, tool: name, input }],
})
const plan = (status: 'pending' | 'done') => [{ title: 'Publish', status }]

describe('a call that content rules mask in OpenAI Agents', () => {
  const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
  const mask = (on: 'arguments' | 'result') =>
    ({ id: `mask-${on}`, kind: 'secrets', on, action: 'mask' }) as const
  const openGuard = () => {
    const content = [mask('arguments'), mask('result')]
    const config = { schema_version: 1 as const, ns: 'agents', key: 'content', content }
    return guardAgents(HarnessSession.open(createGuardrails({ config }), OPENAI_AGENTS_PROFILE))
  }
  const echo = { name: 'echo', description: 'echo', parameters: z.object({ text: z.string() }) }

  test('still passes the output guardrails of the host, which read the masked result', async () => {
    const { allow, rejectContent } = ToolGuardrailFunctionOutputFactory
    const read: unknown[] = []
    const answers = [allow(), rejectContent('Hidden.')]
    const tools = [
      observedTool({
        ...echo,
        execute: () => SECRET,
        outputGuardrails: answers.map((answer, at) =>
          defineToolOutputGuardrail({
            name: `own ${at}`,
            run: async ({ output }) => {
              read.push(output)
              return answer
            },
          }),
        ),
      }),
    ]
    const script = [call('1', 'echo', { text: 'x' })]
    const { requests } = await generate({ guard: openGuard(), tools }, script)
    expect(read).toEqual(['[secrets]', '[secrets]'])
    expect(requests[1]).toContain('Hidden.')
    expect(requests[1]).not.toContain(SECRET)
  })

  test('runs with the masked arguments and every other detail of the SDK', async () => {
    const seen: { readonly args: unknown; readonly symbols: number }[] = []
    const tools = [
      observedTool({
        ...echo,
        execute: (args, _, details) => {
          seen.push({ args, symbols: Object.getOwnPropertySymbols(details ?? {}).length })
          return 'ran'
        },
      }),
    ]
    const script = [call('1', 'echo', { text: 'x' }), call('2', 'echo', { text: SECRET })]
    await generate({ guard: openGuard(), tools }, script)
    expect(seen.map(({ args }) => args)).toEqual([{ text: 'x' }, { text: '[secrets]' }])
    expect(seen[0]?.symbols).toBeGreaterThan(0)
    expect(seen[1]?.symbols).toBe(seen[0]?.symbols)
  })
})

describe('a guarded call in OpenAI Agents', () => {
  test('a guarded call in OpenAI Agents does not run when denied, and is answered with the reason by the guardrail', async () => {
    const bench = workbench()
    const { result } = await generate(bench, [call('1', 'deploy')])
    expect(bench.ran).toEqual([])
    expect(result.history[2]).toMatchObject({
      type: 'function_call_result',
      callId: '1',
      output: { type: 'text', text: "Tool 'deploy' requires: test" },
    })
    expect(result.toolInputGuardrailResults).toMatchObject([
      { guardrail: { name: 'signalbox' }, output: { behavior: { type: 'rejectContent' } } },
    ])
    expect(bench.events('tool.invoked')).toMatchObject([{ outcome: 'denied' }])
  })

  test('a guarded call in OpenAI Agents is evaluated before any call of its turn runs', async () => {
    const bench = workbench()
    const calls = ['test', 'deploy'].map((name) => ({ id: name, tool: name }))
    await generate(bench, [{ calls }])
    expect(bench.ran).toEqual(['test begins', 'test ends'])
  })

  test('runs after the previous call has ended, with the toolExecution of the guard', async () => {
    const bench = workbench()
    const calls = ['lint', 'test'].map((name) => ({ id: name, tool: name }))
    const model = new ScriptedAgentModel([{ calls }])
    const agent = bench.guard.agent(new Agent({ name: 'Worker', model, tools: bench.tools }))
    await run(agent, 'Work.', { toolExecution: bench.guard.toolExecution })
    expect(bench.ran).toEqual(['lint begins', 'lint ends', 'test begins', 'test ends'])
  })

  test("fails when it throws, and the model reads the tool's text", async () => {
    const bench = workbench()
    const errorFunction = (_: unknown, error: unknown) => `Sorry: ${String(error)}`
    const tools = [observedTool({ ...bench.broken('lint'), errorFunction })]
    const { requests } = await generate({ ...bench, tools }, [call('1', 'lint')])
    expect(requests[1]).toContain('Sorry: Error: the tool broke')
    expect(bench.events('tool.invoked')).toMatchObject([
      { outcome: 'failure', error: 'the tool broke' },
    ])
  })

  test('a guarded call in OpenAI Agents is invalid with wrong arguments', async () => {
    const bench = workbench()
    const strict = { ...bench.named('lint'), parameters: z.object({ n: z.number() }) }
    const tools = [observedTool(strict)]
    await generate({ ...bench, tools }, [call('1', 'lint', { n: 'one' }), call('2', 'lint', '{')])
    expect(bench.events('tool.invoked')).toMatchObject([
      { call_id: '1', outcome: 'invalid' },
      { call_id: '2', outcome: 'invalid' },
    ])
  })

  test('a guarded call in OpenAI Agents is unknown when its tool reports no failures, and failed when the SDK reports one', async () => {
    const bench = workbench()
    const tools = [tool(bench.named('test')), tool(bench.broken('lint'))]
    await generate({ ...bench, tools }, [call('1', 'test'), call('2', 'lint')])
    expect(bench.events('tool.invoked').map(({ outcome }) => outcome)).toEqual([
      'unknown',
      'failure',
    ])
  })

  test('a guarded call in OpenAI Agents is denied when another guardrail rejects it, and its own guardrails still apply', async () => {
    const bench = workbench()
    const { rejectContent } = ToolGuardrailFunctionOutputFactory
    const tools = [
      observedTool({
        ...bench.named('lint'),
        inputGuardrails: [{ name: 'no', run: async () => rejectContent('Not today.') }],
      }),
      observedTool({
        ...bench.named('test'),
        outputGuardrails: [{ name: 'hush', run: async () => rejectContent('Hidden.') }],
      }),
    ]
    const { requests } = await generate({ ...bench, tools }, [call('1', 'lint'), call('2', 'test')])
    expect(requests[1]).toContain('Not today.')
    expect(requests[2]).toContain('Hidden.')
    expect(bench.events('tool.invoked')).toMatchObject([
      { call_id: '1', outcome: 'denied' },
      { call_id: '2', outcome: 'success', output: 'test ran' },
    ])
  })

  test('a guarded call in OpenAI Agents is denied when a reviewer rejects it, and runs when a reviewer approves it', async () => {
    const bench = workbench()
    const tools = [observedTool({ ...bench.named('lint'), needsApproval: true })]
    const calls = ['1', '2'].map((id) => ({ id, tool: 'lint' }))
    const model = new ScriptedAgentModel([{ calls }])
    const agent = bench.guard.agent(new Agent({ name: 'Worker', model, tools }))
    const { state, interruptions } = await run(agent, 'Work.')
    const [first, second] = interruptions
    if (first !== undefined) state.reject(first)
    if (second !== undefined) state.approve(second)
    await run(agent, state)
    expect(bench.ran).toEqual(['lint begins', 'lint ends'])
    expect(bench.events('tool.invoked')).toMatchObject([
      { call_id: '2', outcome: 'success' },
      { call_id: '1', outcome: 'denied' },
    ])
  })

  test('a guarded call in OpenAI Agents is evaluated for a tool of an MCP server as well', async () => {
    const bench = workbench()
    const { requests } = await generate(bench, [call('1', 'mcp_deploy')], {
      mcpServers: [mcpServer('mcp_deploy', () => void bench.ran.push('mcp_deploy'))],
    })
    expect(bench.ran).toEqual(['mcp_deploy'])
    expect(requests[1]).toContain('shipped')
    expect(bench.events('tool.requested')).toMatchObject([{ tool: 'mcp_deploy' }])
    expect(bench.events('tool.invoked')).toMatchObject([{ outcome: 'unknown' }])
  })
})

test('feedback in OpenAI Agents is a message after the results of its turn, in every later request', async () => {
  const bench = workbench()
  const calls = ['1', '2'].map((id) => ({ id, tool: 'lint' }))
  const { requests, result } = await generate(bench, [{ calls }, call('3', 'lint')])
  const types = (request: string | undefined): string[] =>
    JSON.parse(request ?? '[]').map(
      (item: { type: string; role?: string }) => item.role ?? item.type,
    )
  expect(types(requests[1])).toEqual([
    'user',
    'function_call',
    'function_call',
    'function_call_result',
    'function_call_result',
    'user',
  ])
  expect(requests[1]).toContain('Keep it &lt;short&gt;.')
  expect(types(requests[2]).slice(0, 6)).toEqual(types(requests[1]))
  expect(JSON.stringify(result.history)).not.toContain('Keep it')
})

describe('a stop in OpenAI Agents', () => {
  test('continues the run when the plan is open, by a call that the model was not offered', async () => {
    const bench = workbench()
    await bench.session.updatePlan(plan('pending'))
    const { result, model } = await generate(bench, [{ text: 'Finished!' }])
    expect(result.history.slice(1, 4)).toMatchObject([
      { type: 'message', role: 'assistant', content: [{ text: 'Finished!' }] },
      { type: 'function_call', name: CHECK },
      {
        type: 'function_call_result',
        name: CHECK,
        output: { text: expect.stringContaining('You have 1 incomplete task(s) out of 1.') },
      },
    ])
    expect(model.tools.flat()).not.toContain(CHECK)
    expect(bench.events('stop.decided').map(({ verdict }) => verdict)).toEqual([
      'blocked',
      'blocked',
      'blocked',
      'bypassed',
    ])
  })

  test('a stop in OpenAI Agents is evaluated when the result of a tool ends the run', async () => {
    const bench = workbench()
    await bench.session.updatePlan(plan('pending'))
    const { result, requests } = await generate(bench, [call('1', 'lint'), { text: 'Finished!' }], {
      toolUseBehavior: 'stop_on_first_tool',
    })
    expect(requests[1]).toContain('You have 1 incomplete task(s) out of 1.')
    expect(result.finalOutput).toBe('Done.')
    const free = workbench()
    const first = await generate(free, [call('1', 'lint')], {
      toolUseBehavior: { stopAtToolNames: ['lint'] },
    })
    expect(first.result.finalOutput).toBe('lint ran')
  })

  test('belongs to the new agent after a handoff', async () => {
    const bench = workbench()
    const writer = new Agent({
      name: 'Writer',
      model: new ScriptedAgentModel([call('2', 'lint')]),
      tools: bench.tools,
    })
    const worker = new Agent({
      name: 'Worker',
      model: new ScriptedAgentModel([call('1', 'transfer_to_Writer')]),
      handoffs: [writer],
    })
    writer.handoffs = [worker]
    const { lastAgent } = await run(bench.guard.agent(worker), 'Work.')
    expect(lastAgent?.name).toBe('Writer')
    expect(bench.events('tool.invoked')).toMatchObject([{ tool: 'lint', agent: 'Writer' }])
    expect(bench.events('stop.attempted')).toMatchObject([{ agent: 'Writer', via: 'turn_end' }])
  })

  test('a stop in OpenAI Agents of a sub-agent is separate from that of its parent', async () => {
    const bench = workbench()
    const model = new ScriptedAgentModel([call('2', 'lint')])
    const sub = new Agent({ name: 'Writer', model, tools: bench.tools })
    const tools = [bench.guard.agent(sub, { as: 'writer' }).asTool({ toolName: 'write' })]
    await generate({ ...bench, tools }, [call('1', 'write', { input: 'Write.' })])
    expect(bench.events('tool.invoked')).toMatchObject([
      { tool: 'lint', agent: 'writer', outcome: 'success' },
      { tool: 'write', outcome: 'success' },
    ])
    expect(bench.events('stop.attempted')).toMatchObject([
      { agent: 'writer', via: 'subagent_end' },
      { via: 'turn_end' },
    ])
  })

  test('contains the object of a structured output', async () => {
    const bench = workbench()
    const outputType = z.object({ n: z.number() })
    const model = new ScriptedAgentModel([{ text: '{"n":1}' }])
    const agent = bench.guard.agent(new Agent({ name: 'Worker', model, outputType }))
    const { finalOutput } = await run(agent, 'Work.')
    expect(finalOutput).toEqual({ n: 1 })
    expect(bench.events('stop.attempted')).toMatchObject([
      { via: 'structured_output', output: { n: 1 } },
    ])
  })
})

describe('an unguardable run of OpenAI Agents', () => {
  test('an unguardable run of OpenAI Agents is refused when an unguarded agent is a tool', async () => {
    const bench = workbench()
    const sub = new Agent({ name: 'Writer', model: new ScriptedAgentModel([]) })
    const tools = [sub.asTool({ toolName: 'write' })]
    await expect(generate({ ...bench, tools }, [])).rejects.toThrow('"write" runs an agent without')
  })

  test('an unguardable run of OpenAI Agents is refused when the provider stores the conversation', async () => {
    const { guard } = workbench()
    const agent = guard.agent(new Agent({ name: 'Worker', model: new ScriptedAgentModel([]) }))
    await expect(run(agent, 'Work.', { conversationId: 'c1' })).rejects.toThrow('cannot be guarded')
  })
})

test('a guard in OpenAI Agents that throws denies: the tool does not run and the run continues', async () => {
  const bench = workbench()
  bench.session.beforeToolCall = () => Promise.reject(new Error('defect'))
  const { requests, result } = await generate(bench, [call('1', 'lint')])
  expect(bench.ran).toEqual([])
  expect(requests[1]).toContain('could not decide this call')
  expect(result.finalOutput).toBe('Done.')
})

test('usage in OpenAI Agents is recorded for each answer of the model', async () => {
  const bench = workbench()
  await generate(bench, [call('1', 'lint')])
  expect(bench.session.state.usage).toEqual({ input: 20, output: 10, total: 30 })
})

test('a guarded agent without its own model uses the model of the runner', async () => {
  const { session } = workbench()
  const model = new ScriptedAgentModel([])
  const asked: (string | undefined)[] = []
  const modelProvider = {
    getModel: (name?: string) => {
      asked.push(name)
      return model
    },
  }
  const runner = new Runner({ modelProvider, model: 'house' })
  const guard = guardAgents(session, { runner })
  await runner.run(guard.agent(new Agent({ name: 'Worker' })), 'Work.')
  await runner.run(guard.agent(new Agent({ name: 'Worker', model: 'own' })), 'Work.')
  expect(asked).toEqual(['house', 'own'])
})

function mcpServer(name: string, ran: () => void): MCPServer {
  return {
    name: 'house',
    cacheToolsList: false,
    connect: async () => undefined,
    close: async () => undefined,
    invalidateToolsCache: async () => undefined,
    listTools: async () => [
      {
        name,
        description: name,
        inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      },
    ],
    callTool: async () => {
      ran()
      return [{ type: 'text', text: 'shipped' }]
    },
  }
}
