import { expect, test } from 'vitest'
import { bytesText, daysOf } from './retention-rule.ts'

test('nothing is for ever, and only whole days from 1 to 3650 are days', () => {
  expect([' ', '30', '0', '3651', '1.5', 'x', '-1'].map(daysOf)).toEqual([
    ...[null, 30, undefined, undefined],
    ...[undefined, undefined, undefined],
  ])
})

test('bytes are told in the unit that fits', () => {
  expect([512, 4_100, 41_000_000_000].map(bytesText)).toEqual(['512 B', '4.1 kB', '41 GB'])
})
