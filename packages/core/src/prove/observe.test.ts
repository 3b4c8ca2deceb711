import { expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { atomReader } from '../expression/condition-atoms.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { countsDenials, type Focus, observe } from './observe.ts'

function compile(document: Partial<ConfigDocument>): CompiledConfig {
  const result = compileConfig(
    { schema_version: 1, ns: 'a', key: 'b', ...document },
    { expressions: celExpressions(), customTypes: 'any' },
  )
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

type Document = Partial<ConfigDocument>

/** All that decisions about `go` look at, without what is empty or false. */
function look(document: Document, more: Partial<Focus> = {}): Readonly<Record<string, unknown>> {
  const focus = { tools: ['go'], stops: false, isLean: false, ...more }
  const found = observe([compile(document)], focus, atomReader())
  const all = {
    ...found,
    tools: [...found.tools].sort(),
    successes: [...found.successes].sort(),
    pairs: [...found.pairs.values()].map((pair) => pair.join(' since ')),
    lasts: [...found.lasts],
    counts: [...found.counts.values()].map((one) => `${one.tool} ${one.field} ${one.most}`),
    session: [...found.session].map(([field, literals]) => [field, ...literals]),
    reads: [...found.reads],
    args: [...found.args].map(([tool, atoms]) => [tool, ...[...atoms].map(({ form }) => form)]),
    rules: [...found.rules],
    doubts: found.doubts.map(({ rule, why }) => `${rule}: ${why}`),
  }
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value)),
  )
}

const GO = { tools: ['go'] }
const policies = (...all: readonly object[]) => ({ policies: all }) as Document
const seq = (dependencies: object, more: object = {}) => ({
  ...{ id: 'seq', type: 'sequential_dependency', dependencies, ...more },
})
const when = (require: string) => policies({ id: 'if', type: 'expression', tools: ['go'], require })
const check = (more: object) =>
  ({ task_completion_checker: { id: 'done', ...more } }) as unknown as Document
const STOPS = { tools: [], stops: true }

test('without rules only the call itself is looked at', () => {
  expect(look({})).toEqual(GO)
})

test('an order looks at the success of what it needs, and at what that needs', () => {
  const document = policies(seq({ go: ['a'], x: ['y'] }), { ...seq({ a: ['b'] }), id: 'more' })
  expect(look(document)).toEqual({
    ...{ tools: ['a', 'b', 'go'], successes: ['a', 'b'], rules: ['seq', 'more'] },
  })
  // Only what decides about the call itself.
  expect(look(document, { isDirect: true })).toEqual({
    ...{ tools: ['a', 'go'], successes: ['a'], rules: ['seq'] },
  })
})

test('a tool that only makes another outdated is called only if something needs it', () => {
  const document = policies(seq({ go: ['a'] }, { after: ['w'] }))
  const pair = { successes: ['a', 'w'], pairs: ['a since w'], rules: ['seq'] }
  expect(look(document)).toEqual({ tools: ['a', 'go', 'w'], ...pair })
  expect(look(document, { isLean: true })).toEqual({
    ...{ tools: ['a', 'go'], successes: ['a'], rules: ['seq'] },
  })
  const both = policies(seq({ go: ['a', 'w'] }, { after: ['w'] }))
  expect(look(both, { isLean: true })).toMatchObject({ pairs: ['a since w', 'w since w'] })
  // Where denied calls are counted, a tool that can only deny others may be needed.
  const counted = policies(
    ...(document.policies ?? []),
    ...(when('session.calls > 1').policies ?? []),
  )
  expect(look(counted, { isLean: true })).toMatchObject({ pairs: ['a since w'] })
})

test('a question looks at the success that it is about, or at which of two was last', () => {
  expect(look({}, { pairs: [['a', null]] })).toEqual({ tools: ['a', 'go'], successes: ['a'] })
  expect(look({}, { pairs: [['a', 'w']], isLean: true })).toEqual({
    ...{ tools: ['a', 'go', 'w'], successes: ['a', 'w'], pairs: ['a since w'] },
  })
})

test('a rule about files looks at the path, and at the tools that read and write', () => {
  const reads = {
    id: 'reads',
    type: 'read_before_write',
    read_tools: ['read'],
    write_tools: ['go', 'put'],
  }
  expect(look(policies(reads))).toEqual({
    ...{ tools: ['go', 'put', 'read'], rules: ['reads'], reads: [['reads', 'path']] },
  })
  expect(look(policies({ ...reads, path_params: ['file', 'to'] }))).toMatchObject({
    reads: [['reads', 'file']],
  })
})

test('a rate limit looks at calls in its window; tools that share it only use it up', () => {
  const rate = { id: 'rate', type: 'rate_limit', tools: ['go', 'x'], max_calls: 3, per_seconds: 60 }
  const rates = [{ lane: 0, rule: 'rate', ms: 60_000, unit: 1 }]
  expect(look(policies(rate))).toEqual({ tools: ['go', 'x'], rates, rules: ['rate'] })
  expect(look(policies(rate), { isLean: true })).toEqual({ ...GO, rates, rules: ['rate'] })
  expect(look(policies(rate), { isDirect: true })).toMatchObject({ rates: [{ unit: 3 }] })
})

