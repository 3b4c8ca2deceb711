import { type SessionStep, writeSession, writeSessions, writeStop } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import { compileConfig } from '../engine/compile.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import {
  isImplied,
  openProposalTests,
  openTogetherTest,
  type PatternKind,
  type PlacedRule,
  type Proposal,
  type TestOptions,
} from './index.ts'

const NONE: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }

function compile(document: Partial<ConfigDocument> = {}) {
  const result = compileConfig({ ...NONE, ...document })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

/** The tests read the rule and the kind only. */
const toProposal = (kind: PatternKind, placed: PlacedRule): Proposal => ({
  id: 'a',
  kind,
  sentence: '',
  group: 'guard',
  sessions: 20,
  broken: 0,
  confidence: 0.8,
  chance: null,
  surprise: 9,
  badSessions: 0,
  brokenByBad: 0,
  unknownEffects: [],
  youngTools: [],
  ...placed,
})
const toOrder = (tool: string, needs: string): PolicyDocument => ({
  id: `${tool}-after-${needs}`,
  type: 'sequential_dependency',
  dependencies: { [tool]: [needs] },
  mode: 'shadow',
})
const order = (tool: string, needs: string) =>
  toProposal('order', { pointer: '/policies/-', rule: toOrder(tool, needs) })
const ship = order('ship', 'test')
const reading: PolicyDocument = {
  id: 'read',
  type: 'read_before_write',
  read_tools: ['read'],
  write_tools: ['edit'],
}
const checkTest = toProposal('finish', {
  pointer: '/task_completion_checker',
  rule: { id: 'stop', type: 'tool_succeeded', tool: 'test' },
})
const advice = toProposal('repeats', {
  pointer: '/feedback_providers/-',
  rule: { id: 'rows', type: 'repeated_call', times: 3, trigger: { every_n_calls: 1 } },
})
const facts = toProposal('file_facts', { pointer: '/policies/-', rule: reading })

const kept = (count: number) => writeSessions(count, ['test', 'ship'])
const broken = (count: number) => writeSessions(count, ['ship'])

function testGood(
  proposal: Proposal,
  logs: ReturnType<typeof kept>,
  { present = compile(), ...options }: TestOptions & { present?: ReturnType<typeof compile> } = {},
) {
  const tests = openProposalTests(present, [proposal], options)
  for (const log of logs) tests.add('good', log)
  return tests.results()[0]
}

describe('the test of a proposal', () => {
  test('counts the sessions that call a tool of it, and lists those that it denies', () => {
    const [denied] = broken(1)
    if (denied === undefined) throw new Error('There is no session.')
    const tests = openProposalTests(compile(), [ship])
    for (const log of [...kept(2), ...writeSessions(3, ['look'])]) tests.add('good', log)
    tests.add('bad', denied)
    expect(tests.results()).toEqual([
      {
        proposal: ship,
        good: { sessions: 2, denied: 0, deniedSessions: [], cannotReplay: 0 },
        bad: {
          sessions: 1,
          denied: 1,
          deniedSessions: [denied[0]?.session],
          cannotReplay: 0,
        },
        isKept: true,
      },
    ])
  })

  test('knows a tool by its alias', () => {
    const present = compile({ aliases: { Ship: 'ship' } })
    const logs = writeSessions(1, ['Ship'])
    expect(testGood(ship, logs, { present })?.good).toMatchObject({ sessions: 1, denied: 1 })
  })

  test('counts the sessions with a stop where the rule is a check', () => {
    const log = writeSession(['test'])
    const logs = [log, log.slice(0, -2), writeSession([...writeStop(), 'test'])]
    expect(testGood(checkTest, logs)?.good).toMatchObject({ sessions: 2, denied: 1 })
  })

  test('counts no session for advice, and for the offer to record facts', () => {
    const logs = writeSessions(2, ['look', 'look', 'look', { tool: 'edit', args: { path: 'a' } }])
    for (const proposal of [advice, facts])
      expect(testGood(proposal, logs)).toMatchObject({ isKept: true, good: { sessions: 0 } })
  })

  test('keeps a proposal that denies at most 2% of the good sessions', () => {
    const isKept = (all: number, denied: number, options?: TestOptions) =>
      testGood(ship, [...kept(all - denied), ...broken(denied)], options)?.isKept
    expect([isKept(50, 1), isKept(50, 2), isKept(49, 1)]).toEqual([true, false, false])
    expect(isKept(4, 2, { mostDenied: 0.5 })).toBe(true)
  })

  test('reads 500 sessions of each label, and lists 50 that it denies', () => {
    const log = writeSession(['ship'])
    const good = testGood(ship, Array(501).fill(log))?.good
    expect([good?.sessions, good?.denied, good?.deniedSessions.length]).toEqual([500, 500, 50])
    expect(testGood(ship, [log, log], { mostSessions: 1 })?.good.sessions).toBe(1)
  })

  test('counts apart the sessions whose logs do not tell', () => {
    const known = { exists: true, kind: 'file', fingerprint: 'old' } as const
    const at = (tool: string, fact = {}): SessionStep => ({ tool, args: { path: 'a' }, ...fact })
    const proposal = toProposal('read', { pointer: '/policies/-', rule: reading })
    const logs = [
      writeSession([at('read'), at('edit')]),
      writeSession([at('edit', { found: known })]),
    ]
    const late = writeSession([at('edit', { found: { exists: false } }), at('read')])
    expect(testGood(proposal, [late])?.good).toMatchObject({ denied: 0, cannotReplay: 1 })
    const redacted = writeSession([{ tool: 'ship', args: { to: { $redacted: 'secrets' } } }])
    expect(testGood(ship, [redacted])?.good).toMatchObject({ denied: 0, cannotReplay: 1 })
    const good = testGood(proposal, logs)?.good
    expect(good).toMatchObject({ sessions: 2, denied: 1, cannotReplay: 1 })
    expect(good?.deniedSessions).toEqual([logs[1]?.[0]?.session])
  })

  test('compares with the config under which the session ran', () => {
    const ran = compile({ policies: [{ ...toOrder('ship', 'test'), mode: 'enforce' }] })
    const [log] = broken(1)
    const tests = openProposalTests(compile(), [ship])
    // The call was denied already.
    tests.add('bad', log ?? [], ran)
    expect(tests.results()[0]?.bad).toMatchObject({ sessions: 1, denied: 0 })
  })

  test('is not made of a rule that does not compile', () => {
    // No expression language was given.
    const wrong = toProposal('values', {
      pointer: '/policies/-',
      rule: { id: 'to', type: 'expression', tools: ['ship'], require: 'true' },
    })
    expect(() => openProposalTests(compile(), [wrong])).toThrow('A proposal does not compile: [{')
  })
})

describe('a proposal is implied', () => {
  const force = (rule: PolicyDocument) => compile({ policies: [{ ...rule, mode: 'enforce' }] })
  const test1 = toOrder('ship', 'test')

  test('by a rule in force that allows no more', () => {
    expect(isImplied(force(test1), ship)).toBe(true)
    expect(isImplied(force(toOrder('ship', 'build')), ship)).toBe(false)
    expect(isImplied(compile({ policies: [test1] }), ship)).toBe(false)
    expect(isImplied(compile(), ship)).toBe(false)
  })

  test('by a check that every stop must pass', () => {
    const rule = { id: 'other', type: 'tool_succeeded', tool: 'test' } as const
    const present = (more: object) => compile({ task_completion_checker: { ...rule, ...more } })
    const fresh = { ...checkTest, rule: { ...checkTest.rule, after: ['edit'] } } as Proposal
    expect(isImplied(present({}), checkTest)).toBe(true)
    expect(isImplied(present({ after: ['edit'] }), checkTest)).toBe(true)
    expect(isImplied(present({ after: ['edit'] }), fresh)).toBe(true)
    expect(isImplied(present({}), fresh)).toBe(false)
    expect(isImplied(present({ tool: 'build' }), checkTest)).toBe(false)
    expect(isImplied(compile(), checkTest)).toBe(false)
  })

  test('never, where it is advice, an offer or a check of another kind', () => {
    const present = compile({
      policies: [{ ...reading, mode: 'enforce' }],
      task_completion_checker: { id: 'plan', type: 'plan' },
    })
    const plan = toProposal('plan', {
      pointer: '/task_completion_checker',
      rule: { id: 'plan-done', type: 'plan' },
    })
    for (const one of [advice, facts, plan]) expect(isImplied(present, one)).toBe(false)
    const failures = toProposal('failures', {
      pointer: '/feedback_providers/-',
      rule: {
        id: 'f',
        type: 'repeated_failure',
        tool: 'test',
        times: 3,
        trigger: { every_n_calls: 1 },
      },
    })
    const check = { id: 'stop', type: 'tool_succeeded', tool: 'test' } as const
    expect(isImplied(compile({ task_completion_checker: check }), failures)).toBe(false)
  })
})

describe('proposals that are tested together', () => {
  test('make one document in shadow mode, and are tested in force', () => {
    const together = openTogetherTest(compile(), [ship, facts, checkTest])
    const log = writeSession(['look'])
    for (const one of [log, ...kept(1)]) together.add(one)
    const { document, good, problems, trap } = together.result()
    expect(document.policies?.map(({ id, mode }) => [id, mode])).toEqual([
      ['ship-after-test', 'shadow'],
      ['read', 'shadow'],
    ])
    expect(document.task_completion_checker?.id).toBe('stop')
    expect(good).toEqual({
      sessions: 2,
      denied: 1,
      deniedSessions: [log[0]?.session],
      cannotReplay: 0,
    })
    expect([problems, trap]).toEqual([[], null])
    const capped = openTogetherTest(compile(), [ship], { mostSessions: 1 })
    for (const one of kept(2)) capped.add(one)
    expect(capped.result().good.sessions).toBe(1)
  })

  const circle = [order('test', 'build'), order('build', 'test')]

  test('show problems and traps that the present config does not have', () => {
    const { problems, trap } = openTogetherTest(compile(), [...circle, checkTest]).result()
    expect(problems.map(({ code }) => code)).toEqual(['dependency_cycle', 'dependency_cycle'])
    expect(trap?.answer).toBe('trace')
    // Without a check, every stop passes.
    expect(openTogetherTest(compile(), circle).result().trap).toBe(null)
  })

  test('show no problem and no trap that the present config has', () => {
    const present = compile({
      policies: circle.flatMap(({ rule }) => ({ ...rule, mode: 'enforce' }) as PolicyDocument),
      task_completion_checker: { id: 'stop', type: 'tool_succeeded', tool: 'test' },
    })
    const { problems, trap } = openTogetherTest(present, [ship]).result()
    expect([problems, trap]).toEqual([[], null])
    const other = [order('ship', 'sign'), order('sign', 'ship')]
    const messages = openTogetherTest(present, other).result().problems
    expect(messages.map(({ code }) => code)).toEqual(['dependency_cycle', 'dependency_cycle'])
  })
})
