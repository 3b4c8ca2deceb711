import { expect, test } from 'vitest'
import type { PointerRow } from '@/server/configs/config-detail.sql.ts'
import { shownEnvironment } from './live-in.ts'

const CHAIN = ['dev', 'staging', 'production']

function pointer(environment: string, releasedAt: number): PointerRow {
  const known = {
    configId: 'c',
    version: 1,
    digest: 'd',
    releaseId: 'r',
    revision: 1,
    author: null,
  }
  return { ...known, environment, releasedAt }
}

const DEV = pointer('dev', 9)
const STAGING = pointer('staging', 5)
const PRODUCTION = pointer('production', 1)

test.each([
  ['production if it serves a version', [DEV, STAGING, PRODUCTION], 'production'],
  ['the newest release if production serves none', [DEV, STAGING], 'dev'],
  ['nothing if no environment serves a version', [], null],
])('without a request a config page shows the rules of %s', (_, pointers, shown) => {
  expect(shownEnvironment({ pointers }, CHAIN, null)).toBe(shown)
})

test('a config page shows the rules of the requested environment if it serves a version', () => {
  const pointers = [DEV, STAGING, PRODUCTION]
  expect(shownEnvironment({ pointers }, CHAIN, 'staging')).toBe('staging')
  expect(shownEnvironment({ pointers: [DEV, PRODUCTION] }, CHAIN, 'staging')).toBe('production')
})
