import { expect, test } from 'vitest'
import { nextTry } from './line.ts'

test('a lost connection is tried after 1, 3 and 8 s, and then every 10 s', () => {
  const tries = [nextTry(0)]
  while (tries.length < 6) tries.push(nextTry(tries.at(-1) ?? 0))
  expect(tries).toEqual([1_000, 3_000, 8_000, 18_000, 28_000, 38_000])
  expect(nextTry(12_345)).toBe(18_000)
})
