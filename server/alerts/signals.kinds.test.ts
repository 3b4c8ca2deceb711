import { expect, test } from 'vitest'
import { alertSignal } from './signals.kinds.ts'

test('an alert about a long session names the session, its duration and the median', () => {
  const fired = { ns: 'team', key: 'coder', runtime: null, windowMinutes: 60, value: 3243.5 }
  const reason = 'sess_01M8ES1T4F5EVZNGTVR54N0TC4 490 0.15'
  expect(alertSignal('long_sessions').explainAlert({ ...fired, reason })).toBe(
    'sess_…0TC4 runs for 8 minutes, the median of its prompt is 0.15 s.',
  )
})
