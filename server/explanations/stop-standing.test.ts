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
  ['without a trend while it still occurs', versions([50, 3], [50, 2]), null],
  ['gone after enough attempts without it', versions([50, 3], [12, 0], [9, 0]), ['gone', 2, 21]],
  ['not gone after too few attempts without it', versions([50, 3], [19, 0]), null],
  ['back after enough attempts without it', versions([50, 3], [30, 0], [40, 1]), ['back', 3, 30]],
  ['not back after too few attempts without it', versions([50, 3], [5, 0], [40, 1]), null],
  ['new after enough attempts before it', versions([50, 0], [40, 1], [40, 2]), ['new', 2, 50]],
  ['not new after too few attempts before it', versions([3, 0], [40, 1]), null],
  ['without a trend when it never occurred', versions([50, 0]), null],
  ['without a trend when no version is known', [], null],
] as const)('a stop reason is %s', (_name, given, expected) => {
  const found = computeStanding(given)
  expect(found === null ? null : [found.kind, found.since, found.attempts]).toEqual(expected)
})

test('a stop reason has no trend over several configs together', () => {
  const [one, other] = [versions([50, 3], [50, 0]), versions([50, 3])]
  expect(
    computeStanding([...one, ...other.map((version) => ({ ...version, key: 'c' }))]),
  ).toBeNull()
})
