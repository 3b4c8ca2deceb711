import { expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SessionEvent } from '../model/event.ts'
import {
  type Answer,
  describeAnswer,
  describeQuestion,
  describeTraceEvent,
  findQuestionFault,
  judgeClaim,
  listProvenProblems,
  prove,
  type Question,
} from './index.ts'

const expressions = celExpressions()

function compiled(fields: Partial<ConfigDocument>): CompiledConfig {
  const document = { schema_version: 1, ns: 'team', key: 'coder', ...fields } as const
  const result = compileConfig(document, { expressions, customTypes: 'any' })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

const READS = {
  id: 'reads',
  type: 'read_before_write',
  read_tools: ['read_file'],
  write_tools: ['write_file'],
} as const
const order = (
  id: string,
  dependencies: Readonly<Record<string, readonly string[]>>,
  after?: readonly string[],
) => ({
  id,
  type: 'sequential_dependency' as const,
  dependencies,
  ...(after === undefined ? {} : { after }),
})
const condition = (
  id: string,
  tools: readonly string[],
  source: { readonly deny_when: string } | { readonly require: string },
) => ({ id, type: 'expression' as const, tools, ...source })
const ask = (tool: string) => ({
  id: 'ask',
  type: 'approval' as const,
  tools: [tool],
  timeout_seconds: 300,
})
const FRESH = order('seq', { deploy: ['run_tests'] }, ['write_file'])

const CONFIGS = {
  plain: { policies: [order('seq', { deploy: ['run_tests'] }), READS] },
  fresh: { policies: [FRESH, READS] },
  reviewed: { policies: [FRESH, ask('deploy')] },
  chain: {
    policies: [
      order('a', { deploy: ['build'] }),
      order('b', { build: ['run_tests'] }),
      order('c', { deploy: ['run_tests'] }),
    ],
  },
  retries: {
    policies: [condition('tries', ['run_tests'], { deny_when: 'calls.run_tests.failed >= 3' })],
    task_completion_checker: {
      id: 'done',
      type: 'composite',
      checkers: [
        { id: 'tested', type: 'tool_succeeded', tool: 'run_tests', after: ['write_file'] },
        { id: 'files', type: 'files_exist', files: ['CHANGELOG.md'] },
      ],
    },
  },
  endsWithDeploy: {
    policies: [FRESH, READS],
    task_completion_checker: { id: 'x', type: 'tool_succeeded', tool: 'deploy' },
  },
  shell: {
    policies: [
      condition('force', ['bash'], {
        deny_when:
          "has(args.command) && args.command.contains('push') && args.command.contains('--force')",
      }),
      condition('prod', ['deploy'], {
        deny_when: "args.target == 'production' && session.environment != 'prod'",
      }),
      condition('prod2', ['deploy'], {
        deny_when: "args.target == 'production' && session.environment == 'dev'",
      }),
    ],
  },
  limits: {
    policies: [
      { id: 'rate', type: 'rate_limit', tools: ['deploy'], max_calls: 2, per_seconds: 3600 },
      condition('cap', ['deploy'], { require: 'calls.deploy.calls < 5' }),
      { id: 'mail', type: 'rate_limit', tools: ['send_mail'], max_calls: 3, per_seconds: 60 },
    ],
  },
  slow: {
    policies: [
      order('seq', { deploy: ['run_tests'] }),
      condition('warm', ['publish'], { require: 'session.calls >= 4' }),
      condition('late', ['warn'], {
        require: 'session.remaining_seconds < 600 && session.remaining_seconds > 60',
      }),
      condition('early', ['greet'], {
        require: 'session.elapsed_seconds > 30 && session.elapsed_seconds < 90',
      }),
      condition('stubborn', ['escalate'], { require: 'session.stop_blocks >= 1' }),
      condition('many', ['batch'], { require: 'size(args) > 3' }),
      condition('planned', ['announce'], { require: 'session.plan.total >= 3' }),
    ],
  },
  inspected: {
    policies: [order('seq', { deploy: ['run_tests'] })],
    content: [{ id: 'keys', kind: 'secrets', on: 'arguments', action: 'deny' }],
  },
  denials: {
    policies: [
      order('seq', { build: ['run_tests'] }),
      condition('tried', ['deploy'], { require: 'calls.build.denied >= 1' }),
      condition('busy', ['publish'], { require: 'session.calls >= 2' }),
      condition('once', ['publish'], { deny_when: 'calls.publish.calls >= 1' }),
      { id: 'rate', type: 'rate_limit', tools: ['search', 'fetch'], max_calls: 1, per_seconds: 60 },
      condition('crowded', ['report'], {
        require:
          'calls.search.denied >= 1 && calls.search.succeeded == 0 && calls.search.failed == 0',
      }),
    ],
  },
  looks: {
    policies: [
      condition('balance', ['refund'], {
        require: 'calls.refund.succeeded < calls.lookup.succeeded',
      }),
      condition('small', ['refund'], { require: 'args.amount <= 100' }),
    ],
  },
} as const satisfies Record<string, Partial<ConfigDocument>>

type Name = keyof typeof CONFIGS

const testsSince = {
  ask: 'run_without',
  tool: 'deploy',
  needs: 'run_tests',
  after: ['write_file'],
} as const
const testsEver = { ask: 'run_without', tool: 'deploy', needs: 'run_tests' } as const

function describe(answer: Answer): string {
  switch (answer.answer) {
    case 'trace':
      return `trace: ${answer.events.map(describeEvent).join(', ')}`
    case 'never':
      return `never, rests on ${answer.restsOn?.join(', ')}`
    case 'most':
      return `most ${answer.calls}`
    case 'unknown':
      return `unknown: ${answer.because.join('; ')}`
    default:
      return answer.answer
  }
}

function describeEvent(event: SessionEvent): string {
  switch (event.type) {
    case 'session.started':
      return event.data.environment
    case 'tool.requested':
      return `${event.data.tool}?`
    case 'tool.invoked':
      return `${event.data.tool} ${event.data.outcome}`
    default:
      return event.type
  }
}

test('advice names policies that never decide, and the check of an agent that can be trapped', () => {
  const list = (name: Name) =>
    listProvenProblems(compiled(CONFIGS[name])).map(({ code, pointer }) => `${code} ${pointer}`)
  expect(list('chain')).toEqual(['rule_never_decisive /policies/2'])
  expect(list('retries')).toEqual(['agent_can_be_trapped /task_completion_checker'])
  expect(list('looks')).toEqual([])
})

test.each<[Name, Question, string]>([
  ['plain', testsSince, 'trace'],
  ['plain', testsEver, 'never, rests on seq'],
  ['fresh', testsSince, 'never, rests on seq'],
  ['reviewed', testsSince, 'never, rests on seq'],
  ['slow', { ask: 'run_without', tool: 'publish', needs: 'run_tests' }, 'trace'],
  ['slow', { ask: 'run_where', tool: 'warn', when: 'true' }, 'trace'],
  ['slow', { ask: 'run_where', tool: 'greet', when: 'true' }, 'trace'],
  ['slow', { ask: 'run_where', tool: 'escalate', when: 'true' }, 'unknown'],
  ['slow', { ask: 'run_where', tool: 'batch', when: 'true' }, 'unknown'],
  ['slow', { ask: 'run_where', tool: 'announce', when: 'true' }, 'unknown'],
  ['denials', { ask: 'run_where', tool: 'deploy', when: 'true' }, 'trace'],
  ['denials', { ask: 'run_where', tool: 'publish', when: 'true' }, 'trace'],
  ['inspected', testsEver, 'never, rests on seq'],
  ['inspected', testsSince, 'trace'],
  ['chain', testsEver, 'never, rests on c'],
  ['chain', { ask: 'decisive', rule: 'c' }, 'never'],
  ['chain', { ask: 'decisive', rule: 'a' }, 'trace'],
  ['retries', { ask: 'trapped' }, 'trace'],
  ['endsWithDeploy', { ask: 'trapped' }, 'never'],
  ['retries', { ask: 'stop_without', needs: 'run_tests', after: ['write_file'] }, 'never'],
  [
    'shell',
    { ask: 'run_where', tool: 'bash', when: "args.command.contains('push --force')" },
    'never, rests on force',
  ],
  [
    'shell',
    {
      ask: 'run_where',
      tool: 'bash',
      when: "args.command.contains('push') && args.command.contains(' -f')",
    },
    'trace',
  ],
  ['shell', { ask: 'decisive', rule: 'prod2' }, 'never'],
  ['limits', { ask: 'most_calls', tool: 'deploy' }, 'most 5'],
  ['limits', { ask: 'most_calls', tool: 'send_mail' }, 'unbounded'],
  ['looks', { ask: 'run_without', tool: 'refund', needs: 'lookup' }, 'unknown'],
  [
    'looks',
    { ask: 'run_where', tool: 'refund', when: 'args.amount > 100' },
    'never, rests on small',
  ],
  ['looks', { ask: 'run_where', tool: 'notify', when: 'size(args) > 3' }, 'unknown'],
  ['limits', { ask: 'decisive', rule: 'cap' }, 'trace'],
  ['reviewed', { ask: 'decisive', rule: 'ask' }, 'trace'],
])('%s: %o', (name, question, expected) => {
  const answer = prove(compiled(CONFIGS[name]), question)
  expect(describe(answer).slice(0, expected.length)).toBe(expected)
})

test.each([
  ["size(args.t) == 5 && args.t.endsWith('ab')", 'trace'],
  ["args.t.size() > 3 && args.t.endsWith('ab')", 'trace'],
  ["size(args.t) < 2 && args.t.endsWith('ab')", 'never'],
  ["size(args.t) == 5 && args.t.matches('^[a-c]*$')", 'trace'],
  ["size(args.t) == 2 && args.t.matches('^(ab){2}$')", 'never'],
  ["size(args.t) >= 2.5 && size(args.t) <= 3.5 && args.t.contains('ab')", 'trace'],
  ["size(args.t) > 2 && size(args.t) < 3 && args.t != ''", 'never'],
  ["size(args.t) == 200 && args.t.startsWith('a')", 'trace'],
  ["size(args.t) == 900 && args.t.startsWith('a')", 'unknown'],
  ['size(args.t) == 9000', 'trace'],
  ["size(args.t) == 9000 && args.t.endsWith('a')", 'unknown'],
  ['size(args.t) > 9999', 'trace'],
  ['size(args.t) > 10000', 'unknown'],
  ['size(args.l) > 2.5 && args.l != "abc"', 'trace'],
  ['size(args.t) < 0', 'never'],
  ['size(args.l) == 3 && args.l != "abc"', 'trace'],
  ['size(args.m) == 2 && args.m.b == 1', 'unknown'],
  ['size(args.m.a) == 2 && args.m.b == 1', 'trace'],
  ["args.t < 'b'", 'trace'],
  ["args.t > 'b' && args.t < 'c'", 'unknown'],
  ['args.n > 5.5 && args.n < 5.6', 'trace'],
  ['args.n > 5 && args.n < 5', 'never'],
  ["args.k in ['a', 'b'] && args.k != 'a'", 'trace'],
  ["args.k in ['a'] && args.k != 'a'", 'never'],
  ['has(args.a.b) && args.a.b == null', 'trace'],
  ['args.on == true && args.on == false', 'never'],
])('whether arguments can be such that %s: %s', (when, expected) => {
  const question = { ask: 'run_where', tool: 'free', when } as const
  expect(prove(compiled(CONFIGS.plain), question).answer).toBe(expected)
})

test.each([
  ['session.elapsed_seconds == 0', 'trace'],
  ['session.elapsed_seconds == 30', 'trace'],
  ['session.elapsed_seconds >= 30 && session.elapsed_seconds <= 30', 'trace'],
  ['session.elapsed_seconds > 29 && session.elapsed_seconds < 30', 'trace'],
  ['session.elapsed_seconds > 1.5 && session.elapsed_seconds < 1.7', 'trace'],
  ['session.elapsed_seconds > 30 && session.elapsed_seconds < 30', 'never'],
  ['session.elapsed_seconds < 0', 'never'],
  ['session.remaining_seconds == 60', 'trace'],
  ['session.remaining_seconds == 0', 'trace'],
  ['session.remaining_seconds < -10', 'trace'],
  ['session.remaining_seconds > 60 && session.remaining_seconds <= 60', 'never'],
  ['session.elapsed_seconds > 60 && session.remaining_seconds > 60', 'trace'],
  ['session.calls >= 2 && session.calls <= 2', 'trace'],
  ['calls.a.failed == 1 && calls.a.succeeded == 1', 'trace'],
  ["calls.a.last == 'unknown'", 'trace'],
  ['calls.a.failed == 1 && calls.a.last == null', 'trace'],
  ['calls.a.calls == 1 && calls.a.succeeded == 0 && calls.a.failed == 0', 'trace'],
  ["calls.a.last == 'denied'", 'never'],
  ['calls.a.denied == 1', 'never'],
  ["session.environment in ['a', 'b'] && session.environment != 'a'", 'trace'],
  ["session.tags.team == 'x'", 'trace'],
  ['!has(session.tags.team)', 'trace'],
  ['session.plan.total == 1 && session.plan.done == 0', 'trace'],
])('whether a session can be such that %s: %s', (require, expected) => {
  const config = compiled({ policies: [condition('such', ['free'], { require })] })
  const question = { ask: 'run_where', tool: 'free', when: 'true' } as const
  expect(prove(config, question).answer).toBe(expected)
})

const SURE = { id: 'sure', type: 'approval', tools: ['free'], timeout_seconds: 9 } as const
const OWN = { id: 'own', type: 'acme.budget', tools: ['free'] } as const
const JUDGE = { id: 'judge', type: 'llm_judge', criteria: 'The work is done.' } as const
const decides = (rule: string) => ({ ask: 'decisive', rule }) as const

test.each<[Partial<ConfigDocument>, Question, Answer['answer']]>([
  [{ policies: [{ ...SURE, when: "args.k == 'prod'" }] }, decides('sure'), 'trace'],
  [{ policies: [{ ...SURE, when: 'calls.a.failed >= 2' }] }, decides('sure'), 'trace'],
  [{ policies: [{ ...SURE, when: 'calls.a.failed < 0' }] }, decides('sure'), 'never'],
  [{ policies: [OWN] }, decides('own'), 'trace'],
  [{ policies: [OWN] }, { ask: 'run_where', tool: 'free', when: 'true' }, 'trace'],
  [{ policies: [OWN, SURE] }, { ask: 'run_where', tool: 'free', when: 'true' }, 'trace'],
  [{ task_completion_checker: JUDGE }, { ask: 'trapped' }, 'never'],
  [{ task_completion_checker: JUDGE }, { ask: 'stop_without', needs: 'a' }, 'trace'],
])(
  'what people and own rules answer is tried both ways: %j, %j: %s',
  (fields, question, expected) => {
    expect(prove(compiled(fields), question).answer).toBe(expected)
  },
)

test('a call that uses up a shared rate limit can make a denial possible', () => {
  const question = { ask: 'run_where', tool: 'report', when: 'true' } as const
  const answer = prove(compiled(CONFIGS.denials), question, { underWay: 0 })
  expect(describe(answer).split(', ')).toContain('fetch?')
})

const TWO = 'Assumed: at most 2 calls are under way at a time'
const than = (name: Name) => ({ ask: 'allows_more', than: compiled(CONFIGS[name]) }) as const

const FRESH_ASKED = 'Can `deploy` run without `run_tests` since the last success of `write_file`?'
const EVER = 'Can `deploy` run without `run_tests`?'
const ONE = 'Assumed: each call ends before the next begins'

test.each<[Name, Question, { readonly asked: string; readonly told: string }]>([
  [
    'plain',
    testsSince,
    { asked: FRESH_ASKED, told: 'Yes. The last call of this session is allowed.' },
  ],
  [
    'fresh',
    testsSince,
    { asked: FRESH_ASKED, told: `No. No run allows such a call. It rests on \`seq\`. ${TWO}.` },
  ],
  [
    'inspected',
    testsEver,
    {
      asked: EVER,
      told: `No. No run allows such a call. It rests on \`seq\`. ${TWO}, and content rules find nothing in arguments.`,
    },
  ],
  [
    'reviewed',
    testsEver,
    {
      asked: EVER,
      told: `No. No run allows such a call. It rests on \`seq\`. ${TWO}, and reviewers approve.`,
    },
  ],
  [
    'shell',
    { ask: 'run_where', tool: 'bash', when: "args.command == 'push --force'" },
    {
      asked: "Can `bash` run where `args.command == 'push --force'`?",
      told: `No. No run allows such a call. It rests on \`force\`. ${TWO}.`,
    },
  ],
  [
    'slow',
    { ask: 'run_where', tool: 'greet', when: 'true' },
    {
      asked: 'Can `greet` run where `true`?',
      told: 'Yes. The last call of this session is allowed.',
    },
  ],
  [
    'slow',
    { ask: 'run_where', tool: 'warn', when: 'false' },
    {
      asked: 'Can `warn` run where `false`?',
      told: `No. No run allows such a call. No rule is needed for that. ${TWO}.`,
    },
  ],
  [
    'retries',
    { ask: 'stop_without', needs: 'run_tests', after: ['write_file'] },
    {
      asked: 'Can a stop pass without `run_tests` since the last success of `write_file`?',
      told: `No. No run lets such a stop pass its checks. ${TWO}.`,
    },
  ],
  [
    'retries',
    { ask: 'stop_without', needs: 'lint' },
    {
      asked: 'Can a stop pass without `lint`?',
      told: 'Yes. The last stop of this session passes.',
    },
  ],
  [
    'retries',
    { ask: 'trapped' },
    {
      asked: 'Can the agent get into a state from which no stop can pass?',
      told: 'Yes. After this session no stop can pass its checks.',
    },
  ],
  [
    'endsWithDeploy',
    { ask: 'trapped' },
    {
      asked: 'Can the agent get into a state from which no stop can pass?',
      told: `No. From every state some sequence of calls leads to a stop that passes. ${ONE}.`,
    },
  ],
  [
    'chain',
    { ask: 'decisive', rule: 'c' },
    {
      asked: 'Does the rule `c` ever decide?',
      told: 'No. Whatever it refuses or asks about, another rule refuses, too. Assumed: at most 1 call is under way at a time.',
    },
  ],
  [
    'chain',
    { ask: 'decisive', rule: 'a' },
    {
      asked: 'Does the rule `a` ever decide?',
      told: 'Yes. It alone refuses the last call of this session, or asks about it.',
    },
  ],
  [
    'plain',
    than('fresh'),
    {
      asked: 'Does this config allow a call that the other one refuses?',
      told: 'Yes. The last call of this session is allowed here and refused there.',
    },
  ],
  [
    'fresh',
    than('plain'),
    {
      asked: 'Does this config allow a call that the other one refuses?',
      told: `No. Whatever the other one refuses, this config refuses, too. ${ONE}.`,
    },
  ],
  [
    'limits',
    { ask: 'most_calls', tool: 'deploy' },
    {
      asked: 'How often can `deploy` run in one session?',
      told: `At most 5 times. ${ONE}, and the time of a rate limit passes as a whole.`,
    },
  ],
  [
    'limits',
    { ask: 'most_calls', tool: 'send_mail' },
    {
      asked: 'How often can `send_mail` run in one session?',
      told: 'There is no limit: a sequence of calls that contains it can be repeated.',
    },
  ],
  [
    'looks',
    { ask: 'run_without', tool: 'refund', needs: 'lookup' },
    {
      asked: 'Can `refund` run without `lookup`?',
      told: 'Not known, because `calls.refund.succeeded < calls.lookup.succeeded` compares two values with each other.',
    },
  ],
])('%s: %o in words', (name, question, { asked, told }) => {
  expect(describeQuestion(question)).toBe(asked)
  expect(describeAnswer(question, prove(compiled(CONFIGS[name]), question))).toBe(told)
})

test('an answer says how many calls it assumes under way', () => {
  const config = compiled(CONFIGS.plain)
  const tell = (underWay: number) =>
    describeAnswer(testsEver, prove(config, testsEver, { underWay }))
  expect(tell(0)).toMatch(/ Assumed: each call ends before the next begins\.$/)
  expect(tell(1)).toMatch(/ Assumed: at most 1 call is under way at a time\.$/)
  expect(tell(9)).toMatch(/ Assumed: at most 3 calls are under way at a time\.$/)
  expect(tell(-1)).toBe(tell(0))
})

test('an example has a line for each event', () => {
  const list = (name: Name, question: Question) => {
    const answer = prove(compiled(CONFIGS[name]), question)
    return answer.answer === 'trace' ? answer.events.map(describeTraceEvent) : []
  }
  expect(list('retries', { ask: 'stop_without', needs: 'lint' })).toEqual([
    'session starts (any environment that no rule names)',
    'run_tests {}',
    'run_tests: success',
    'the agent stops',
  ])
  expect(list('reviewed', { ask: 'run_where', tool: 'deploy', when: 'true' })).toEqual([
    'session starts (any environment that no rule names)',
    'run_tests {}',
    'run_tests: success',
    'deploy {}',
    'a reviewer approves',
  ])
  expect(list('slow', { ask: 'run_where', tool: 'greet', when: 'true' })).toEqual([
    'session starts (any environment that no rule names)',
    'time passes',
    'greet {}',
  ])
})

test.each<[Question, string, string]>([
  [{ ...testsEver, tool: 'deplyo' }, 'question_names_unknown_tool', 'tool'],
  [{ ...testsEver, needs: 'tests' }, 'question_names_unknown_tool', 'needs'],
  [{ ...testsSince, after: ['deploy', 'write'] }, 'question_names_unknown_tool', 'after.1'],
  [{ ask: 'stop_without', needs: 'tests' }, 'question_names_unknown_tool', 'needs'],
  [{ ask: 'most_calls', tool: 'deplyo' }, 'question_names_unknown_tool', 'tool'],
  [{ ask: 'run_where', tool: 'deplyo', when: 'true' }, 'question_names_unknown_tool', 'tool'],
  [{ ask: 'run_where', tool: 'deploy', when: 'args.' }, 'question_condition_invalid', 'when'],
  [{ ask: 'run_where', tool: 'deploy', when: 'session' }, 'question_condition_invalid', 'when'],
  [{ ask: 'decisive', rule: 'sqe' }, 'question_names_unknown_rule', 'rule'],
])('%o cannot be asked: %s', (question, code, field) => {
  const sections = [{ id: 'all', title: 'All', tools: ['deploy', 'run_tests', 'write_file'] }]
  const { policies } = CONFIGS.fresh
  const declared = compiled({ policies, sections })
  expect(findQuestionFault(declared, question)).toMatchObject({ code, field })
  // Where no section declares tools, any name may be one.
  const isAboutTools = code === 'question_names_unknown_tool'
  expect(findQuestionFault(compiled({ policies }), question) === null).toBe(isAboutTools)
})

test('a question that cannot be asked is told what is wrong', () => {
  const sections = [{ id: 'all', title: 'All', tools: ['deploy'] }]
  const tell = (question: Question) => findQuestionFault(compiled({ sections }), question)?.message
  expect(tell({ ask: 'most_calls', tool: 'deplyo' })).toBe(
    'No section declares the tool "deplyo". Correct its name, or declare it.',
  )
  expect(tell({ ask: 'decisive', rule: 'sqe' })).toBe('The config has no policy "sqe".')
  expect(tell({ ask: 'run_where', tool: 'deploy', when: 'args.' })).toBe(
    '"args." is no CEL condition over args.',
  )
})

test('questions that name what the config has can be asked', () => {
  const sections = [{ id: 'all', title: 'All', tools: ['deploy', 'run_tests', 'write_file'] }]
  const config = compiled({ policies: [FRESH], sections })
  const questions: readonly Question[] = [
    testsSince,
    { ask: 'run_where', tool: 'deploy', when: 'args.x == 1' },
    { ask: 'decisive', rule: 'seq' },
    { ask: 'trapped' },
  ]
  expect(questions.filter((question) => findQuestionFault(config, question) !== null)).toEqual([])
})

test('a claim holds, is broken or is not known, and an answer with calls is a possible run', () => {
  const measured = { assumed: { underWay: 2, also: [] }, states: 1 }
  const answers: readonly Answer[] = [
    { answer: 'never', restsOn: null, ...measured },
    { answer: 'trace', events: [], ...measured },
    { answer: 'most', calls: 1, ...measured },
    { answer: 'unbounded', ...measured },
    { answer: 'unknown', because: [], ...measured },
  ]
  const judge = (expected: 'never' | 'possible') =>
    answers.map((answer) => judgeClaim(expected, answer))
  expect(judge('never')).toEqual(['holds', 'broken', 'broken', 'broken', 'unknown'])
  expect(judge('possible')).toEqual(['broken', 'holds', 'holds', 'holds', 'unknown'])
})
