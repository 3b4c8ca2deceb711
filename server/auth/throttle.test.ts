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
  const keys = Array.from({ length: 30_000 }, (_, index) => `key ${index}`)
  expect(keys.filter((key) => !throttle.admit(key, 0))).toEqual([])
  expect(throttle.admit('key 29999', 1)).toBe(false)
})

test('room for a new key is made at the cost of the oldest windows, not of one just begun anew', () => {
  const throttle = createThrottle({ limit: 1, windowMs: 1_000 })
  for (let i = 0; i < 10_000; i++) throttle.admit(`key ${i}`, i === 0 ? 0 : 500)
  throttle.admit('key 0', 1_001)
  throttle.admit('one more', 1_002)
  expect(throttle.admit('key 0', 1_003)).toBe(false)
  expect(throttle.admit('key 1', 1_003)).toBe(true)
})
