import { expect, test } from 'vitest'
import { joinLabels } from './share-labels.ts'

test('changes of a share that are close to each other have one label', () => {
  const marks = [
    { at: 0, label: '25%' },
    { at: 5, label: '50%' },
    { at: 90, label: '10%' },
  ]
  expect(joinLabels(marks, 10)).toEqual([
    { at: 0, label: '25% → 50%' },
    { at: 90, label: '10%' },
  ])
  expect(joinLabels(marks, 1)).toEqual(marks)
})
