import { expect, test } from 'vitest'
import { adoptionPoints, describeTarget, findTimeScale } from './adoption-points.ts'

test('the adoption curve begins at zero, steps at each runtime, and ends at the current state', () => {
  const facts = { createdAt: 1_000, appliedAt: [1_200, 3_000], count: 2, endMs: 8_000 }
  expect(adoptionPoints(facts)).toEqual([
    { afterMs: 0, applied: 0 },
    { afterMs: 200, applied: 1 },
    { afterMs: 2_000, applied: 2 },
    { afterMs: 8_000, applied: 2 },
  ])
})

test('the adoption curve counts all runtimes when points are merged, and never decreases', () => {
  const appliedAt = Array.from({ length: 300 }, (_, i) => 1_000 + i)
  const points = adoptionPoints({ createdAt: 1_000, appliedAt, count: 1_000, endMs: 1_000 })
  const counts = points.map(({ applied }) => applied)
  expect(counts.at(-1)).toBe(1_000)
  expect(counts.toSorted((a, b) => a - b)).toEqual(counts)
})

test('the adoption curve handles a release without runtimes, and a clock that is behind', () => {
  expect(adoptionPoints({ createdAt: 5, appliedAt: [], count: 0, endMs: 1_000 })).toEqual([
    { afterMs: 0, applied: 0 },
    { afterMs: 1_000, applied: 0 },
  ])
  const early = adoptionPoints({ createdAt: 5_000, appliedAt: [4_000], count: 1, endMs: 0 })
  expect(early[1]).toEqual({ afterMs: 0, applied: 1 })
})

test('the axis of the adoption chart covers a minute in seconds, and longer times in larger units', () => {
  expect(findTimeScale(9_000)).toEqual({
    unitMs: 1_000,
    word: 'seconds',
    endMs: 60_000,
    ticks: [0, 10, 20, 30, 40, 50, 60],
  })
  expect(findTimeScale(400_000)).toMatchObject({ word: 'minutes', ticks: [0, 1, 2, 3, 4, 5, 6, 7] })
  expect(findTimeScale(6 * 3_600_000).word).toBe('hours')
  for (const lastMs of [0, 61_000, 3_000_000, 90_000_000, 40 * 86_400_000]) {
    const { endMs, ticks } = findTimeScale(lastMs)
    expect(endMs).toBeGreaterThanOrEqual(lastMs)
    expect(ticks.length).toBeLessThanOrEqual(8)
  }
})

test('the line at the number of runtimes has a label that is correct for one', () => {
  expect(describeTarget(3, false)).toBe('3 connected')
  expect(describeTarget(1, true)).toBe('1 of 1 applied')
  expect(describeTarget(1_000, true)).toBe('all 1,000 applied')
})
