import { expect, test } from 'vitest'
import { daysOf } from './retention-rule.ts'

test('nothing is for ever, and only whole days from 1 to 3650 are days', () => {
  expect([' ', '30', '0', '3651', '1.5', 'x', '-1'].map(daysOf)).toEqual([
    ...[null, 30, undefined, undefined],
    ...[undefined, undefined, undefined],
  ])
})
