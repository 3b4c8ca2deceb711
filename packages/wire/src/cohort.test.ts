import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cohortPoint, FULL_SHARE, isInShare } from './cohort.ts'

const salt = fc.string({ minLength: 1, maxLength: 64, unit: 'grapheme' })
const session = fc.stringMatching(/^sess_[0-9A-Z]{26}$/)
const share = fc.integer({ min: 0, max: FULL_SHARE })

test('a larger share keeps all sessions of a smaller share', () => {
  fc.assert(
    fc.property(salt, session, fc.tuple(share, share), (salt, session, shares) => {
      const [small, large] = [Math.min(...shares), Math.max(...shares)]
      const before = isInShare({ salt, share: small }, session)
      expect(!before || isInShare({ salt, share: large }, session)).toBe(true)
    }),
  )
})

test('a share of 0 includes no session, and a share of 1000 every session', () => {
  fc.assert(
    fc.property(salt, session, (salt, session) => {
      expect(isInShare({ salt, share: 0 }, session)).toBe(false)
      expect(isInShare({ salt, share: FULL_SHARE }, session)).toBe(true)
    }),
  )
})

test('the cohort point of a session follows the documented hash rule', () => {
  fc.assert(
    fc.property(salt, session, (salt, session) => {
      const hash = createHash('sha256').update(`${salt}:${session}`, 'utf8').digest()
      expect(cohortPoint(salt, session)).toBe(Math.floor((hash.readUInt32BE(0) * 1000) / 2 ** 32))
    }),
  )
})

test('a share of a tenth includes a tenth of many sessions, within five standard deviations', () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => `sess_${i}`)
  const chosen = ids.filter((id) => isInShare({ salt: 'roll_1', share: 100 }, id)).length
  expect(Math.abs(chosen - 2000)).toBeLessThan(5 * Math.sqrt(20_000 * 0.1 * 0.9))
})
