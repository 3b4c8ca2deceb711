import { expect, test } from 'vitest'
import { gapWords } from './gap-words.ts'

const FACTS = {
  contiguousSeq: 1_299,
  status: 'running',
  runtimeName: 'worker-2',
  isRestored: false,
} as const
const GAP = { from: 1_300, to: 1_322 }

test.each([
  ['stored', { ...FACTS, contiguousSeq: 1_400 }, '#1300–#1322 missing, loading'],
  ['on the way', FACTS, '#1300–#1322 missing: worker-2 has not sent them yet'],
  [
    'lost',
    { ...FACTS, status: 'lost' },
    '#1300–#1322 lost: worker-2 went offline before it sent them',
  ],
  [
    'never sent',
    { ...FACTS, status: 'ended', runtimeName: null },
    '#1300–#1322 missing: its runtime never sent them',
  ],
  [
    'lost by a restore',
    { ...FACTS, isRestored: true },
    '#1300–#1322 gone: the control plane was restored from a backup without them',
  ],
] as const)('the description of a gap states that its events are %s', (_name, facts, words) => {
  expect(gapWords(GAP, facts)).toBe(words)
})
