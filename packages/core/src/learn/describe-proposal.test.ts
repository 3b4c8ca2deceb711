import { expect, test } from 'vitest'
import { describeEvidence, type Proposal } from './index.ts'

const PROPOSAL: Proposal = {
  id: 'a',
  kind: 'fresh',
  sentence: '`ship` ran only when `test` had succeeded since the last `edit`',
  group: 'guard',
  sessions: 271,
  broken: 3,
  confidence: 0.96,
  chance: 0.714,
  surprise: 9,
  badSessions: 9,
  brokenByBad: 6,
  unknownEffects: [],
  youngTools: [],
  pointer: '/policies/-',
  rule: { id: 'ship-after-test', type: 'sequential_dependency', dependencies: { ship: ['test'] } },
}

test.each<[string, Partial<Proposal>, string]>([
  [
    'sessions of both labels',
    {},
    'Held in 268 of 271 good sessions (71% expected by chance). Broken in 6 of 9 bad sessions.',
  ],
  [
    'one session of each label',
    { sessions: 1, broken: 0, badSessions: 1, brokenByBad: 1 },
    'Held in all 1 good session (71% expected by chance). Broken in 1 of 1 bad session.',
  ],
  ['no bad session', { badSessions: 0, chance: null }, 'Held in 268 of 271 good sessions.'],
  [
    'tools of unknown effect',
    { broken: 0, badSessions: 0, chance: null, unknownEffects: ['bash', 'edit'] },
    'Held in all 271 good sessions. It is not known whether `bash` changes anything. It is not known whether `edit` changes anything.',
  ],
  [
    'young tools',
    { broken: 0, badSessions: 0, chance: null, youngTools: ['ship', 'test'] },
    'Held in all 271 good sessions. First seen less than 7 days ago: `ship`, `test`.',
  ],
])('the evidence of a proposal from %s is given in sentences', (_, given, text) => {
  // The parts of one proposal stay together.
  expect(describeEvidence({ ...PROPOSAL, ...given } as Proposal)).toBe(text)
})

test('the offer to record facts has no evidence, and tells when to learn again', () => {
  const offer = { ...PROPOSAL, kind: 'file_facts' } as const
  const text = (sessions: string) =>
    `This rule only records what the tools find, and denies nothing. Learn again after ${sessions} with it.`
  expect(describeEvidence(offer)).toBe(text('20 sessions'))
  expect(describeEvidence(offer, 1)).toBe(text('1 session'))
})
