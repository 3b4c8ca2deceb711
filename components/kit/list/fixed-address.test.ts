// A copied link shows the same data at any later time.
import { expect, test } from 'vitest'
import { fixedAddress } from './fixed-address.ts'

const NOW = Date.parse('2026-11-20T12:20:30.456Z')
const WEEK = '2026-11-13T13:00:00.000Z..2026-11-20T12:20:30.456Z'

const MONTH = { range: '30d' }
const WEEKLY = { range: '7d' }

const rangeIn = (address: string): string | null =>
  new URL(address, 'http://here').searchParams.get('range')

test.each([
  ['/sessions?range=24h', MONTH, '2026-11-19T13:00:00.000Z..2026-11-20T12:20:30.456Z'],
  ['/sessions', MONTH, '2026-10-21T13:00:00.000Z..2026-11-20T12:20:30.456Z'],
  ['/stops?by=all', WEEKLY, WEEK],
  ['/stops?range=all', WEEKLY, 'all'],
  ['/decisions?range=7d', {}, WEEK],
  ['/decisions?tool=deploy', {}, null],
  // Charts end with the hour.
  [
    '/analytics/stops',
    { ...WEEKLY, wholeHours: 'true' },
    '2026-11-13T13:00:00.000Z..2026-11-20T13:00:00.000Z',
  ],
  [
    '/stops?range=2026-11-20T10:00Z..2026-11-20T11:00Z',
    WEEKLY,
    '2026-11-20T10:00Z..2026-11-20T11:00Z',
  ],
  ['/sessions/sess_1?e=7', {}, null],
  ['/configs?q=team', {}, null],
] as const)('a copied address has its range as fixed times: %s', (address, page, range) => {
  const [path = '', search = ''] = address.split('?')
  expect(rangeIn(fixedAddress(path, search, { ...page, now: NOW }))).toBe(range)
})

test('a copied address keeps its other parameters', () => {
  expect(fixedAddress('/sessions/sess_1', '?e=7&tab=plan', { now: NOW })).toBe(
    '/sessions/sess_1?e=7&tab=plan',
  )
  expect(fixedAddress('/stops', 'verdict=blocked&range=all', { range: '7d', now: NOW })).toBe(
    '/stops?verdict=blocked&range=all',
  )
  expect(fixedAddress('/configs', '', { now: NOW })).toBe('/configs')
})
