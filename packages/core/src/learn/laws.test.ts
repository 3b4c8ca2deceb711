// Counts are held against the engine: what they say about a rule is what the rule would have done.
import { configDocument, eventLog, makeWorld, recordedLog, tellSession } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { openBacktest } from '../analysis/backtest/backtest-session.ts'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import type { CheckerDocument } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SessionEvent } from '../model/event.ts'
import { addRules } from './add-rules.ts'
import { addCounts, isDropped, type LearnCounts, STOP, subtractCounts } from './counts.ts'
import { decodeCounts, encodeCounts } from './counts-bytes.ts'
import { countBroken } from './find-orders.ts'
import { openLearner } from './learner.ts'
import type { PlacedRule } from './pattern.ts'

const RUNS = IS_SOAK ? 2000 : 50
const MOST_MS = IS_SOAK ? 900_000 : 60_000

type Log = readonly SessionEvent[]

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

/** Rules that need no facts, so that the backtest knows every answer. */
function withoutFacts(document: ConfigDocument): ConfigDocument {
  const { content: _content, sections: _sections, ...rest } = document
  const { feedback_providers: _providers, task_completion_checker: root, ...others } = rest
  const isCheckKnown = root?.type === 'tool_succeeded' || root?.type === 'plan'
  return {
    ...others,
    policies: (document.policies ?? []).filter(({ type }) => type !== 'read_before_write'),
    ...(isCheckKnown ? { task_completion_checker: root as CheckerDocument } : {}),
  }
}

/** The backtest cannot tell what a rule says about removed values, even a rule that reads none. */
function withoutMarks(event: SessionEvent): SessionEvent {
  return event.type === 'tool.requested' ? { ...event, data: { ...event.data, args: {} } } : event
}

/** A config, and sessions that ran under it. */
const ran = fc
  .record({
    document: configDocument.map(withoutFacts),
    logs: fc.array(eventLog, { minLength: 1, maxLength: 8 }),
  })
  .map(({ document, logs }) => {
    const config = compiled(document)
    return {
      config,
      logs: logs.map((log, i) =>
        recordedLog(config, log.map(withoutMarks)).map(
          (event): SessionEvent => ({ ...event, session: `s${i}` }),
        ),
      ),
    }
  })

const told = fc
  .record({ seed: fc.nat(500), noise: fc.constantFrom(0, 0.03), from: fc.nat(1000) })
  .map(({ seed, noise, from }) => {
    const world = makeWorld(seed)
    const logs = Array.from({ length: 6 }, (_, i) => tellSession(world, from + i, { noise }).events)
    return { config: compiled({ schema_version: 1, ns: 'world', key: 'agent' }), logs }
  })

const sample = fc.oneof({ arbitrary: ran, weight: 4 }, told)

function learn({ document }: Pick<CompiledConfig, 'document'>, logs: readonly Log[]): LearnCounts {
  const learner = openLearner({ config: document })
  for (const log of logs) learner.add(log)
  return learner.counts()
}

function same(a: LearnCounts, b: LearnCounts): boolean {
  return Buffer.compare(encodeCounts(a), encodeCounts(b)) === 0
}

/** A sample for which the law does not hold; null: none was found. */
function findBreach<Input>(
  input: fc.Arbitrary<Input>,
  holds: (input: Input) => boolean,
  numRuns = RUNS,
): string | null {
  const { failed, counterexample } = fc.check(fc.property(input, holds), {
    numRuns,
    // A smaller sample takes longer to find than the error.
    endOnFailure: true,
  })
  return failed ? JSON.stringify(counterexample).slice(0, 2000) : null
}

