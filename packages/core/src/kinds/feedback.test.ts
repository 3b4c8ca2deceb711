import { describe, expect, it, test } from 'vitest'
import { renderFeedback, renderFeedbackPlain } from '../host/index.ts'
import { initialState, SEMANTICS } from '../index.ts'
import type { Advice, FeedbackDelivery } from '../model/effect.ts'
import type { RuleAnswer } from '../model/fact.ts'
import { emptyMap, mapFrom } from '../model/persistent-map.ts'
import { NO_DELIVERY, type PromptState, type SessionState } from '../model/state.ts'
import type { TriggerDocument } from '../model/trigger.ts'
import { durationText } from './feedback/duration.ts'
import { promptState, providerState } from './feedback/prompt-state.ts'
import { compileTrigger, firedConditions } from './feedback/trigger.ts'
import { compileProvider, type FeedbackProviderDocument } from './feedback.ts'

const START: SessionState = { ...initialState('a:b'), semantics: SEMANTICS }
const trigger: TriggerDocument = { every_n_calls: 1 }

const after = (prompt: Partial<PromptState>, more: Partial<SessionState> = {}): SessionState => ({
  ...START,
  ...more,
  prompts: mapFrom([
    ['a:b', { calls: 0, providers: emptyMap(), failures: emptyMap(), repetition: null, ...prompt }],
  ]),
})
const failures = (count: number) => after({ failures: mapFrom([['test', count]]) })
const repeated = (times: number) => after({ repetition: { call: 'x', times } })
const due: SessionState = { ...START, startedAt: 100_000, deadlineAt: 1_000_000 }

const says = (
  severity: Advice['severity'],
  summary: string,
  ...suggestions: readonly string[]
): Advice => ({ severity, summary, observations: [], suggestions })
const HURRY = [
  'Prioritize completing critical remaining work.',
  'Consider summarizing progress and remaining tasks.',
]
const left = (elapsed: string, remaining: string) =>
  `The work so far took ${elapsed}. You have ${remaining} remaining to complete the task.`

const DEADLINE = { id: 'd', type: 'deadline', trigger } as const
const USAGE = { id: 'u', type: 'tool_usage', trigger } as const
const FAILING = { id: 'f', type: 'repeated_failure', trigger } as const
const CIRCLING = { id: 'c', type: 'repeated_call', trigger } as const

interface Now {
  readonly state: SessionState
  readonly at?: number
}

test.each<[string, FeedbackProviderDocument, Now, Advice | null]>([
  ['without a deadline', DEADLINE, { state: START, at: 500 }, null],
  [
    'long before the deadline',
    DEADLINE,
    { state: due, at: 400 },
    says('info', left('5 minutes', '10 minutes')),
  ],
  [
    'shortly before the last two minutes',
    DEADLINE,
    { state: due, at: 879 },
    says('info', left('12 minutes', '2 minutes')),
  ],
  [
    'in the last two minutes',
    DEADLINE,
    { state: due, at: 880 },
    says('warning', left('13 minutes', '2 minutes'), ...HURRY),
  ],
  [
    'within its own threshold',
    { ...DEADLINE, warning_threshold_seconds: 600 },
    { state: due, at: 400 },
    says('warning', left('5 minutes', '10 minutes'), ...HURRY),
  ],
  [
    'at the deadline',
    DEADLINE,
    { state: due, at: 1000 },
    says(
      'warning',
      'The work took 15 minutes. You have reached the time deadline.',
      'Wrap up immediately.',
    ),
  ],
  [
    'with an unknown start',
    DEADLINE,
    { state: { ...due, startedAt: null }, at: 400 },
    says('info', left('0 seconds', '10 minutes')),
  ],
  [
    'with a clock that went back',
    DEADLINE,
    { state: due, at: 50 },
    says('info', left('0 seconds', '15 minutes')),
  ],
  ['before the first call', USAGE, { state: START }, says('info', 'Tool calls: 0')],
  ['at the limit of calls', USAGE, { state: after({ calls: 20 }) }, says('info', 'Tool calls: 20')],
  [
    'above the limit of calls',
    USAGE,
    { state: after({ calls: 21 }) },
    says(
      'caution',
      'You have made 21 tool calls without completing.',
      'Review your approach.',
      "Consider whether you're making progress.",
    ),
  ],
  [
    'above its own limit of calls',
    { ...USAGE, max_calls_without_progress: 2 },
    { state: after({ calls: 2 }) },
    says('info', 'Tool calls: 2'),
  ],
  ['without a failure', FAILING, { state: START }, null],
  ['after two failures', FAILING, { state: failures(2) }, null],
  [
    'after three failures',
    FAILING,
    { state: failures(3) },
    says(
      'caution',
      "The last 3 calls of 'test' did not succeed.",
      'Read the last error before you try again.',
      'Try a different approach.',
    ),
  ],
  ['after failures of another tool', { ...FAILING, tool: 'lint' }, { state: failures(9) }, null],
  [
    'after two failures of its tool',
    { ...FAILING, tool: 'test', times: 2 },
    { state: failures(2) },
    says(
      'caution',
      "The last 2 calls of 'test' did not succeed.",
      'Read the last error before you try again.',
      'Try a different approach.',
    ),
  ],
  ['without a call', CIRCLING, { state: START }, null],
  ['after two equal calls', CIRCLING, { state: repeated(2) }, null],
  [
    'after three equal calls',
    CIRCLING,
    { state: repeated(3) },
    says(
      'caution',
      "You have called 'test' 3 times in a row with the same arguments.",
      'Use the result that you already have.',
      'Change the arguments or the approach.',
    ),
  ],
  [
    'after three equal calls, with its own limit',
    { ...CIRCLING, times: 4 },
    { state: repeated(3) },
    null,
  ],
  [
    'at any time',
    { id: 's', type: 'static', feedback: 'Look.', trigger },
    { state: START },
    says('info', 'Look.'),
  ],
])('a provider advises %s', (...[, document, { state, at = 0 }, advice]) => {
  const provider = compileProvider(document)
  expect(provider.advise({ state, tool: 'test', at: at * 1000, facts: undefined })).toEqual(advice)
})

