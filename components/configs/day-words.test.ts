import { expect, test } from 'vitest'
import { describeDay } from './day-words.ts'

const DAY = { calls: 58, denied: 7, stops: 4, blocked: 1, wouldDeny: 0, wouldBlock: 0 }

test('the shares of a config state how many calls and stop attempts they are of', () => {
  expect(describeDay(DAY, false)).toEqual({ calls: '12% of 58 denied', stops: '25% of 4 blocked' })
  expect(describeDay(DAY, true)).toEqual({
    calls: '12% of 58 calls denied',
    stops: '25% of 4 stop attempts blocked',
  })
})

test('a config without refusals states what its shadow rules would do, or that nothing happened', () => {
  const quiet = { ...DAY, denied: 0, blocked: 0, wouldDeny: 3, wouldBlock: 2 }
  expect(describeDay(quiet, false)).toEqual({ calls: '3 would deny', stops: '2 would block' })
  const none = { ...DAY, calls: 0, denied: 0, stops: 0, blocked: 0 }
  expect(describeDay(none, true)).toEqual({ calls: 'no calls', stops: 'no stop attempts' })
})
