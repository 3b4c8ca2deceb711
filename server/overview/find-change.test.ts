import { expect, test } from 'vitest'
import { findChange } from './figures.ts'

const HOUR = 3_600_000
const release = (version: number, at: number) => ({
  id: `rel_${version}`,
  ns: 'a',
  key: 'b',
  version,
  at,
})

function hours(...shares: readonly (readonly [value: number, of: number])[]) {
  return shares.map(([value, of], i) => ({ hour: i * HOUR, value, of }))
}

test('a figure names the release after which its share changed most', () => {
  const series = hours([1, 50], [1, 50], [4, 50], [20, 50])
  const marks = [release(1, 1.5 * HOUR), release(2, 3.1 * HOUR)]
  expect(findChange(series, marks)?.version).toBe(2)
})

test('a share that halves after a release has changed, too', () => {
  expect(findChange(hours([20, 50], [5, 50]), [release(3, HOUR)])?.version).toBe(3)
})

test('a small change, too few calls on one side, and no release are no change', () => {
  const mark = [release(1, HOUR)]
  expect(findChange(hours([20, 50], [25, 50]), mark)).toBeNull()
  expect(findChange(hours([0, 19], [19, 50]), mark)).toBeNull()
  expect(findChange(hours([0, 50], [10, 19]), mark)).toBeNull()
  expect(findChange(hours([0, 50], [40, 50]), [])).toBeNull()
})

test('the hour of the release counts as after it', () => {
  expect(findChange(hours([1, 50], [20, 50]), [release(1, 1.9 * HOUR)])?.version).toBe(1)
})
