import { expect, test } from 'vitest'
import { alertSentence, alertSignal } from './signals.kinds.ts'

test('an alert about a long session names the session, its duration and the median', () => {
  const fired = { ns: 'team', key: 'coder', runtime: null, windowMinutes: 60, value: 3243.5 }
  const reason = 'sess_01M8ES1T4F5EVZNGTVR54N0TC4 490 0.15'
  expect(alertSignal('long_sessions').explainAlert({ ...fired, reason })).toBe(
    'sess_…0TC4 had run for 8 minutes; the median of its prompt was 0.15 s.',
  )
})

test.each([
  ['The reason of a check', 'The reason of a check.'],
  ['“tests” did not pass.', '“tests” did not pass.'],
  ['expression.not_evaluated', 'A condition could not be evaluated.'],
  ['custom.code', 'Other reason (custom.code).'],
])('the sentence of an alert with the reason %s ends with one period', (reason, sentence) => {
  const rule = { environment: null, ns: 'team', key: 'coder', runtime: null, code: null }
  const measured = { signal: 'blocked_stops', windowMinutes: 60, threshold: 1 } as const
  expect(alertSentence({ ...rule, ...measured }, { value: 1, reason })).toBe(sentence)
})

test('the sentence about an approval holds when the alert is resolved', () => {
  const rule = { environment: null, ns: null, key: null, runtime: null, code: null }
  const lapsing = { signal: 'approval_lapsing', windowMinutes: 1, threshold: 1 } as const
  expect(alertSentence({ ...rule, ...lapsing }, { value: 1, reason: '17:18:27 refund' })).toBe(
    'refund was still waiting for approval when half of its time was over; its time limit: 17:18:27 UTC.',
  )
})
