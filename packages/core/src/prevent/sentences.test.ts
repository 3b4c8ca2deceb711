import { expect, test } from 'vitest'
import type { ConfigDocument } from '../kinds/config.ts'
import type { Candidate, Findings } from './candidate.ts'
import type { Edit } from './edit.ts'
import { applyEdit } from './edit.ts'
import {
  describeCandidate,
  describeEvidence,
  describeFault,
  describeNoAnswer,
} from './sentences.ts'

const order = { id: 'order', type: 'sequential_dependency', dependencies: { go: ['a'] } } as const
const done = { id: 'done', type: 'tool_succeeded', tool: 'a' } as const
const DOCUMENT: ConfigDocument = {
  ...{ schema_version: 1, ns: 'a', key: 'b' },
  policies: [{ ...order, mode: 'shadow' }],
  content: [{ id: 'keys', kind: 'secrets', on: 'arguments', action: 'deny', mode: 'shadow' }],
  task_completion_checker: done,
}

test.each<[Edit, string]>([
  [{ kind: 'enforce', rule: 'order' }, 'Enforce `order`: `go` needs `a` first'],
  [
    { kind: 'enforce', rule: 'keys' },
    'Enforce `keys`: Denies arguments of every call with secrets',
  ],
  [{ kind: 'change_policy', policy: order }, 'Change `order`: `go` needs `a` first'],
  [{ kind: 'add_policy', policy: order }, '`go` needs `a` first'],
  [{ kind: 'add_checker', checker: done }, 'A stop passes only if `a` succeeded'],
  [{ kind: 'change_checker', checker: done }, 'Change `done`: a stop passes only if `a` succeeded'],
])('the change %j in words', (edit, sentence) => {
  expect(describeCandidate(applyEdit(DOCUMENT, edit), { edit })).toBe(sentence)
})

type Numbers = Partial<Candidate> & Partial<Candidate['evidence']>

function describe({ goodCalls = 20, goodSessions = 10, chance = null, ...more }: Numbers): string {
  const evidence = { goodCalls, goodSessions, chance }
  const found = { outcome: 'denied', denies: 0, cannotReplay: 0, ...more, evidence }
  // Only the fields that the sentence says.
  return describeEvidence(found as unknown as Candidate)
}

test.each<[Numbers, string]>([
  [{}, 'Refuses nothing in 10 good sessions with 20 good calls.'],
  [{ outcome: 'blocked' }, 'Refuses nothing in 10 good sessions with 20 good stops.'],
  [
    { goodCalls: 19 },
    'Refuses nothing in 10 good sessions with 19 good calls. This is little evidence.',
  ],
  [{ denies: 1 }, 'Would have refused something in 1 of 10 good sessions.'],
  [
    { chance: 0.25, cannotReplay: 1 },
    'Refuses nothing in 10 good sessions with 20 good calls. Chance alone gives 25%. The logs of 1 session do not contain what decides it.',
  ],
  [
    { outcome: 'waits', goodCalls: 1, asks: 30, asksPerDay: 2.1 },
    'A reviewer would have been asked about 30 good calls, about 3 calls a day.',
  ],
])('the evidence %j in words', (numbers, sentence) => {
  expect(describe(numbers)).toBe(sentence)
})

test('only where a reviewer is all that is left, a sentence says so', () => {
  const describeFound = (...outcomes: readonly Candidate['outcome'][]) =>
    describeNoAnswer({
      candidates: outcomes.map((outcome) => ({ outcome, asksPerDay: 1.5 })),
      used: { calls: 3 },
    } as unknown as Findings)
  expect(describeFound()).toBe('No recorded difference separates this from 3 good ones.')
  expect(describeFound('waits')).toBe(
    'No recorded difference separates this call from 3 good calls. A reviewer can decide each one (about 2 calls a day).',
  )
  expect(describeFound('waits', 'denied')).toBe(null)
})

test('a fault says what to name instead, or who refused it', () => {
  expect(describeFault({ code: 'event_decides_nothing' })).toBe(
    'This event decides neither a call nor a stop. Name the request of a call, or a stop.',
  )
  expect(describeFault({ code: 'already_refused', rule: null })).toBe(
    'This was already refused by a user.',
  )
  expect(describeFault({ code: 'already_refused', rule: 'no' })).toBe(
    'This was already refused by `no`.',
  )
})
