import { expect, test } from 'vitest'
import { createAdmission } from './admission.ts'

function clocked(perSecond: number) {
  let now = 0
  const admit = createAdmission(perSecond, () => now)
  return { admit, at: (ms: number) => (now = ms) }
}

test('a burst is admitted up to the rate, and each further caller gets its own later time', () => {
  const { admit } = clocked(10)
  const waits = Array.from({ length: 14 }, admit)
  expect(waits).toEqual([...Array.from({ length: 10 }, () => 0), 100, 200, 300, 400])
})

test('a fleet that returns at the given times is admitted without a second refusal', () => {
  const { admit, at } = clocked(10)
  const returns = Array.from({ length: 60 }, admit).filter((wait) => wait > 0)
  expect(returns.at(-1)).toBe(5000)
  for (const time of returns) {
    // Retry-After has whole seconds.
    at(Math.ceil(time / 1000) * 1000)
    expect(admit()).toBe(0)
  }
})

test('a quiet second restores the whole burst and no more', () => {
  const { admit, at } = clocked(5)
  for (let n = 0; n < 20; n++) admit()
  at(60_000)
  expect(Array.from({ length: 6 }, admit)).toEqual([0, 0, 0, 0, 0, 200])
})
