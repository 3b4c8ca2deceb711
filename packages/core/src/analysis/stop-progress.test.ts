// Progressing, livelock, waiting, near the limit, overridden: distinguished only by the content of the log.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CheckResult, StopDecision } from '../model/effect.ts'
import { type AttemptFacts, openItems, stopProgress } from './stop-progress.ts'

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
  more: Partial<AttemptFacts> & { readonly blocks?: number; readonly verdict?: 'allowed' } = {},
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
  it('is livelock when the same steps are open and no call succeeded, and counts the attempts', () => {
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

  it('is waiting, not livelock, while a call has no result', () => {
    const same = attempt(plan('a'), { openCalls: 1 })
    expect(computeProgressState(same, same)).toBe('waiting')
  })

  it('is near the limit with at most one block left, and has no blocks left to count without a limit', () => {
    expect(computeProgressState(attempt(plan('a'), { limit: 8, blocks: 5 }))).toBe('progressing')
    expect(computeProgressState(attempt(plan('a'), { limit: 8, blocks: 6 }))).toBe('cap_near')
    expect(computeProgressState(attempt(plan('a'), { limit: 8, blocks: 7 }))).toBe('cap_near')
    expect(stopProgress([attempt(plan('a'), { limit: null, blocks: 99 })])?.blocksLeft).toBeNull()
  })

  it('is overridden when the limit bypassed a stop, and absent when the stop was allowed', () => {
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
  it('are open plan steps, missing or unknown files, or else the check itself', () => {
    expect(openItems(plan('a', 'b'))).toEqual(['a', 'b'])
    const files = leaf('f', 'files.missing', { missing: ['x'], unknown: ['y'] })
    expect(openItems(files)).toEqual(['x', 'y'])
    expect(openItems(leaf('t', 'tool.not_run', { tool: 'test' }))).toEqual(['t'])
  })
})
