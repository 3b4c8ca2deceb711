import { learnSessions, type SessionStep, writeSession, writeSessions } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SessionEvent } from '../model/event.ts'
import { type Proposal, propose } from './index.ts'

type Log = readonly SessionEvent[]

const NONE: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }

/** Sessions with so many calls, at this distance in seconds. */
const mails = (sessions: number, calls: number, after = 1): readonly Log[] =>
  writeSessions(sessions, Array<SessionStep>(calls).fill({ tool: 'mail', after }))

function find(kind: string, good: readonly Log[], bad: readonly Log[]): readonly Proposal[] {
  const counts = { good: learnSessions(good), bad: learnSessions(bad) }
  return propose(counts, NONE).filter((one) => one.kind === kind)
}

describe('a ceiling of calls', () => {
  test('is offered with what it rests on', () => {
    const good = [...mails(19, 2), ...mails(1, 1)]
    expect(find('rate', good, [...mails(3, 6), ...mails(1, 3), ...mails(1, 2)])).toEqual([
      {
        id: expect.any(String),
        kind: 'rate',
        sentence: 'At most 2 calls of `mail` per hour',
        group: 'guard',
        sessions: 20,
        broken: 0,
        confidence: expect.closeTo(0.8389, 4),
        chance: null,
        // Fisher's exact test on sessions with more than three calls: 3 of 5 against 0 of 20.
        surprise: expect.closeTo(Math.log10(2300 / 10), 6),
        badSessions: 5,
        brokenByBad: 4,
        unknownEffects: [],
        youngTools: [],
        pointer: '/policies/-',
        rule: {
          id: 'mail-rate',
          type: 'rate_limit',
          tools: ['mail'],
          max_calls: 2,
          per_seconds: 3600,
          mode: 'shadow',
        },
      },
    ])
    expect(find('rate', good.slice(1), mails(4, 6))).toEqual([])
  })

  test('needs three bad sessions that pass it by more than one call', () => {
    const good = mails(60, 2, 30)
    expect(find('rate', good, mails(3, 8, 30))).toHaveLength(1)
    expect(find('rate', good, mails(2, 8, 30))).toEqual([])
    // The next good session may make one call more.
    expect(find('rate', good, mails(5, 3, 30))).toEqual([])
  })

  test('is what 99% of the good sessions stay below', () => {
    const offer = (...rare: readonly (readonly Log[])[]) =>
      find('rate', [...mails(99, 2), ...rare.flat()], mails(6, 12)).map(({ rule, broken }) => [
        'max_calls' in rule && rule.max_calls,
        broken,
      ])
    expect(offer(mails(1, 5))).toEqual([[2, 1]])
    expect(offer(mails(2, 5))).toEqual([[5, 0]])
    expect(offer(mails(1, 5), mails(1, 11))).toEqual([[5, 1]])
  })

  test('is of the window that most bad sessions pass, then the lowest, then the longest', () => {
    const offer = (good: readonly Log[], bad: readonly Log[]) =>
      find('rate', good, bad).map(({ rule }) => ('max_calls' in rule ? rule : null))
    // In an hour, good sessions make as many calls, so that only the minute differs.
    expect(offer(mails(20, 6, 61), mails(4, 6))).toMatchObject([{ max_calls: 1, per_seconds: 60 }])
    expect(offer(mails(20, 1), mails(4, 6))).toMatchObject([{ max_calls: 1, per_seconds: 3600 }])
    // The minute: one call at most, passed by 4. The hour: two calls at most, passed by 8.
    const apart = mails(20, 2, 100)
    const bad = [...mails(4, 6), ...mails(4, 6, 100)]
    expect(offer(apart, bad)).toMatchObject([{ max_calls: 2, per_seconds: 3600 }])
  })
})

describe('a row', () => {
  const fail: SessionStep = { tool: 'test', outcome: 'failure' }
  const failing = (sessions: number, row: number) =>
    writeSessions(sessions, [...Array<SessionStep>(row).fill(fail), 'test'])
  const same: SessionStep = { tool: 'look', args: { at: 1 }, after: 4000 }
  const looking = (sessions: number, row: number) =>
    writeSessions(sessions, Array<SessionStep>(row).fill(same))

  test('of failures is advice after more than good sessions have', () => {
    expect(find('failures', failing(20, 2), failing(4, 6))).toMatchObject([
      {
        sentence: '`test` failed at most 2 times in a row',
        sessions: 20,
        broken: 0,
        badSessions: 4,
        brokenByBad: 4,
        chance: null,
        unknownEffects: [],
        pointer: '/feedback_providers/-',
        rule: {
          id: 'test-failures',
          type: 'repeated_failure',
          tool: 'test',
          times: 3,
          trigger: { every_n_calls: 1 },
          mode: 'shadow',
        },
      },
    ])
  })

  test('of equal calls is advice after more than good sessions have', () => {
    expect(find('repeats', looking(20, 3), looking(4, 6))).toMatchObject([
      {
        sentence: 'The same call was made at most 3 times in a row',
        sessions: 20,
        broken: 0,
        badSessions: 4,
        brokenByBad: 4,
        chance: null,
        pointer: '/feedback_providers/-',
        rule: {
          id: 'repeated-calls',
          type: 'repeated_call',
          times: 4,
          trigger: { every_n_calls: 1 },
          mode: 'shadow',
        },
      },
    ])
  })

  test('is three or more', () => {
    expect(find('failures', failing(20, 1), failing(4, 6))).toEqual([])
    expect(find('repeats', looking(20, 1), looking(4, 6))).toEqual([])
    expect(find('repeats', looking(20, 2), looking(4, 6))).toHaveLength(1)
  })

  test('of equal calls is not offered if ceilings of tools are passed as often', () => {
    const good = writeSessions(20, ['mail', 'mail'])
    const bursts = mails(4, 6)
    expect(find('repeats', good, bursts)).toEqual([])
    const slow = writeSession(Array<SessionStep>(6).fill({ tool: 'mail', after: 4000 }))
    expect(find('repeats', good, [...bursts, slow])).toHaveLength(1)
  })
})
