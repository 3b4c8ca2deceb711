import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { createGuardrails, type SessionOptions } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { RULES } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import type { ScriptedStep } from '../test/scripted-model.ts'
import { MASTRA_PROFILE } from './capabilities.ts'
import { guardMastra, type MastraGuard } from './guard-mastra.ts'
import { scriptMastraModel } from './test/mastra-model.ts'

const MAX_STEPS = 10
const ANY = z.looseObject({})

function workbench(options: SessionOptions = {}) {
  const ran: string[] = []
  const lines: string[] = []
  const session = createGuardrails({
    config: RULES,
    onEvent: (line) => void lines.push(line),
  }).openSession({ channel: 'message', ...options })
  const define = (id: string, run: () => unknown = () => `${id} ran`) =>
    createTool({
      id,
      description: id,
      inputSchema: ANY,
      execute: async () => {
        ran.push(id)
        return run()
      },
    })
  const events = (type: string): Record<string, unknown>[] =>
    lines
      .map((line): { type: string; data: Record<string, unknown> } => JSON.parse(line))
      .filter((event) => event.type === type)
      .map(({ data }) => data)
  const tools = {
    lint: define('lint'),
    test: define('test'),
    deploy: define('deploy'),
    broken: define('broken', () => {
      throw new Error('it broke')
    }),
    strict: createTool({
      id: 'strict',
      description: 'strict',
      inputSchema: z.object({ n: z.number() }),
      execute: async () => 'ok',
    }),
  }
  return { ran, session, define, events, tools }
}

type Tools = NonNullable<ConstructorParameters<typeof Agent>[0]['tools']>

function buildAgent(tools: Tools, script: readonly ScriptedStep[]) {
  const { model, prompts } = scriptMastraModel(script)
  const agent = new Agent({ id: 'worker', name: 'Worker', instructions: '', model, tools })
  return { agent, prompts }
}

async function generate(guard: MastraGuard, tools: Tools, script: readonly ScriptedStep[]) {
  const { agent, prompts } = buildAgent(tools, script)
  const { steps } = await agent.generate('Work.', { maxSteps: MAX_STEPS, ...guard })
  return { prompts, text: steps.at(-1)?.text }
}

const call = (id: string, tool: string, input = {}): ScriptedStep => ({
  calls: [{ id, tool, input }],
})

const plan = (status: 'pending' | 'done') => [{ title: 'Publish', status }]

describe('a guarded call in Mastra', () => {
  test('does not run when denied, and the model reads the reason', async () => {
    const { session, tools, ran } = workbench()
    const { prompts } = await generate(guardMastra(session), tools, [call('1', 'deploy')])
    expect(ran).toEqual([])
    expect(prompts[1]).toContain("Tool 'deploy' requires: test")
  })

  test('is evaluated before any call of its step runs, even when they run one by one', async () => {
    const { session, tools, ran, events } = workbench()
    const calls = ['test', 'deploy'].map((tool, at) => ({ id: `${at}`, tool }))
    const { agent } = buildAgent(tools, [{ calls }])
    const options = { maxSteps: MAX_STEPS, toolCallConcurrency: 1, ...guardMastra(session) }
    await agent.generate('Work.', options)
    expect(ran).toEqual(['test'])
    expect(events('tool.decided')).toHaveLength(2)
  })

  test.each([
    { title: 'fails when its tool throws', tool: 'broken', outcome: 'failure', text: 'it broke' },
    { title: 'is invalid when refused', tool: 'strict', outcome: 'invalid', text: 'expected' },
    { title: 'is invalid without a tool', tool: 'none', outcome: 'invalid', text: 'not found' },
  ])('$title', async ({ tool, outcome, text }) => {
    const { session, tools, events } = workbench()
    const { prompts } = await generate(guardMastra(session), tools, [call('1', tool)])
    expect(prompts[1]).toContain(text)
    expect(events('tool.invoked')).toMatchObject([
      { tool, outcome, error: expect.stringContaining(text) },
    ])
  })

  test('that its tool suspends is evaluated once, and reported when it has run', async () => {
    const { session, events } = workbench()
    const ask = createTool({
      id: 'lint',
      description: 'lint',
      inputSchema: ANY,
      suspendSchema: ANY,
      resumeSchema: z.object({ answer: z.string() }),
      execute: async (_, { agent }) =>
        agent?.resumeData === undefined
          ? await agent?.suspend({})
          : `The reviewer says ${agent.resumeData.answer}.`,
    })
    const { agent, prompts } = buildAgent({ lint: ask }, [call('1', 'lint')])
    new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false })
    const options = { maxSteps: MAX_STEPS, ...guardMastra(session) }
    const { runId } = await agent.generate('Work.', options)
    expect(events('tool.invoked')).toEqual([])
    const resumed = { ...options, ...(runId === undefined ? {} : { runId }) }
    await agent.resumeGenerate({ answer: 'yes' }, resumed)
    expect(events('tool.requested')).toHaveLength(1)
    expect(events('tool.invoked')).toMatchObject([
      { outcome: 'success', output: 'The reviewer says yes.' },
    ])
    expect(prompts[1]).toContain('The reviewer says yes.')
  })

  test('that a user declines in Mastra is recorded as denied', async () => {
    const { session, define, ran, events } = workbench()
    const lint = Object.assign(define('lint'), { requireApproval: true })
    const { agent } = buildAgent({ lint }, [call('1', 'lint')])
    new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false })
    const options = { maxSteps: MAX_STEPS, ...guardMastra(session) }
    const { runId = '' } = await agent.generate('Work.', options)
    await agent.declineToolCallGenerate({ ...options, runId, toolCallId: '1' })
    expect(ran).toEqual([])
    expect(events('tool.invoked')).toMatchObject([{ tool: 'lint', outcome: 'denied' }])
  })
})

