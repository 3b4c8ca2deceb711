import { expect, test } from 'vitest'
import { niceScale } from './chart-words.ts'

test('an axis of percentages reaches the largest value in at most four round, equal steps', () => {
  expect(niceScale(1)).toEqual([0, 0.25, 0.5, 0.75, 1])
  expect(niceScale(16)).toEqual([0, 5, 10, 15, 20])
  expect(niceScale(25)).toEqual([0, 10, 20, 30])
  expect(niceScale(100)).toEqual([0, 25, 50, 75, 100])
  for (let most = 1; most <= 100; most += 0.7) {
    const ticks = niceScale(most)
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most)
    expect(ticks.length).toBeLessThanOrEqual(5)
  }
})
