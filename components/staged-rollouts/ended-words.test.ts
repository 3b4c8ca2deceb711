import { expect, test } from 'vitest'
import { actorsText, type Ended, reachText } from './ended-words.ts'

const GUARD = {
  ...{ metric: 'denials', ratio: 1.5, minSessions: 20, verdict: 'too_few', base: 0 },
  ...{ candidate: 0, evidence: 0, baseMean: null, candidateMean: null },
} as const satisfies Ended['guard']

const CHANGE = { rolloutId: 'r', at: 1, share: 250, revision: 1, note: null, author: 'Ada' }

const STOPPED: Ended = {
  ...{ environment: 'dev', version: 3, baseVersion: 2, kind: 'staged', state: 'stopped' },
  ...{ share: 250, guard: GUARD, note: 'try it', reason: null, author: 'Ada' },
  ...{ createdAt: 1, settledAt: 3, candidate: { sessions: 12 } },
  changes: [
    { ...CHANGE, kind: 'started', note: 'try it' },
    { ...CHANGE, at: 2, kind: 'share' },
    { ...CHANGE, at: 3, kind: 'stopped', author: 'Bo', note: 'not yet' },
  ],
}

test('an ended rollout counts the sessions that ran the new version, not those that its guard compared', () => {
  expect(reachText(STOPPED)).toBe('25% of new sessions, 12 sessions began with v3')
})

test('an ended rollout names the users who started and ended it, with their notes', () => {
  expect(actorsText(STOPPED)).toBe('Started by Ada (“try it”), ended by Bo (“not yet”)')
  expect(actorsText({ ...STOPPED, note: null, author: null, changes: [] })).toBe(
    'Started by a former member, ended by a former member',
  )
  const reason = { ...CHANGE, kind: 'rolled_back', author: null, note: 'It denied more calls.' }
  expect(actorsText({ ...STOPPED, state: 'rolled_back', note: null, changes: [reason] })).toBe(
    'Started by Ada, ended by Signalbox',
  )
})
