import { expect, test } from 'vitest'
import { parseDays } from './retention-rule.ts'

test('the days of a retention rule are unlimited when empty, and whole numbers from 1 to 3650', () => {
  expect([' ', '30', '0', '3651', '1.5', 'x', '-1'].map(parseDays)).toEqual([
    ...[null, 30, undefined, undefined],
    ...[undefined, undefined, undefined],
  ])
})
