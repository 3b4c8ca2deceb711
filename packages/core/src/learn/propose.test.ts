import { learnSessions, type SessionStep, writeSession, writeSessions } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import type { CheckerDocument } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import type { SessionEvent } from '../model/event.ts'
import { hasRule, NO_COUNTS, type ProposeOptions, propose } from './index.ts'

const NONE: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }
type Log = readonly SessionEvent[]

/** A call with one argument, which fails, so that it is no part of an order. */
const call = (tool: string, to: string): SessionStep => ({
  tool,
  args: { to },
  outcome: 'failure',
})

describe('proposals', () => {
  const TOOLS = ['few', 'half', 'all', 'none', 'one', 'final', 'noisy']
  const LEFT = { all: 8, half: 4, few: 4, one: 1, noisy: 8 }
  /** Good sessions use one value, but for two that use another one of `noisy`. */
  const good = Array.from({ length: 50 }, (_, i) =>
    writeSession(TOOLS.map((tool) => call(tool, tool === 'noisy' && i < 2 ? 'b' : 'a'))),
  )
  /** So many of eight bad sessions leave the value, and only four call `few`. */
  const bad = Array.from({ length: 8 }, (_, i) =>
    writeSession(
      Object.entries({ ...LEFT, final: 0, none: 0 }).flatMap(([tool, left]) =>
        tool === 'few' && i >= 4 ? [] : [call(tool, i < left ? 'b' : 'a')],
      ),
    ),
  )
  const counts = { good: learnSessions(good), bad: learnSessions(bad) }
  const list = (options?: ProposeOptions) =>
    propose(counts, NONE, options).map(({ group, rule }) => `${group} ${rule.id}`)

  test('are guards before habits, what bad sessions break most first, then the most surprising', () => {
    expect(list({ irreversible: ['final'] })).toEqual([
      // All of 8 and all of 4 bad sessions break these, and no good one.
      'guard all-to',
      'guard few-to',
      'guard half-to',
      // As many bad ones as of the first, and 2 of 50 good ones.
      'guard noisy-to',
      // No bad one, but its calls cannot be undone.
      'guard final-to',
      // One bad session is no difference, and still a surprise.
      'habit one-to',
      'habit none-to',
    ])
  })

  test('that are habits are in the order of surprise', () => {
    const steps = (more: readonly SessionStep[]) => [...more, call('one', 'a')]
    const sample = {
      good: learnSessions([
        ...writeSessions(30, steps(['test', 'ship'])),
        ...writeSessions(30, steps(['look'])),
      ]),
      bad: learnSessions([...bad.slice(0, 1), ...writeSessions(7, steps([]))]),
    }
    expect(propose(sample, NONE).map(({ group, rule }) => `${group} ${rule.id}`)).toEqual([
      'habit ship-after-test',
      'habit one-to',
    ])
  })

  test('of the same rank are in the order of their ids', () => {
    const habits = propose({ ...counts, bad: NO_COUNTS }, NONE).map(({ id }) => id)
    expect(habits).toHaveLength(7)
    expect(habits).toEqual([...habits].sort())
  })

  test('about calls that cannot be undone come after broken ones, though no bad session has such calls', () => {
    const pairs = (count: number) => writeSessions(count, ['test', 'ship', call('all', 'a')])
    const sample = {
      good: learnSessions([...pairs(100), ...writeSessions(100, ['look', call('all', 'a')])]),
      bad: learnSessions(writeSessions(4, [call('all', 'b')])),
    }
    const found = propose(sample, NONE, { irreversible: ['ship'] })
    expect(found.map(({ group, rule }) => `${group} ${rule.id}`)).toEqual([
      'guard all-to',
      'guard ship-after-test',
    ])
  })

  test('begin with the offer to record facts about files', () => {
    const paths = ['read_file', 'edit_file'].map((tool) => ({ tool, args: { path: 'a.txt' } }))
    const wide = learnSessions(writeSessions(50, [call('ship', 'a'), ...paths]))
    const other = learnSessions(writeSessions(8, [call('ship', 'b'), ...paths]))
    const [first, second] = propose({ good: wide, bad: other }, NONE)
    expect([first?.kind, second?.group]).toEqual(['file_facts', 'guard'])
  })

  test('are 200 at most', () => {
    const args = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`a${i}`, 'x']))
    const wide = ['a', 'b', 'c', 'd'].map((tool) => ({ tool, args, outcome: 'failure' as const }))
    const sessions = learnSessions(writeSessions(20, [...wide, ...wide, ...wide]))
    expect(propose({ good: sessions, bad: NO_COUNTS }, NONE)).toHaveLength(200)
  })

  test('that the config has, or that were dismissed, are left out', () => {
    const [first, ...rest] = propose(counts, NONE)
    if (first?.pointer !== '/policies/-') throw new Error('The first proposal is no policy.')
    const present = { ...NONE, policies: [{ ...first.rule, id: 'mine', mode: 'off' as const }] }
    const ids = rest.map(({ id }) => id)
    expect(propose(counts, present).map(({ id }) => id)).toEqual(ids)
    expect(propose(counts, NONE, { dismissed: new Set([first.id]) }).map(({ id }) => id)).toEqual(
      ids,
    )
  })

  test('have an id that the config does not have, and a digest that is the same in every config', () => {
    const other: PolicyDocument = {
      id: 'all-to',
      type: 'rate_limit',
      tools: ['x'],
      max_calls: 1,
      per_seconds: 1,
    }
    const [first] = propose(counts, NONE)
    const [second] = propose(counts, { ...NONE, policies: [other] })
    expect([first?.rule.id, second?.rule.id]).toEqual(['all-to', 'all-to-2'])
    expect(second?.id).toBe(first?.id)
  })

  test('have the mode shadow, but for checks, which have no mode', () => {
    const [check] = propose(
      { good: learnSessions(writeSessions(20, ['edit', 'test'])), bad: NO_COUNTS },
      NONE,
    )
    expect(check?.rule).toEqual({
      id: 'stop-after-test-edit',
      type: 'tool_succeeded',
      tool: 'test',
      after: ['edit'],
    })
  })

  test('name their young tools, whatever kind of rule they are', () => {
    const youngTools = ['test', 'none', 'all', 'other']
    const found = propose(counts, NONE, { youngTools })
    const young = found.flatMap(({ rule, youngTools }) =>
      youngTools.length > 0 ? [[rule.id, youngTools]] : [],
    )
    expect(young).toEqual([
      ['all-to', ['all']],
      ['none-to', ['none']],
    ])
    const check = { good: learnSessions(writeSessions(20, ['edit', 'test'])), bad: NO_COUNTS }
    expect(propose(check, NONE, { youngTools })[0]?.youngTools).toEqual(['test'])
  })

  test('are none without enough good sessions', () => {
    const few = (logs: readonly Log[]) => propose({ ...counts, good: learnSessions(logs) }, NONE)
    expect(few(good.slice(0, 19))).toEqual([])
    expect(few([])).toEqual([])
    expect(propose(counts, NONE, { minSessions: 51 })).toEqual([])
  })
})

