import { expect, test } from 'vitest'
import { bytesText } from './bytes-text.ts'

test('a number of bytes is formatted in the largest unit that fits', () => {
  expect([512, 4_100, 41_000_000_000].map(bytesText)).toEqual(['512 B', '4.1 kB', '41 GB'])
})
