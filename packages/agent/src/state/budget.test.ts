import { fakeClock } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Budget, BudgetTracker } from './budget.ts'
import { Deadline } from './deadline.ts'

describe('Budget', () => {
  test.each([
    [{}, 'at least one limit'],
    [{ maxTotalTokens: 0 }, 'maxTotalTokens must be'],
    [{ maxInputTokens: -1 }, 'maxInputTokens must be'],
    [{ maxOutputTokens: 1.5 }, 'maxOutputTokens must be'],
  ])('refuses the limits %j', (limits, message) => {
    expect(() => new Budget(limits)).toThrow(message)
  })
})

describe('BudgetTracker', () => {
  test('replaces the usage of an evaluation, and sums evaluations', () => {
    const tracker = new BudgetTracker(new Budget({ maxTotalTokens: 100 }))
    tracker.record('a', { input: 10, output: 1 })
    tracker.record('a', { input: 20, output: 2 })
    tracker.record('b', { input: 5, output: 5, total: 12 })
    expect(tracker.usage).toEqual({ input: 25, output: 7, total: 34 })
  })

  test.each([
    [{ maxTotalTokens: 11 }, { dimension: 'total_tokens', used: 11, limit: 11 }],
    [{ maxInputTokens: 10 }, { dimension: 'input_tokens', used: 10, limit: 10 }],
    [{ maxOutputTokens: 1 }, { dimension: 'output_tokens', used: 1, limit: 1 }],
    [{ maxTotalTokens: 12, maxInputTokens: 11, maxOutputTokens: 2 }, null],
  ])('with limits %j and a usage of 10 in and 1 out returns %j', (limits, exhausted) => {
    const tracker = new BudgetTracker(new Budget(limits))
    tracker.record('a', { input: 10, output: 1 })
    expect(tracker.check()).toEqual(exhausted)
  })

  test('reports the deadline as exhausted exactly when it is reached', () => {
    const clock = fakeClock()
    const deadline = Deadline.inSeconds(1, { now: clock.now })
    const tracker = new BudgetTracker(new Budget({ deadline }))
    expect(tracker.check()).toBeNull()
    clock.advance(1000)
    expect(tracker.check()).toEqual({ dimension: 'deadline', used: 0, limit: 0 })
  })

  test('refuses counts that are not whole numbers from 0', () => {
    const tracker = new BudgetTracker(new Budget({ maxTotalTokens: 1 }))
    expect(() => tracker.record('a', { input: -1, output: 0 })).toThrow('whole numbers')
  })

  test('counts only the last usage of each evaluation', () => {
    const usage = fc.record({ input: fc.nat(1000), output: fc.nat(1000) })
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), usage)), (records) => {
        const tracker = new BudgetTracker(new Budget({ maxTotalTokens: 1 }))
        for (const [id, used] of records) tracker.record(id, used)
        const last = [...new Map(records).values()]
        expect(tracker.usage.input).toBe(last.reduce((sum, { input }) => sum + input, 0))
      }),
    )
  })
})
