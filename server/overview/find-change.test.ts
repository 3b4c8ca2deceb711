import { expect, test } from 'vitest'
import { findChange } from './figures.ts'

const HOUR = 3_600_000
const release = (version: number, at: number) => ({
  id: `rel_${version}`,
  environment: 'dev',
  ns: 'a',
  key: 'b',
  version,
  at,
})

function hours(...shares: readonly (readonly [value: number, of: number])[]) {
  return shares.map(([value, of], i) => ({ hour: i * HOUR, value, of }))
}

/** Hours of the released config. */
function own(series: ReturnType<typeof hours>) {
  return series.map((row) => ({ environment: 'dev', ns: 'a', key: 'b', ...row }))
}

test('a figure names the release after which its share changed most', () => {
  const series = hours([1, 50], [1, 50], [4, 50], [20, 50])
  const marks = [release(1, 1.5 * HOUR), release(2, 3.1 * HOUR)]
  expect(findChange(series, marks, own(series))?.version).toBe(2)
})

test('a share that halves after a release has changed, too', () => {
  const series = hours([20, 50], [5, 50])
  expect(findChange(series, [release(3, HOUR)], own(series))?.version).toBe(3)
})

test('a small change, too few calls on one side, and no release are no change', () => {
  const mark = [release(1, HOUR)]
  const find = (series: ReturnType<typeof hours>, marks = mark) =>
    findChange(series, marks, own(series))
  expect(find(hours([20, 50], [25, 50]))).toBeNull()
  expect(find(hours([0, 19], [19, 50]))).toBeNull()
  expect(find(hours([0, 50], [10, 19]))).toBeNull()
  expect(find(hours([0, 50], [40, 50]), [])).toBeNull()
  expect(find(hours([4, 50], [0, 50]))).toBeNull()
})

test('the hour of the release counts as after it', () => {
  const series = hours([1, 50], [20, 50])
  expect(findChange(series, [release(1, 1.9 * HOUR)], own(series))?.version).toBe(1)
})

test('a release of a config without calls, or whose own share did not change, does not explain a change', () => {
  const series = hours([1, 50], [40, 100])
  const mark = [release(1, HOUR)]
  expect(findChange(series, mark, [])).toBeNull()
  expect(findChange(series, mark, own(hours([1, 25], [1, 25])))).toBeNull()
  expect(findChange(series, mark, own(hours([20, 25], [1, 25])))).toBeNull()
  const elsewhere = own(series).map((row) => ({ ...row, environment: 'prod' }))
  expect(findChange(series, mark, elsewhere)).toBeNull()
})

test('a release of a config without calls before explains a change to its own share', () => {
  const series = hours([1, 50], [40, 100])
  expect(findChange(series, [release(1, HOUR)], own(hours([0, 0], [39, 50])))?.version).toBe(1)
})
