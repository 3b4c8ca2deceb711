import { expect, test } from 'vitest'
import { claimGates } from './claim-gates.ts'

const CLAIM = {
  id: 'clm_1',
  question: { ask: 'run_without', tool: 'deploy', needs: 'test' },
  questionDigest: 'q1',
  expect: 'never',
} as const
const HOLDS = { state: 'holds', sentence: 'No.', events: null } as const
const judged = { digest: 'd1', judgments: new Map([['q1', HOLDS]]) }

test('a claim that was added after the judging, or judged for other content, is not known', () => {
  const [passed] = claimGates([CLAIM], { digest: 'd1' }, judged)
  expect(passed).toMatchObject({ id: 'claim_broken', state: 'passed' })
  const late = { id: 'claim_unknown', state: 'ask' }
  expect(claimGates([CLAIM], { digest: 'd1' }, null)).toMatchObject([late])
  expect(claimGates([CLAIM], { digest: 'd2' }, judged)).toMatchObject([late])
  const added = { ...CLAIM, id: 'clm_2', questionDigest: 'q2' }
  expect(claimGates([CLAIM, added], { digest: 'd1' }, judged)).toMatchObject([
    { ...late, claims: [{ id: 'clm_2' }] },
  ])
})