test.each<[FeedbackProviderDocument, object]>([
  [DEADLINE, { name: 'Deadline', external: false, tracks: 'deadline' }],
  [
    { id: 's', type: 'static', feedback: '', trigger },
    { name: 'Static', external: false, tracks: null },
  ],
  [USAGE, { name: 'ToolUsageMonitor', external: false, tracks: null }],
  [FAILING, { name: 'RepeatedFailure', external: false, tracks: 'failures' }],
  [CIRCLING, { name: 'RepeatedCall', external: false, tracks: 'repetition' }],
  [
    { id: 'own', type: 'custom:provider', trigger },
    { name: 'own', external: true, tracks: null },
  ],
])('the provider %j has its name and its memory', (document, head) => {
  expect(compileProvider(document)).toEqual({ ...head, advise: expect.any(Function) })
})

test.each<[string, RuleAnswer | undefined, object | null]>([
  ['advice', { kind: 'feedback', advice: says('info', 'Go on.') }, says('info', 'Go on.')],
  ['no advice', { kind: 'feedback', advice: null }, null],
  ['an error', { kind: 'error', error: 'Too late.' }, { error: 'Too late.' }],
  ['another answer', { kind: 'unavailable' }, { error: 'The provider did not answer.' }],
  ['no answer', undefined, { error: 'The provider did not answer.' }],
])('a custom provider whose code gives %s says so', (...[, answer, said]) => {
  const provider = compileProvider({ id: 'own', type: 'custom:provider', trigger })
  const facts = answer === undefined ? undefined : { answers: { own: answer } }
  expect(provider.advise({ state: START, tool: 'test', at: 0, facts })).toEqual(said)
})

