import { expect, test } from 'vitest'
import { findRolledBack, rollbackTargets } from './moves.ts'

function past(
  live: number,
  releases: readonly (readonly [number, 'rolled_back' | 'superseded'])[],
) {
  return {
    pointers: [{ environment: 'dev', version: live }],
    releases: releases.map(([version, status]) => ({
      environment: 'dev',
      version,
      status,
      successor: null,
    })),
  }
}

test('a rollback goes to an older version before a newer one, and to one that was rolled back last', () => {
  const config = past(2, [
    [3, 'rolled_back'],
    [2, 'superseded'],
    [4, 'superseded'],
    [1, 'superseded'],
  ])
  expect(rollbackTargets(config, 'dev')).toEqual([1, 4, 3])
  expect(rollbackTargets(config, 'staging')).toEqual([])
})

test('a version that was released again after its rollback counts as any other', () => {
  const config = past(1, [
    [2, 'superseded'],
    [2, 'rolled_back'],
  ])
  expect(findRolledBack(config, { environment: 'dev', version: 2 })).toBeUndefined()
})
