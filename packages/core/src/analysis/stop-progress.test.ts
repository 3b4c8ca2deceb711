import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { CheckResult, StopDecision } from '../model/effect.ts'
import {
  type AttemptFacts,
  openChecks,
  openItems,
  progressSentence,
  type StopProgress,
  stopProgress,
} from './stop-progress.ts'

const leaf = (checker: string, code: string, params: CheckResult['params']): CheckResult => ({
  checker,
  pointer: '/task_completion_checker',
  type: 'plan',
  status: 'incomplete',
  code,
  params,
  feedback: null,
  because: [],
})

const plan = (...open: readonly string[]): CheckResult =>
  leaf('plan', 'plan.open_steps', {
    total: 5,
    open: open.length,
    steps: [
      { title: 'Finished', status: 'done' },
      ...open.map((title) => ({ title, status: null })),
    ],
  })

function attempt(
  check: CheckResult | null,
  more: Partial<AttemptFacts> & {
    readonly blocks?: number
    readonly verdict?: 'allowed' | 'error'
  } = {},
): AttemptFacts {
  const { blocks = 0, verdict = 'blocked', ...facts } = more
  const decision: StopDecision = {
    attempt: 1,
    verdict,
    prior_blocks: blocks,
    code: 'x',
    params: {},
    message: verdict === 'blocked' ? 'Go on.' : null,
    check,
  }
  return { decision, limit: 10, openCalls: 0, successes: 0, ...facts }
}

const computeProgressState = (...attempts: readonly AttemptFacts[]) => stopProgress(attempts)?.state

describe('progress of an agent with blocked stops', () => {
  it('progress of an agent with blocked stops is livelock when the same steps are open and no call succeeded, and counts the attempts', () => {
    const same = attempt(plan('a', 'b'))
    expect(stopProgress([same, same, same])).toEqual({
      state: 'livelock',
      repeats: 3,
      blocksLeft: 9,
    })
  })

  it.each([
    ['it is the first attempt', [attempt(plan('a'))]],
    ['a call succeeded in between', [attempt(plan('a')), attempt(plan('a'), { successes: 1 })]],
    ['another step is open', [attempt(plan('a', 'b')), attempt(plan('b'))]],
    ['another check refuses', [attempt(plan('a')), attempt(leaf('t', 'tool.not_run', {}))]],
    ['the previous stop was allowed', [attempt(null, { verdict: 'allowed' }), attempt(plan('a'))]],
  ])('is progressing when %s', (_why, attempts) => {
    expect(computeProgressState(...attempts)).toBe('progressing')
  })

  it('progress of an agent with blocked stops is waiting, not livelock, while a call has no result', () => {
    const same = attempt(plan('a'), { openCalls: 1 })
    expect(computeProgressState(same, same)).toBe('waiting')
  })

  it('progress of an agent with blocked stops is near the limit with at most one block left, and has no blocks left to count without a limit', () => {
    expect(computeProgressState(attempt(plan('a'), { limit: 8, blocks: 5 }))).toBe('progressing')
    expect(computeProgressState(attempt(plan('a'), { limit: 8, blocks: 6 }))).toBe('cap_near')
    expect(computeProgressState(attempt(plan('a'), { limit: 8, blocks: 7 }))).toBe('cap_near')
    expect(stopProgress([attempt(plan('a'), { limit: null, blocks: 99 })])?.blocksLeft).toBeNull()
  })

  it('progress of an agent with blocked stops is overridden when the limit bypassed a stop, and absent when the stop was allowed', () => {
    const through = attempt(plan('a'))
    const bypassed = { ...through.decision, verdict: 'bypassed', bypass: 'max_blocks' } as const
    expect(computeProgressState(through, { ...through, decision: bypassed })).toBe('overridden')
    expect(computeProgressState(through, attempt(null, { verdict: 'allowed' }))).toBeUndefined()
    expect(stopProgress([])).toBeNull()
  })

  it('depends only on the attempts since the last change of the open items', () => {
    const any = fc.array(fc.constantFrom('a', 'b'), { minLength: 1 })
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 5 }), (early, n) => {
        const before = early.map((title) => attempt(plan(title)))
        const now = [
          attempt(plan('c'), { successes: 1 }),
          ...Array.from({ length: n }, () => attempt(plan('c'))),
        ]
        expect(stopProgress([...before, ...now])).toEqual(stopProgress(now))
      }),
    )
  })
})

