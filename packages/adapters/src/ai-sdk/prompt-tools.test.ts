import {
  Budget,
  createPromptSession,
  MarkdownSection,
  memoryWorkspace,
  Plan,
  PlanBasedChecker,
  Prompt,
  type PromptSessionOptions,
  PromptTemplate,
  SequentialDependencyPolicy,
  Tool,
  ToolInvoked,
  type ToolPolicy,
  ToolResult,
} from '@signalbox/agent'
import { generateText, isStepCount } from 'ai'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import { type ScriptedStep, scriptedModel } from '../test/scripted-model.ts'
import { guardGeneration } from './guard-generation.ts'
import { promptTools } from './prompt-tools.ts'

const write = new Tool({
  name: 'write',
  description: 'Writes a file.',
  parameters: z.strictObject({ path: z.string(), fail: z.boolean().default(false) }),
  handler: async ({ path, fail }, { filesystem, session }) => {
    await filesystem.write(path, 'text')
    session.dispatch(Plan({ steps: [{ title: 'Ship', status: 'done' }] }))
    return fail ? ToolResult.error('The disk is tired.') : ToolResult.ok({ path }, `Wrote ${path}.`)
  },
})
const ship = new Tool({
  name: 'ship',
  parameters: z.strictObject({}),
  handler: () => ToolResult.ok('Shipped.'),
})

const call = (id: string, tool: string, input: unknown = {}): ScriptedStep => ({
  calls: [{ id, tool, input }],
})

async function generate(script: readonly ScriptedStep[], options: PromptSessionOptions = {}) {
  const heard: unknown[] = []
  const listener: ToolPolicy = {
    name: 'listener',
    check: () => ({ allowed: true }),
    onResult: ({ params }) => void heard.push(params),
  }
  const template = new PromptTemplate({
    ns: 'a',
    key: 'b',
    sections: [new MarkdownSection({ title: 'Task', template: 'Ship it.', tools: [write, ship] })],
    policies: [new SequentialDependencyPolicy({ dependencies: { ship: ['write'] } }), listener],
    taskCompletionChecker: new PlanBasedChecker(),
  })
  const workspace = memoryWorkspace()
  const run = createPromptSession(new Prompt(template), { workspace, ...options })
  run.session.dispatch(Plan({ steps: [{ title: 'Ship', status: 'pending' }] }))
  const { model, prompts } = scriptedModel(script)
  const { text } = await generateText({
    model,
    system: run.render().text,
    prompt: 'Begin.',
    stopWhen: isStepCount(20),
    ...guardGeneration(run.guarded, promptTools(run)),
  })
  return { run, workspace, prompts, text, heard }
}

describe('the tools of a prompt in generateText', () => {
  test('the tools of a prompt in generateText are denied, run in their transaction, and must complete before the agent may stop', async () => {
    const { run, workspace, prompts, text, heard } = await generate([
      call('1', 'ship'),
      { text: 'Finished!' },
      call('2', 'write', { path: 'a' }),
      call('3', 'ship'),
      { text: 'Now.' },
    ])
    expect(text).toBe('Now.')
    expect(prompts[0]).toContain('Ship it.')
    expect(prompts[1]).toContain("Tool 'ship' requires: write")
    expect(prompts[2]).toContain('You have 1 incomplete task(s) out of 1.')
    expect(prompts[3]).toContain('Wrote a.')
    expect(await workspace.read('a')).toBe('text')
    expect(heard).toEqual([{ path: 'a', fail: false }, {}])
    const records = run.session.slice(ToolInvoked).all()
    expect(records.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ['ship', 'denied'],
      ['write', 'success'],
      ['ship', 'success'],
    ])
  })

  test('leave no writes behind when they fail, and the model reads the reason', async () => {
    const { run, workspace, prompts, heard } = await generate([
      call('1', 'write', { path: 'a', fail: true }),
      call('2', 'write', { path: 'b', mode: 'w' }),
    ])
    expect(prompts[1]).toContain('The disk is tired.')
    expect(prompts[2]).toContain('mode')
    expect(await workspace.list()).toEqual([])
    expect(heard).toEqual([])
    const records = run.session.slice(ToolInvoked).all()
    expect(records.map(({ outcome }) => outcome)).toEqual(['failure', 'invalid'])
    expect(run.session.slice(Plan).latest()?.steps[0]?.status).toBe('pending')
  })

  test("the tools of a prompt in generateText are evaluated with the handler's input, defaults included", async () => {
    const seen: unknown[] = []
    const sections = [new MarkdownSection({ tools: [write] })]
    const check: ToolPolicy['check'] = ({ params }) => {
      seen.push(params)
      return { allowed: true }
    }
    const policies = [{ name: 'watch', check }]
    const prompt = new Prompt(new PromptTemplate({ ns: 'a', key: 'b', sections, policies }))
    const run = createPromptSession(prompt, { workspace: memoryWorkspace() })
    const { model } = scriptedModel([call('1', 'write', { path: 'a' })])
    const guard = guardGeneration(run.guarded, promptTools(run))
    await generateText({ model, prompt: 'Begin.', stopWhen: isStepCount(2), ...guard })
    expect(seen).toEqual([{ path: 'a', fail: false }])
  })

  test('the tools of a prompt in generateText are notified when the generation is aborted', async () => {
    const controller = new AbortController()
    const seen: boolean[] = []
    const wait = new Tool({
      name: 'wait',
      parameters: z.strictObject({}),
      handler: (_, { signal }) => {
        controller.abort()
        seen.push(signal.aborted)
        return ToolResult.ok('late')
      },
    })
    const sections = [new MarkdownSection({ tools: [wait] })]
    const run = createPromptSession(new Prompt(new PromptTemplate({ ns: 'a', key: 'b', sections })))
    const { model } = scriptedModel([call('1', 'wait')])
    const guard = guardGeneration(run.guarded, promptTools(run))
    const { signal: abortSignal } = controller
    await generateText({ model, prompt: 'Begin.', abortSignal, ...guard }).catch(() => undefined)
    expect(seen).toEqual([true])
  })

  test('the tools of a prompt in generateText do not run when the budget is exhausted', async () => {
    const budget = new Budget({ maxTotalTokens: 15 })
    const { prompts, workspace } = await generate(
      [{ text: 'Thinking.' }, call('1', 'write', { path: 'a' })],
      { budget },
    )
    expect(prompts).toHaveLength(1)
    expect(await workspace.list()).toEqual([])
    const longer = await generate([call('1', 'ship'), call('2', 'write', { path: 'a' })], {
      budget: new Budget({ maxTotalTokens: 15 }),
    })
    expect(longer.prompts[2]).toContain('The budget is used up: 15 of 15 total tokens')
    expect(await longer.workspace.list()).toEqual([])
  })
})
