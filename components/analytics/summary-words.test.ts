import { expect, test } from 'vitest'
import { findDeniedBefore, periodText, summarize } from './summary-words.ts'

const WEEK = periodText(7 * 86_400_000)

test('the sentence of denials counts a call that could not be evaluated as denied, and names it apart', () => {
  const now = { allowed: 119_686, denied: 2_210, error: 4 }
  const before = { allowed: 986, denied: 14 }
  expect(summarize('denials', { now, before, sessions: 9 }, WEEK)).toBe(
    '2,214 of 121,900 calls were denied (1.8%), 1.4% the week before. 4 of them could not be evaluated.',
  )
  expect(findDeniedBefore({ now, before, sessions: 9 })).toBeCloseTo(1.4)
  expect(findDeniedBefore({ now, before: {}, sessions: 9 })).toBeNull()
})

test('the sentence of stops counts allowed, blocked, bypassed and error as all attempts', () => {
  const now = { allowed: 519, blocked: 67, bypassed: 23, error: 3 }
  expect(summarize('stops', { now, before: {}, sessions: 1 }, WEEK)).toBe(
    '67 of 612 stop attempts were blocked (11%). 23 bypassed (3.8%). 3 could not be evaluated.',
  )
})

test('a stop without a checker is no attempt, neither now nor in the period before', () => {
  const now = { allowed: 519, blocked: 67, bypassed: 23, error: 3, no_checker: 40 }
  const before = { allowed: 9, blocked: 1, no_checker: 90 }
  expect(summarize('stops', { now, before, sessions: 1 }, WEEK)).toBe(
    '67 of 612 stop attempts were blocked (11%), 10% the week before. 23 bypassed (3.8%). 3 could not be evaluated.',
  )
  expect(summarize('stops', { now: { no_checker: 2 }, before: {}, sessions: 1 }, WEEK)).toBe(
    'No agent tried to stop in this range.',
  )
})

test('the sentences of feedback and plans state their base, and nothing to count is said', () => {
  const feedback = { expected: 100, followed: 61, not_followed: 30 }
  expect(summarize('feedback', { now: feedback, before: {}, sessions: 1 }, WEEK)).toBe(
    'The agent followed 61 of 100 suggestions (61%).',
  )
  const plans = { none: 3, '5': 9, '2': 1 }
  expect(summarize('plans', { now: plans, before: plans, sessions: 1 }, 'the day before')).toBe(
    '9 of 10 ended sessions with a plan finished it (90%), 90% the day before.',
  )
  for (const topic of ['denials', 'stops', 'feedback', 'plans'] as const) {
    expect(summarize(topic, { now: {}, before: {}, sessions: 0 }, WEEK)).toMatch(/^No /)
  }
})
