// Laying newer readings over a list.
import { expect, test } from 'vitest'
import type { SessionPatch } from '@/server/read-models/session-list.ts'
import { applyPatches } from './session-patches.ts'

function reading(id: string, more: Partial<SessionPatch> = {}): SessionPatch {
  return {
    id,
    environment: 'dev',
    ns: 'a',
    key: 'b',
    status: 'running',
    activity: 'working',
    doing: null,
    doingText: null,
    harness: {},
    runtimeId: null,
    runtimeName: null,
    configDigest: null,
    configVersion: null,
    liveVersion: null,
    startedAt: 1000,
    endedAt: null,
    endReason: null,
    lastEventAt: 1000,
    deadlineAt: null,
    tokensUsed: 0,
    tokenLimit: null,
    planDone: null,
    planTotal: null,
    calls: 0,
    denied: 0,
    feedback: 0,
    warnings: 0,
    stopAttempts: 0,
    stopsBlocked: 0,
    lastVerdict: null,
    lastStopId: null,
    lastStopReason: null,
    lastEventText: null,
    contiguousSeq: 1,
    maxSeq: 1,
    verification: 'pending',
    divergedSeq: null,
    anomalies: 0,
    enforcement: 'full',
    breachCount: 0,
    matches: true,
    ...more,
  }
}

const listed = [reading('b', { startedAt: 2000 }), reading('a')]

test('a listed row is replaced in its place, whether it matches still or not', () => {
  const patches = new Map([['a', reading('a', { status: 'ended', matches: false })]])
  const { sessions, fresh } = applyPatches(listed, patches)
  expect(sessions.map(({ id, status }) => `${id} ${status}`)).toEqual(['b running', 'a ended'])
  expect(fresh).toBe(0)
})

test.each([
  ['a new one', reading('c', { startedAt: 3000 }), 1],
  ['a new one that the filter leaves out', reading('c', { startedAt: 3000, matches: false }), 0],
  ['an old one behind the last page', reading('c', { startedAt: 500 }), 0],
])('%s', (_name, row, fresh) => {
  expect(applyPatches(listed, new Map([['c', row]]))).toMatchObject({ fresh })
})
