import { expect, test } from 'vitest'
import { expiresAt } from './key-expiry.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

test.each([
  ['a span', { choice: '30', date: '' }, Date.parse('2026-12-21T12:00:00Z')],
  [
    'a day, whose end is the same everywhere',
    { choice: 'date', date: '2026-12-31' },
    Date.parse('2027-01-01T00:00:00Z'),
  ],
  ['never', { choice: 'never', date: '2026-12-31' }, null],
  ['a date that is not chosen yet', { choice: 'date', date: '' }, undefined],
  ['a date that is half typed', { choice: 'date', date: '2026-1' }, undefined],
] as const)('key expiry: %s', (...[, expiry, expected]) => {
  expect(expiresAt(expiry, NOW)).toBe(expected)
})
