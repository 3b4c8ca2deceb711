import { describe, expect, test } from 'vitest'
import { advance, gapsAfter } from './sequence.ts'

describe('the contiguous prefix', () => {
  test.each([
    ['nothing new', 4, [], 4],
    ['the next two events', 4, [5, 6], 6],
    ['a gap after one event', 4, [5, 7, 8], 5],
    ['no adjoining event', 0, [2, 3], 0],
  ])('ends before the first gap: %s', (...[, contiguous, above, end]) => {
    expect(advance(contiguous, above)).toBe(end)
  })
})

describe('gaps of a sequence', () => {
  test.each([
    ['none of them', 4, [5, 6], []],
    ['one before the first event', 0, [3], [{ from: 1, to: 2 }]],
    [
      'several of them',
      2,
      [3, 6, 7, 9],
      [
        { from: 4, to: 5 },
        { from: 8, to: 8 },
      ],
    ],
  ])('are listed as ranges: %s', (...[, contiguous, above, gaps]) => {
    expect(gapsAfter(contiguous, above)).toEqual(gaps)
  })

  test('are cut at the first hundred when a sender skips every other event', () => {
    const above = Array.from({ length: 500 }, (_, index) => 2 * index + 2)
    expect(gapsAfter(0, above)).toHaveLength(100)
  })
})