test('an approval looks at what its condition reads', () => {
  const ask = { id: 'ask', type: 'approval', tools: ['go'], timeout_seconds: 60 }
  expect(look(policies(ask))).toEqual({ ...GO, isReviewed: true, rules: ['ask'] })
  expect(look(policies({ ...ask, when: 'args.k == 1' }))).toEqual({
    ...{ ...GO, isReviewed: true, rules: ['ask'], args: [['go', 'compared']] },
  })
})

test('rules that do not decide are not looked at', () => {
  const rule = { id: 'if', type: 'expression', tools: ['go'], require: 'calls.a.failed > 1' }
  expect(look(policies({ ...rule, mode: 'shadow' }))).toEqual(GO)
  expect(look(policies({ ...rule, tools: ['x'] }))).toEqual(GO)
  expect(look(policies({ id: 'own', type: 'acme.own', tools: ['go'] }))).toEqual({
    ...GO,
    rules: ['own'],
  })
})

test('content rules that are enforced inspect arguments; one that masks them is a doubt', () => {
  const keys = { id: 'keys', kind: 'secrets', on: 'arguments', action: 'deny' }
  const content = (more: object) => ({ content: [{ ...keys, ...more }] }) as Document
  expect(look(content({}))).toEqual({ ...GO, isInspected: true })
  expect(look(content({ mode: 'shadow' }))).toEqual(GO)
  expect(look(content({ on: 'result' }))).toEqual(GO)
  expect(look(content({ action: 'mask' }))).toEqual({
    ...{ ...GO, isInspected: true, doubts: ['keys: content rule `keys` changes arguments'] },
  })
})

test.each<[string, object]>([
  ['calls.a.failed >= 3', { counts: ['a failed 4'], tools: ['a', 'go'] }],
  ['calls.a.failed >= 3 && calls.a.failed < 7.5', { counts: ['a failed 9'], tools: ['a', 'go'] }],
  ['calls.a.succeeded == -2', { counts: ['a succeeded 1'], tools: ['a', 'go'] }],
  ['calls[tool].denied < 2', { counts: ['go denied 3'] }],
  ['calls.a.last == "success"', { lasts: ['a'], tools: ['a', 'go'] }],
  // It cannot be evaluated, whatever the session did.
  ['calls.a.skipped > 1', { tools: ['a', 'go'] }],
  ['session.calls > 2', { session: [['calls', 2]], tools: ['another_tool', 'go'] }],
  ['session.environment == "a"', { session: [['environment', 'a']] }],
  [
    'session.elapsed_seconds > 5 || session.elapsed_seconds < 2',
    { session: [['elapsed_seconds', 5, 2]] },
  ],
  ['session.plan.total > 1', { session: [['plan.total', 1]] }],
  ['session.tags.team == "x"', { session: [['tags.team', 'x']] }],
  ['has(session.tags.team)', { session: [['tags.team', null]] }],
  ['args.k == 1', { args: [['go', 'compared']] }],
  ['args.k == 1 && args.l.startsWith("a")', { args: [['go', 'compared', 'startsWith']] }],
  ['tool == "go"', {}],
  ['true', {}],
])('the condition %s reads', (source, more) => {
  expect(look(when(source))).toEqual({ ...GO, rules: ['if'], ...more })
})

const TWO_VALUES = (source: string) => `if: \`${source}\` compares two values with each other`

test.each<[string, object]>([
  ['size(args) > 1', { doubts: ['if: `size(args) > 1` is tried on samples only'] }],
  ['args.k.matches("a")', { args: [['go', 'matches']] }],
  [
    'args.k + 1 == 2',
    { args: [['go', 'other']], doubts: ['if: `args.k + 1 == 2` is tried on samples only'] },
  ],
  ['args.k == args.l', { doubts: [TWO_VALUES('args.k == args.l')] }],
  [
    'args.k == session.environment',
    {
      ...{ isVague: true, session: [['environment', 4]] },
      doubts: [TWO_VALUES('args.k == session.environment')],
    },
  ],
  [
    'session.plan.total in [1, 3]',
    {
      session: [['plan.total', 1, 3]],
      doubts: ['null: only plans of one step are tried'],
    },
  ],
  [
    'session.plan.total > 2',
    {
      session: [['plan.total', 2]],
      doubts: ['null: only plans of one step are tried'],
    },
  ],
  [
    'session.usage.total > 5',
    {
      session: [['usage.total', 5]],
      isVague: true,
      doubts: ['null: `session.usage.total` is not varied'],
    },
  ],
  [
    'session.stop_blocks > 1',
    {
      session: [['stop_blocks', 1]],
      doubts: ['null: a condition counts blocked stops, which this question does not try'],
    },
  ],
  [
    'calls.a.failed + 1 > 3',
    {
      ...{ tools: ['a', 'go'], counts: ['a failed 4'], isVague: true },
      doubts: ['if: `calls.a.failed + 1 > 3` computes with a value of the session'],
    },
  ],
  [
    'calls.a.failed > calls.b.failed',
    {
      ...{ tools: ['a', 'b', 'go'], counts: ['a failed 5', 'b failed 5'], isVague: true },
      doubts: [TWO_VALUES('calls.a.failed > calls.b.failed')],
    },
  ],
])('the condition %s is looked at with a doubt', (source, more) => {
  expect(look(when(source))).toEqual({ ...GO, rules: ['if'], ...more })
})

