import { expect, test } from 'vitest'
import { expiresAt } from './key-expiry.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

test.each([
  ['a number of days', { choice: '30', date: '' }, Date.parse('2026-12-21T12:00:00Z')],
  [
    'a day, which ends in UTC',
    { choice: 'date', date: '2026-12-31' },
    Date.parse('2027-01-01T00:00:00Z'),
  ],
  ['never', { choice: 'never', date: '2026-12-31' }, null],
  ['a date that is not chosen yet', { choice: 'date', date: '' }, undefined],
  ['a date that is incomplete', { choice: 'date', date: '2026-1' }, undefined],
] as const)('the expiry of a key is computed: %s', (...[, expiry, expected]) => {
  expect(expiresAt(expiry, NOW)).toBe(expected)
})
