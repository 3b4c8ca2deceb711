import { expect, test } from 'vitest'
import {
  adoptionSentence,
  appliedText,
  countsText,
  describeStanding,
  rejectionText,
  standingLook,
  type VersionStanding,
} from './standing-words.ts'

const LIVE: VersionStanding = {
  status: 'live',
  isLate: true,
  version: 15,
  applied: 4,
  rejected: 0,
  total: 4,
  successor: null,
  rejection: null,
  lastApplied: null,
}

const rejection = { id: 'rt_1', runtime: 'worker-2', reason: 'unknown checker type TestPassing' }
const successor = {
  id: 'r',
  kind: 'rollback',
  version: 14,
  author: 'M. Ruiz',
  note: null,
  at: 0,
} as const

const word = (release: VersionStanding) =>
  [standingLook(release).word, countsText(release)].filter((text) => text !== null).join(', ')

test('a release is "Applying" in its first minute only, then "Partly applied", and never contradicts its counts', () => {
  expect(word(LIVE)).toBe('Live')
  const publishing = { ...LIVE, status: 'publishing', applied: 0, total: 1 } as const
  expect(word({ ...publishing, isLate: false })).toBe('Applying, 0 of 1')
  expect(word(publishing)).toBe('Partly applied, 0 of 1')
  const partial = { ...LIVE, isLate: false, status: 'partial', applied: 3, rejected: 1 } as const
  expect(word({ ...partial, rejection })).toBe('Partly applied, 3 of 4')
  expect(describeStanding({ ...partial, rejection })).toBe(
    'Partly applied, 3 of 4 · worker-2 rejected it: unknown checker type TestPassing',
  )
  expect(appliedText(partial)).toBe('3/4')
  expect(adoptionSentence(partial)).toBe('Applied by 3 of 4 runtimes')
})

test('a rejection names the runtime and its reason, and counts the others', () => {
  expect(rejectionText({ rejection, rejected: 1 })).toBe(
    'worker-2 rejected it: unknown checker type TestPassing',
  )
  expect(
    rejectionText({ rejection: { id: 'rt_2', runtime: 'a', reason: null }, rejected: 3 }),
  ).toBe('a rejected it: no reason given · 2 more rejected it')
  expect(rejectionText({ rejection: null, rejected: 0 })).toBeNull()
})

test('a release without connected runtimes waits, or is live since its last application', () => {
  const nobody = { ...LIVE, applied: 0, total: 0 }
  expect(word({ ...nobody, status: 'waiting' })).toBe('Waiting for a runtime')
  expect(appliedText({ ...nobody, status: 'waiting' })).toBe('none yet')
  const left = { ...nobody, lastApplied: { runtime: 'demo-agent', at: 0 } }
  expect(word(left)).toBe('Live, last applied')
  expect(appliedText(left)).toBe('0 connected')
})

test('a replaced release names the version that followed', () => {
  const gone = { ...LIVE, applied: 0, total: 0 }
  expect(word({ ...gone, status: 'rolled_back', successor })).toBe('Rolled back to v14')
  const newer = { ...successor, kind: 'publish', version: 16 } as const
  expect(word({ ...gone, status: 'superseded', successor: newer })).toBe('Replaced by v16')
  expect(appliedText({ ...gone, status: 'superseded', successor: newer })).toBe('–')
})