test('a condition is doubted once, whatever the number of tools that it governs', () => {
  const rule = { id: 'if', type: 'expression', tools: ['go', 'a'], require: 'size(args) > 1' }
  const found = look(policies(rule, seq({ go: ['a'] })))
  expect(found['doubts']).toEqual(['if: `size(args) > 1` is tried on samples only'])
})

test('a condition on all counts of a tool, or of every tool, is not told exactly', () => {
  for (const source of ['size(calls) > 1', 'size(calls.a) > 1']) {
    const found = look(when(source))
    expect(found['isVague']).toBe(true)
    expect(found['doubts']).toContain('null: a condition reads the counts of every tool')
  }
})

test('a doubt is about one rule, and of a rule there may be several', () => {
  const size = { id: 'if', type: 'expression', tools: ['go'], require: 'size(args) > 1' }
  const both = 'calls.a.failed + 1 > 3 && calls.a.failed > calls.b.failed'
  expect(look(policies(size, { ...size, id: 'same' }))['doubts']).toEqual([
    'if: `size(args) > 1` is tried on samples only',
    'same: `size(args) > 1` is tried on samples only',
  ])
  expect(look(when(both))['doubts']).toEqual([
    `if: \`${both}\` computes with a value of the session`,
    `if: \`${both}\` compares two values with each other`,
  ])
})

test('a question with a condition looks at arguments, which need names', () => {
  const ask = (source: string) => look({}, { where: { tool: 'go', source } })
  expect(ask('args.k == 1')).toEqual({ ...GO, args: [['go', 'compared']] })
  expect(ask('args.')).toEqual({ ...GO, doubts: ['null: `args.` cannot be read'] })
  expect(ask('session.calls > 1')).toEqual({
    ...{ ...GO, doubts: ['null: `session.calls > 1` cannot be read'] },
  })
})

test.each<[object, object]>([
  [
    { type: 'tool_succeeded', tool: 'a' },
    { tools: ['a'], lasts: ['a'] },
  ],
  [
    { type: 'tool_succeeded', tool: 'a', after: ['w'] },
    { tools: ['a', 'w'], lasts: ['a'], successes: ['a', 'w'], pairs: ['a since w'] },
  ],
  [{ type: 'plan' }, { session: [['plan.done', null]] }],
  [{ type: 'files_exist', files: ['a'] }, {}],
  [{ type: 'llm_judge', criteria: 'All is done.' }, {}],
  [{ type: 'acme.own' }, {}],
  [
    { type: 'expression', require: 'calls.a.failed < 1' },
    { tools: ['a'], counts: ['a failed 2'] },
  ],
  [{ type: 'expression', require: 'stop.output.x == 1' }, { readsStop: true }],
  [{ type: 'expression', require: 'session.stop_blocks < 2' }, { session: [['stop_blocks', 2]] }],
  [
    {
      type: 'composite',
      checkers: [
        { id: 'x', type: 'tool_succeeded', tool: 'a' },
        { id: 'y', type: 'plan' },
      ],
    },
    { tools: ['a'], lasts: ['a'], session: [['plan.done', null]] },
  ],
])('a stop with the check %j looks at', (checker, expected) => {
  expect(look(check(checker), STOPS)).toEqual(expected)
  expect(look(check(checker))).toEqual(GO)
})

test('each of two configs is looked at, with its own rate limits', () => {
  const limit = (max_calls: number) =>
    compile(policies({ id: 'rate', type: 'rate_limit', tools: ['go'], max_calls, per_seconds: 60 }))
  const focus = { tools: ['go'], stops: false, isLean: false }
  const { rates } = observe([limit(1), limit(2)], focus, atomReader())
  expect(rates.map(({ lane }) => lane)).toEqual([0, 1])
})

test.each<[string, boolean]>([
  ['calls.a.denied > 1', true],
  ['calls.a.calls > 1', true],
  ['session.calls > 1', true],
  ['calls.a.succeeded > 1', false],
  ['calls.a.failed > 1', false],
])('a denied call can make another possible where a condition reads %s: %s', (source, can) => {
  const focus = { tools: ['go'], stops: false, isLean: false }
  expect(countsDenials(observe([compile(when(source))], focus, atomReader()))).toBe(can)
})