describe('a trigger', () => {
  const all: TriggerDocument = {
    on_file_created: { filename: 'a' },
    every_n_seconds: 60,
    every_n_calls: 3,
  }
  const delivered = { ...NO_DELIVERY, callsAtDelivery: 10, deliveredAt: 100_000 }
  const moment = {
    at: 159_999,
    calls: 12,
    fileExists: false as boolean | 'unknown',
    fileFired: false,
  }

  it.each([
    ['nothing before any condition holds', all, delivered, moment, []],
    ['the number of calls', all, delivered, { ...moment, calls: 13 }, ['every_n_calls']],
    ['the time that passed', all, delivered, { ...moment, at: 160_000 }, ['every_n_seconds']],
    ['a file that exists', all, delivered, { ...moment, fileExists: true }, ['on_file_created']],
    ['no unknown file', all, delivered, { ...moment, fileExists: 'unknown' as const }, []],
    ['no file twice', all, delivered, { ...moment, fileExists: true, fileFired: true }, []],
    ['the first opportunity', all, NO_DELIVERY, { ...moment, calls: 1 }, ['every_n_seconds']],
    [
      'all conditions in their order',
      all,
      delivered,
      { at: 900_000, calls: 90, fileExists: true, fileFired: false },
      ['every_n_calls', 'every_n_seconds', 'on_file_created'],
    ],
    [
      'no condition that it lacks',
      {},
      NO_DELIVERY,
      { at: 900_000, calls: 90, fileExists: true, fileFired: false },
      [],
    ],
  ])('fires because of %s', (...[, document, state, now, fired]) => {
    expect(firedConditions(compileTrigger(document), state, now)).toEqual(fired)
  })

  it('compiles to the conditions that it has, in their order', () => {
    expect(compileTrigger(all).conditions).toEqual([
      'every_n_calls',
      'every_n_seconds',
      'on_file_created',
    ])
    expect(compileTrigger({ every_n_seconds: 9 }).conditions).toEqual(['every_n_seconds'])
  })
})

it('a prompt and a provider without a state start from zero', () => {
  expect(promptState(START)).toEqual({
    calls: 0,
    providers: emptyMap(),
    failures: emptyMap(),
    repetition: null,
  })
  const known = { ...NO_DELIVERY, deliveries: 2 }
  const prompt = { ...promptState(START), providers: mapFrom([['d', known]]) }
  expect(providerState(prompt, 'd')).toBe(known)
  expect(providerState(prompt, 'other')).toBe(NO_DELIVERY)
})

const DELIVERY: FeedbackDelivery = {
  ...says('info', 'Mind <b>"this" & that\'s</b>'),
  provider: 'd',
  name: "It's",
  pointer: '/feedback_providers/0',
  mode: 'enforce',
  conditions: ['every_n_calls'],
  call_index: 1,
  prompt: 'a:b',
  call_id: 'c',
}
const FULL: FeedbackDelivery = {
  ...DELIVERY,
  name: 'Full',
  summary: 'Sum.',
  observations: [
    { category: 'a', description: 'first' },
    { category: '<b>', description: 'second' },
  ],
  suggestions: ['Do one.', 'Do <two>.'],
}

it('feedback is rendered as blocks without markup from outside, and without shadow deliveries', () => {
  expect(renderFeedback([DELIVERY, { ...DELIVERY, mode: 'shadow' }, FULL])).toBe(
    [
      "<feedback provider='It&#39;s'>",
      'Mind &lt;b&gt;&quot;this&quot; &amp; that&#39;s&lt;/b&gt;',
      '</feedback>',
      '',
      "<feedback provider='Full'>",
      'Sum.',
      '',
      '• a: first',
      '• &lt;b&gt;: second',
      '',
      '-> Do one.',
      '-> Do &lt;two&gt;.',
      '</feedback>',
    ].join('\n'),
  )
  expect(renderFeedback([{ ...DELIVERY, mode: 'shadow' }])).toBe('')
})

it('feedback is rendered as plain text for harnesses that escape it themselves', () => {
  expect(renderFeedbackPlain([DELIVERY, { ...DELIVERY, mode: 'shadow' }, FULL])).toBe(
    [
      '[It\'s] Mind <b>"this" & that\'s</b>',
      '',
      '[Full] Sum.',
      '',
      '• a: first',
      '• <b>: second',
      '',
      '-> Do one.',
      '-> Do <two>.',
    ].join('\n'),
  )
})

test.each([
  [120, SEMANTICS, '2 minutes'],
  [3600 + 180, SEMANTICS, '1.1 hours'],
  [4500, SEMANTICS, '1.2 hours'],
  [4500, 1, '1.3 hours'],
  [8100, SEMANTICS, '2.2 hours'],
  [8100, 1, '2.3 hours'],
  [6300, SEMANTICS, '1.8 hours'],
  [9900, SEMANTICS, '2.8 hours'],
  [9900, 1, '2.8 hours'],
  [36_000, SEMANTICS, '10.0 hours'],
])('%d s under semantics %d take %s', (seconds, semantics, words) => {
  expect(durationText(seconds, semantics)).toBe(words)
})
