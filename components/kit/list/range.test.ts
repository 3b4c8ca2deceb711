import { expect, test } from 'vitest'
import { fixedRange, parseRange } from './range.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

test.each([
  ['24h', { since: NOW - 86_400_000 }],
  ['2026-11-20T10:00Z..2026-11-20T11:30Z', { since: NOW - 7_200_000, until: NOW - 1_800_000 }],
  ['2026-11-20T11:30Z..2026-11-20T10:00Z', null],
  ['yesterday', null],
  ['a..b', null],
] as const)('the range "%s" in an address is parsed or rejected', (text, range) => {
  expect(parseRange(text, NOW)).toEqual(range)
})

test('a range of a day or more begins at a full hour, as the counts do, and a shorter one does not', () => {
  const later = NOW + 1_000_000
  expect(parseRange('24h', later)).toEqual({ since: NOW + 3_600_000 - 86_400_000 })
  expect(parseRange('1h', later)).toEqual({ since: later - 3_600_000 })
})

test('a relative range is copied as two fixed times', () => {
  const fixed = fixedRange(parseRange('1h', NOW) ?? {}, NOW)
  expect(fixed).toBe('2026-11-20T11:00:00.000Z..2026-11-20T12:00:00.000Z')
  expect(parseRange(fixed, 0)).toEqual({ since: NOW - 3_600_000, until: NOW })
})
