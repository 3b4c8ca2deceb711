// A copied link shows the same data at any later time.
import { expect, test } from 'vitest'
import { fixedAddress } from './fixed-address.ts'

const NOW = Date.parse('2026-11-20T12:20:30.456Z')
const WEEK = '2026-11-13T12:20:30.456Z..2026-11-20T12:20:30.456Z'

const rangeIn = (address: string): string | null =>
  new URL(address, 'http://here').searchParams.get('range')

test.each([
  ['/sessions', '?range=24h', '2026-11-19T12:20:30.456Z..2026-11-20T12:20:30.456Z'],
  ['/sessions', '', '2026-10-21T12:20:30.456Z..2026-11-20T12:20:30.456Z'],
  ['/stops', '?by=all', WEEK],
  ['/stops', '?range=all', 'all'],
  ['/decisions', '?range=7d', WEEK],
  ['/decisions', '?tool=deploy', null],
  // Charts end with the hour.
  ['/analytics/stops', '', '2026-11-13T13:00:00.000Z..2026-11-20T13:00:00.000Z'],
  ['/stops', '?range=2026-11-20T10:00Z..2026-11-20T11:00Z', '2026-11-20T10:00Z..2026-11-20T11:00Z'],
  ['/sessions/sess_1', '?e=7', null],
  ['/configs', '?q=team', null],
] as const)('a copied address has its range as fixed times: %s%s', (path, search, range) => {
  expect(rangeIn(fixedAddress(path, search, NOW))).toBe(range)
})

test('a copied address keeps its other parameters', () => {
  expect(fixedAddress('/sessions/sess_1', '?e=7&tab=plan', NOW)).toBe(
    '/sessions/sess_1?e=7&tab=plan',
  )
  expect(fixedAddress('/stops', 'verdict=blocked&range=all', NOW)).toBe(
    '/stops?verdict=blocked&range=all',
  )
  expect(fixedAddress('/configs', '', NOW)).toBe('/configs')
})
