import { expect, test } from 'vitest'
import { parseDays } from './retention-rule.ts'

test('parses nothing as forever, and accepts only whole days from 1 to 3650', () => {
  expect([' ', '30', '0', '3651', '1.5', 'x', '-1'].map(parseDays)).toEqual([
    ...[null, 30, undefined, undefined],
    ...[undefined, undefined, undefined],
  ])
})
