import { expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import {
  type Answer,
  describeTraceEvent,
  listProvenProblems,
  type ProveOptions,
  prove,
  type Question,
} from './index.ts'

const expressions = celExpressions()

function compile(document: Partial<ConfigDocument>): CompiledConfig {
  const result = compileConfig(
    { schema_version: 1, ns: 'a', key: 'b', ...document },
    { expressions, customTypes: 'any' },
  )
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

type Rule = NonNullable<ConfigDocument['policies']>[number]
const policies = (...all: readonly Rule[]): Partial<ConfigDocument> => ({ policies: all })
const seq = (
  dependencies: Readonly<Record<string, readonly string[]>>,
  after?: readonly string[],
) => ({
  id: `needs ${Object.keys(dependencies).join()}`.replaceAll(/[^a-z]+/g, '-'),
  type: 'sequential_dependency' as const,
  dependencies,
  ...(after && { after }),
})
const when = (require: string, tool = 'go') => ({
  ...{ id: `if-${tool}`, type: 'expression' as const, tools: [tool], require },
})
const ask = (tool: string) => ({
  ...{ id: `ask-${tool}`, type: 'approval' as const, tools: [tool], timeout_seconds: 60 },
})
const rate = (max_calls: number, ...tools: readonly string[]) => ({
  ...{ id: 'rate', type: 'rate_limit' as const, tools, max_calls, per_seconds: 60 },
})
const tested = (tool: string, more: object = {}) => ({
  task_completion_checker: { id: 'done', type: 'tool_succeeded' as const, tool, ...more },
})

const runs = (tool = 'go'): Question => ({ ask: 'run_where', tool, when: 'true' })
const without = (needs: string, after?: readonly string[]): Question => ({
  ...{ ask: 'run_without', tool: 'go', needs, ...(after && { after }) },
})

const answer = (document: Partial<ConfigDocument>, question: Question, options?: ProveOptions) =>
  prove(compile(document), question, options)

/** Events of an example after the first, on one line, or the answer. */
function tell(given: Answer): string {
  if (given.answer === 'trace')
    return given.events.slice(1).map(describeTraceEvent).join(', ').replaceAll(' {}', '')
  if (given.answer === 'unknown') return `unknown: ${given.because.join('; ')}`
  return given.answer === 'never' ? `never by ${given.restsOn?.join(' and ') ?? '?'}` : given.answer
}

const many = (count: number) =>
  policies(...Array.from({ length: count }, (_, i) => ({ ...seq({ go: [`p${i}`] }), id: `r${i}` })))

type Asked = readonly [document: Partial<ConfigDocument>, question: Question]
const stopsWithout = (needs: string): Question => ({ ask: 'stop_without', needs })
const check = (require: string): Partial<ConfigDocument> => ({
  task_completion_checker: { id: 'c', type: 'expression', require },
})
const OTHER_ARGS = when('args.a == 1 || args.b == 2', 'x')
const TWICE = when('calls.go.succeeded >= 2', 'x')

test.each<[string, Asked, string]>([
  [
    'a prerequisite waits for a reviewer',
    [policies(seq({ go: ['a'] }), ask('a')), runs()],
    'a, a reviewer approves, a: success, go',
  ],
  ['a failure is needed', [policies(when('calls.a.failed == 1')), runs()], 'a, a: failure, go'],
  [
    'an unknown outcome is needed',
    [policies(when('calls.a.last == "unknown"')), runs()],
    'a, a: unknown, go',
  ],
  [
    'the time of a limit has to pass',
    [policies(TWICE, rate(1, 'go')), runs('x')],
    'go, go: success, time passes, go, go: success, x',
  ],
  [
    'each call waits for a reviewer, too',
    [policies(rate(1, 'go'), ask('go'), TWICE), runs('x')],
    'go, a reviewer approves, go: success, time passes, go, a reviewer approves, go: success, x',
  ],
  [
    'a prerequisite needs arguments',
    [policies(OTHER_ARGS, seq({ go: ['x'] })), runs()],
    'x {"b":2}, x: success, go',
  ],
  ['the call needs nothing', [policies(seq({ x: ['p'], p: ['q'] })), without('x')], 'go'],
  [
    'the call needs only a reviewer',
    [policies(seq({ x: ['p'] }), ask('go')), without('x')],
    'go, a reviewer approves',
  ],
  ['others need a reviewer', [policies(seq({ x: ['p'] }), ask('p')), without('x')], 'go'],
  [
    'the call needs one of two tools',
    [policies(seq({ go: ['a'] }, ['w'])), without('w', ['a'])],
    'a, a: success, go',
  ],
  [
    'the question is about arguments of a call that waits',
    [policies(ask('go')), { ask: 'run_where', tool: 'go', when: 'args.k == "x"' }],
    'go {"k":"x"}, a reviewer approves',
  ],
  [
    'prerequisites get outdated',
    [policies(seq({ go: ['a', 'b'] }, ['w']), { ...seq({ go: ['w'] }), id: 'w' }), runs()],
    'w, w: success, a, a: success, b, b: success, go',
  ],
  [
    'a tool that is not needed would use up the limit of the call',
    [
      policies(rate(1, 'a', 'go'), when('session.elapsed_seconds < 30'), seq({ x: ['a'] })),
      without('x'),
    ],
    'go',
  ],
  ['a plan is needed', [policies(when('session.plan.total == 1')), runs()], 'plan.updated, go'],
  ['a step has to be done', [policies(when('session.plan.done == 1')), runs()], 'plan.updated, go'],
  ['a stop needs nothing', [{}, stopsWithout('go')], 'the agent stops'],
  ['a stop needs one tool', [tested('x'), stopsWithout('go')], 'x, x: success, the agent stops'],
  [
    'a stop needs a tool that counts calls',
    [{ ...policies(when('calls.go.calls >= 2', 'x')), ...tested('x') }, stopsWithout('go')],
    'go, go: failure, go, go: failure, x, x: success, the agent stops',
  ],
  [
    'a check lets a stop pass after two that were blocked',
    [check('session.stop_blocks >= 2'), stopsWithout('go')],
    'the agent stops, the agent stops, the agent stops',
  ],
  [
    'a failure leads into a trap',
    [{ ...tested('x'), ...policies(when('calls.x.failed < 1', 'x')) }, { ask: 'trapped' }],
    'x, x: failure',
  ],
  [
    'a tool that runs once gets outdated',
    [
      {
        ...policies(seq({ go: ['a'] }, ['w']), when('calls.a.succeeded < 1', 'a')),
        ...tested('go'),
      },
      { ask: 'trapped' },
    ],
    'a, a: success, w, w: success',
  ],
])('the shortest example where %s', (_, [document, question], told) => {
  expect(tell(answer(document, question))).toBe(told)
})

test.each<[string, Asked, string]>([
  [
    'one of two rules is enough',
    [policies(seq({ go: ['a'] }), when('calls.a.succeeded >= 1')), without('a')],
    'if-go',
  ],
  [
    'other rules are about arguments and times',
    [policies(seq({ go: ['a'] }), when('args.k == 1'), rate(3, 'go')), without('a')],
    'needs-go',
  ],
  [
    'another rule cannot be told exactly',
    [policies(seq({ go: ['a'] }), when('size(args) > 1')), without('a')],
    'needs-go',
  ],
  [
    'calls wait for a reviewer',
    [policies(ask('go'), seq({ go: ['a'] }, ['go'])), without('a', ['go'])],
    'needs-go',
  ],
  [
    'a prerequisite has the prerequisite',
    [policies(seq({ go: ['b'], b: ['a'] }), seq({ x: ['a'] })), without('a')],
    'needs-go-b',
  ],
  ['there are few rules', [many(5), without('p3')], 'r3'],
  ['there are more than 24, so they are not tried', [many(25), without('p3')], '?'],
])('the answer never rests on the rules that are needed, where %s', (_, asked, rules) => {
  expect(tell(answer(...asked))).toBe(`never by ${rules}`)
})

const WHERE = { ask: 'run_where', tool: 'go', when: 'args.z == 1 && args.z == 2' } as const
const SEVEN = Array.from({ length: 7 }, (_, i) => `has(args.k${i})`).join(' && ')
const OUTPUT = check('stop.output.x == 1')
const SAMPLES = '`size(args) > 1` is tried on samples only'
const STOP_FACTS = 'a check reads facts of the stop, which are not varied'

test.each<[string, Asked, readonly string[]]>([
  [
    'the question is no text in CEL',
    [policies(), { ...WHERE, when: 'args.' }],
    ['`args.` cannot be read', '`args.` cannot be read as a condition on `args`'],
  ],
  [
    'the question is never true or false',
    [policies(), { ...WHERE, when: 'size(args.k)' }],
    [
      '`size(args.k)` is tried on samples only',
      '`size(args.k)` cannot be read as a condition on `args`',
    ],
  ],
  [
    'arguments are of too many kinds',
    [policies(when(SEVEN)), WHERE],
    ['`go` has more kinds of arguments than are tried'],
  ],
  [
    'calls are counted that not all are tried',
    [policies(when('size(args) > 1')), { ask: 'most_calls', tool: 'go' }],
    [SAMPLES],
  ],
  ['a check reads the output', [OUTPUT, stopsWithout('a')], [STOP_FACTS]],
  // A state is a trap only if every way out of it was tried.
  ['the way out of a trap may be an output', [OUTPUT, { ask: 'trapped' }], [STOP_FACTS]],
  [
    'the way out of a trap may be an argument',
    [{ ...policies(when('size(args) > 1')), ...tested('go') }, { ask: 'trapped' }],
    [SAMPLES],
  ],
])('the answer is not known where %s', (_, [document, question], because) => {
  const { assumed, states, ...given } = answer(document, question)
  expect(given).toEqual({ answer: 'unknown', because })
})

test('a search ends at its limit of states, and when the caller no longer waits', () => {
  const few = answer(many(5), without('p3'), { mostStates: 3 })
  expect(tell(few)).toBe('unknown: there are more than 3 kinds of states')
  expect(few.states).toBe(4)
  const isAborted = () => true
  expect(tell(answer(many(8), without('p3'), { isAborted }))).toBe('unknown: the time was up')
  // It asks now and then only.
  expect(tell(answer(many(3), without('p1'), { isAborted }))).toBe('never by r1')
})

test('an answer says what it assumes', () => {
  const list = (...all: readonly Rule[]) => answer(policies(...all), runs()).assumed.also
  expect(list(seq({ go: ['a'] }))).toEqual([])
  expect(list(rate(1, 'go'), ask('go'), when('session.remaining_seconds > 60'))).toEqual([
    'the time of a rate limit passes as a whole',
    'reviewers approve',
    'the session has a deadline, or none',
  ])
})

test('a question about calls looks at the same states, whatever a stop needs', () => {
  const rules = policies(seq({ go: ['a'] }, ['w']), when('args.k == 1'))
  const questions: readonly Question[] = [
    without('a'),
    WHERE,
    { ask: 'most_calls', tool: 'go' },
    { ask: 'decisive', rule: 'if-go' },
    { ask: 'allows_more', than: compile(policies()) },
  ]
  for (const question of questions) {
    const [bare, checked] = [rules, { ...rules, ...tested('x', { after: ['y'] }) }].map(
      (document) => answer(document, question).states,
    )
    expect(checked).toBe(bare)
  }
})

test('of two configs, one allows more where it does not refuse a call that the other refuses', () => {
  const compare = (ours: Partial<ConfigDocument>, theirs: Partial<ConfigDocument>) =>
    tell(answer(ours, { ask: 'allows_more', than: compile(theirs) }))
  const strict = policies(when('args.k == 1'))
  expect(compare(policies(), strict)).toBe('go')
  expect(compare(strict, policies())).toBe('never by ?')
  expect(compare(policies(ask('go')), strict)).toBe('go')
  expect(compare(strict, policies(ask('go')))).toBe('never by ?')
  expect(compare(policies(seq({ go: ['a'] })), policies(seq({ go: ['a'] }, ['w'])))).toBe(
    'a, a: success, w, w: success, go',
  )
})

test('a rule decides where it alone refuses a call, or alone asks about it', () => {
  const decide = (...all: readonly Rule[]) =>
    tell(answer(policies(...all), { ask: 'decisive', rule: all[0]?.id ?? '' }))
  expect(decide(when('args.k == 1'))).toBe('go')
  expect(decide(when('args.k == 1'), { ...when('args.k == 1'), id: 'same' })).toBe('never by ?')
  expect(decide(when('args.k == 1'), { ...when('false'), id: 'quiet', mode: 'shadow' })).toBe('go')
  expect(decide(ask('go'))).toBe('go')
  expect(decide(ask('go'), { ...ask('go'), id: 'again' })).toBe('never by ?')
  expect(decide({ ...when('false'), mode: 'shadow' })).toBe('never by ?')
})

test('advice is about rules that are enforced, and says what to do', () => {
  const twice = [when('args.k == 1'), { ...when('args.k == 1'), id: 'same' }]
  const list = (document: Partial<ConfigDocument>) =>
    listProvenProblems(compile(document)).map(({ pointer, message }) => [pointer, message])
  expect(list(policies(...twice))).toEqual([
    [
      '/policies/0',
      expect.stringMatching(/^Whatever "if-go" refuses .* Remove it, or correct one/),
    ],
    ['/policies/1', expect.stringMatching(/^Whatever "same" refuses/)],
  ])
  expect(list(policies(...twice.map((one) => ({ ...one, mode: 'shadow' as const }))))).toEqual([])
  expect(list({ ...tested('x'), ...policies(when('calls.x.failed < 1', 'x')) })).toEqual([
    ['/task_completion_checker', expect.stringContaining('it is sent back until limits.max_stop')],
  ])
  expect(list(OUTPUT)).toEqual([])
})

test.each<[string, Asked, number]>([
  // Otherwise there are 4,096 sets of prerequisites.
  ['a success can only help, so it is made at once', [many(12), runs()], 13],
  [
    'prerequisites that got outdated are made again at once',
    [
      policies(seq({ go: ['a', 'b', 'c', 'd', 'e'] }, ['w']), { ...seq({ go: ['w'] }), id: 'w' }),
      runs(),
    ],
    12,
  ],
  [
    'a tool that is not asked about has several arguments',
    [policies(OTHER_ARGS, seq({ go: ['x'] })), without('x')],
    9,
  ],
  [
    'a condition is about other arguments',
    [policies(seq({ go: ['a'] }), when('args.k == 1')), without('a')],
    9,
  ],
  [
    'calls wait for a reviewer',
    [policies(ask('go'), seq({ go: ['a'] }, ['go'])), without('a', ['go'])],
    30,
  ],
  [
    'failures are counted',
    [policies(when('calls.a.failed < 3')), { ask: 'most_calls', tool: 'go' }],
    5,
  ],
  ['a time has to pass', [policies(when('session.elapsed_seconds > 5')), WHERE], 3],
  ['a limit is shared', [policies(rate(3, 'go', 'x')), { ask: 'most_calls', tool: 'go' }], 4],
  ['a stop needs a tool', [tested('x'), { ask: 'trapped' }], 4],
  ['the first call is allowed', [policies(when('calls.a.succeeded < 9')), runs()], 2],
  [
    'calls wait whose arguments the question does not read',
    [policies(ask('go'), seq({ go: ['a'] }), when('args.k == 1 || args.l == 2')), without('a')],
    13,
  ],
])('a search looks at few states where %s', (_, [document, question], most) => {
  expect(answer(document, question).states).toBeLessThanOrEqual(most)
})
