import type { ConfigDocument, RuleAnswer, SessionEvent } from '@signalbox/core'
import { compileConfig } from '@signalbox/core'
import { replay } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { describe, expect, test } from 'vitest'
import { type CustomRules, createGuardrails, type Diagnostic, GuardrailError } from '../index.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'team',
  key: 'custom',
  policies: [
    { id: 'freeze', type: 'acme/freeze', tools: ['deploy'], params: { days: ['fri'] } },
    { id: 'no-root', type: 'expression', deny_when: "args.user == 'root'", tools: ['login'] },
  ],
  feedback_providers: [{ id: 'coach', type: 'acme/coach', trigger: { every_n_calls: 1 } }],
  task_completion_checker: {
    id: 'all',
    type: 'composite',
    checkers: [
      { id: 'plan', type: 'plan' },
      { id: 'review', type: 'acme/reviewed' },
    ],
  },
}

const COACH = {
  severity: 'caution',
  summary: 'Slow down.',
  observations: [],
  suggestions: [],
} as const

function opened(answers: {
  freeze?: () => RuleAnswer | Promise<RuleAnswer>
  coach?: () => RuleAnswer
  review?: () => RuleAnswer
}) {
  const lines: string[] = []
  const diagnostics: Diagnostic[] = []
  const asked: string[] = []
  const custom: CustomRules = {
    policies: {
      'acme/freeze': {
        answer: ({ tool, args, params }) => {
          asked.push(`${tool} ${JSON.stringify(args)} ${JSON.stringify(params)}`)
          return answers.freeze?.() ?? { kind: 'policy', allow: true }
        },
      },
    },
    providers: {
      'acme/coach': { answer: () => answers.coach?.() ?? { kind: 'feedback', advice: null } },
    },
    checkers: {
      'acme/reviewed': {
        answer: () => {
          asked.push('review')
          return answers.review?.() ?? { kind: 'check', complete: true }
        },
      },
    },
  }
  const session = createGuardrails({
    config: CONFIG,
    custom,
    expressions: celExpressions(),
    onEvent: (line) => void lines.push(line),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  }).openSession()
  return {
    session,
    asked,
    diagnostics,
    events: () => lines.map((line): SessionEvent => JSON.parse(line)),
  }
}

const deploy = { tool: 'deploy', args: { to: 'prod' }, callId: 'a' }

describe('a custom policy', () => {
  test('a custom policy is called with the call and its own settings, and its answer is recorded', async () => {
    const { session, asked, events } = opened({
      freeze: () => ({ kind: 'policy', allow: false, reason: 'No deploys on Fridays.' }),
    })
    const verdict = await session.beforeToolCall(deploy)
    expect(verdict).toMatchObject({ allowed: false, reason: 'No deploys on Fridays.' })
    expect(asked).toEqual(['deploy {"to":"prod"} {"days":["fri"]}'])
    const requested = events().find(({ type }) => type === 'tool.requested')
    expect(requested?.data).toMatchObject({ facts: { answers: { freeze: { allow: false } } } })
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('calendar is down'))],
    [
      'throws',
      () => {
        throw new Error('calendar is down')
      },
    ],
    ['gives an invalid answer', () => JSON.parse('{"kind":"policy","allow":"yes"}')],
    ['gives the answer of a checker', () => ({ kind: 'check', complete: true }) as const],
  ])('denies the call when it %s', async (_, freeze) => {
    const { session } = opened({ freeze })
    const verdict = await session.beforeToolCall(deploy)
    expect(verdict.reason).toBe("Rule 'freeze' could not be evaluated.")
    expect(verdict.decision.decision).toBe('error')
  })

  test('a custom policy is called only for the tools that it governs', async () => {
    const { session, asked } = opened({})
    await session.beforeToolCall({ tool: 'lint', args: {}, callId: 'b' })
    expect(asked).toEqual([])
  })
})

test('custom feedback is delivered under its given name, and the failure of a provider is recorded', async () => {
  const speaking = opened({
    coach: () => ({ kind: 'feedback', advice: { ...COACH, name: 'Coach' } }),
  })
  await speaking.session.beforeToolCall({ tool: 'lint', args: {}, callId: 'a' })
  const said = await speaking.session.afterToolCall({
    tool: 'lint',
    args: {},
    callId: 'a',
    outcome: 'success',
  })
  expect(said.feedback).toBe("<feedback provider='Coach'>\nSlow down.\n</feedback>")
  const failing = opened({
    coach: () => {
      throw new Error('no idea')
    },
  })
  await failing.session.beforeToolCall({ tool: 'lint', args: {}, callId: 'a' })
  await failing.session.afterToolCall({ tool: 'lint', args: {}, callId: 'a', outcome: 'success' })
  const failed = failing.events().find(({ type }) => type === 'feedback.failed')
  expect(failed?.data).toEqual({ provider: 'coach', error: 'no idea' })
})

