import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { SessionEvent } from '@signalbox/core'
import { createGuardrails } from '@signalbox/runtime'
import type { Diagnostic } from '@signalbox/runtime/base'
import { fakeClock } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import {
  Budget,
  CompositeChecker,
  createPromptSession,
  Deadline,
  DeadlineFeedback,
  defineSlice,
  Feedback,
  type FeedbackContext,
  FeedbackHistory,
  FilesExistChecker,
  folderWorkspace,
  MarkdownSection,
  memoryWorkspace,
  Plan,
  PlanBasedChecker,
  PolicyDecision,
  Prompt,
  PromptEvaluationError,
  PromptExecuted,
  PromptRendered,
  type PromptSessionOptions,
  PromptTemplate,
  type PromptTemplateOptions,
  ReadBeforeWritePolicy,
  SequentialDependencyPolicy,
  Session,
  StaticFeedbackProvider,
  type TaskCompletionChecker,
  type TaskCompletionContext,
  TaskCompletionResult,
  Tool,
  ToolInvoked,
  type ToolPolicy,
  ToolResult,
} from '../index.ts'

const PathOnly = z.strictObject({ path: z.string() })
const Note = defineSlice<string>('note')

const readFile = new Tool({
  name: 'read_file',
  parameters: PathOnly,
  handler: async ({ path: file }, { filesystem }) => ToolResult.ok(await filesystem.read(file)),
})

const writeFile = new Tool({
  name: 'write_file',
  parameters: z.strictObject({ path: z.string(), content: z.string() }),
  handler: async ({ path: file, content }, { filesystem, session }) => {
    await filesystem.write(file, content)
    session.dispatch(Note(`wrote ${file}`))
    return ToolResult.ok(null, `Wrote ${file}.`)
  },
})

const planTool = new Tool({
  name: 'plan',
  parameters: z.strictObject({
    steps: z.array(z.object({ title: z.string(), status: z.string() })),
  }),
  slice: Plan,
  handler: ({ steps }) => ToolResult.ok({ steps }, 'Noted.'),
})

const risky = new Tool({
  name: 'risky',
  parameters: z.strictObject({ how: z.enum(['ok', 'error', 'throw', 'nonsense']) }),
  handler: async ({ how }, { filesystem, session }) => {
    await filesystem.write('made.txt', 'made')
    await filesystem.write('known.txt', 'changed')
    session.dispatch(Note('risky'))
    if (how === 'throw') throw new Error('it broke')
    if (how === 'error') return ToolResult.error('it did not work')
    if (how === 'nonsense') return JSON.parse('{}')
    return ToolResult.ok('fine')
  },
})

const TOOLS = [readFile, writeFile, planTool, risky]

function opened(
  template: Partial<PromptTemplateOptions<{ readonly [name: string]: string }, string>> = {},
  options: PromptSessionOptions = {},
) {
  const lines: string[] = []
  const diagnostics: Diagnostic[] = []
  const prompt = new Prompt(
    new PromptTemplate({
      ns: 'test',
      key: 'prompt',
      sections: [new MarkdownSection({ title: 'Tools', tools: TOOLS })],
      ...template,
    }),
  )
  const run = createPromptSession(prompt, {
    workspace: memoryWorkspace({ 'known.txt': 'old' }),
    onEvent: (line) => lines.push(line),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  })
  const events = (): SessionEvent[] => lines.map((line) => JSON.parse(line))
  return { run, events, diagnostics, prompt }
}

const types = (events: readonly SessionEvent[]): string[] => events.map(({ type }) => type)

