import { describe, expect, test } from 'vitest'
import { computeConnection, computeSync } from './runtime-status.ts'

describe('connection of a runtime', () => {
  const now = 1_795_000_000_000
  test.each([
    ['a heartbeat just now', { lastSeenAt: now, stoppedAt: null }, 'connected'],
    ['silent for one and a half', { lastSeenAt: now - 45_000, stoppedAt: null }, 'connected'],
    ['silent for longer', { lastSeenAt: now - 45_001, stoppedAt: null }, 'stale'],
    [
      'silent for over five minutes',
      { lastSeenAt: now - 300_001, stoppedAt: null },
      'disconnected',
    ],
    ['stopped in an orderly way', { lastSeenAt: now, stoppedAt: now }, 'disconnected'],
  ])('is computed from its heartbeats: %s', (...[, runtime, expected]) => {
    expect(computeConnection(runtime, now)).toBe(expected)
  })
})

describe('sync of a runtime whose environment serves revision 7', () => {
  test.each([
    [7, null, 'in_sync'],
    [6, null, 'behind'],
    [8, null, 'ahead'],
    [6, 7, 'rejected'],
    [6, 5, 'rejected'],
    [7, 5, 'in_sync'],
    [null, null, 'nothing_applied'],
    [null, 7, 'rejected'],
  ])(
    'with applied revision %s and rejected revision %s is %s',
    (...[appliedRevision, rejectedRevision, expected]) => {
      expect(computeSync({ appliedRevision, rejectedRevision }, 7)).toBe(expected)
    },
  )
})
