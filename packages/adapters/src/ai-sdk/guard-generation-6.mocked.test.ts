import { readdir, readFile } from 'node:fs/promises'
import { createGuardrails, type GuardedSession, type SessionOptions } from '@signalbox/runtime'
import { RULES } from '@signalbox/testkit'
import { generateText, Output, stepCountIs, streamText, type ToolSet, tool } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod/v4'
import type { ScriptedStep } from '../test/scripted-model.ts'
import { scriptedModel6 } from '../test/scripted-model-6.ts'
import { AI_SDK_6_CAPABILITIES } from './capabilities.ts'
import { guardGeneration } from './guard-generation.ts'
import { guardGeneration6 } from './guard-generation-6.ts'
import { judgeModel } from './judge-model.ts'
import { planTool } from './plan-tool.ts'

vi.mock('ai', () => import('ai-6'))

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
      inputSchema: z.looseObject({}),
      execute: async () => {
        ran.push(`${name} begins`)
        await Promise.resolve()
        ran.push(`${name} ends`)
        return `${name} ran`
      },
    })
  const tools = {
    lint: record('lint'),
    test: record('test'),
    deploy: record('deploy'),
    broken: tool({
      description: 'broken',
      inputSchema: z.object({}),
      execute: async (): Promise<string> => {
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
  const { model, prompts } = scriptedModel6(script)
  const result = await guardGeneration6(session, tools).run('Work.', (options) =>
    generateText({ model, stopWhen: stepCountIs(maxSteps), ...options }),
  )
  return { text: result.text, prompts }
}

const stream: Way = async ({ session, tools, script, maxSteps = 20 }) => {
  const { model, prompts } = scriptedModel6(script)
  const result = await guardGeneration6(session, tools).run('Work.', (options) =>
    streamText({ model, stopWhen: stepCountIs(maxSteps), ...options }),
  )
  return { text: await result.text, prompts }
}

const call = (id: string, name: string, input?: unknown): ScriptedStep => ({
  calls: [{ id, tool: name, input }],
})
const plan = (id: string, status: string) =>
  call(id, 'update_plan', { steps: [{ title: 'Publish', status }] })

describe.each([
  ['generateText', generate],
  ['streamText', stream],
])('a guarded %s of ai 6', (_, run) => {
  test('a denied tool does not run, and the model reads why', async () => {
    const { ran, session, tools } = workbench()
    const { prompts } = await run({ session, tools, script: [call('1', 'deploy')] })
    expect(ran).toEqual([])
    expect(prompts[1]).toContain("Tool 'deploy' requires: test")
  })

  test('a tool with its prerequisite met runs', async () => {
    const { ran, session, tools } = workbench()
    await run({ session, tools, script: [call('1', 'test'), call('2', 'deploy')] })
    expect(ran).toEqual(['test begins', 'test ends', 'deploy begins', 'deploy ends'])
  })

  test('a call does not satisfy a prerequisite of another call in the same step', async () => {
    const { ran, session, tools } = workbench()
    const calls = ['test', 'deploy'].map((name) => ({ id: name, tool: name }))
    const { prompts } = await run({ session, tools, script: [{ calls }] })
    expect(ran).toEqual(['test begins', 'test ends'])
    expect(prompts[1]).toContain("Tool 'deploy' requires: test")
  })

  test('calls of one step run sequentially', async () => {
    const { ran, session, tools } = workbench()
    const calls = ['lint', 'test'].map((name) => ({ id: name, tool: name }))
    await run({ session, tools, script: [{ calls }] })
    expect(ran).toEqual(['lint begins', 'lint ends', 'test begins', 'test ends'])
  })

  test('a tool that throws is recorded as a failure, and the model reads the error', async () => {
    const { session, tools, events } = workbench()
    const { prompts } = await run({ session, tools, script: [call('1', 'broken')] })
    expect(prompts[1]).toContain('the tool broke')
    const invoked = events().find(({ type }) => type === 'tool.invoked')
    expect(invoked?.data).toMatchObject({ outcome: 'failure', error: 'the tool broke' })
  })

  test('feedback is a separate message, which every later step repeats in its place', async () => {
    const { session, tools, events } = workbench()
    const script = [call('1', 'lint'), call('2', 'lint'), call('3', 'lint')]
    const { prompts } = await run({ session, tools, script })
    const roles = (prompt: string | undefined) =>
      JSON.parse(prompt ?? '[]').map(({ role }: { role: string }) => role)
    expect(roles(prompts[2])).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'user'])
    expect(roles(prompts[3]).slice(0, 6)).toEqual(roles(prompts[2]))
    expect(prompts[3]?.match(/Keep it/g)).toHaveLength(1)
    const delivered = events().filter(({ type }) => type === 'feedback.delivered')
    expect(delivered[0]?.data['delivery']).toBe(AI_SDK_6_CAPABILITIES.inject)
  })

  test('a stop with an open plan is blocked, and the model is called again with the whole conversation', async () => {
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
    expect(prompts[2]).toMatch(/Finished!.*You have 1 incomplete task\(s\) out of 1\./)
    expect(prompts[3]?.match(/You have 1 incomplete/g)).toHaveLength(1)
    const stops = events().filter(({ type }) => type === 'stop.decided')
    expect(stops.map(({ data }) => data['verdict'])).toEqual(['blocked', 'allowed'])
  })

  test('the stop after the limit of blocks is bypassed', async () => {
    const { session, tools, events } = workbench()
    await run({ session, tools, script: [plan('1', 'pending')] })
    const stops = events().filter(({ type }) => type === 'stop.decided')
    expect(stops.map(({ data }) => data['verdict'])).toEqual([
      'blocked',
      'blocked',
      'blocked',
      'bypassed',
    ])
  })

  test('a run that stopWhen ends midway makes no further request', async () => {
    const { session, tools } = workbench()
    const { prompts } = await run({ session, tools, script: [call('1', 'lint')], maxSteps: 1 })
    expect(prompts).toHaveLength(1)
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
})

test('a structured output of ai 6 that was blocked is not the output of the run', async () => {
  const { session, tools } = workbench()
  await session.updatePlan([{ title: 'Publish', status: 'pending' }])
  const script = [{ text: '{"n":1}' }, plan('1', 'done'), { text: '{"n":2}' }]
  const { model } = scriptedModel6(script)
  const output = Output.object({ schema: z.object({ n: z.number() }) })
  const result = await guardGeneration6(session, tools).run('Work.', (options) =>
    generateText({ model, output, stopWhen: stepCountIs(9), ...options }),
  )
  expect(result.output).toEqual({ n: 2 })
})

test('a sub-agent of ai 6 is recorded by its id, with its own stop', async () => {
  const { session, tools, events } = workbench()
  const { model } = scriptedModel6([call('1', 'lint')])
  await guardGeneration6(session, tools, { agent: 'researcher' }).run('Work.', (options) =>
    generateText({ model, stopWhen: stepCountIs(9), ...options }),
  )
  const seen = events().filter(({ data }) => data['agent'] === 'researcher')
  expect(seen.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['tool.requested', 'tool.invoked', 'stop.attempted']),
  )
  expect(events().find(({ type }) => type === 'stop.attempted')?.data['via']).toBe('subagent_end')
})

test('onInputAvailable of a guarded tool of ai 6 is still called', async () => {
  const { session, tools } = workbench()
  const heard: string[] = []
  const onInputAvailable = ({ toolCallId }: { toolCallId: string }) => void heard.push(toolCallId)
  const lint = { ...tools.lint, onInputAvailable }
  await generate({ session, tools: { ...tools, lint }, script: [call('1', 'lint')] })
  expect(heard).toEqual(['1'])
})

test('the needsApproval of a guarded tool of ai 6 still applies', async () => {
  const { ran, session, tools } = workbench()
  const lint = { ...tools.lint, needsApproval: true }
  const { prompts } = await generate({
    session,
    tools: { ...tools, lint },
    script: [call('1', 'lint')],
  })
  expect(ran).toEqual([])
  expect(prompts).toHaveLength(1)
})

test('judgeModel accepts a model of ai 6', async () => {
  const { model, prompts } = scriptedModel6([{ text: '{"complete": false, "feedback": "No."}' }])
  const question = { system: 'Judge.', prompt: 'The work.' }
  const judged = await judgeModel(model).judge(question, new AbortController().signal)
  expect(judged).toEqual({ complete: false, feedback: 'No.' })
  expect(prompts[0]).toContain('Judge.')
})

test('guardGeneration throws with ai 6 and names guardGeneration6', () => {
  const { session } = workbench()
  expect(() => guardGeneration(session, {})).toThrow('Use guardGeneration6')
})

test('the entry point works with ai 6: every value imported from `ai` exists there', async () => {
  const sdk = await vi.importActual<Record<string, unknown>>('ai-6')
  const files = (await readdir(import.meta.dirname)).filter((file) => /^[a-z0-9-]+\.ts$/.test(file))
  const texts = await Promise.all(
    files.map((file) => readFile(`${import.meta.dirname}/${file}`, 'utf8')),
  )
  const names = texts
    .flatMap((text) => [...text.matchAll(/^import \{([^}]*)\} from 'ai'$/gm)])
    .flatMap(([, list]) => (list ?? '').split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
  expect(names).toContain('tool')
  expect(names.filter((name) => !(name in sdk))).toEqual([])
})
