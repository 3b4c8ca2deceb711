import { compileConfig, initialState, type SessionEvent, step } from '@signalbox/core'
import { openBacktest } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { describe, expect, test } from 'vitest'
import { HIDDEN_RULES, type HiddenRule, toConfig } from './hidden-rule.ts'
import { HELD_OUT, holdsInWorld, makeWorld, tellSession } from './world.ts'

const expressions = celExpressions()

function compiled(rules: readonly HiddenRule[]) {
  const result = compileConfig(toConfig(rules), { expressions })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

/** Sequence numbers at which the rules would refuse something. */
function listRefusals(rules: readonly HiddenRule[], events: readonly SessionEvent[]) {
  const backtest = openBacktest(compiled([]), compiled(rules))
  return events.flatMap((event) => {
    const { verdict } = backtest.fold(event)
    return verdict === null || verdict.class === 'unchanged' ? [] : [event.seq]
  })
}

function isDenial(event: SessionEvent): boolean {
  return event.type === 'tool.decided' && event.data.decision === 'denied'
}

const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1)
const all = { seed: 1, rules: HIDDEN_RULES }

describe('a world', () => {
  test('keeps each of its rules in every session without noise', () => {
    for (const seed of SEEDS) {
      const world = makeWorld(seed)
      expect(world.rules.length).toBeGreaterThanOrEqual(4)
      for (let number = 0; number < 3; number++)
        expect(listRefusals(world.rules, tellSession(world, number).events)).toEqual([])
    }
    expect(holdsInWorld(all, toConfig(HIDDEN_RULES), 20)).toBe(true)
    expect(holdsInWorld({ seed: 1, rules: [] }, toConfig(HIDDEN_RULES), 20)).toBe(false)
  })

  test.each(HIDDEN_RULES.map((rule) => [JSON.stringify(rule), rule] as const))(
    'breaks %s where an incident says so, and no other rule',
    (_, rule) => {
      for (let number = 0; number < 10; number++) {
        const { events, incident } = tellSession(all, number, { incident: { breaks: rule } })
        expect(listRefusals([rule], events)[0]).toBe(incident)
        const others = HIDDEN_RULES.filter((other) => other !== rule)
        if (rule.kind !== 'order') expect(listRefusals(others, events)).toEqual([])
      }
    },
  )

  test('makes a call that an incident names', () => {
    const makes = { tool: 'bash', args: { command: 'git push --force' } }
    const { events, incident } = tellSession(all, 3, { incident: { makes } })
    expect(events.find(({ seq }) => seq === incident)?.data).toMatchObject(makes)
  })

  test('breaks rules by chance under noise, and lets its config refuse calls and stops', () => {
    const count = (seqs: readonly number[]) => (seqs.length > 0 ? 1 : 0)
    const broken = SEEDS.map((number) =>
      count(listRefusals(HIDDEN_RULES, tellSession(all, number, { noise: 0.03 }).events)),
    )
    const share = broken.reduce<number>((sum, one) => sum + one, 0) / SEEDS.length
    expect(share).toBeGreaterThan(0.1)
    expect(share).toBeLessThan(0.9)
    const config = toConfig(HIDDEN_RULES)
    const world = { seed: 9, rules: [] }
    const { events } = tellSession(world, 1, { config })
    expect(events.some(isDenial)).toBe(true)
    expect(events.filter(({ type }) => type === 'stop.attempted')).toHaveLength(3)
  })

  test('tells the same log for the same seed, which the engine folds without anomalies', () => {
    const world = makeWorld(7)
    const { events } = tellSession(world, HELD_OUT, { noise: 0.03 })
    expect(tellSession(world, HELD_OUT, { noise: 0.03 }).events).toEqual(events)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1))
    expect(new Set(events.map(({ session }) => session)).size).toBe(1)
    const config = compiled([])
    let state = initialState(config.promptName)
    for (const event of events) {
      const next = step(config, state, event)
      expect(next.effects.some(({ kind }) => kind === 'anomaly')).toBe(false)
      state = next.state
    }
  })
})
