import { type ConfigDocument, omitUndefined, type SessionEvent } from '@signalbox/core'
import { createGuardrails, type Diagnostic } from '@signalbox/runtime'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { judgeModel } from './index.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'team',
  key: 'judged',
  task_completion_checker: {
    id: 'judge',
    type: 'llm_judge',
    criteria: 'The changelog is written.',
  },
}

type Generated = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>

const USAGE: Generated['usage'] = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

function saying(text: string, reason: Generated['finishReason']['unified'] = 'stop') {
  const prompts: string[] = []
  const model = new MockLanguageModelV4({
    provider: 'scripted',
    modelId: 'judge-1',
    doGenerate: async ({ prompt }) => {
      prompts.push(JSON.stringify(prompt))
      const content = text === '' ? [] : [{ type: 'text' as const, text }]
      return { content, finishReason: { unified: reason, raw: reason }, usage: USAGE, warnings: [] }
    },
  })
  return { model, prompts }
}

function judged(model: MockLanguageModelV4 | null, timeoutMs?: number) {
  const lines: string[] = []
  const diagnostics: Diagnostic[] = []
  const judge =
    model === null ? null : { model: judgeModel(model), ...omitUndefined({ timeoutMs }) }
  const session = createGuardrails({
    config: CONFIG,
    onEvent: (line) => void lines.push(line),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...omitUndefined({ judge: judge ?? undefined }),
  }).openSession()
  const attempt = () =>
    lines
      .map((line): SessionEvent => JSON.parse(line))
      .findLast(({ type }) => type === 'stop.attempted')
  return { session, attempt, diagnostics }
}

test('a judge model that finds the task complete allows the stop, and its answer is recorded', async () => {
  const { model, prompts } = saying('{"complete": true, "feedback": ""}')
  const { session, attempt } = judged(model)
  await session.updatePlan([{ title: 'Write the changelog', status: 'done' }])
  const stop = await session.beforeStop({ via: 'turn_end', lastMessage: 'All done.' })
  expect(stop).toMatchObject({ allowed: true, decision: { code: 'judge.passed' } })
  expect(attempt()?.data).toMatchObject({
    facts: { answers: { judge: { kind: 'check', complete: true, by: 'scripted/judge-1' } } },
  })
  expect(prompts[0]).toContain('The changelog is written.')
  expect(prompts[0]).toContain('Write the changelog')
  expect(prompts[0]).toContain('All done.')
})

test('a judge model that finds the task incomplete blocks the stop with its feedback', async () => {
  const { model } = saying('{"complete": false, "feedback": "Section 2 is empty."}')
  const stop = await judged(model).session.beforeStop({ via: 'turn_end' })
  expect(stop).toMatchObject({ allowed: false, message: 'Section 2 is empty.' })
})

test.each([
  ['text that is not JSON', saying('Looks good to me!').model],
  ['an object of another shape', saying('{"ok": true}').model],
  ['a refusal', saying('', 'content-filter').model],
  [
    'an error',
    new MockLanguageModelV4({ doGenerate: () => Promise.reject(new Error('overloaded')) }),
  ],
])('a judge model that answers with %s blocks the stop', async (_, model) => {
  const { session, diagnostics } = judged(model)
  const stop = await session.beforeStop({ via: 'turn_end' })
  expect(stop).toMatchObject({ allowed: false, message: 'LLM verification failed.' })
  expect(stop.decision.check).toMatchObject({ status: 'error', code: 'judge.not_answered' })
  expect(diagnostics).toMatchObject([{ level: 'error', code: 'rule_not_answered' }])
})

test('a judge model that does not answer in time is aborted and blocks the stop', async () => {
  let aborted = false
  const model = new MockLanguageModelV4({
    doGenerate: ({ abortSignal }) =>
      new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => {
          aborted = true
          reject(new Error('aborted'))
        })
      }),
  })
  const { session } = judged(model, 5)
  const stop = await session.beforeStop({ via: 'turn_end' })
  expect(stop).toMatchObject({ allowed: false, message: 'LLM verification failed.' })
  expect(aborted).toBe(true)
})

test('a judge without a model blocks the stop', async () => {
  const stop = await judged(null).session.beforeStop({ via: 'turn_end' })
  expect(stop.message).toBe('LLM verification required but no adapter available.')
})