describe('a tool call of a prompt session', () => {
  test('a tool call of a prompt session is recorded as invalid and does not run when its tool is unknown or its arguments are invalid', async () => {
    const { run, events } = opened()
    for (const request of [
      { tool: 'none', args: {} },
      { tool: 'read_file', args: { path: 1 } },
      { tool: 'read_file', args: { path: 'known.txt', mode: 'r' } },
      { tool: 'read_file', args: 'known.txt' },
    ]) {
      const { outcome, result } = await run.execute(request)
      expect(outcome).toBe('invalid')
      expect(result.success).toBe(false)
    }
    const calls = run.session.slice(ToolInvoked).all()
    expect(calls.map(({ outcome, callIndex }) => [outcome, callIndex])).toEqual([
      ['invalid', 1],
      ['invalid', 2],
      ['invalid', 3],
      ['invalid', 4],
    ])
    expect(types(events()).filter((type) => type === 'tool.invoked')).toHaveLength(4)
  })

  test('a tool call of a prompt session does not run when denied, and the agent reads the reason', async () => {
    const policies = [new SequentialDependencyPolicy({ dependencies: { risky: ['read_file'] } })]
    const { run } = opened({ policies })
    const denied = await run.execute({ tool: 'risky', args: { how: 'ok' }, callId: 'a' })
    expect(denied).toMatchObject({ callId: 'a', outcome: 'denied', feedback: null })
    expect(denied.text).toBe("Tool 'risky' requires: read_file")
    expect(run.session.slice(Note).all()).toEqual([])
    expect(run.session.slice(ToolInvoked).latest()).toMatchObject({
      callId: 'a',
      args: { how: 'ok' },
      outcome: 'denied',
      message: "Tool 'risky' requires: read_file",
    })
    await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })
    expect((await run.execute({ tool: 'risky', args: { how: 'ok' } })).outcome).toBe('success')
  })

  test.each(['error', 'throw', 'nonsense'])(
    'whose handler ends with "%s" leaves only its record',
    async (how) => {
      const workspace = memoryWorkspace({ 'known.txt': 'old' })
      const { run, events } = opened({}, { workspace })
      const { outcome, text } = await run.execute({ tool: 'risky', args: { how } })
      expect(outcome).toBe('failure')
      const texts: { readonly [how: string]: string } = {
        error: 'it did not work',
        throw: "Tool 'risky' failed: it broke",
        nonsense: "Tool 'risky' failed: The handler returned no ToolResult.",
      }
      expect(text).toBe(texts[how])
      expect(await workspace.read('known.txt')).toBe('old')
      expect(await workspace.exists('made.txt')).toBe(false)
      expect(run.session.slice(Note).all()).toEqual([])
      expect(run.session.slice(ToolInvoked).latest()).toMatchObject({
        outcome: 'failure',
        value: null,
      })
      expect(events().at(-1)?.data).toMatchObject({ tool: 'risky', outcome: 'failure' })
    },
  )

  test('leaves its value out of the slice and the record when it fails', async () => {
    const tool = new Tool({
      name: 'plan',
      parameters: z.strictObject({}),
      slice: Plan,
      handler: () => new ToolResult({ success: false, message: 'no', value: { steps: [] } }),
    })
    const { run, events } = opened({ sections: [new MarkdownSection({ tools: [tool] })] })
    const { result } = await run.execute({ tool: 'plan', args: {} })
    expect(result.value).toEqual({ steps: [] })
    expect(run.session.slice(Plan).latest()).toBeNull()
    expect(run.session.slice(ToolInvoked).latest()?.value).toBeNull()
    expect(events().at(-1)?.data).not.toHaveProperty('output')
  })

  test('keeps its writes when it succeeds, and its value goes to the slice of its tool', async () => {
    const workspace = memoryWorkspace({ 'known.txt': 'old' })
    const { run } = opened({}, { workspace })
    expect((await run.execute({ tool: 'risky', args: { how: 'ok' } })).text).toBe('fine')
    expect(await workspace.read('made.txt')).toBe('made')
    expect(run.session.slice(Note).all()).toEqual(['risky'])
    const steps = [{ title: 'One', status: 'pending' }]
    await run.execute({ tool: 'plan', args: { steps } })
    expect(run.session.slice(Plan).latest()).toEqual({ steps })
    expect(run.session.slice(ToolInvoked).latest()).toMatchObject({
      outcome: 'success',
      value: { steps },
      message: 'Noted.',
    })
  })

  test('fails when the slice refuses its value, and its files are restored', async () => {
    const Small = defineSlice<number>('small', { schema: z.number().max(1) })
    const tool = new Tool({
      name: 'count',
      parameters: z.strictObject({ n: z.number() }),
      slice: Small,
      handler: async ({ n }, { filesystem }) => {
        await filesystem.write('made.txt', 'made')
        return ToolResult.ok(n)
      },
    })
    const workspace = memoryWorkspace()
    const sections = [new MarkdownSection({ tools: [tool] })]
    const { run } = opened({ sections }, { workspace })
    const { outcome, text } = await run.execute({ tool: 'count', args: { n: 2 } })
    expect(outcome).toBe('failure')
    expect(text).toContain('A value of "small" was refused')
    expect(await workspace.exists('made.txt')).toBe(false)
  })

  test('beats before and after its handler, and whenever the handler beats', async () => {
    const beats: string[] = []
    const tool = new Tool({
      name: 'slow',
      parameters: z.strictObject({}),
      handler: (_, context) => {
        context.beat()
        beats.push('inside')
        return ToolResult.ok(null, 'done')
      },
    })
    const sections = [new MarkdownSection({ tools: [tool] })]
    const { run } = opened({ sections }, { heartbeat: { beat: () => beats.push('beat') } })
    await run.execute({ tool: 'slow', args: {} })
    expect(beats).toEqual(['beat', 'beat', 'inside', 'beat'])
  })

  test('fails when it uses files without a workspace', async () => {
    const prompt = new Prompt(
      new PromptTemplate({
        ns: 'a',
        key: 'b',
        sections: [new MarkdownSection({ tools: [readFile] })],
      }),
    )
    const run = createPromptSession(prompt)
    const { outcome, text } = await run.execute({ tool: 'read_file', args: { path: 'a' } })
    expect(outcome).toBe('failure')
    expect(text).toContain('This session has no workspace.')
  })

  test('a tool call of a prompt session may name its tool by an alias of the config', async () => {
    const { run } = opened({ config: { aliases: { Read: 'read_file' } } })
    const { text } = await run.execute({ tool: 'Read', args: { path: 'known.txt' } })
    expect(text).toBe('old')
  })

  test('ends the run when its handler throws a PromptEvaluationError, after it is recorded and rolled back', async () => {
    const workspace = memoryWorkspace()
    const tool = new Tool({
      name: 'give_up',
      parameters: z.strictObject({}),
      handler: async (_, { filesystem, prompt }) => {
        await filesystem.write('made.txt', '')
        throw new PromptEvaluationError('Enough.', { promptName: prompt.name, phase: 'tool' })
      },
    })
    const { run } = opened({ sections: [new MarkdownSection({ tools: [tool] })] }, { workspace })
    await expect(run.execute({ tool: 'give_up', args: {} })).rejects.toThrow('Enough.')
    expect(run.session.slice(ToolInvoked).latest()).toMatchObject({ outcome: 'failure' })
    expect(await workspace.exists('made.txt')).toBe(false)
  })

  test('receives the abort signal of its caller', async () => {
    const tool = new Tool({
      name: 'wait',
      parameters: z.strictObject({}),
      handler: async (_, { signal }) => ToolResult.error(signal.aborted ? 'stopped' : 'waiting'),
    })
    const { run } = opened({ sections: [new MarkdownSection({ tools: [tool] })] })
    const request = { tool: 'wait', args: {} }
    expect((await run.execute(request)).text).toBe('waiting')
    expect((await run.execute({ ...request, signal: AbortSignal.abort() })).text).toBe('stopped')
    const parsed = { tool: 'wait', params: {}, callId: 'a', signal: AbortSignal.abort() }
    expect(await run.perform(parsed)).toEqual(ToolResult.error('stopped'))
  })

  test('that fails keeps files that an editor changed meanwhile, and reports the conflict', async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-run-'))
    const tool = new Tool({
      name: 'format',
      parameters: z.strictObject({}),
      handler: async (_, { filesystem }) => {
        await filesystem.write('a.txt', 'mine')
        fs.writeFileSync(path.join(root, 'a.txt'), 'by an editor')
        return ToolResult.error('no')
      },
    })
    const sections = [new MarkdownSection({ tools: [tool] })]
    const { run, diagnostics } = opened({ sections }, { workspace: folderWorkspace(root) })
    await run.execute({ tool: 'format', args: {} })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('by an editor')
    expect(diagnostics.map(({ code }) => code)).toEqual(['rollback_conflict'])
    fs.rmSync(root, { recursive: true })
  })

  test('a tool call of a prompt session is rejected when its id belongs to a running call', async () => {
    const { run } = opened()
    const first = run.execute({ tool: 'read_file', args: { path: 'known.txt' }, callId: 'a' })
    await expect(
      run.execute({ tool: 'read_file', args: { path: 'known.txt' }, callId: 'a' }),
    ).rejects.toMatchObject({ code: 'invalid_value' })
    expect((await first).outcome).toBe('success')
  })
})

