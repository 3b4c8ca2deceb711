import { expect, test } from 'vitest'
import { createThrottle } from './throttle.ts'

test('admits the limit in a window, refuses further tries, and admits again in the next window', () => {
  const throttle = createThrottle({ limit: 2, windowMs: 1_000 })
  const at = (now: number) => throttle.admit('ada', now)
  expect([at(0), at(10), at(20), at(999)]).toEqual([true, true, false, false])
  expect(at(1_000)).toBe(true)
})

test('one key does not use up the tries of another, however many keys there are', () => {
  const throttle = createThrottle({ limit: 1, windowMs: 1_000 })
  for (let i = 0; i < 30_000; i++) expect(throttle.admit(`key ${i}`, 0)).toBe(true)
  expect(throttle.admit('key 29999', 1)).toBe(false)
})
