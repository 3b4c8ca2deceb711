import { expect, test } from 'vitest'
import { mergeMarks } from './marks.ts'

const points = Array.from({ length: 28 }, (_, index) => ({ at: index * 10 }))

/** Labels of the marks at these times, each a release "v1", "v2" and so on, newest first. */
function labelMarks(...times: readonly number[]): readonly string[] {
  const marks = times.map((at, index) => ({ at, label: `v${index + 1}` })).reverse()
  return mergeMarks({ marks, points, stepMs: 10 }).map(({ label }) => label)
}

test('names up to two releases of a line', () => {
  expect(labelMarks(0, 5, 140)).toEqual(['v1, v2', 'v3'])
})

test('counts the lines without room for a label in the label before them', () => {
  expect(labelMarks(240, 241, 242, 250, 270, 271)).toEqual(['6 releases at 3 times', '', ''])
})

test('leaves out marks outside the range', () => {
  expect(labelMarks(-5, 280)).toEqual([])
})