describe('limits of a prompt session', () => {
  test('a passed deadline throws in phase tool, after the policies, and the call is recorded', async () => {
    const clock = fakeClock()
    const deadline = Deadline.inSeconds(10, { now: clock.now })
    const policies = [new SequentialDependencyPolicy({ dependencies: { risky: ['read_file'] } })]
    const { run } = opened({ policies }, { deadline, now: clock.now })
    clock.advance(10_000)
    expect((await run.execute({ tool: 'risky', args: { how: 'ok' } })).outcome).toBe('denied')
    await expect(
      run.execute({ tool: 'read_file', args: { path: 'known.txt' } }),
    ).rejects.toMatchObject({ name: 'PromptEvaluationError', phase: 'tool' })
    expect(run.session.slice(ToolInvoked).latest()).toMatchObject({ outcome: 'failure' })
  })

  test('feedback of a call that a passed deadline ends is part of the error and is recorded once', async () => {
    const clock = fakeClock()
    const deadline = Deadline.inSeconds(10, { now: clock.now })
    const feedbackProviders = [{ provider: new DeadlineFeedback(), trigger: { everyNCalls: 1 } }]
    const { run, events } = opened({ feedbackProviders }, { deadline, now: clock.now })
    clock.advance(10_000)
    await expect(
      run.execute({ tool: 'read_file', args: { path: 'known.txt' } }),
    ).rejects.toMatchObject({
      phase: 'tool',
      feedback: expect.stringContaining('You have reached the time deadline.'),
    })
    expect(types(events()).filter((type) => type === 'feedback.delivered')).toHaveLength(1)
  })

  test('a custom checker receives via and stopReason of each stop', async () => {
    const seen: unknown[] = []
    const taskCompletionChecker = {
      check: ({ via, stopReason }: TaskCompletionContext) => {
        seen.push([via, stopReason])
        return TaskCompletionResult.ok()
      },
    }
    const { run } = opened({ taskCompletionChecker })
    await run.stop()
    await run.stop({ via: 'structured_output' })
    await run.stop({ stopReason: 'max_tokens' })
    expect(seen).toEqual([
      ['turn_end', 'end_turn'],
      ['structured_output', 'structured_output'],
      ['turn_end', 'max_tokens'],
    ])
  })

  test('an excluded value is stored and recorded, but the agent does not read it', async () => {
    const secret = new Tool({
      name: 'lookup',
      parameters: z.strictObject({}),
      handler: () => ToolResult.ok({ rows: 3 }, undefined, { excludeValueFromContext: true }),
    })
    const sections = [new MarkdownSection({ title: 'One', tools: [secret] })]
    const { run, events } = opened({ sections })
    const { text, result } = await run.execute({ tool: 'lookup', args: {} })
    expect([text, result.value]).toEqual(['', { rows: 3 }])
    expect(events().at(-1)).toMatchObject({ type: 'tool.invoked', data: { output: { rows: 3 } } })
  })

  test('with exclusive feedback only the first provider with text delivers', async () => {
    const trigger = { everyNCalls: 1 }
    const { run } = opened({
      feedbackExclusive: true,
      feedbackProviders: [
        { provider: new StaticFeedbackProvider({ feedback: 'One.' }), trigger },
        { provider: new StaticFeedbackProvider({ feedback: 'Two.' }), trigger },
      ],
    })
    const { feedback } = await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })
    expect(feedback).toBe("<feedback provider='Static'>\nOne.\n</feedback>")
  })

  test('an exhausted budget throws at the next call, and the stop is bypassed', async () => {
    const { run } = opened(
      { taskCompletionChecker: new FilesExistChecker(['never.txt']) },
      { budget: new Budget({ maxTotalTokens: 10 }) },
    )
    expect((await run.stop()).allowed).toBe(false)
    await run.recordUsage('a', { input: 9, output: 1 })
    await expect(run.execute({ tool: 'read_file', args: { path: 'known.txt' } })).rejects.toThrow(
      '10 of 10 total tokens',
    )
    expect((await run.stop()).decision).toMatchObject({ verdict: 'bypassed', bypass: 'budget' })
  })
})