describe('open items of a check', () => {
  it('open items of a check are open plan steps, missing or unknown files, or else the check itself', () => {
    expect(openItems(plan('a', 'b'))).toEqual(['a', 'b'])
    const files = leaf('f', 'files.missing', { missing: ['x'], unknown: ['y'] })
    expect(openItems(files)).toEqual(['x', 'y'])
    expect(openItems(leaf('t', 'tool.not_run', { tool: 'test' }))).toEqual(['t'])
  })

  it('open items of a check are empty for parameters that another build recorded differently', () => {
    expect(openItems(leaf('p', 'plan.open_steps', { steps: 'all' }))).toEqual([])
    expect(openItems(leaf('p', 'plan.open_steps', { steps: [null, 'x', { id: 'y' }] }))).toEqual([])
    expect(openItems(leaf('f', 'files.unknown', { unknown: ['y', 7] }))).toEqual(['y', '7'])
  })
})

test('openChecks lists the incomplete and failed leaves of a tree, in document order', () => {
  const [open, failed] = [leaf('open', 'x', {}), leaf('failed', 'x', {})]
  const tree: CheckResult = {
    ...leaf('root', 'x', {}),
    children: [
      { ...leaf('passed', 'x', {}), status: 'passed' },
      { ...leaf('inner', 'x', {}), children: [{ ...failed, status: 'error' }] },
      { ...leaf('nothing', 'x', {}), status: 'nothing_to_check' },
      open,
      { ...leaf('skipped', 'x', {}), status: 'not_evaluated' },
      { ...leaf('bypassed', 'x', {}), status: 'bypassed' },
    ],
  }
  expect(openChecks(tree)).toEqual([{ ...failed, status: 'error' }, open])
})

test('attempts that could not be evaluated count as repeats, and one alone is no progress', () => {
  const error = attempt(null, { verdict: 'error' })
  expect(stopProgress([error, error])).toEqual({ state: 'livelock', repeats: 2, blocksLeft: 9 })
  const released = attempt(null, { verdict: 'allowed' })
  expect(stopProgress([error, released, error])).toBeNull()
})

test.each<[StopProgress, string, number?]>([
  [
    { state: 'overridden', repeats: 3, blocksLeft: 0 },
    'Allowed although incomplete: the limit on blocked stops was reached',
  ],
  [
    { state: 'cap_near', repeats: 1, blocksLeft: 0 },
    'The next stop is allowed even if checks fail',
  ],
  [
    { state: 'cap_near', repeats: 2, blocksLeft: 0 },
    'The next stop is allowed even if checks fail; nothing changed in the last 2 attempts',
  ],
  [
    { state: 'cap_near', repeats: 1, blocksLeft: 1 },
    'After 1 more blocked stop, the next one is allowed',
  ],
  [
    { state: 'waiting', repeats: 2, blocksLeft: 5 },
    'Calls were still running when the agent tried to stop',
  ],
  [
    { state: 'livelock', repeats: 3, blocksLeft: 5 },
    'The same checks report the same open items, and nothing changed in the last 3 attempts',
  ],
  [{ state: 'progressing', repeats: 1, blocksLeft: null }, 'First attempt in this session', 1],
  [
    { state: 'progressing', repeats: 1, blocksLeft: null },
    'Something changed since the previous attempt',
  ],
])('progressSentence of %j is "%s"', (progress, sentence, attempt = 2) => {
  expect(progressSentence(progress, attempt)).toBe(sentence)
})
