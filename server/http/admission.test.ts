import { expect, test } from 'vitest'
import { createAdmission } from './admission.ts'

function clocked(perSecond: number) {
  let now = 0
  const admitKey = createAdmission(perSecond, () => now)
  return { admit: () => admitKey('one'), admitKey, at: (ms: number) => (now = ms) }
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

test('a key that floods does not delay another key', () => {
  const { admit, admitKey, at } = clocked(100)
  for (let n = 0; n < 10_000; n++) admit()
  expect(Array.from({ length: 15 }, () => admitKey('other'))).toEqual(Array(15).fill(0))
  // A flood that ignores its times goes on; the other key sends 40 requests a second.
  let refused = 0
  for (let ms = 1000; ms < 10_000; ms += 5) {
    at(ms)
    for (let n = 0; n < 20; n++) admit()
    if (ms % 25 === 0 && admitKey('other') > 0) refused += 1
  }
  expect(refused).toBe(0)
})

test('a key that asks seldom gets nearly as much of the room as one that floods', () => {
  const { admitKey, at } = clocked(100)
  const admitted = { big: 0, small: 0 }
  for (let ms = 0; ms < 10_000; ms += 5) {
    at(ms)
    for (let n = 0; n < 20; n++) if (admitKey('big') === 0) admitted.big += 1
    if (admitKey('small') === 0) admitted.small += 1
  }
  expect(admitted.small).toBeGreaterThan(400)
  expect(admitted.big).toBeLessThan(700)
})

test('a thousand keys with one runtime each are given times like one key with a thousand', () => {
  const { admitKey } = clocked(100)
  const waits = Array.from({ length: 1000 }, (_, n) => admitKey(`key-${n}`))
  expect(waits.filter((wait) => wait === 0)).toHaveLength(120)
  expect(waits.at(-1)).toBe(8800)
})

test('a key that flooded waits no longer than a minute', () => {
  const { admit } = clocked(10)
  const waits = Array.from({ length: 2000 }, admit)
  expect(waits.at(-1)).toBe(60_000)
})
