import { expect, test } from 'vitest'
import type { Effect, ToolDecision } from '../../model/effect.ts'
import { addVerdicts, type ReplayedVerdict, replayedVerdict } from './verdicts.ts'

test('addVerdicts adds each class by itself', () => {
  const one = {
    would_deny: 1,
    would_allow: 2,
    would_block: 3,
    would_release: 4,
    unchanged: 5,
    cannot_replay: 6,
  }
  const other = {
    would_deny: 10,
    would_allow: 20,
    would_block: 30,
    would_release: 40,
    unchanged: 50,
    cannot_replay: 60,
  }
  expect(addVerdicts(one, other)).toEqual({
    would_deny: 11,
    would_allow: 22,
    would_block: 33,
    would_release: 44,
    unchanged: 55,
    cannot_replay: 66,
  })
})

const call = (decision: ToolDecision['decision']): Effect => ({
  kind: 'tool.decided',
  data: {
    call_id: 'c1',
    tool: 'deploy',
    decision,
    reason: decision === 'allowed' ? null : 'No.',
    rules: [],
  },
})
const stop = (message: string | null): Effect => ({
  kind: 'stop.decided',
  data: {
    attempt: 1,
    verdict: message === null ? 'allowed' : 'blocked',
    prior_blocks: 0,
    code: 'plan.done',
    params: {},
    message,
    check: null,
  },
})
const WAITS: Effect = {
  kind: 'approval.requested',
  data: { call_id: 'c1', tool: 'deploy', rules: ['ask'], expires_at: 9 },
}
const ODD: Effect = {
  kind: 'anomaly',
  data: { code: 'duplicate_request', call_id: 'c1', tool: 'deploy' },
}

const aboutCall = { kind: 'call', callId: 'c1', fidelity: 'exact' } as const
const aboutStop = { kind: 'stop', callId: null, fidelity: 'exact' } as const

test.each<[string, Effect, Effect, ReplayedVerdict | null]>([
  [
    'allowed, then denied',
    call('allowed'),
    call('denied'),
    { ...aboutCall, class: 'would_deny', passes: false },
  ],
  [
    'denied, then allowed',
    call('denied'),
    call('allowed'),
    { ...aboutCall, class: 'would_allow', passes: true },
  ],
  [
    'an error, then allowed',
    call('error'),
    call('allowed'),
    { ...aboutCall, class: 'would_allow', passes: true },
  ],
  [
    'allowed twice',
    call('allowed'),
    call('allowed'),
    { ...aboutCall, class: 'unchanged', passes: true },
  ],
  [
    'denied, then an error',
    call('denied'),
    call('error'),
    { ...aboutCall, class: 'unchanged', passes: false },
  ],
  [
    'waiting, then allowed',
    WAITS,
    call('allowed'),
    { ...aboutCall, class: 'would_allow', passes: true },
  ],
  [
    'waiting, then denied',
    WAITS,
    call('denied'),
    { ...aboutCall, class: 'would_deny', passes: false },
  ],
  ['allowed, then waiting', call('allowed'), WAITS, null],
  ['waiting twice', WAITS, WAITS, null],
  ['no decision before', ODD, call('allowed'), null],
  [
    'a released stop',
    stop('Go on.'),
    stop(null),
    { ...aboutStop, class: 'would_release', passes: true },
  ],
  [
    'a blocked stop',
    stop(null),
    stop('Go on.'),
    { ...aboutStop, class: 'would_block', passes: false },
  ],
  [
    'a stop that is blocked again',
    stop('Go on.'),
    stop('Test.'),
    { ...aboutStop, class: 'unchanged', passes: false },
  ],
])('replayedVerdict classifies %s', (...[, was, is, verdict]) => {
  const lanes = { was: [ODD, was], is: [ODD, is], isKnown: true, fidelity: 'exact' } as const
  expect(replayedVerdict(lanes)).toEqual(verdict)
  const unknown =
    verdict === null ? null : { ...verdict, class: 'cannot_replay', fidelity: 'approximate' }
  expect(replayedVerdict({ ...lanes, isKnown: false, fidelity: 'approximate' })).toEqual(unknown)
})
