import { createGuardrails, type GuardedSession, type SessionOptions } from '@signalbox/runtime'
import { RULES } from '@signalbox/testkit'
import { generateText, isStepCount, streamText, ToolLoopAgent, type ToolSet, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import { type ScriptedStep, scriptedModel } from '../test/scripted-model.ts'
import { AI_SDK_CAPABILITIES } from './capabilities.ts'
import { guardGeneration } from './guard-generation.ts'
import { planTool } from './plan-tool.ts'

function workbench(options: SessionOptions = {}) {
  const ran: string[] = []
  const lines: string[] = []
  const session = createGuardrails({
    config: RULES,
    onEvent: (line) => void lines.push(line),
  }).openSession({ channel: 'message', ...options })
  const record = (name: string) =>
    tool({
      description: name,
      inputSchema: z.object({}).passthrough(),
      execute: async () => {
        ran.push(name)
        return `${name} ran`
      },
    })
  const tools: ToolSet = {
    lint: record('lint'),
    test: record('test'),
    deploy: record('deploy'),
    broken: tool({
      description: 'broken',
      inputSchema: z.object({}),
      execute: async (): Promise<string> => {
        ran.push('broken')
        throw new Error('the tool broke')
      },
    }),
    update_plan: planTool(session),
  }
  const events = (): { type: string; data: Record<string, unknown> }[] =>
    lines.map((line) => JSON.parse(line))
  return { ran, session, tools, events }
}

type Way = (run: {
  readonly session: GuardedSession
  readonly tools: ToolSet
  readonly script: readonly ScriptedStep[]
  readonly maxSteps?: number
}) => Promise<{ readonly text: string; readonly prompts: readonly string[] }>

const generate: Way = async ({ session, tools, script, maxSteps = 20 }) => {
  const { model, prompts } = scriptedModel(script)
  const result = await generateText({
    model,
    prompt: 'Work.',
    stopWhen: isStepCount(maxSteps),
    ...guardGeneration(session, tools),
  })
  return { text: result.text, prompts }
}

const stream: Way = async ({ session, tools, script, maxSteps = 20 }) => {
  const { model, prompts } = scriptedModel(script)
  const result = streamText({
    model,
    prompt: 'Work.',
    stopWhen: isStepCount(maxSteps),
    ...guardGeneration(session, tools),
  })
  return { text: await result.text, prompts }
}

const agent: Way = async ({ session, tools, script, maxSteps = 20 }) => {
  const { model, prompts } = scriptedModel(script)
  const { experimental_steering, ...settings } = guardGeneration(session, tools)
  const loop = new ToolLoopAgent({ model, stopWhen: isStepCount(maxSteps), ...settings })
  const result = await loop.generate({ prompt: 'Work.', experimental_steering })
  return { text: result.text, prompts }
}

const call = (id: string, name: string, input?: unknown): ScriptedStep => ({
  calls: [{ id, tool: name, input }],
})
const plan = (id: string, status: string) =>
  call(id, 'update_plan', { steps: [{ title: 'Publish', status }] })

describe.each([
  ['generateText', generate],
  ['streamText', stream],
  ['ToolLoopAgent', agent],
])('a guarded %s', (_, run) => {
  test('a denied tool does not run, and the model reads why', async () => {
    const { ran, session, tools } = workbench()
    const { prompts } = await run({ session, tools, script: [call('1', 'deploy')] })
    expect(ran).toEqual([])
    expect(prompts[1]).toContain("Tool 'deploy' requires: test")
    expect(AI_SDK_CAPABILITIES.denyReason).toBe(true)
  })

  test('a tool with its prerequisite met runs', async () => {
    const { ran, session, tools } = workbench()
    await run({ session, tools, script: [call('1', 'test'), call('2', 'deploy')] })
    expect(ran).toEqual(['test', 'deploy'])
  })

  test('a call does not satisfy a prerequisite of another call in the same step', async () => {
    const { ran, session, tools } = workbench()
    const batch = {
      calls: [
        { id: '1', tool: 'test' },
        { id: '2', tool: 'deploy' },
      ],
    }
    const { prompts } = await run({ session, tools, script: [batch, call('3', 'deploy')] })
    expect(ran).toEqual(['test', 'deploy'])
    expect(prompts[1]).toContain("Tool 'deploy' requires: test")
  })

  test('a tool that throws is recorded as a failure, and the model reads the error', async () => {
    const { ran, session, tools, events } = workbench()
    const { prompts } = await run({ session, tools, script: [call('1', 'broken')] })
    expect(ran).toEqual(['broken'])
    expect(prompts[1]).toContain('the tool broke')
    const invoked = events().find(({ type }) => type === 'tool.invoked')
    expect(invoked?.data).toMatchObject({ outcome: 'failure', error: 'the tool broke' })
  })

  test('feedback reaches the model as a separate message', async () => {
    const { session, tools, events } = workbench()
    const script = [call('1', 'lint'), call('2', 'lint'), call('3', 'lint')]
    const { prompts } = await run({ session, tools, script })
    expect(prompts[1]).not.toContain('<feedback')
    expect(prompts[2]).toContain('Keep it &lt;short&gt;.')
    const delivered = events().filter(({ type }) => type === 'feedback.delivered')
    expect(delivered[0]?.data['delivery']).toBe(AI_SDK_CAPABILITIES.inject)
  })

  test('a stop with an open plan is blocked in the same run, and allowed when the plan is done', async () => {
    const { session, tools, events } = workbench()
    const script = [
      plan('1', 'pending'),
      { text: 'Finished!' },
      plan('2', 'done'),
      { text: 'Now.' },
    ]
    const { text, prompts } = await run({ session, tools, script })
    expect(text).toBe('Now.')
    expect(prompts).toHaveLength(4)
    expect(prompts[2]).toContain('You have 1 incomplete task(s) out of 1.')
    const stops = events().filter(({ type }) => type === 'stop.decided')
    expect(stops.map(({ data }) => data['verdict'])).toEqual(['blocked', 'allowed'])
  })

  test('the stop after the limit of blocks is bypassed, and the final verification blocks', async () => {
    const { session, tools, events } = workbench()
    await run({ session, tools, script: [plan('1', 'pending')] })
    const verification = await session.end({ reason: 'completed', output: 'x' })
    const stops = events().filter(({ type }) => type === 'stop.decided')
    expect(stops.map(({ data }) => data['verdict'])).toEqual([
      'blocked',
      'blocked',
      'blocked',
      'bypassed',
      'blocked',
    ])
    expect(verification?.allowed).toBe(false)
  })

  test('a passed deadline allows the stop of an open plan', async () => {
    const { session, tools, events } = workbench({ deadlineAt: Date.now() - 1 })
    await run({ session, tools, script: [plan('1', 'pending')] })
    const [stop] = events().filter(({ type }) => type === 'stop.decided')
    expect(stop?.data).toMatchObject({ verdict: 'bypassed', bypass: 'deadline' })
  })

  test('stopWhen ends the run despite an open plan, and the final verification blocks', async () => {
    const { session, tools } = workbench()
    const { prompts } = await run({ session, tools, script: [plan('1', 'pending')], maxSteps: 2 })
    expect(prompts).toHaveLength(2)
    const verification = await session.end({ reason: 'completed', output: 'x' })
    expect(verification).toMatchObject({ allowed: false, decision: { verdict: 'blocked' } })
  })

  test('a guard that throws denies: the tool does not run and the run continues', async () => {
    const { ran, session, tools } = workbench()
    session.beforeToolCall = () => Promise.reject(new Error('defect'))
    const { text, prompts } = await run({ session, tools, script: [call('1', 'lint')] })
    expect(ran).toEqual([])
    expect(prompts[1]).toContain('could not decide this call')
    expect(text).toBe('Done.')
  })

  test('a call with invalid arguments is recorded as invalid', async () => {
    const { session, tools, events } = workbench()
    await run({ session, tools, script: [call('1', 'update_plan', { steps: 'none' })] })
    const invoked = events().find(({ type }) => type === 'tool.invoked')
    expect(invoked?.data).toMatchObject({ call_id: '1', outcome: 'invalid' })
  })

  test('usage is recorded once for each step', async () => {
    const { session, tools } = workbench()
    await run({ session, tools, script: [call('1', 'lint')] })
    expect(session.state.usage).toEqual({ input: 20, output: 10, total: 30 })
  })
})

test("every call beats before and after its tool, so that the message's lease is extended", async () => {
  let beats = 0
  const beat = () => {
    beats += 1
  }
  const { session, tools } = workbench({ heartbeat: { beat } })
  await generate({ session, tools, script: [call('1', 'lint'), call('2', 'broken')] })
  expect(beats).toBe(4)
})

test('the needsApproval of a guarded tool still applies', async () => {
  const { ran, session, tools } = workbench()
  const lint = { ...tools['lint'], needsApproval: true } as ToolSet[string]
  const { prompts } = await generate({
    session,
    tools: { ...tools, lint },
    script: [call('1', 'lint')],
  })
  expect(ran).toEqual([])
  expect(prompts).toHaveLength(1)
})

test('a caller that replaces toolApproval is still guarded when the tool runs', async () => {
  const { ran, session, tools } = workbench()
  const { model, prompts } = scriptedModel([call('1', 'deploy')])
  await generateText({
    model,
    prompt: 'Work.',
    stopWhen: isStepCount(5),
    ...guardGeneration(session, tools),
    toolApproval: () => 'approved',
  })
  expect(ran).toEqual([])
  expect(prompts[1]).toContain("Tool 'deploy' requires: test")
})

test('a guarded tool that uses `this` keeps its own state', async () => {
  const { session } = workbench()
  const counter = {
    ...tool({ description: 'count', inputSchema: z.object({}), outputSchema: z.number() }),
    count: 0,
    execute(this: { count: number }) {
      this.count += 1
      return this.count
    },
  }
  const tools: ToolSet = { test: counter }
  await generate({ session, tools, script: [call('1', 'test'), call('2', 'test')] })
  expect(counter.count).toBe(2)
})