test('a custom checker is called only when the checks before it have passed', async () => {
  const { session, asked } = opened({
    review: () => ({ kind: 'check', complete: false, feedback: 'Ask Ann.' }),
  })
  await session.updatePlan([{ title: 'Write', status: 'pending' }])
  expect((await session.beforeStop({ via: 'turn_end' })).message).toContain('1 incomplete task(s)')
  expect(asked).toEqual([])
  await session.updatePlan([{ title: 'Write', status: 'done' }])
  expect((await session.beforeStop({ via: 'turn_end' })).message).toBe('Ask Ann.')
  expect(asked).toEqual(['review'])
})

test("a custom rule cannot change core's state", async () => {
  const session = createGuardrails({
    config: {
      ...CONFIG,
      policies: [{ id: 'freeze', type: 'acme/freeze', tools: ['deploy'] }],
      task_completion_checker: { id: 'plan', type: 'plan' },
    },
    custom: {
      providers: { 'acme/coach': { answer: () => ({ kind: 'feedback', advice: null }) } },
      policies: {
        'acme/freeze': {
          answer: ({ snapshot }) => {
            for (const step of snapshot().plan?.steps ?? []) Object.assign(step, { status: 'done' })
            return { kind: 'policy', allow: snapshot().plan?.steps[0]?.status === 'pending' }
          },
        },
      },
    },
  }).openSession()
  await session.updatePlan([{ title: 'Write', status: 'pending' }])
  expect((await session.beforeToolCall(deploy)).allowed).toBe(true)
  expect((await session.beforeStop({ via: 'turn_end' })).allowed).toBe(false)
})

test('an expression rule is enforced by the evaluator that the host provides', async () => {
  const { session } = opened({})
  const asRoot = await session.beforeToolCall({
    tool: 'login',
    args: { user: 'root' },
    callId: 'a',
  })
  const asAnn = await session.beforeToolCall({ tool: 'login', args: { user: 'ann' }, callId: 'b' })
  const asNobody = await session.beforeToolCall({ tool: 'login', args: {}, callId: 'c' })
  expect([asRoot.allowed, asAnn.allowed, asNobody.allowed]).toEqual([false, true, false])
  expect(asNobody.decision.decision).toBe('error')
})

test('the recorded log reproduces the decisions without the custom code', async () => {
  const { session, events } = opened({
    freeze: () => ({ kind: 'policy', allow: false, reason: 'Frozen.' }),
    coach: () => ({ kind: 'feedback', advice: COACH }),
    review: () => ({ kind: 'check', complete: false, feedback: 'Ask Ann.' }),
  })
  await session.beforeToolCall(deploy)
  await session.beforeStop({ via: 'turn_end' })
  await session.end({ reason: 'completed' })
  const [started] = events()
  const customTypes = started?.type === 'session.started' ? started.data.custom_types : []
  expect(customTypes).toEqual(['acme/coach', 'acme/freeze', 'acme/reviewed'])
  const compiled = compileConfig(CONFIG, {
    expressions: celExpressions(),
    customTypes: customTypes ?? [],
  })
  if (!compiled.ok) throw new Error('does not compile')
  const recomputed = [...replay(compiled.config, events())].map(({ effect }) =>
    effect.kind === 'feedback.delivered' ? { ...effect.data, delivery: 'in_result' } : effect.data,
  )
  const recorded = events()
    .filter(({ type }) => /decided|delivered/.test(type))
    .map(({ data }) => data)
  expect(recomputed).toEqual(recorded)
  expect(recorded.length).toBe(4)
})

test('a config with a rule type that no code answers is refused, unless the rule is optional', () => {
  const open = (optional: boolean) => () =>
    createGuardrails({
      config: {
        schema_version: 1,
        ns: 'team',
        key: 'x',
        policies: [{ id: 'p', type: 'acme/none', ...(optional ? { optional } : {}) }],
      },
    })
  expect(open(false)).toThrow(GuardrailError)
  expect(open(false)).toThrow('/policies/0/type: The type "acme/none" is not known here.')
  expect(open(true)).not.toThrow()
})
