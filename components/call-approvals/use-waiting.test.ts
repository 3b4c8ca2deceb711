import { expect, test } from 'vitest'
import type { ShownCall } from '@/server/call-approvals/call-approvals.ts'
import { buildQueue } from './use-waiting.ts'

const call = (id: string): ShownCall => ({
  id,
  environment: 'dev',
  sessionId: 'sess_1',
  seq: 3,
  callId: id,
  tool: 'deploy',
  ns: 'team',
  key: 'agent',
  configVersion: 1,
  rules: ['ask'],
  requestedAt: 0,
  waitsUntil: 9,
  askedAt: null,
  decision: null,
  decidedName: null,
  decidedAt: null,
  note: null,
  outcome: null,
  outcomeSeq: null,
  outcomeAt: null,
  outcomeNote: null,
  args: {},
  input: 'x',
  earlier: {
    approved: 0,
    denied: 0,
    unanswered: 0,
    lastDecision: null,
    lastName: null,
    lastAt: null,
  },
})

const told = (queue: ReturnType<typeof buildQueue>): readonly string[] =>
  queue.map(({ call: { id }, isOver }) => `${id}${isOver ? ' over' : ''}`)

test('the queue of waiting calls keeps a finished call in its place and appends new ones', () => {
  const [a, b, c] = [call('a'), call('b'), call('c')]
  expect(told(buildQueue([], [a, b]))).toEqual(['a', 'b'])
  expect(told(buildQueue([a, b], [b, c]))).toEqual(['a over', 'b', 'c'])
  expect(told(buildQueue([b], [b]))).toEqual(['b'])
})
