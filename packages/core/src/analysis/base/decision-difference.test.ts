import { describe, expect, it, test } from 'vitest'
import type {
  Effect,
  FeedbackDelivery,
  RuleResult,
  StopDecision,
  ToolDecision,
} from '../../model/effect.ts'
import type { SessionEvent } from '../../model/event.ts'
import { decisionDifferences } from './decision-difference.ts'
import { decisionKey, recordedEffect } from './decision-record.ts'

const RULE: RuleResult = {
  rule: 'order',
  pointer: '/policies/0',
  type: 'sequential_dependency',
  mode: 'enforce',
  result: 'deny',
  code: 'sequential.missing',
  params: {},
  because: [1],
}
const ELSEWHERE: RuleResult = { ...RULE, pointer: '/policies/4', because: [2] }
const SHADOW: RuleResult = { ...RULE, rule: 'shade', mode: 'shadow' }
const CALL: ToolDecision = {
  call_id: 'c1',
  tool: 'deploy',
  decision: 'denied',
  reason: 'Test first.',
  rules: [RULE],
}
const ALLOWED: ToolDecision = { ...CALL, decision: 'allowed', reason: null, rules: [] }
const FEEDBACK: FeedbackDelivery = {
  provider: 'coach',
  type: 'static',
  name: 'Coach',
  pointer: '/feedback_providers/0',
  mode: 'enforce',
  severity: 'info',
  summary: 'Look',
  observations: [{ category: 'pace', description: 'slow' }],
  suggestions: ['Plan.'],
  conditions: ['every_n_calls'],
  call_index: 1,
  prompt: 'tax',
  call_id: 'c1',
}
const STOP: StopDecision = {
  attempt: 1,
  verdict: 'blocked',
  prior_blocks: 0,
  code: 'plan.open_steps',
  params: {},
  message: 'Go on.',
  check: null,
}

const decided = (more: Partial<ToolDecision> = {}): Effect => ({
  kind: 'tool.decided',
  data: { ...CALL, ...more },
})
const allowed = (more: Partial<ToolDecision> = {}): Effect => ({
  kind: 'tool.decided',
  data: { ...ALLOWED, ...more },
})
const said = (more: Partial<FeedbackDelivery> = {}): Effect => ({
  kind: 'feedback.delivered',
  data: { ...FEEDBACK, ...more },
})
const stopped = (more: Partial<StopDecision> = {}): Effect => ({
  kind: 'stop.decided',
  data: { ...STOP, ...more },
})
const failed = (error: string): Effect => ({
  kind: 'feedback.failed',
  data: { provider: 'coach', error },
})
const waits = (expires_at = 9): Effect => ({
  kind: 'approval.requested',
  data: { call_id: 'c1', tool: 'deploy', rules: ['ask'], expires_at },
})
const ODD: Effect = {
  kind: 'anomaly',
  data: { code: 'duplicate_request', call_id: 'c1', tool: 'deploy' },
}

const differences = (before: readonly Effect[], after: readonly Effect[]) =>
  decisionDifferences(7, before, after)

