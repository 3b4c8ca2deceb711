// Gone, new, back: only with enough stop attempts to prove it.
import { expect, test } from 'vitest'
import { computeStanding } from './stop-standing.ts'

const versions = (...given: readonly (readonly [attempts: number, stops: number])[]) =>
  given.map(([attempts, stops], index) => ({
    ns: 'a',
    key: 'b',
    number: index + 1,
    attempts,
    stops,
  }))

test.each([
  ['still there', versions([50, 3], [50, 2]), null],
  ['gone under enough attempts', versions([50, 3], [12, 0], [9, 0]), ['gone', 2, 21]],
  ['gone under too few', versions([50, 3], [19, 0]), null],
  ['back after a lull', versions([50, 3], [30, 0], [40, 1]), ['back', 3, 30]],
  ['back after a lull that is too short', versions([50, 3], [5, 0], [40, 1]), null],
  ['new', versions([50, 0], [40, 1], [40, 2]), ['new', 2, 50]],
  ['new, with too little before', versions([3, 0], [40, 1]), null],
  ['never seen', versions([50, 0]), null],
  ['without a known version', [], null],
] as const)('a reason is %s', (_name, given, expected) => {
  const found = computeStanding(given)
  expect(found === null ? null : [found.kind, found.since, found.attempts]).toEqual(expected)
})

test('a reason has no trend over several configs together', () => {
  const [one, other] = [versions([50, 3], [50, 0]), versions([50, 3])]
  expect(
    computeStanding([...one, ...other.map((version) => ({ ...version, key: 'c' }))]),
  ).toBeNull()
})
