import { describe, expect, test } from 'vitest'
import {
  computeLowerBound,
  computeSurprise,
  countDigits,
  findCutoff,
  isDifferent,
  shareLimit,
  testDifference,
} from './statistics.ts'

const of = (hits: number, all: number) => ({ of: hits, all })

test('the lower bound of a share is that of Wilson', () => {
  expect(computeLowerBound(95, 100)).toBeCloseTo(0.8882, 4)
  expect(computeLowerBound(20, 20)).toBeCloseTo(0.8389, 4)
  expect(computeLowerBound(0, 5)).toBe(0)
  expect(computeLowerBound(0, 0)).toBe(0)
})

test('surprise counts the digits of the chance that sessions keep a rule by accident', () => {
  expect(computeSurprise(20, 20, 0.5)).toBeCloseTo(20 * Math.log10(2), 6)
  expect(computeSurprise(49, 50, 0.6)).toBeCloseTo(9.14, 2)
  expect(computeSurprise(6, 10, 0.6)).toBe(0)
  expect(computeSurprise(5, 10, 0.6)).toBe(0)
  expect(computeSurprise(0, 0, 0.5)).toBe(0)
  expect(Number.isFinite(computeSurprise(30, 30, 0))).toBe(true)
  expect(countDigits(0.001)).toBeCloseTo(3, 9)
  expect(countDigits(0)).toBe(300)
})

test('the limit grows with the number of patterns that were tested', () => {
  expect(shareLimit(1)).toBeCloseTo(2, 9)
  expect(shareLimit(100)).toBeCloseTo(4, 9)
  expect(shareLimit(0)).toBeCloseTo(2, 9)
})

describe('differences of bad sessions from good ones', () => {
  test('have the probability of the exact test by Fisher', () => {
    // Computed with exact fractions.
    expect(testDifference(of(3, 14), of(3, 67))).toBeCloseTo(0.061, 4)
    expect(testDifference(of(2, 16), of(0, 68))).toBeCloseTo(0.0344, 4)
    expect(testDifference(of(5, 5), of(0, 5))).toBeCloseTo(1 / 252, 6)
    expect(testDifference(of(0, 5), of(2, 5))).toBeCloseTo(1, 9)
    expect(testDifference(of(0, 0), of(2, 5))).toBeCloseTo(1, 9)
    // More hits than there are good sessions.
    expect(testDifference(of(9, 10), of(3, 3))).toBeCloseTo(1, 9)
  })

  test('need a number of bad sessions, too', () => {
    const clear = { bad: of(2, 16), good: of(0, 68) }
    expect(isDifferent(clear, 2, 0.05)).toBe(true)
    expect(isDifferent(clear, 3, 0.05)).toBe(false)
    expect(isDifferent(clear, 2, 0.03)).toBe(false)
  })

  test('count while few of those that count are expected to be coincidences', () => {
    const clear = { bad: of(8, 20), good: of(0, 100) }
    const likely = { bad: of(3, 14), good: of(3, 67) }
    const none = { bad: of(2, 20), good: of(9, 100) }
    const p = ({ bad, good }: typeof clear) => testDifference(bad, good)
    expect(findCutoff([], 0.1)).toBe(0)
    expect(findCutoff([none], 0.1)).toBe(0)
    expect(findCutoff([likely], 0.1)).toBeCloseTo(p(likely), 12)
    expect(findCutoff([likely], 0.05)).toBe(0)
    // Beside others that differ, and beside those that do not.
    expect(findCutoff([clear, likely, none], 0.1)).toBeCloseTo(p(likely), 12)
    expect(findCutoff([clear, likely, ...Array(9).fill(none)], 0.1)).toBeCloseTo(p(clear), 12)
  })

  test('that a sample is too small to show take nothing from the others', () => {
    const likely = { bad: of(3, 14), good: of(3, 67) }
    // One hit in all: the least probability that it can have is a half.
    const silent = { bad: of(1, 10), good: of(0, 10) }
    const cutoff = testDifference(likely.bad, likely.good)
    expect(findCutoff([likely, ...Array(50).fill(silent)], 0.1)).toBeCloseTo(cutoff, 12)
  })
})