describe('decisionDifferences', () => {
  it.each<[string, Effect, Effect]>([
    ['the place of a rule and its events', decided(), decided({ rules: [ELSEWHERE] })],
    ['the class of a refusal', decided(), decided({ rules: [{ ...RULE, result: 'error' }] })],
    ['a shadow rule that allows', allowed(), allowed({ rules: [{ ...SHADOW, result: 'allow' }] })],
    ['the time until which a call waits', waits(8), waits(9)],
    [
      'the count of calls, the place and the trigger of feedback',
      said(),
      said({ call_index: 2, pointer: '/x', conditions: ['every_n_seconds'] }),
    ],
    ['the number of the attempt', stopped(), stopped({ attempt: 2, prior_blocks: 1 })],
    ['an anomaly', ODD, { ...ODD, data: { ...ODD.data, call_id: 'c2' } }],
  ])('lists nothing for %s', (_, one, other) => {
    expect(differences([one], [other])).toEqual([])
    expect(differences([ODD, one], [other])).toEqual([])
  })

  it.each<[string, Effect | null, Effect | null, string, boolean]>([
    ['a call that is allowed', decided(), allowed(), 'call c1', true],
    ['a call that has a decision', null, allowed(), 'call c1', true],
    ['a call that has none', decided(), null, 'call c1', true],
    ['another reason', decided(), decided({ reason: 'Lint first.' }), 'call c1', true],
    ['an error instead of a refusal', decided(), decided({ decision: 'error' }), 'call c1', false],
    ['a call that waits', allowed(), waits(), 'call c1', true],
    ['a call that only waits', null, waits(), 'call c1', true],
    ['a call that no longer waits', waits(), null, 'call c1', true],
    ['a stop that is allowed', null, stopped({ message: null }), 'stop', false],
    ['a shadow denial', allowed(), allowed({ rules: [SHADOW] }), 'call c1', false],
    ['no shadow denial', allowed({ rules: [SHADOW] }), allowed(), 'call c1', false],
    [
      'the denial of another shadow rule',
      allowed({ rules: [SHADOW] }),
      allowed({ rules: [{ ...SHADOW, rule: 'other' }] }),
      'call c1',
      false,
    ],
    ['new feedback', null, said(), 'feedback coach c1', true],
    ['feedback only in shadow', said(), said({ mode: 'shadow' }), 'feedback coach c1', true],
    ['shadow feedback', null, said({ mode: 'shadow' }), 'feedback coach c1', false],
    ['another name', said(), said({ name: 'Guide' }), 'feedback coach c1', true],
    ['another severity', said(), said({ severity: 'warning' }), 'feedback coach c1', true],
    ['another summary', said(), said({ summary: 'Stop' }), 'feedback coach c1', true],
    ['other suggestions', said(), said({ suggestions: [] }), 'feedback coach c1', true],
    [
      'other evidence',
      said(),
      said({ observations: [{ category: 'pace', description: 'slow', evidence: '9 s' }] }),
      'feedback coach c1',
      true,
    ],
    ['another failure', failed('one'), failed('two'), 'feedback coach', false],
    ['a failure', null, failed('one'), 'feedback coach', false],
    ['another message', stopped(), stopped({ message: 'Test.' }), 'stop', true],
    ['another verdict', stopped(), stopped({ verdict: 'error' }), 'stop', false],
    ['another code', stopped(), stopped({ code: 'tool.not_run' }), 'stop', false],
    [
      'another cause of a bypass',
      stopped({ verdict: 'bypassed', bypass: 'deadline', message: null }),
      stopped({ verdict: 'bypassed', bypass: 'budget', message: null }),
      'stop',
      false,
    ],
  ])('lists %s', (...[, before, after, subject, acts]) => {
    const list = (effect: Effect | null) => (effect === null ? [] : [effect])
    expect(differences(list(before), list(after))).toEqual([
      { seq: 7, subject, before, after, acts },
    ])
  })

  it('lists the subjects of before first, then those that only after has', () => {
    const [was, is] = [said({ provider: 'b' }), said({ provider: 'a' })]
    expect(differences([was, failed('x')], [is, failed('x'), ODD])).toEqual([
      { seq: 7, subject: 'feedback b c1', before: was, after: null, acts: true },
      { seq: 7, subject: 'feedback a c1', before: null, after: is, acts: true },
    ])
    const other = decided({ call_id: 'c2' })
    expect(differences([decided()], [other])).toEqual([
      { seq: 7, subject: 'call c1', before: decided(), after: null, acts: true },
      { seq: 7, subject: 'call c2', before: null, after: other, acts: true },
    ])
  })
})

test.each<[Effect, string | null]>([
  [decided(), 'tool c1'],
  [waits(), 'approval c1'],
  [failed('x'), 'feedback coach'],
  [said(), 'feedback coach c1'],
  [stopped(), 'stop'],
  [ODD, null],
])('decisionKey joins the effect %j with its record by %s', (effect, key) => {
  expect(decisionKey(effect)).toBe(key)
})

test('recordedEffect is the effect that an event records, without how it was delivered', () => {
  const place = { session: 'sess_1', seq: 1, at: 0 } as const
  const events: readonly (readonly [SessionEvent, Effect | null])[] = [
    [{ ...place, type: 'tool.decided', data: CALL }, decided()],
    [{ ...place, type: 'stop.decided', data: STOP }, stopped()],
    [
      {
        ...place,
        type: 'approval.requested',
        data: { call_id: 'c1', tool: 'deploy', rules: ['ask'], expires_at: 9 },
      },
      waits(),
    ],
    [{ ...place, type: 'feedback.failed', data: { provider: 'coach', error: 'x' } }, failed('x')],
    [{ ...place, type: 'feedback.delivered', data: { ...FEEDBACK, delivery: 'message' } }, said()],
    [{ ...place, type: 'note', data: { text: 'x' } }, null],
  ]
  for (const [event, effect] of events) expect(recordedEffect(event)).toEqual(effect)
})
