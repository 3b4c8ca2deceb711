import { expect, test } from 'vitest'
import { mapFrom } from '../model/persistent-map.ts'
import { initialState, type PendingCall } from '../model/state.ts'
import { openCalls } from './open-calls.ts'

const CALLS: readonly (readonly [string, PendingCall])[] = [
  ['c', { seq: 9, tool: 'read', paths: [], denied: false, approval: null }],
  ['a', { seq: 3, tool: 'write', paths: [], denied: true, approval: null }],
  // A call that waits counts as denied until there is an answer.
  ['b', { seq: 5, tool: 'deploy', paths: [], denied: true, approval: { expiresAt: 1, rules: [] } }],
]

test('openCalls lists allowed, denied and waiting calls in order of their requests', () => {
  expect(openCalls({ ...initialState('tax'), pending: mapFrom(CALLS) })).toEqual([
    { callId: 'a', tool: 'write', seq: 3, stands: 'denied' },
    { callId: 'b', tool: 'deploy', seq: 5, stands: 'waits for a reviewer' },
    { callId: 'c', tool: 'read', seq: 9, stands: 'allowed' },
  ])
  expect(openCalls(initialState('tax'))).toEqual([])
})
