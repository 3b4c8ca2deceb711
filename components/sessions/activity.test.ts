import { expect, test } from 'vitest'
import { activityWords, describeEnd } from './activity.ts'

const RUNS = {
  status: 'running',
  activity: 'working',
  doing: null,
  doingText: null,
  endReason: null,
} as const

test.each([
  ['working', RUNS, 'Working'],
  ['in a call', { ...RUNS, doing: 'call', doingText: 'run_tests' }, 'Working: run_tests runs'],
  [
    'waiting for an approval',
    { ...RUNS, activity: 'waiting', doing: 'approval', doingText: 'deploy' },
    'Waiting for a reviewer to approve deploy',
  ],
  [
    'idle',
    { ...RUNS, activity: 'waiting', doing: 'turn_over' },
    'The turn is over; waiting for the next one',
  ],
  [
    'without a lease',
    { ...RUNS, status: 'lost', activity: null, doing: 'lease_expired' },
    'Lost: its lease expired and no event followed',
  ],
  [
    'silent without a runtime',
    { ...RUNS, status: 'lost', activity: null },
    'Lost: no event for five minutes, and its runtime reports no live session',
  ],
] as const)('shows the state of a session that is %s', (_name, session, sentence) => {
  expect(activityWords(session).sentence).toBe(sentence)
})

test('names the person who ended a session, else the reason that the runtime reported', () => {
  expect(describeEnd({ endedBy: 'Ana Ruiz', endReason: 'completed' })).toBe('ended by Ana Ruiz')
  expect(describeEnd({ endedBy: null, endReason: 'completed' })).toBe('completed')
  expect(describeEnd({ endedBy: null, endReason: null })).toBe('ended')
})