describe('counts of sessions', () => {
  type Add = typeof addCounts

  /** Compares the sum of the counts of two parts with the counts of the whole. */
  const breachOfSums = (add: Add) =>
    findBreach(fc.tuple(sample, fc.nat(8)), ([{ config, logs }, cut]) => {
      const [a, b] = [learn(config, logs.slice(0, cut)), learn(config, logs.slice(cut))]
      const all = learn(config, logs)
      return same(add(a, b), all) && same(add(b, a), all)
    })

  test(
    'add, in any order',
    () => {
      expect(breachOfSums(addCounts)).toBe(null)
    },
    MOST_MS,
  )

  test.each<[string, Add]>([
    ['one part', (a) => a],
    [
      'the sum of what only one of them has',
      (a, b) => ({ ...addCounts(a, b), groups: new Map([...a.groups, ...b.groups]) }),
    ],
    [
      'the sum of sessions',
      (a, b) => ({ ...addCounts(a, b), sessions: Math.max(a.sessions, b.sessions) }),
    ],
  ])('do not add if the sum is %s', (_, add) => {
    expect(breachOfSums(add)).not.toBe(null)
  })

  test(
    'do not depend on the order of the sessions',
    () => {
      const breach = findBreach(sample, ({ config, logs }) =>
        same(learn(config, logs), learn(config, [...logs].reverse())),
      )
      expect(breach).toBe(null)
    },
    MOST_MS,
  )

  test('depend on the order of sessions that a part of another follows', () => {
    const breach = findBreach(sample, ({ config, logs }) => {
      const halves = logs.map((log) => log.slice(0, log.length / 2))
      const others = logs.map((log) => log.slice(log.length / 2))
      return same(learn(config, logs), learn(config, [...halves, ...others]))
    })
    expect(breach).not.toBe(null)
  })

  test(
    'can be taken out of a sum exactly',
    () => {
      const breach = findBreach(fc.tuple(sample, fc.nat(8)), ([{ config, logs }, cut]) => {
        const [a, b] = [learn(config, logs.slice(0, cut)), learn(config, logs.slice(cut))]
        // What was dropped for its many values stays dropped.
        const all = addCounts(a, b)
        const kept = (counts: LearnCounts): LearnCounts => ({
          ...counts,
          groups: new Map(
            [...counts.groups].filter(([name]) => !isDropped(all.groups.get(name) ?? new Map())),
          ),
        })
        return same(kept(subtractCounts(all, b)), kept(a))
      })
      expect(breach).toBe(null)
    },
    MOST_MS,
  )

  test('are not taken out by a sum of what is left over', () => {
    const keepZeros: typeof subtractCounts = (all, part) => ({
      ...subtractCounts(all, part),
      groups: new Map([...all.groups]),
    })
    const breach = findBreach(sample, ({ config, logs }) =>
      same(
        keepZeros(learn(config, logs), learn(config, logs.slice(0, 1))),
        learn(config, logs.slice(1)),
      ),
    )
    expect(breach).not.toBe(null)
  })

  const breachOfBytes = (encode: typeof encodeCounts) =>
    findBreach(sample, ({ config, logs }) => {
      const counts = learn(config, logs)
      const read = decodeCounts(encode(counts))
      return read !== null && same(read, counts) && read.groups.size === counts.groups.size
    })

  test('are the same when they are read back from bytes', () => {
    expect(breachOfBytes(encodeCounts)).toBe(null)
  })

  test('are others when a group is left out of the bytes', () => {
    const leaveOut: typeof encodeCounts = (counts) =>
      encodeCounts({ ...counts, groups: new Map([...counts.groups].slice(1)) })
    expect(breachOfBytes(leaveOut)).not.toBe(null)
  })
})

const TOOLS = ['lint', 'build', 'test', 'deploy', 'read_file', 'write_file', 'run_tests'] as const

const rule = fc
  .record({
    isStop: fc.boolean(),
    names: fc.shuffledSubarray([...TOOLS], { minLength: 3, maxLength: 3 }),
    isFresh: fc.boolean(),
  })
  .map(({ isStop, names: [x = '', y = '', z = ''], isFresh }) => ({
    x: isStop ? STOP : x,
    y,
    z: isFresh ? z : null,
  }))

type Order = { readonly x: string; readonly y: string; readonly z: string | null }

function place({ x, y, z }: Order): PlacedRule {
  const after = z === null ? {} : { after: [z] }
  return x === STOP
    ? {
        pointer: '/task_completion_checker',
        rule: { id: 'learned', type: 'tool_succeeded', tool: y, ...after },
      }
    : {
        pointer: '/policies/-',
        rule: {
          id: 'learned',
          type: 'sequential_dependency',
          dependencies: { [x]: [y] },
          ...after,
        },
      }
}

function countDenied(config: CompiledConfig, logs: readonly Log[], order: Order): number {
  const after = compiled(addRules(config.document, [place(order)], { mode: 'enforce' }))
  return logs.filter((log) => {
    const backtest = openBacktest(config, after)
    return log.some((event) => {
      const { verdict } = backtest.fold(event)
      return verdict?.class === 'would_deny' || verdict?.class === 'would_block'
    })
  }).length
}

/** Changes the log in a way that a counting error would. */
type Blindness = (event: SessionEvent) => readonly SessionEvent[]

const breachOfTruth = (see: Blindness, numRuns = RUNS) =>
  findBreach(
    fc.tuple(sample, fc.array(rule, { minLength: 12, maxLength: 12 })),
    ([{ config, logs }, orders]) => {
      const counts = learn(
        config,
        logs.map((log) => log.flatMap(see)),
      )
      return orders.every(
        (order) => countBroken(counts, order).of === countDenied(config, logs, order),
      )
    },
    numRuns,
  )

describe('sessions that break an order, by the counts', () => {
  test(
    'are the sessions in which the rule would deny a call or block a stop, by the backtest',
    () => {
      expect(breachOfTruth((event) => [event])).toBe(null)
    },
    MOST_MS,
  )

  test.runIf(IS_SOAK).each<[string, Blindness]>([
    [
      'take refused calls for calls that ran',
      (event) =>
        event.type === 'tool.decided'
          ? [{ ...event, data: { ...event.data, decision: 'allowed' } }]
          : [event],
    ],
    [
      'forget that a call that waits is judged at its request',
      (event) => (event.type === 'approval.requested' ? [] : [event]),
    ],
    [
      'take a failure for nothing',
      (event) => (event.type === 'tool.invoked' && event.data.outcome !== 'success' ? [] : [event]),
    ],
    [
      'take a failure for a success',
      (event) =>
        event.type === 'tool.invoked' && event.data.outcome === 'failure'
          ? [{ ...event, data: { ...event.data, outcome: 'success' } }]
          : [event],
    ],
    [
      'take a blocked stop for one that passed',
      (event) =>
        event.type === 'stop.decided'
          ? [{ ...event, data: { ...event.data, verdict: 'allowed' } }]
          : [event],
    ],
    ['see no stop', (event) => (event.type === 'stop.attempted' ? [] : [event])],
  ])(
    'are others if the counts %s',
    (_, see) => {
      expect(breachOfTruth(see, 2000)).not.toBe(null)
    },
    MOST_MS,
  )
})