describe('a result that a content rule masks in Mastra', () => {
  const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
  const config = {
    schema_version: 1 as const,
    ns: 'mastra',
    key: 'content',
    content: [
      {
        id: 'no-secrets',
        kind: 'secrets' as const,
        on: 'result' as const,
        action: 'mask' as const,
      },
    ],
  }
  const leak = (more: Partial<Parameters<typeof createTool>[0]> = {}) =>
    createTool({
      id: 'leak',
      description: 'leak',
      inputSchema: ANY,
      execute: async () => ({ key: SECRET }),
      ...more,
    })

  test.each([
    ['a plain tool', leak()],
    [
      'a tool with an output for the model',
      leak({ toModelOutput: (output) => ({ type: 'text', value: JSON.stringify(output) }) }),
    ],
  ])('of %s never reaches the model', async (_, tool) => {
    const session = HarnessSession.open(createGuardrails({ config }), MASTRA_PROFILE)
    const { prompts } = await generate(guardMastra(session), { leak: tool }, [call('1', 'leak')])
    expect(prompts[1]).toContain('[secrets]')
    expect(prompts[1]).not.toContain(SECRET)
  })

  test('is masked in the messages of a run that ends before the model reads it', async () => {
    const session = HarnessSession.open(createGuardrails({ config }), MASTRA_PROFILE)
    const { agent } = buildAgent({ leak: leak() }, [call('1', 'leak')])
    const { response } = await agent.generate('Work.', { maxSteps: 1, ...guardMastra(session) })
    const messages = JSON.stringify(response.messages)
    expect(messages).toContain('[secrets]')
    expect(messages).not.toContain(SECRET)
  })
})

test('feedback in Mastra is a user message', async () => {
  const { session, tools, events } = workbench()
  const script = [call('1', 'lint'), call('2', 'lint')]
  const { prompts } = await generate(guardMastra(session), tools, script)
  const last: { role: string; content: { text: string }[] } = JSON.parse(prompts[2] ?? '').at(-1)
  expect(last.role).toBe('user')
  expect(last.content[0]?.text).toContain('Keep it &lt;short&gt;.')
  expect(events('feedback.delivered')).toMatchObject([{ delivery: 'message' }])
})

describe('a stop in Mastra', () => {
  test('continues the run while the plan is open', async () => {
    const { session, tools, events } = workbench()
    await session.updatePlan(plan('pending'))
    const { prompts } = await generate(guardMastra(session), tools, [{ text: 'Finished!' }])
    expect(prompts[1]).toContain('You have 1 incomplete task(s) out of 1.')
    expect(events('stop.attempted')[0]).toMatchObject({
      via: 'turn_end',
      last_message: 'Finished!',
      stop_reason: 'stop',
    })
    expect(events('stop.decided').map(({ verdict }) => verdict)).toEqual([
      'blocked',
      'blocked',
      'blocked',
      'bypassed',
    ])
  })

  test('is not attempted when the run ends at its limit of steps', async () => {
    const { session, tools, events } = workbench()
    const { agent } = buildAgent(tools, [call('1', 'lint')])
    await agent.generate('Work.', { maxSteps: 1, ...guardMastra(session) })
    expect(events('tool.invoked')).toHaveLength(1)
    expect(events('stop.attempted')).toEqual([])
  })

  test('of a sub-agent is separate from that of its parent, as are its calls', async () => {
    const { session, tools, events } = workbench()
    const { onIterationComplete, ...guard } = guardMastra(session, { agent: 'researcher' })
    const researcher = new Agent({
      id: 'researcher',
      name: 'Researcher',
      description: 'Finds things.',
      instructions: '',
      model: scriptMastraModel([call('1', 'lint')]).model,
      tools,
      ...guard,
      defaultOptions: { onIterationComplete },
    })
    const supervisor = new Agent({
      id: 'supervisor',
      name: 'Supervisor',
      instructions: '',
      model: scriptMastraModel([call('9', 'agent-researcher', { prompt: 'Find it.' })]).model,
      agents: { researcher },
    })
    await supervisor.generate('Work.', { maxSteps: MAX_STEPS, ...guardMastra(session) })
    const told = ({ tool, agent }: Record<string, unknown>) => [tool, agent]
    expect(events('tool.invoked').map(told)).toEqual([
      ['lint', 'researcher'],
      ['agent-researcher', undefined],
    ])
    expect(events('stop.attempted')).toMatchObject([
      { agent: 'researcher', via: 'subagent_end' },
      { via: 'turn_end' },
    ])
  })
})

test('a guard in Mastra that throws denies: the tool does not run and the run continues', async () => {
  const { session, tools, ran } = workbench()
  session.beforeToolCall = () => Promise.reject(new Error('defect'))
  const { prompts, text } = await generate(guardMastra(session), tools, [call('1', 'lint')])
  expect(ran).toEqual([])
  expect(prompts[1]).toContain('could not decide this call')
  expect(text).toBe('Done.')
})

test('usage in Mastra is recorded for each answer of the model', async () => {
  const { session, tools } = workbench()
  await generate(guardMastra(session), tools, [call('1', 'lint')])
  expect(session.state.usage).toEqual({ input: 20, output: 10, total: 30 })
})
