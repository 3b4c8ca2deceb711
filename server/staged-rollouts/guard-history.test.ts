import { expect, test } from 'vitest'
import { buildGuardHistory } from './guard-history.ts'

const CLOCK = { createdAt: 1_000, now: 41_000 }

test('the history of a guard has cumulative means, and a range once two sessions of the candidate ended', () => {
  const points = buildGuardHistory(
    [
      { id: 'r', part: 0, cohort: 'base', count: 2, sum: 4, squares: 10 },
      { id: 'r', part: 1, cohort: 'candidate', count: 1, sum: 3, squares: 9 },
      { id: 'r', part: 39, cohort: 'candidate', count: 1, sum: 1, squares: 1 },
    ],
    CLOCK,
  )
  expect(points.map(({ at, base, candidate }) => [at, base, candidate])).toEqual([
    [2_000, 2, null],
    [3_000, 2, 3],
    [41_000, 2, 2],
  ])
  expect(points.map(({ range }) => range)).toEqual([null, null, [0, 2 + 2.576]])
})

test('the history of a guard without sessions is empty', () => {
  expect(buildGuardHistory([], CLOCK)).toEqual([])
})
