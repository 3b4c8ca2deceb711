import { expect, test } from 'vitest'
import { describeVerdict, type Judged, limitText, meanText, progressText } from './verdict-words.ts'

const GUARD = {
  verdict: 'too_few',
  ratio: 1.5,
  minSessions: 50,
  base: 126,
  candidate: 41,
  baseMean: 1.2,
  candidateMean: 1.3,
} as const

const STAGED: Judged = {
  kind: 'staged',
  state: 'running',
  version: 4,
  baseVersion: 3,
  guard: GUARD,
}

const withGuard = (guard: Partial<Judged['guard']>, more: Partial<Judged> = {}): Judged => ({
  ...STAGED,
  ...more,
  guard: { ...GUARD, ...guard },
})

test('a staged rollout within its limit is no worse so far, and has passed once both versions have enough sessions', () => {
  expect(describeVerdict(STAGED)).toMatchObject({
    title: 'No worse than v3 so far',
    isPassed: false,
  })
  expect(progressText(STAGED)).toBe('v4 has 41 of the 50 sessions that a verdict needs.')
  const enough = withGuard({ verdict: 'no_worse', candidate: 50 })
  expect(describeVerdict(enough)).toMatchObject({ title: 'Passed', isPassed: true })
  expect(progressText(enough)).toBe('176 sessions compared.')
  expect(describeVerdict({ ...enough, kind: 'watch' }).title).toBe('No worse than v3 so far')
})

test('a version above its limit never reads as no worse, with few sessions or with enough', () => {
  for (const verdict of ['too_few', 'no_worse'] as const) {
    const above = withGuard({ verdict, candidate: 60, candidateMean: 3.1 })
    expect(describeVerdict(above)).toMatchObject({
      title: 'Too few sessions to compare',
      isPassed: false,
    })
    expect(progressText(above)).toContain('above the limit of 1.8 per session')
  }
  expect(describeVerdict(withGuard({ verdict: 'worse' })).title).toBe('Worse than v3')
})

test('a rollout without ended sessions cannot be compared', () => {
  const none = withGuard({ base: 0, candidate: 0, baseMean: null, candidateMean: null })
  expect(describeVerdict(none).title).toBe('Too few sessions to compare')
  expect(limitText(none.guard)).toBe('–')
})

test('an ended rollout names its result', () => {
  const end = (state: Judged['state']) => describeVerdict({ ...STAGED, state }).title
  expect(end('rolled_back')).toBe('Worse: rolled back to v3')
  expect(end('completed')).toBe('Released to all')
  expect(end('stopped')).toBe('Stopped')
  expect([0, 0.04, 1.44, 12.4].map(meanText)).toEqual(['0', '0.04', '1.4', '12'])
})

test('a watch that ended without a comparison does not read as passed', () => {
  const end = (guard: Partial<Judged['guard']>) =>
    withGuard(guard, { kind: 'watch', state: 'passed' })
  expect(describeVerdict(end({ candidate: 50 })).title).toBe('Passed')
  const few = end({ candidate: 2 })
  expect(describeVerdict(few)).toEqual({
    status: 'ended',
    title: 'Too few sessions to compare',
    isPassed: false,
  })
  expect(progressText(few)).toBe('v4 had 2 of the 50 sessions that a verdict needs.')
  expect(describeVerdict(end({ candidate: 60, candidateMean: 3.1 })).isPassed).toBe(false)
})
