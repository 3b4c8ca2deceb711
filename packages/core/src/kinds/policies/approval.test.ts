import { expect, test } from 'vitest'
import { celExpressions } from '../../expression/index.ts'
import {
  type ConfigDocument,
  compileConfig,
  type Effect,
  initialState,
  type JsonObject,
  type SessionEvent,
  step,
} from '../../index.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'any',
  key: 'prompt',
  policies: [
    { id: 'rate', type: 'rate_limit', tools: ['deploy'], max_calls: 1, per_seconds: 60 },
    { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 },
  ],
}

type Body = Pick<SessionEvent, 'type' | 'data'>

function decisions(bodies: readonly Body[], config = CONFIG): readonly Effect[] {
  const compiled = compileConfig(config, { expressions: celExpressions() })
  if (!compiled.ok) throw new Error('does not compile')
  let state = initialState('any:prompt')
  return bodies.flatMap((body, i) => {
    // Every body is written below with the data of its type.
    const event = { session: 'sess_any', seq: i + 1, at: 1_000 + i, ...body } as SessionEvent
    const next = step(compiled.config, state, event)
    state = next.state
    return next.effects
  })
}

const request = (call_id: string, args: JsonObject = {}): Body => ({
  type: 'tool.requested',
  data: { call_id, tool: 'deploy', args },
})
const approve = (call_id: string): Body => ({
  type: 'approval.decided',
  data: { call_id, decision: 'approved' },
})

test('two calls that wait for approval at the same time cannot both pass a rate limit of one', () => {
  const effects = decisions([request('a'), request('b'), approve('a'), approve('b')])
  expect(effects.map((effect) => effect.kind)).toEqual([
    'approval.requested',
    'approval.requested',
    'tool.decided',
    'tool.decided',
  ])
  expect(effects[2]?.data).toMatchObject({ call_id: 'a', decision: 'allowed' })
  expect(effects[3]?.data).toMatchObject({
    call_id: 'b',
    decision: 'denied',
    reason: "Tool 'deploy' is limited to 1 call per 60 seconds. Try again in 60 seconds.",
  })
})

test('an approval for a call that does not wait is an anomaly', () => {
  const [, , again] = decisions([request('a'), approve('a'), approve('a')])
  expect(again).toMatchObject({ kind: 'anomaly', data: { code: 'approval_without_request' } })
})

test('an approval timeout with a fraction of a millisecond ends at a whole millisecond', () => {
  const [asked] = decisions([request('a')], {
    ...CONFIG,
    policies: [{ id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 1.0055 }],
  })
  expect(asked).toMatchObject({ kind: 'approval.requested', data: { expires_at: 2_006 } })
})

const SELECTIVE: ConfigDocument = {
  ...CONFIG,
  policies: [
    {
      id: 'ask',
      type: 'approval',
      tools: ['deploy'],
      when: 'args.to == "production"',
      timeout_seconds: 60,
    },
  ],
}

test('an approval rule with a condition asks about calls for which it is true or cannot be evaluated', () => {
  const effects = decisions(
    [request('a', { to: 'production' }), request('b'), request('c', { to: 'staging' })],
    SELECTIVE,
  )
  expect(effects).toMatchObject([
    { kind: 'approval.requested', data: { call_id: 'a', rules: ['ask'] } },
    { kind: 'approval.requested', data: { call_id: 'b', rules: ['ask'] } },
    {
      kind: 'tool.decided',
      data: {
        call_id: 'c',
        decision: 'allowed',
        rules: [{ rule: 'ask', result: 'allow', code: 'approval.not_asked' }],
      },
    },
  ])
})

test('an answer decides only for the rules that asked', () => {
  const both: ConfigDocument = {
    ...SELECTIVE,
    policies: [
      ...(SELECTIVE.policies ?? []),
      { id: 'always', type: 'approval', tools: ['deploy'], timeout_seconds: 30 },
    ],
  }
  const [asked, decided] = decisions([request('a', { to: 'staging' }), approve('a')], both)
  expect(asked).toMatchObject({ kind: 'approval.requested', data: { rules: ['always'] } })
  expect(decided).toMatchObject({
    kind: 'tool.decided',
    data: {
      decision: 'allowed',
      rules: [
        { rule: 'ask', code: 'approval.not_asked' },
        { rule: 'always', code: 'approval.approved' },
      ],
    },
  })
})

test('an approval rule with a condition in shadow mode records only the calls about which it would ask', () => {
  const shadow: ConfigDocument = {
    ...SELECTIVE,
    policies: (SELECTIVE.policies ?? []).map((rule) => ({ ...rule, mode: 'shadow' })),
  }
  const effects = decisions([request('a', { to: 'production' }), request('b', { to: 'x' })], shadow)
  expect(effects).toMatchObject([
    { data: { decision: 'allowed', rules: [{ code: 'approval.would_ask', result: 'deny' }] } },
    { data: { decision: 'allowed', rules: [{ code: 'approval.not_asked', result: 'allow' }] } },
  ])
})

test('an approval rule whose condition cannot be parsed, or has no engine, refuses the config', () => {
  const broken = {
    ...SELECTIVE,
    policies: [
      { id: 'ask', type: 'approval', tools: ['deploy'], when: 'args.', timeout_seconds: 60 },
    ],
  } as const
  expect(compileConfig(broken, { expressions: celExpressions() })).toMatchObject({
    ok: false,
    problems: [{ code: 'expression_invalid', pointer: '/policies/0/when' }],
  })
  expect(compileConfig(SELECTIVE)).toMatchObject({
    ok: false,
    problems: [{ code: 'expression_engine_missing', pointer: '/policies/0/when' }],
  })
})
