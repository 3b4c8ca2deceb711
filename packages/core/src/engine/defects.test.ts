// A defect of a built-in rule must not allow anything: if it throws, a policy denies, a checker is not complete, a provider is silent.
import { expect, it } from 'vitest'
import { type ConfigDocument, compileConfig, type Effect, initialState, step } from '../index.ts'
import type { CompiledConfig } from './compile.ts'

const DOCUMENT: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['build'] } }],
  feedback_providers: [
    { id: 'one', type: 'static', feedback: 'One.', trigger: { every_n_calls: 1 } },
    { id: 'two', type: 'static', feedback: 'Two.', trigger: { every_n_calls: 1 } },
  ],
  task_completion_checker: { id: 'plan', type: 'plan' },
}

function broken(): never {
  throw new Error('a defect')
}

function compiled(): CompiledConfig {
  const result = compileConfig(DOCUMENT)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

function runEffects(
  config: CompiledConfig,
  event: Pick<Parameters<typeof step>[2], 'type' | 'data'>,
) {
  // The table below pairs each type with its own data, which the type of the union does not express.
  const whole = { session: 'sess_1', seq: 1, at: 0, ...event } as Parameters<typeof step>[2]
  return step(config, initialState('a:b'), whole).effects
}

it('a policy that throws denies the call as not evaluated', () => {
  const config = compiled()
  const policies = config.rulesFor('deploy').policies.map((compiledPolicy) => ({
    ...compiledPolicy,
    policy: { ...compiledPolicy.policy, check: broken },
  }))
  const request = { call_id: 'c', tool: 'deploy', args: {} }
  const effects = runEffects(
    { ...config, rulesFor: (tool) => ({ ...config.rulesFor(tool), policies }) },
    { type: 'tool.requested', data: request },
  )
  expect(effects).toMatchObject([
    {
      kind: 'tool.decided',
      data: {
        decision: 'error',
        reason: "Rule 'order' could not be evaluated.",
        rules: [{ result: 'error', code: 'policy.threw', reason_class: 'could_not_evaluate' }],
      },
    },
  ])
})

it('a checker that throws gives the stop the verdict error', () => {
  const config = compiled()
  if (config.checker?.kind !== 'leaf') throw new Error('the document has one checker')
  const checker = { ...config.checker, check: broken }
  const effects = runEffects(
    { ...config, checker },
    { type: 'stop.attempted', data: { via: 'turn_end' } },
  )
  const feedback = "Checker 'plan' could not be evaluated."
  expect(effects).toMatchObject([
    {
      kind: 'stop.decided',
      data: {
        verdict: 'error',
        message: feedback,
        check: { status: 'error', code: 'checker.threw', params: {}, feedback, because: [] },
      },
    },
  ])
})

it('a provider that throws loses only its own feedback', () => {
  const config = compiled()
  const providers = config.providers.map((each) =>
    each.id === 'one' ? { ...each, provider: { ...each.provider, advise: broken } } : each,
  )
  const effects: readonly Effect[] = runEffects(
    { ...config, providers },
    { type: 'tool.invoked', data: { call_id: 'c', tool: 'lint', outcome: 'denied' } },
  )
  expect(effects).toMatchObject([
    {
      kind: 'feedback.failed',
      data: { provider: 'one', error: 'The provider could not be evaluated.' },
    },
    { kind: 'feedback.delivered', data: { provider: 'two' } },
  ])
})