describe('a config', () => {
  const order = (after?: readonly string[]): PolicyDocument => ({
    id: 'order',
    type: 'sequential_dependency',
    dependencies: { ship: ['test'] },
    ...(after === undefined ? {} : { after: [...after] }),
  })
  const wanted = (rule: PolicyDocument) => ({ pointer: '/policies/-', rule }) as const
  const has = (rule: PolicyDocument, other: PolicyDocument) =>
    hasRule({ ...NONE, policies: [rule] }, wanted(other))

  test('has an order if it has it, or a stricter one', () => {
    expect(hasRule(NONE, wanted(order()))).toBe(false)
    expect(has({ ...order(), id: 'other', mode: 'off' }, order())).toBe(true)
    expect(has(order(['edit', 'merge']), order(['edit']))).toBe(true)
    expect(has(order(['edit']), order())).toBe(true)
    expect(has(order(['edit']), order(['edit', 'merge']))).toBe(false)
    expect(has(order(), order(['edit']))).toBe(false)
    expect(has({ ...order(), dependencies: { ship: ['build'] } } as PolicyDocument, order())).toBe(
      false,
    )
  })

  test('has a check if every stop must pass it', () => {
    const check: CheckerDocument = { id: 'file', type: 'files_exist', files: ['a.txt'] }
    const placed = { pointer: '/task_completion_checker', rule: { ...check, id: 'new' } } as const
    const all: CheckerDocument = { id: 'all', type: 'composite', checkers: [check] }
    const hasCheck = (root: CheckerDocument) =>
      hasRule({ ...NONE, task_completion_checker: root }, placed)
    expect(hasCheck(check)).toBe(true)
    expect(hasCheck(all)).toBe(true)
    expect(hasCheck({ ...all, all_must_pass: false })).toBe(false)
    expect(hasCheck({ ...check, files: ['b.txt'] })).toBe(false)
  })

  test('has advice if it gives the same', () => {
    const rule = {
      id: 'rows',
      type: 'repeated_call',
      times: 3,
      trigger: { every_n_calls: 1 },
    } as const
    const document: ConfigDocument = { ...NONE, feedback_providers: [{ ...rule, id: 'mine' }] }
    expect(hasRule(document, { pointer: '/feedback_providers/-', rule })).toBe(true)
    const longer = { ...rule, times: 4 }
    expect(hasRule(document, { pointer: '/feedback_providers/-', rule: longer })).toBe(false)
  })
})