describe('files of a prompt session', () => {
  test('files of a prompt session are the same for guardrails and tools by a path below the mount point', async () => {
    const sections = [
      new MarkdownSection({ tools: TOOLS, policies: [new ReadBeforeWritePolicy()] }),
    ]
    const workspace = memoryWorkspace({ 'a.txt': 'old' }, { mountPoint: '/workspace' })
    const { run } = opened({ sections }, { workspace })
    const write = (file: string) =>
      run.execute({ tool: 'write_file', args: { path: file, content: 'new' } })
    expect((await write('/workspace/a.txt')).outcome).toBe('denied')
    expect((await write('/elsewhere/a.txt')).outcome).toBe('denied')
    expect(await workspace.read('a.txt')).toBe('old')
    await expect(workspace.read('/elsewhere/a.txt')).rejects.toMatchObject({
      code: 'outside_workspace',
    })
    await run.execute({ tool: 'read_file', args: { path: 'a.txt' } })
    expect((await write('/workspace/a.txt')).outcome).toBe('success')
  })

  test('come from one workspace for guardrails and tools', async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-run-'))
    fs.writeFileSync(path.join(root, 'config.yaml'), 'old')
    const sections = [
      new MarkdownSection({ tools: TOOLS, policies: [new ReadBeforeWritePolicy()] }),
    ]
    const { run } = opened({ sections }, { workspace: folderWorkspace(root) })
    const write = (file: string) =>
      run.execute({ tool: 'write_file', args: { path: file, content: 'new' } })
    expect((await write('new.txt')).outcome).toBe('success')
    const denied = await write(path.join(root, 'config.yaml'))
    expect(denied.text).toBe(
      `File '${path.join(root, 'config.yaml')}' must be read before overwriting.`,
    )
    await run.execute({ tool: 'read_file', args: { path: 'config.yaml' } })
    expect((await write('config.yaml')).outcome).toBe('success')
    fs.writeFileSync(path.join(root, 'config.yaml'), 'by somebody else')
    expect((await write('config.yaml')).text).toContain('changed since it was read')
    fs.rmSync(root, { recursive: true })
  })
})

