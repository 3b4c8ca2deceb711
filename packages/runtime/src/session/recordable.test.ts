import type { PlanStep, SessionEvent } from '@signalbox/core'
import { RULES } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { redactor } from '../facts/redact.ts'
import { createGuardrails, type Diagnostic, type GuardedSession } from '../index.ts'
import { recordablePlan } from './recordable.ts'

function opened(fails: () => boolean = () => false) {
  const lines: string[] = []
  const diagnostics: Diagnostic[] = []
  const session = createGuardrails({
    config: RULES,
    onEvent: (line) => {
      if (fails()) throw new Error('no space left')
      lines.push(line)
    },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  }).openSession()
  const events = (): SessionEvent[] => lines.map((line) => JSON.parse(line))
  return { session, events, lines, diagnostics }
}

async function stopAfter(session: GuardedSession, plan: readonly PlanStep[]) {
  await session.updatePlan(plan)
  return session.beforeStop({ via: 'turn_end' })
}

const many = (count: number, title: string): PlanStep[] =>
  Array.from({ length: count }, () => ({ title }))

describe('a plan that an event cannot hold', () => {
  test.for([
    ['an empty status', [{ title: 'write', status: '' }]],
    ['an empty id', [{ id: '', title: 'write' }]],
    ['a title of 100,000 characters', many(1, 'x'.repeat(100_000))],
    ['more steps than an event holds', many(5000, 'write')],
    ['titles that are too long together', many(900, 'x'.repeat(150))],
    ['titles of many control characters', many(1000, '\u0001'.repeat(2000))],
  ] as const)('still blocks the agent: %s', async ([, plan]) => {
    const { session, events } = opened()
    const answer = await stopAfter(session, plan)
    expect(answer.decision).toMatchObject({ verdict: 'blocked', code: 'plan.open_steps' })
    expect(events().map(({ type }) => type)).toContain('stop.decided')
  })

  test('a plan that an event cannot hold is done when all steps are done', async () => {
    const { session } = opened()
    const plan = many(5000, 'write').map((step) => ({ ...step, status: 'done' }))
    expect((await stopAfter(session, plan)).decision.verdict).toBe('allowed')
  })

  test('a plan that an event cannot hold is shortened to fit, and is done exactly when the full plan is', () => {
    const redact = redactor([], [])
    const step = fc.record(
      {
        id: fc.string({ unit: 'binary', maxLength: 400 }),
        title: fc.string({ unit: 'binary', maxLength: 3000 }),
        status: fc.constantFrom('done', 'pending', ''),
      },
      { requiredKeys: ['title'] },
    )
    const plans = fc.tuple(
      fc.array(step, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 100 }),
    )
    fc.assert(
      fc.property(plans, ([some, times]) => {
        const plan = Array.from({ length: times }, () => some).flat()
        const kept = recordablePlan(plan, redact)
        const isDone = ({ status }: PlanStep) => status === 'done'
        expect(kept.every(isDone)).toBe(plan.every(isDone))
        expect(kept.length).toBeLessThanOrEqual(1000)
        expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(100 * 1024)
      }),
      { numRuns: IS_SOAK ? 50 : 20 },
    )
  })
})

test('a plan that the disk refused is recorded before the next decision', async () => {
  let full = false
  const { session, events } = opened(() => full)
  full = true
  await session.updatePlan([{ title: 'write' }])
  full = false
  const answer = await session.beforeStop({ via: 'turn_end' })
  expect(answer.decision.code).toBe('plan.open_steps')
  expect(
    events()
      .map(({ type }) => type)
      .slice(2, 4),
  ).toEqual(['plan.updated', 'stop.attempted'])
})

test('a call whose result the disk refused has an unknown outcome', async () => {
  let full = false
  const { session, events } = opened(() => full)
  await session.beforeToolCall({ tool: 'test', args: {}, callId: 'a' })
  full = true
  await session.afterToolCall({ tool: 'test', args: {}, callId: 'a', outcome: 'success' })
  full = false
  expect((await session.beforeToolCall({ tool: 'deploy', args: {} })).allowed).toBe(false)
  const end = events().find(({ type }) => type === 'tool.invoked')
  expect(end?.data).toMatchObject({ call_id: 'a', outcome: 'unknown' })
})

test('a final verification that cannot be decided never reports complete', async () => {
  let full = false
  const { session, diagnostics } = opened(() => full)
  full = true
  for (let i = 0; i < 20; i += 1) await session.beforeStop({ via: 'turn_end' })
  const verification = await session.end({ reason: 'completed', output: 'done' })
  expect(verification).toMatchObject({ allowed: false, decision: { verdict: 'error' } })
  expect(diagnostics.map(({ code }) => code)).toContain('completion_overridden')
})

test('plans, notes, stop reasons and session errors are redacted', async () => {
  const { session, lines } = opened()
  await session.updatePlan([{ id: 'ACME', title: 'Call ACME.', status: 'pending' }])
  await session.note('ACME called')
  await session.beforeStop({ via: 'turn_end', stopReason: 'ACME' })
  await session.end({ reason: 'failed', error: 'ACME hung up' })
  expect(lines.filter((line) => line.includes('ACME'))).toEqual([])
})

test('an empty or very long stop reason is accepted', async () => {
  const { session } = opened()
  for (const stopReason of ['', 'x'.repeat(1000)]) {
    const { decision } = await session.beforeStop({ via: 'turn_end', stopReason })
    expect(decision.verdict).toBe('allowed')
  }
})

test('a stop records its agent', async () => {
  const { session, events } = opened()
  await session.beforeStop({ via: 'subagent_end', agent: 'helper' })
  const attempt = events().find(({ type }) => type === 'stop.attempted')
  expect(attempt?.data).toMatchObject({ agent: 'helper', via: 'subagent_end' })
})

test('times with fractions of a millisecond are rounded down and deny no call', async () => {
  const guardrails = createGuardrails({ config: RULES, now: () => 1000.5 })
  const session = guardrails.openSession({ deadlineAt: 5000.7 })
  const { allowed } = await session.beforeToolCall({ tool: 'test', args: {}, callId: 'a' })
  expect(allowed).toBe(true)
  expect(session.state).toMatchObject({ at: 1000, deadlineAt: 5000 })
})
