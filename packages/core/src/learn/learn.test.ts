import {
  HIDDEN_RULES,
  type HiddenRule,
  isHiddenRule,
  type Learned,
  learnSessions,
  measureLearning,
  type SessionStep,
  tellSession,
  toConfig,
  type WrittenCall,
  writeSession,
} from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SessionEvent } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import {
  addRules,
  describeEvidence,
  isImplied,
  NO_COUNTS,
  openProposalTests,
  openTogetherTest,
  type Proposal,
  type ProposeOptions,
  propose,
} from './index.ts'

type Log = readonly SessionEvent[]

const expressions = celExpressions()
const NONE = toConfig([])

function compiled(document: ConfigDocument) {
  const result = compileConfig(document, { expressions })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

function proposeFrom(
  good: readonly Log[],
  bad: readonly Log[] = [],
  { present = NONE, ...options }: ProposeOptions & { readonly present?: ConfigDocument } = {},
): readonly Proposal[] {
  return propose({ good: learnSessions(good), bad: learnSessions(bad) }, present, options)
}

function repeat(count: number, make: (i: number) => Log): readonly Log[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole)

describe('what is learned from worlds', () => {
  const check = (learned: Learned, { recall, broken }: { recall: number; broken: number }) => {
    expect(share(learned.found, learned.hidden)).toBeGreaterThanOrEqual(recall)
    expect(share(learned.holding, learned.proposals)).toBeGreaterThanOrEqual(0.95)
    expect(share(learned.strictGuards, learned.guards)).toBeGreaterThanOrEqual(0.9)
    expect(share(learned.foundAsGuards, learned.hidden)).toBeGreaterThanOrEqual(broken)
  }
  const seeds = Array.from({ length: IS_SOAK ? 12 : 2 }, (_, i) => 101 + i)

  test('are the hidden rules, and as guards nearly nothing else', () => {
    const sample = { seeds, bad: 30, noise: 0.01, heldOut: IS_SOAK ? 300 : 60, isTested: false }
    check(measureLearning({ ...sample, good: IS_SOAK ? 400 : 200 }), {
      recall: 0.9,
      broken: 0.9,
    })
  }, 600_000)

  test.runIf(IS_SOAK)(
    'are most of the hidden rules with 100 sessions and much noise, too',
    () => {
      const sample = { seeds, bad: 20, heldOut: 300, isTested: false }
      const [quiet, noisy] = [0.01, 0.03].map((noise) =>
        measureLearning({ ...sample, good: 100, noise }),
      )
      if (quiet !== undefined) check(quiet, { recall: 0.9, broken: 0.9 })
      if (noisy !== undefined) check(noisy, { recall: 0.9, broken: 0.85 })
    },
    600_000,
  )

  test('are rules that the backtest keeps where there is no noise', () => {
    const learned = measureLearning({
      seeds: seeds.slice(0, IS_SOAK ? 12 : 1),
      good: IS_SOAK ? 400 : 100,
      bad: 30,
      noise: 0,
      heldOut: IS_SOAK ? 300 : 60,
      isTested: true,
    })
    check(learned, { recall: 0.9, broken: 0.9 })
    expect(learned.kept).toBe(learned.proposals)
  }, 600_000)
})

describe('a proposal', () => {
  const order: HiddenRule = { kind: 'order', tool: 'migrate_db', needs: 'backup_db' }
  const world = { seed: 5, rules: [order] }
  const good = repeat(120, (i) => tellSession(world, i, { noise: 0.01 }).events)
  const bad = repeat(8, (i) => tellSession(world, 500 + i, { incident: { breaks: order } }).events)
  const counts = { good: learnSessions(good), bad: learnSessions(bad) }
  const withoutBad = { ...counts, bad: NO_COUNTS }
  const findOrder = (proposals: readonly Proposal[]) =>
    proposals.find(({ rule }) => isHiddenRule(order, rule))

  test('names its evidence in words that promise nothing', () => {
    const found = findOrder(propose(counts, NONE))
    expect(found).toMatchObject({
      kind: 'order',
      group: 'guard',
      pointer: '/policies/-',
      rule: { id: 'migrate_db-after-backup_db', mode: 'shadow' },
      sentence: '`migrate_db` ran only when `backup_db` had succeeded',
      unknownEffects: [],
    })
    if (found === undefined) return
    const whole = {
      ...found,
      sessions: 271,
      broken: 3,
      chance: 0.71,
      badSessions: 9,
      brokenByBad: 6,
    }
    expect(describeEvidence(whole)).toBe(
      'Held in 268 of 271 good sessions (71% expected by chance). Broken in 6 of 9 bad sessions.',
    )
    expect(
      describeEvidence({ ...whole, broken: 0, badSessions: 0, unknownEffects: ['bash'] }),
    ).toBe(
      'Held in all 271 good sessions (71% expected by chance). It is not known whether `bash` changes anything.',
    )
  })

  test('names the tools of its rule that were first seen less than 7 days ago', () => {
    const found = findOrder(propose(counts, NONE, { youngTools: ['backup_db', 'deploy'] }))
    expect(found?.youngTools).toEqual(['backup_db'])
    expect(findOrder(propose(counts, NONE))?.youngTools).toEqual([])
    const evidence = found && describeEvidence(found)
    expect(evidence).toMatch(/bad sessions\. First seen less than 7 days ago: `backup_db`\.$/)
  })

  test('is a habit without bad sessions, unless the calls of its tool cannot be undone', () => {
    expect(findOrder(propose(withoutBad, NONE))?.group).toBe('habit')
    expect(findOrder(propose(withoutBad, NONE, { irreversible: ['migrate_db'] }))?.group).toBe(
      'guard',
    )
  })

  test('is not repeated when it was dismissed, is a rule already, or has too few sessions', () => {
    const found = findOrder(propose(counts, NONE))
    const dismissed = new Set([found?.id ?? ''])
    expect(findOrder(propose(counts, NONE, { dismissed }))).toBe(undefined)
    const present = toConfig([order])
    expect(findOrder(propose(counts, present))).toBe(undefined)
    const policies = present.policies?.map((rule) => ({ ...rule, mode: 'shadow' as const })) ?? []
    expect(findOrder(propose(counts, { ...present, policies }))).toBe(undefined)
    expect(proposeFrom(good.slice(0, 19))).toEqual([])
    expect(propose(counts, NONE, { minSessions: 121 })).toEqual([])
    expect(propose({ good: NO_COUNTS, bad: NO_COUNTS }, NONE)).toEqual([])
  })

  test('has an id that the config does not have yet', () => {
    const present = toConfig([{ kind: 'rate', tool: 'deploy', calls: 3, seconds: 60 }])
    const policies = present.policies?.map((rule) => ({
      ...rule,
      id: 'migrate_db-after-backup_db',
    }))
    const found = findOrder(propose(counts, { ...present, policies: policies ?? [] }))
    expect(found?.rule.id).toBe('migrate_db-after-backup_db-2')
  })

  test('is implied by a stricter rule in force, and not by one in shadow mode', () => {
    const found = findOrder(propose(counts, NONE))
    if (found === undefined) throw new Error('The order was not found.')
    const stricter = toConfig([
      { kind: 'fresh', tool: 'migrate_db', needs: 'backup_db', since: 'write_file' },
    ])
    expect(isImplied(compiled(stricter), found)).toBe(true)
    expect(isImplied(compiled(NONE), found)).toBe(false)
    const shadow = stricter.policies?.map((rule) => ({ ...rule, mode: 'shadow' as const })) ?? []
    expect(isImplied(compiled({ ...stricter, policies: shadow }), found)).toBe(false)
  })

  test('is tested on each session, and kept while it denies few good ones', () => {
    const found = findOrder(propose(counts, NONE))
    if (found === undefined) throw new Error('The order was not found.')
    const tests = openProposalTests(compiled(NONE), [found], { mostSessions: 50 })
    for (const log of good) tests.add('good', log)
    for (const log of bad) tests.add('bad', log)
    const [tested] = tests.results()
    expect(tested).toMatchObject({ isKept: true, good: { sessions: 50, cannotReplay: 0 } })
    expect(tested?.bad.denied).toBe(found.brokenByBad)
    const strict = openProposalTests(compiled(NONE), [found], { mostDenied: -1 })
    for (const log of bad) strict.add('good', log)
    const [refused] = strict.results()
    expect(refused?.isKept).toBe(false)
    expect(refused?.good.deniedSessions).toContain(bad[0]?.[0]?.session)
  })
})

describe('kinds of proposals', () => {
  const kinds = (proposals: readonly Proposal[]) => proposals.map(({ kind }) => kind)
  const rules = (proposals: readonly Proposal[], kind: string) =>
    proposals.filter((one) => one.kind === kind).map(({ rule }) => rule)

  test('each hidden rule comes out as the rule that it is', () => {
    const world = { seed: 3, rules: HIDDEN_RULES }
    const good = repeat(300, (i) => tellSession(world, i).events)
    const bad = HIDDEN_RULES.flatMap((breaks, k) =>
      repeat(6, (i) => tellSession(world, 1000 + 10 * k + i, { incident: { breaks } }).events),
    )
    const proposals = proposeFrom(good, bad)
    const missing = HIDDEN_RULES.filter(
      (hidden) => !proposals.some(({ rule }) => isHiddenRule(hidden, rule)),
    )
    // Chance keeps these two in a world with all rules.
    expect(missing.length).toBeLessThanOrEqual(2)
    expect(
      addRules(NONE, proposals, { mode: 'enforce' }).policies?.every(
        ({ mode }) => mode === 'enforce',
      ),
    ).toBe(true)
    compiled(addRules(NONE, proposals, { mode: 'shadow' }))
  })

  const plain = (more: readonly SessionStep[] = []) => writeSession(['look', ...more])

  test('the first offer is a shadow rule that records facts about files, where there are none', () => {
    const calls = ['read_file', 'write_file'].map((tool) => ({ tool, args: { path: 'a.txt' } }))
    const [first] = proposeFrom(repeat(30, () => plain(calls)))
    expect(first).toMatchObject({
      kind: 'file_facts',
      rule: { mode: 'shadow', read_tools: ['read_file'], write_tools: ['write_file'] },
      sentence: '`read_file`, `write_file` take paths, and no facts about files are recorded',
    })
    if (first === undefined) return
    expect(describeEvidence(first)).toBe(
      'This rule only records what the tools find, and denies nothing. Learn again after 20 sessions with it.',
    )
    const logs = repeat(30, () => plain(calls))
    const tests = openProposalTests(compiled(NONE), [first])
    const together = openTogetherTest(compiled(NONE), [first])
    for (const log of logs) tests.add('good', log)
    for (const log of logs) together.add(log)
    expect(tests.results()).toMatchObject([{ isKept: true, good: { sessions: 0 } }])
    const { document, good } = together.result()
    expect([document.policies?.length, good.denied, good.cannotReplay]).toEqual([1, 0, 0])
  })

  test('a tool that looks by its name makes nothing outdated, where no facts tell', () => {
    const run = (i: number) => {
      const path = { path: 'a.txt' }
      const look: WrittenCall = { tool: i % 3 === 0 ? 'look' : 'read_file', args: path }
      return writeSession([
        ...Array<WrittenCall>(8).fill(look),
        ...[{ tool: 'write_file', args: path }, { tool: 'ship' }, look],
      ])
    }
    const proposals = proposeFrom(repeat(80, run))
    expect(kinds(proposals)).toContain('file_facts')
    expect(JSON.stringify(rules(proposals, 'fresh'))).not.toContain('"after":["read_file"]')
  })

  const pay = (amount: number, path: string): WrittenCall => ({
    tool: 'pay',
    args: { amount, path },
  })

  test('bounds of numbers and folders of paths, which only bad sessions leave', () => {
    const good = repeat(80, (i) => plain([pay(10 + i, `src/f${i}.ts`)]))
    const bad = repeat(5, (i) => plain([pay(900 + i, `/etc/f${i}`)]))
    const proposals = proposeFrom(good, bad).filter(({ kind }) => kind !== 'finish')
    expect(rules(proposals, 'bound')).toMatchObject([
      { require: '!has(args.amount) || args.amount <= 89.0' },
    ])
    expect(rules(proposals, 'prefix')).toMatchObject([
      { require: '!has(args.path) || (args.path.startsWith("src/") && !args.path.contains(".."))' },
    ])
    const tests = openProposalTests(compiled(NONE), proposals)
    for (const log of good) tests.add('good', log)
    for (const log of bad) tests.add('bad', log)
    for (const { proposal, good: passed, bad: refused } of tests.results())
      expect([proposal.kind, passed.denied, refused.denied]).toEqual([proposal.kind, 0, 5])
    expect(kinds(proposeFrom(good))).toEqual(['finish'])
  })

  test('values of an argument, but never of one that was redacted once', () => {
    const call = (value: JsonObject[string]): WrittenCall => ({
      tool: 'ship',
      args: { 'to-where': value },
    })
    const good = repeat(40, () => plain([call('staging'), call('preview')]))
    const [rule] = rules(proposeFrom(good), 'values')
    expect(rule).toMatchObject({
      require: '!("to-where" in args) || args["to-where"] in ["preview", "staging"]',
    })
    compiled(addRules(NONE, proposeFrom(good), { mode: 'enforce' }))
    const hidden = plain([call({ $redacted: 'secrets' })])
    expect(kinds(proposeFrom([...good, hidden]))).not.toContain('values')
    expect(kinds(proposeFrom(good, [hidden]))).not.toContain('values')
    const long = repeat(40, () => plain([call('x'.repeat(41)), call('preview')]))
    expect(kinds(proposeFrom(long))).not.toContain('values')
  })

  test('a value that few good sessions used is left out if bad ones used it far more', () => {
    const run = (target: string) =>
      plain([
        { tool: 'ship', args: { target } },
        { tool: 'ship', args: { target: 'staging' } },
      ])
    const good = repeat(60, (i) => run(i < 2 ? 'production' : 'preview'))
    const listed = (bad: readonly Log[]) =>
      JSON.stringify(rules(proposeFrom(good, bad), 'values')).match(/in \[(.*?)\]/)?.[1]
    const bad = repeat(15, (i) => run(i < 4 ? 'production' : 'preview'))
    expect(listed(bad)).toBe('\\"preview\\", \\"staging\\"')
    expect(listed(bad.slice(3))).toBe('\\"preview\\", \\"production\\", \\"staging\\"')
    const outside = (log: readonly Log[]) =>
      proposeFrom(good, log).find(({ kind }) => kind === 'values')
    expect(outside(bad)).toMatchObject({ group: 'guard', broken: 2, brokenByBad: 4 })
    expect(outside(bad.slice(3))).toMatchObject({ group: 'habit', broken: 0, brokenByBad: 0 })
  })

  test('an order that chance alone may keep counts once bad sessions break it', () => {
    // Two of three sessions begin with `test`, and the others have no `ship`. Other tools come in any order.
    const others = (i: number) =>
      Array.from(
        { length: 10 },
        (_, k): WrittenCall => ({ tool: `t${(i * 3 + k * (1 + 2 * (i % 2))) % 10}` }),
      )
    const run = (i: number, isKept: boolean) =>
      writeSession([...(isKept ? [{ tool: 'test' }] : []), ...others(i), { tool: 'ship' }])
    const good = [...repeat(12, (i) => writeSession(others(i))), ...repeat(22, (i) => run(i, true))]
    const find = (bad: readonly Log[]) =>
      rules(proposeFrom(good, bad), 'order').filter((rule) =>
        JSON.stringify(rule).includes('"ship":["test"]'),
      )
    expect(find([])).toEqual([])
    expect(find(repeat(6, (i) => run(i, i > 2)))).toHaveLength(1)
    // Two of 60 are no more than chance makes of none of 22.
    expect(find(repeat(60, (i) => run(i, i > 1)))).toEqual([])
  })

  test('a refused call is no example', () => {
    const refused: WrittenCall = { tool: 'ship', decision: 'denied' }
    const good = repeat(60, (i) => plain([...(i % 2 === 0 ? [refused] : [])]))
    expect([...(learnSessions(good).groups.get('called')?.keys() ?? [])].sort()).toEqual([
      '',
      'look',
    ])
  })
})