describe('custom rules of a prompt session', () => {
  const frozenPaths: ToolPolicy = {
    name: 'frozen-paths',
    params: { prefix: 'frozen/' },
    tools: ['write_file'],
    check: ({ params }, { settings }) => {
      const { path: file } = z.object({ path: z.string() }).parse(params)
      return file.startsWith(String(settings['prefix']))
        ? PolicyDecision.deny(`${file} is frozen.`)
        : PolicyDecision.allow()
    },
  }

  test('deny with their own reason, based on the settings of the config', async () => {
    const { run, prompt } = opened({ policies: [frozenPaths] })
    expect(prompt.template.document().policies).toEqual([
      {
        id: 'frozen-paths',
        type: 'custom:frozen-paths',
        tools: ['write_file'],
        params: { prefix: 'frozen/' },
      },
    ])
    const write = (file: string) =>
      run.execute({ tool: 'write_file', args: { path: file, content: '' } })
    expect((await write('frozen/a')).text).toBe('frozen/a is frozen.')
    expect((await write('a')).outcome).toBe('success')
  })

  test('see the parsed arguments even where their record is redacted', async () => {
    const seen: unknown[] = []
    const login = new Tool({
      name: 'login',
      parameters: z.strictObject({ password: z.string() }),
      handler: () => ToolResult.ok('in'),
    })
    const policy: ToolPolicy = {
      name: 'watch',
      check: ({ params }) => {
        seen.push(params)
        return { allowed: true }
      },
      onResult: ({ params }) => void seen.push(params),
    }
    const sections = [new MarkdownSection({ tools: [login], policies: [policy] })]
    const { run, events } = opened({ sections })
    await run.execute({ tool: 'login', args: { password: 'open sesame' } })
    expect(seen).toEqual([{ password: 'open sesame' }, { password: 'open sesame' }])
    expect(JSON.stringify(events())).not.toContain('open sesame')
  })

  test("custom rules of a prompt session are evaluated with the handler's input, defaults included", async () => {
    const reset = new Tool({
      name: 'write_file',
      parameters: z.object({ path: z.string().trim().default('known.txt') }),
      handler: async ({ path: file }, { filesystem }) => {
        await filesystem.write(file, '')
        return ToolResult.ok(file)
      },
    })
    const sections = [
      new MarkdownSection({ tools: [readFile, reset], policies: [new ReadBeforeWritePolicy()] }),
    ]
    const { run } = opened({ sections })
    for (const args of [{}, { path: ' known.txt ' }]) {
      const { text } = await run.execute({ tool: 'write_file', args })
      expect(text).toBe("File 'known.txt' must be read before overwriting.")
    }
  })

  test.each<[string, ToolPolicy['check']]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['gives an invalid answer', () => JSON.parse('{"allowed": "yes"}')],
    ['gives no answer', () => JSON.parse('null')],
  ])('deny when a policy %s', async (_, check) => {
    const { run } = opened({ policies: [{ name: 'broken', check }] })
    const { outcome } = await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })
    expect(outcome).toBe('denied')
  })

  test('roll a call back when a policy throws after its success, as when a handler throws', async () => {
    const policy: ToolPolicy = {
      name: 'auditor',
      check: () => PolicyDecision.allow(),
      onResult: async ({ tool }, { filesystem }) => {
        const written = await filesystem?.read('new.txt')
        if (tool === 'write_file' && written === 'bad') throw new Error('not my day')
      },
    }
    const workspace = memoryWorkspace()
    const { run, diagnostics } = opened({ policies: [policy] }, { workspace })
    const write = (content: string) =>
      run.execute({ tool: 'write_file', args: { path: 'new.txt', content } })
    const failed = await write('bad')
    expect(failed.outcome).toBe('failure')
    expect(failed.text).toBe(
      'Tool \'write_file\' failed: The policy "auditor" failed on a result: not my day',
    )
    expect(await workspace.exists('new.txt')).toBe(false)
    expect(diagnostics.map(({ code }) => code)).toEqual(['policy_result_failed'])
    expect((await write('good')).outcome).toBe('success')
    expect(await workspace.read('new.txt')).toBe('good')
  })

  test('custom rules of a prompt session are notified of every successful call of the session, and of no failed one', async () => {
    const heard: string[] = []
    const policy: ToolPolicy = {
      name: 'listener',
      check: () => PolicyDecision.allow(),
      onResult: ({ tool, result }) => void heard.push(`${tool}: ${result.message}`),
    }
    const sections = [
      new MarkdownSection({ title: 'One', tools: [writeFile], policies: [policy] }),
      new MarkdownSection({ title: 'Two', tools: [readFile, risky] }),
    ]
    const { run, diagnostics } = opened({ sections })
    await run.execute({ tool: 'risky', args: { how: 'error' } })
    const { outcome } = await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })
    expect(outcome).toBe('success')
    expect(heard).toEqual(['read_file: old'])
    expect(diagnostics).toEqual([])
  })

  test('show a provider the calls of its prompt, including the current one, and its earlier feedback', async () => {
    const seen: unknown[] = []
    const provider = {
      name: 'Counter',
      shouldRun: (context: FeedbackContext) => context.toolCallCount > 1,
      provide: (context: FeedbackContext) => {
        seen.push({
          count: context.toolCallCount,
          since: context.toolCallsSinceLastFeedbackForProvider('Counter'),
          last: context.lastFeedback?.summary ?? null,
          recent: context.recentToolCalls(2).map(({ outcome }) => outcome),
        })
        return new Feedback({ providerName: 'Counter', summary: `Call ${context.toolCallCount}` })
      },
    }
    const session = new Session()
    session.dispatch(
      ToolInvoked({
        callId: 'x',
        tool: 'x',
        args: {},
        outcome: 'success',
        value: null,
        message: '',
        promptName: 'another',
        callIndex: 7,
        at: 0,
      }),
    )
    const { run, events } = opened(
      {
        policies: [new SequentialDependencyPolicy({ dependencies: { risky: ['write_file'] } })],
        feedbackProviders: [{ provider, trigger: { everyNCalls: 1 } }],
      },
      { session },
    )
    const first = await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })
    expect(first.feedback).toBeNull()
    expect(types(events())).not.toContain('feedback.failed')
    const second = await run.execute({ tool: 'risky', args: { how: 'ok' } })
    expect(second.text).toBe(
      "Tool 'risky' requires: write_file\n\n<feedback provider='Counter'>\nCall 2\n</feedback>",
    )
    await run.execute({ tool: 'none', args: {} })
    expect(seen).toEqual([
      { count: 2, since: 2, last: null, recent: ['success', 'denied'] },
      { count: 3, since: 1, last: 'Call 2', recent: ['denied', 'invalid'] },
    ])
    expect(session.slice(FeedbackHistory).all()).toMatchObject([
      { provider: 'counter', providerName: 'Counter', promptName: 'test:prompt', callIndex: 2 },
      { callIndex: 3 },
    ])
  })

  test('keep shadow feedback out of the history', async () => {
    const provider = new StaticFeedbackProvider({ feedback: 'Go on.' })
    const trigger = { everyNCalls: 1 }
    const { run, events } = opened({ feedbackProviders: [{ provider, trigger, mode: 'shadow' }] })
    const { feedback } = await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })
    expect(feedback).toBeNull()
    expect(types(events())).toContain('feedback.delivered')
    expect(run.session.slice(FeedbackHistory).all()).toEqual([])
  })

  test('lose only their own text when a provider throws', async () => {
    const broken = {
      name: 'broken',
      provide: () => {
        throw new Error('no idea')
      },
    }
    const trigger = { everyNCalls: 1 }
    const { run, events } = opened({
      feedbackProviders: [
        { provider: broken, trigger },
        { provider: new StaticFeedbackProvider({ feedback: 'Go on.' }), trigger },
      ],
    })
    const { feedback } = await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })
    expect(feedback).toBe("<feedback provider='Static'>\nGo on.\n</feedback>")
    expect(types(events())).toContain('feedback.failed')
  })

  class TestsPass implements TaskCompletionChecker {
    check({ session, tentativeOutput }: Parameters<TaskCompletionChecker['check']>[0]) {
      if (session.slice(Note).latest() !== null) return TaskCompletionResult.ok('Noted.')
      return TaskCompletionResult.incomplete(`No note of ${JSON.stringify(tentativeOutput)}.`)
    }
  }

  test("block with a checker's text and see the output before redaction", async () => {
    const checker = new CompositeChecker({ checkers: [new TestsPass(), new PlanBasedChecker()] })
    const { run, prompt } = opened({ taskCompletionChecker: checker })
    expect(prompt.template.document().task_completion_checker).toEqual({
      id: 'composite',
      type: 'composite',
      checkers: [
        { id: 'tests-pass', type: 'custom:TestsPass' },
        { id: 'plan', type: 'plan' },
      ],
    })
    const blocked = await run.stop({ output: { password: 'x' } })
    expect(blocked).toMatchObject({ allowed: false, message: 'No note of {"password":"x"}.' })
    await run.execute({ tool: 'write_file', args: { path: 'a', content: '' } })
    expect((await run.stop({ output: {} })).allowed).toBe(true)
  })
})

