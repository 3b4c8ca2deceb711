import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Condition, computeEpisodes, computePeaks, type Moment, valueAt } from './episodes.ts'

const times = (...at: number[]): readonly Moment[] =>
  at.map((each) => ({ at: each, count: 1, total: 1 }))
const THREE_IN_TEN: Condition = { windowMs: 10, threshold: 3, isRate: false }

describe('an alert rule', () => {
  test('fires when its window reaches the threshold, and again only after it was resolved', () => {
    expect(computeEpisodes(times(1, 5, 9, 10, 40, 41, 42), THREE_IN_TEN, 100)).toEqual([
      { from: 9, until: 15, peak: 4 },
      { from: 42, until: 50, peak: 3 },
    ])
  })

  test('opens an episode without an end while it fires', () => {
    expect(computeEpisodes(times(1, 2, 3), THREE_IN_TEN, 9)).toEqual([
      { from: 3, until: null, peak: 3 },
    ])
  })

  test('has the highest value of each part of a range, also where it lasts over its end', () => {
    const range = { from: 0, until: 100, parts: 5 }
    expect(computePeaks(times(1, 5, 9, 38, 90), THREE_IN_TEN, range)).toEqual([3, 1, 1, 0, 1])
    expect(computePeaks(times(-5), THREE_IN_TEN, range)).toEqual([1, 0, 0, 0, 0])
  })

  test('an alert rule on a rate ignores windows with fewer than 20 calls', () => {
    const rate: Condition = { windowMs: 10, threshold: 50, isRate: true }
    const moments = (total: number): readonly Moment[] => [{ at: 1, count: total, total }]
    expect(computeEpisodes(moments(19), rate, 20)).toEqual([])
    expect(computeEpisodes(moments(20), rate, 20)).toEqual([{ from: 1, until: 11, peak: 100 }])
  })

  test('fires in the preview exactly when the evaluation fires', () => {
    const moment = fc.record({
      at: fc.integer({ min: 0, max: 200 }),
      count: fc.integer({ min: 0, max: 5 }),
      total: fc.integer({ min: 5, max: 30 }),
    })
    const condition = fc.record({
      windowMs: fc.integer({ min: 1, max: 60 }),
      threshold: fc.integer({ min: 1, max: 30 }),
      isRate: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(moment), condition, (moments, rule) => {
        const episodes = computeEpisodes(moments, rule, 300)
        for (let now = 0; now <= 300; now++) {
          const fires = episodes.some(
            ({ from, until }) => from <= now && (until === null || now < until),
          )
          expect(valueAt(moments, rule, now) >= rule.threshold).toBe(fires)
        }
      }),
      { numRuns: 50 },
    )
  })
})
