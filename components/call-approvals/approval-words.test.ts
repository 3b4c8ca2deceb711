import { expect, test } from 'vitest'
import { settledWords } from './approval-words.ts'

const WAITS_UNTIL = 1_000_000
const EXPIRED = {
  decision: null,
  outcome: null,
  outcomeNote: null,
  decidedName: null,
  waitsUntil: WAITS_UNTIL,
}

test('an expired call whose runtime reports nothing for minutes is shown as never reported', () => {
  expect(settledWords(EXPIRED, WAITS_UNTIL + 60_000).more).toBe(
    'Denied: the time expired. The runtime has not reported it yet.',
  )
  expect(settledWords(EXPIRED, WAITS_UNTIL + 600_000).more).toBe(
    'Denied: the time expired. The runtime never reported it.',
  )
})

test('an approved call that its runtime does not confirm for minutes is shown as never reported', () => {
  const approved = { ...EXPIRED, decision: 'approved', decidedName: 'Ana' } as const
  expect(settledWords(approved, WAITS_UNTIL).more).toBe('Not yet confirmed by the runtime.')
  expect(settledWords(approved, WAITS_UNTIL + 600_000).more).toBe(
    'The runtime never reported whether the call ran.',
  )
})

test('a call without a decision has the word of its filter', () => {
  const outcomes = [null, 'timed_out', 'ended', 'unavailable'] as const
  for (const outcome of outcomes) {
    expect(settledWords({ ...EXPIRED, outcome }, WAITS_UNTIL).word).toBe('No answer')
  }
})