describe('a run of a prompt session', () => {
  test("continues while the plan in the session's slice is open", async () => {
    const { run } = opened({ taskCompletionChecker: new PlanBasedChecker() })
    expect((await run.stop()).decision.check?.status).toBe('nothing_to_check')
    run.session.dispatch(Plan({ steps: [{ title: 'Publish' }] }))
    expect((await run.stop()).message).toContain('1 incomplete task(s) out of 1')
    run.session.slice(Plan).clear()
    expect((await run.stop()).allowed).toBe(true)
  })

  test('a run of a prompt session can keep its plan in its own slice', async () => {
    interface MyPlan extends Plan {
      readonly goal: string
    }
    const MyPlan = defineSlice<MyPlan>('my_plan')
    const checker = new PlanBasedChecker({ plan: MyPlan })
    const session = new Session()
    session.dispatch(MyPlan({ goal: 'x', steps: [{ title: 'Publish', status: 'pending' }] }))
    const { run } = opened({ taskCompletionChecker: checker }, { session })
    expect((await run.stop()).allowed).toBe(false)
    session.dispatch(MyPlan({ goal: 'x', steps: [{ title: 'Publish', status: 'done' }] }))
    expect((await run.stop()).allowed).toBe(true)
  })

  test('records its rendering, execution and end in its slices and its log', async () => {
    const sections = [new MarkdownSection({ title: 'Task', template: `Do \${what}.` })]
    const { run, events, prompt } = opened({ sections })
    expect(() => run.render()).toThrow('"what"')
    const bound = createPromptSession(prompt.bind({ what: 'it' }), { session: run.session })
    expect(bound.render().text).toBe('## Task\n\nDo it.')
    await bound.end({ output: 'done' })
    expect(run.session.slice(PromptRendered).latest()?.text).toBe('## Task\n\nDo it.')
    expect(run.session.slice(PromptExecuted).latest()).toMatchObject({
      promptName: 'test:prompt',
      output: 'done',
      complete: null,
    })
    await run.end({ reason: 'failed', error: 'x' })
    expect(types(events())).toEqual([
      'session.started',
      'config.applied',
      'prompt.executed',
      'session.ended',
    ])
    expect((await run.execute({ tool: 'none', args: {} })).outcome).toBe('invalid')
  })

  test('throws at the end for an incomplete output when final_verification is "error"', async () => {
    const { run } = opened({
      taskCompletionChecker: new FilesExistChecker(['report.md']),
      config: { final_verification: 'error' },
    })
    await expect(run.end({ output: 'x' })).rejects.toMatchObject({ phase: 'response' })
    expect(run.session.slice(PromptExecuted).latest()).toMatchObject({ complete: false })
  })

  test('a run of a prompt session has no state of the earlier run after a reset', async () => {
    const policies = [new SequentialDependencyPolicy({ dependencies: { risky: ['read_file'] } })]
    const { run } = opened({ policies })
    const first = run.guarded.id
    await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })
    await run.reset()
    expect(run.guarded.id).not.toBe(first)
    expect(run.session.slice(ToolInvoked).all()).toEqual([])
    expect((await run.execute({ tool: 'risky', args: { how: 'ok' } })).outcome).toBe('denied')
  })

  test("uses an adapter's checker when the prompt has none, with a deprecation warning", async () => {
    const old = { check: () => TaskCompletionResult.incomplete('Not yet.') }
    const { run, diagnostics } = opened({}, { taskCompletionChecker: old })
    expect((await run.stop()).message).toBe('Not yet.')
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'task_completion.deprecated_adapter_config',
    ])
    const own = opened(
      { taskCompletionChecker: new PlanBasedChecker() },
      { taskCompletionChecker: old },
    )
    expect((await own.run.stop()).allowed).toBe(true)
    expect(own.diagnostics).toEqual([])
  })

  test('records calls that an adapter passes to the guardrails directly', async () => {
    const policies = [new SequentialDependencyPolicy({ dependencies: { risky: ['read_file'] } })]
    const { run } = opened({ policies })
    const call = { tool: 'risky', args: { how: 'ok' }, callId: 'a' }
    await run.guarded.beforeToolCall(call)
    const other = { tool: 'read_file', args: { path: 'x' }, callId: 'b' }
    await run.guarded.beforeToolCall(other)
    await run.guarded.afterToolCall({ ...other, outcome: 'success', output: 'text' })
    expect(run.session.slice(ToolInvoked).all()).toMatchObject([
      { callId: 'a', args: { how: 'ok' }, outcome: 'denied', callIndex: 1 },
      { callId: 'b', args: { path: 'x' }, outcome: 'success', value: 'text', message: 'text' },
    ])
    await run.guarded.beforeToolCall(call)
    await run.guarded.afterToolCall({ ...call, outcome: 'success' })
    expect(run.session.slice(ToolInvoked).all()).toHaveLength(3)
  })

  test('ends once, even when several callers end it', async () => {
    const { run, events } = opened()
    await Promise.all([run.end({ output: 'a' }), run.end({ output: 'b' })])
    expect(await run.end()).toBeNull()
    expect(run.session.slice(PromptExecuted).all()).toMatchObject([{ output: 'a' }])
    expect(types(events()).slice(-2)).toEqual(['prompt.executed', 'session.ended'])
  })

  test('evaluates two concurrent stops, each with its own output', async () => {
    const seen: unknown[] = []
    const checker: TaskCompletionChecker = {
      name: 'good',
      check: async ({ tentativeOutput }) => {
        seen.push(tentativeOutput)
        return { complete: tentativeOutput === 'good' }
      },
    }
    const { run } = opened({ taskCompletionChecker: checker })
    const stops = await Promise.all([run.stop({ output: 'good' }), run.stop({ output: 'bad' })])
    expect(stops.map(({ allowed }) => allowed)).toEqual([true, false])
    expect(seen).toEqual(['good', 'bad'])
  })

  test('denies calls and records nothing after its end', async () => {
    const { run, events } = opened({ taskCompletionChecker: new PlanBasedChecker() })
    await run.end()
    const recorded = events().length
    run.session.dispatch(Plan({ steps: [{ title: 'Later' }] }))
    expect((await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })).outcome).toBe(
      'denied',
    )
    expect(events()).toHaveLength(recorded)
  })

  test('a run of a prompt session can share guardrails with other runs, and is evaluated with its own session', async () => {
    const Allowed = defineSlice<boolean>('allowed')
    const policy: ToolPolicy = {
      name: 'by-session',
      check: (_, { session }) => ({ allowed: session.slice(Allowed).latest() === true }),
    }
    const sections = [new MarkdownSection({ tools: TOOLS })]
    const template = new PromptTemplate({ ns: 'a', key: 'b', sections, policies: [policy] })
    const guardrails = createGuardrails({
      config: template.document(),
      custom: template.customRules(),
    })
    const open = () =>
      createPromptSession(new Prompt(template), {
        guardrails,
        workspace: memoryWorkspace({ 'known.txt': '' }),
      })
    const [one, two] = [open(), open()]
    one.session.dispatch(Allowed(true))
    const read = { tool: 'read_file', args: { path: 'known.txt' } }
    const [first, second] = await Promise.all([one.execute(read), two.execute(read)])
    expect([first.outcome, second.outcome]).toEqual(['success', 'denied'])
    expect(one.session.slice(ToolInvoked).all()).toHaveLength(1)
    const stranger = guardrails.openSession()
    expect((await stranger.beforeToolCall({ tool: 'read_file', args: {} })).allowed).toBe(false)
  })

  test('ends at the earlier of its deadline and the deadline of its budget', () => {
    const clock = fakeClock()
    const inSeconds = (seconds: number) => Deadline.inSeconds(seconds, { now: clock.now })
    const [late, early] = [inSeconds(60), inSeconds(30)]
    const readDeadline = (options: PromptSessionOptions) => opened({}, options).run.deadline
    expect(readDeadline({ deadline: late, budget: new Budget({ deadline: early }) })).toBe(early)
    expect(readDeadline({ deadline: early, budget: new Budget({ deadline: late }) })).toBe(early)
    expect(readDeadline({ budget: new Budget({ maxTotalTokens: 1 }) })).toBeNull()
  })

  test('gets feedback with the time that remains until its deadline', async () => {
    const clock = fakeClock()
    const deadline = Deadline.inSeconds(180, { now: clock.now })
    const { run } = opened(
      { feedbackProviders: [{ provider: new DeadlineFeedback(), trigger: { everyNSeconds: 30 } }] },
      { deadline, now: clock.now },
    )
    clock.advance(120_000)
    const { feedback } = await run.execute({ tool: 'read_file', args: { path: 'known.txt' } })
    expect(feedback).toContain('You have 1 minute remaining to complete the task.')
  })
})
