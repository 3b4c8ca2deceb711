import { describe, expect, it, test } from 'vitest'
import type { RuleResult } from '../../model/effect.ts'
import type { JsonObject } from '../../model/json.ts'
import { NO_DELIVERY } from '../../model/state.ts'
import type { TriggerDocument } from '../../model/trigger.ts'
import { customCheckerWords } from '../checkers/custom.ts'
import { CHECKER_WORDS, type CheckerDocument, describeChecker } from '../checkers.ts'
import { describeTrigger, nextFirings } from '../feedback/trigger.ts'
import { describeProvider, type FeedbackProviderDocument } from '../feedback.ts'
import { customPolicyWords } from '../policies/custom.ts'
import { describePolicy, POLICY_WORDS, type PolicyDocument, policyReason } from '../policies.ts'
import { REDACTION_WORDS } from '../redaction.ts'
import { type Sentences, text } from './rule-words.ts'

const READS = {
  id: 'reads',
  type: 'read_before_write',
  read_tools: ['read', 'open'],
  write_tools: ['write', 'edit', 'patch'],
} as const

test.each<[PolicyDocument, string]>([
  [
    {
      id: 'o',
      type: 'sequential_dependency',
      dependencies: { deploy: ['test', 'build'], publish: ['deploy'], lint: [] },
    },
    '`deploy` needs `test` and `build` first; `publish` needs `deploy` first; `lint` needs nothing first',
  ],
  [{ id: 'o', type: 'sequential_dependency', dependencies: {} }, 'No tool has a prerequisite'],
  [
    READS,
    '`write`, `edit` and `patch` may overwrite a file only after `read` or `open` has read it',
  ],
  [
    { ...READS, read_tools: [], write_tools: ['write'] },
    '`write` may overwrite a file only after no tool has read it',
  ],
  [{ id: 'x', type: 'expression', deny_when: 'args.x' }, 'Denies every call when `args.x`'],
  [
    { id: 'x', type: 'expression', tools: ['a', 'b'], require: 'args.x' },
    'Allows calls of `a` or `b` only when `args.x`',
  ],
  [
    { id: 'r', type: 'rate_limit', tools: ['a', 'b'], max_calls: 1, per_seconds: 3600 },
    'At most 1 call of `a` or `b` per hour',
  ],
  [
    { id: 'r', type: 'rate_limit', tools: ['a'], max_calls: 2, per_seconds: 60 },
    'At most 2 calls of `a` per minute',
  ],
  [
    { id: 'a', type: 'approval', tools: ['deploy'], timeout_seconds: 300 },
    'Calls of `deploy` wait up to 5 minutes for a reviewer',
  ],
  [
    { id: 'a', type: 'approval', tools: ['deploy'], when: 'args.force', timeout_seconds: 300 },
    'Calls of `deploy` wait up to 5 minutes for a reviewer when `args.force`',
  ],
  [{ id: 'c', type: 'custom:policy' }, 'Custom type `custom:policy` decides every call'],
  [
    { id: 'c', type: 'custom:policy', tools: ['a'] },
    'Custom type `custom:policy` decides calls of `a`',
  ],
])('the policy %j is described', (policy, words) => {
  expect(describePolicy(policy)).toBe(words)
})

const PLAN: CheckerDocument = { id: 'p', type: 'plan' }

test.each<[CheckerDocument, string]>([
  [PLAN, 'Every plan step is done'],
  [{ id: 'f', type: 'files_exist', files: ['a'] }, '`a` exists'],
  [{ id: 'f', type: 'files_exist', files: ['a', 'b'] }, '`a` and `b` exist'],
  [{ id: 't', type: 'tool_succeeded', tool: 'test' }, '`test` succeeded'],
  [
    { id: 't', type: 'tool_succeeded', tool: 'test', after: ['write', 'edit'] },
    '`test` succeeded since the last `write` or `edit`',
  ],
  [{ id: 'j', type: 'llm_judge', criteria: 'All done.' }, 'A model judges: All done.'],
  [{ id: 'x', type: 'expression', require: 'calls.a.calls > 0' }, '`calls.a.calls > 0` is true'],
  [
    { id: 'c', type: 'composite', checkers: [PLAN, { id: 'o', type: 'custom:check' }] },
    'All of: Every plan step is done; Custom type `custom:check` reports that the task is complete',
  ],
  [
    {
      id: 'c',
      type: 'composite',
      all_must_pass: false,
      checkers: [PLAN, { id: 'd', type: 'composite', checkers: [] }],
    },
    'Any of: Every plan step is done; All of: nothing',
  ],
])('the checker %j is described', (checker, words) => {
  expect(describeChecker(checker)).toBe(words)
})

const trigger: TriggerDocument = { every_n_calls: 5 }

test.each<[FeedbackProviderDocument, string]>([
  [
    { id: 'd', type: 'deadline', trigger },
    'Reports the remaining time every 5 calls, as a warning in the last 2 minutes',
  ],
  [
    { id: 'd', type: 'deadline', trigger, warning_threshold_seconds: 60 },
    'Reports the remaining time every 5 calls, as a warning in the last 1 minute',
  ],
  [
    { id: 's', type: 'static', feedback: 'Look.', trigger: { every_n_seconds: 60 } },
    'Sends “Look.” every 1 minute',
  ],
  [
    { id: 'u', type: 'tool_usage', trigger },
    'Reports the number of calls every 5 calls, with a caution above 20',
  ],
  [
    { id: 'u', type: 'tool_usage', trigger, max_calls_without_progress: 7 },
    'Reports the number of calls every 5 calls, with a caution above 7',
  ],
  [
    { id: 'f', type: 'repeated_failure', trigger: { every_n_calls: 1 } },
    'Warns when a tool fails 3 times in a row',
  ],
  [
    { id: 'f', type: 'repeated_failure', trigger, tool: 'test', times: 2 },
    'Warns when `test` fails 2 times in a row, at most every 5 calls',
  ],
  [
    { id: 'c', type: 'repeated_call', trigger },
    'Warns when the same call is made 3 times in a row, at most every 5 calls',
  ],
  [
    { id: 'c', type: 'repeated_call', trigger, times: 4 },
    'Warns when the same call is made 4 times in a row, at most every 5 calls',
  ],
  [
    { id: 'o', type: 'custom:provider', trigger },
    'Custom type `custom:provider` gives feedback every 5 calls',
  ],
])('the provider %j is described', (provider, words) => {
  expect(describeProvider(provider)).toBe(words)
})

test.each<[TriggerDocument, string]>([
  [{}, 'never'],
  [{ every_n_calls: 1 }, 'after every call'],
  [
    { on_file_created: { filename: 'a.md' }, every_n_seconds: 9, every_n_calls: 2 },
    'every 2 calls or every 9 s or once when `a.md` exists',
  ],
])('the trigger %j is described', (document, words) => {
  expect(describeTrigger(document)).toBe(words)
})

describe('the next time at which a trigger fires', () => {
  const all: TriggerDocument = {
    every_n_calls: 3,
    every_n_seconds: 60,
    on_file_created: { filename: 'a.md' },
  }
  const delivered = { ...NO_DELIVERY, callsAtDelivery: 10, deliveredAt: 100_000 }

  it.each([
    [
      'after a delivery',
      all,
      delivered,
      { calls: 11, at: 130_000, fileFired: false },
      [
        { text: 'every 3 calls, next after 2 calls' },
        { text: 'every 60 s, next in', waitMs: 30_000 },
        { text: 'when `a.md` exists' },
      ],
    ],
    [
      'when it is due',
      all,
      delivered,
      { calls: 13, at: 160_000, fileFired: true },
      [
        { text: 'every 3 calls, next after the next call' },
        { text: 'every 60 s, next at the next call' },
        { text: '`a.md`: fired, not again' },
      ],
    ],
    [
      'one call before and long after it is due',
      all,
      delivered,
      { calls: 12, at: 900_000, fileFired: true },
      [
        { text: 'every 3 calls, next after the next call' },
        { text: 'every 60 s, next at the next call' },
        { text: '`a.md`: fired, not again' },
      ],
    ],
    [
      'before the first delivery',
      { every_n_calls: 1, every_n_seconds: 60 },
      NO_DELIVERY,
      { calls: 0, at: 5, fileFired: false },
      [{ text: 'after every call' }, { text: 'every 60 s, next at the next call' }],
    ],
    ['without a condition', {}, delivered, { calls: 11, at: 130_000, fileFired: false }, []],
  ])('is described %s', (...[, document, state, moment, firings]) => {
    expect(nextFirings(document, state, moment)).toEqual(firings)
  })
})

type Sentence = readonly [code: string, params: JsonObject, words: string]

function expectSentences(sentences: Sentences, rows: readonly Sentence[]): void {
  expect(rows.map(([code, params]) => [code, params, sentences[code]?.(params)])).toEqual(rows)
  expect(new Set(rows.map(([code]) => code))).toEqual(new Set(Object.keys(sentences)))
}

const path = { path: 'a.txt' }
const by = { by: 'ada@example.com' }

test.each<[string, Sentences, readonly Sentence[]]>([
  [
    'sequential_dependency',
    POLICY_WORDS.sequential_dependency.sentences,
    [
      ['sequential.satisfied', { needed: ['a', 'b'] }, 'a and b succeeded before it'],
      ['sequential.missing', { tool: 'deploy', missing: ['a', 'b'] }, 'deploy needs a and b first'],
      ['sequential.missing', {}, '– needs – first'],
      [
        'sequential.outdated',
        { tool: 'deploy', missing: [], outdated: ['test'], newer: ['edit'] },
        'deploy needs test again after edit',
      ],
      [
        'sequential.outdated',
        { tool: 'deploy', missing: ['build'], outdated: ['test', 'lint'], newer: ['edit'] },
        'deploy needs build first, and test and lint again after edit',
      ],
    ],
  ],
  [
    'read_before_write',
    POLICY_WORDS.read_before_write.sentences,
    [
      ['file.new', path, 'a.txt does not exist yet'],
      ['file.was_read', path, 'a.txt was read before'],
      ['file.not_read', path, 'a.txt exists and was not read'],
      ['file.changed', path, 'a.txt changed since it was read'],
      ['file.is_directory', path, 'a.txt is a directory'],
      ['file.outside_workspace', path, 'a.txt is outside the workspace'],
      ['file.existence_unknown', path, 'Whether a.txt exists is unknown'],
      ['file.path_hidden', {}, 'The path of the call was redacted'],
      ['file.behind_link', path, 'a.txt leaves a folder that may be a link'],
      ['file.too_many_paths', { most: 100 }, 'The call names more than 100 paths'],
      ['file.too_many_paths', { most: 1 }, 'The call names more than 1 path'],
      ['file.too_many_paths', {}, 'The call names more than – paths'],
      ['arguments.not_an_object', {}, 'The arguments of the call are not an object'],
    ],
  ],
  [
    'expression (policy)',
    POLICY_WORDS.expression.sentences,
    [
      [
        'expression.allows',
        { expression: 'args.x' },
        "The rule's condition allows the call: args.x",
      ],
      [
        'expression.denies',
        { expression: 'args.x' },
        "The rule's condition denies the call: args.x",
      ],
      ['expression.not_evaluated', {}, 'The condition could not be evaluated'],
    ],
  ],
  [
    'rate_limit',
    POLICY_WORDS.rate_limit.sentences,
    [
      [
        'rate.within_limit',
        { max_calls: 1000, per_seconds: 60 },
        'Within the limit of 1,000 in 60 s',
      ],
      [
        'rate.exceeded',
        { tool: 'deploy', max_calls: 2, per_seconds: 60 },
        'deploy reached the limit of 2 in 60 s',
      ],
    ],
  ],
  [
    'approval',
    POLICY_WORDS.approval.sentences,
    [
      ['approval.approved', by, 'Approved by ada@example.com'],
      ['approval.approved', {}, 'Approved'],
      ['approval.denied', by, 'Not approved by ada@example.com'],
      ['approval.timed_out', { timeout_seconds: 60 }, 'No one approved it within 60 s'],
      ['approval.unavailable', {}, 'It needs approval, but no one could be asked'],
      ['approval.would_ask', { tool: 'deploy' }, 'deploy would need approval'],
      [
        'approval.not_asked',
        { when: 'args.force' },
        'No one is asked, because this is false: args.force',
      ],
    ],
  ],
  [
    'custom (policy)',
    customPolicyWords.sentences,
    [
      ['custom.allows', {}, 'The custom rule allows it'],
      ['custom.denies', {}, 'The custom rule denies it'],
      ['custom.denies', { reason: 'Too late.' }, 'Too late.'],
      ['answer.missing', {}, 'The custom rule gave no answer'],
    ],
  ],
  [
    'plan',
    CHECKER_WORDS.plan.sentences,
    [
      ['plan.none', {}, 'No plan exists'],
      ['plan.done', { total: 4 }, 'All 4 plan steps are done'],
      ['plan.done', { total: 1 }, 'The only plan step is done'],
      ['plan.open_steps', { open: 1, total: 4 }, '1 of 4 plan steps is not done'],
      ['plan.open_steps', { open: 2, total: 4 }, '2 of 4 plan steps are not done'],
    ],
  ],
  [
    'files_exist',
    CHECKER_WORDS.files_exist.sentences,
    [
      ['files.all_exist', { files: ['a'] }, 'a exists'],
      ['files.all_exist', { files: ['a', 'b'] }, 'a and b exist'],
      ['files.missing', { missing: ['a'] }, 'Required file a is missing'],
      ['files.missing', { missing: ['a', 'b'] }, 'Required files are missing: a and b'],
      ['files.unknown', { unknown: ['a', 'b'] }, 'Whether these files exist is unknown: a and b'],
    ],
  ],
  [
    'tool_succeeded',
    CHECKER_WORDS.tool_succeeded.sentences,
    [
      ['tool.succeeded', { tool: 'test' }, 'test succeeded'],
      ['tool.not_run', { tool: 'test' }, 'test has not run'],
      ['tool.last_run_failed', { tool: 'test' }, 'The last run of test did not succeed'],
      [
        'tool.outdated',
        { tool: 'test', newer: ['write', 'edit'] },
        'test has not succeeded since write and edit',
      ],
    ],
  ],
  [
    'llm_judge',
    CHECKER_WORDS.llm_judge.sentences,
    [
      ['judge.passed', by, 'The judge reports that the task is complete (ada@example.com)'],
      ['judge.incomplete', {}, 'The judge reports that the task is not complete'],
      ['judge.not_answered', {}, 'The judge gave no usable answer'],
      ['judge.unavailable', {}, 'No model is available to judge it'],
    ],
  ],
  [
    'expression (checker)',
    CHECKER_WORDS.expression.sentences,
    [
      ['expression.holds', { expression: 'true' }, 'The condition is met'],
      ['expression.does_not_hold', { expression: 'false' }, 'The condition is not met'],
      [
        'expression.not_evaluated',
        { expression: 'stop.output.score > 3' },
        'The condition could not be evaluated',
      ],
    ],
  ],
  [
    'composite',
    CHECKER_WORDS.composite.sentences,
    [
      ['composite.all_passed', {}, 'All checks passed'],
      ['composite.child_passed', { cause: 'plan' }, 'plan passed, and one is enough'],
      ['composite.child_incomplete', { cause: 'plan' }, 'plan is not complete'],
      ['composite.none_passed', {}, 'No check passed, and one would be enough'],
      ['composite.empty', {}, 'No checkers are configured'],
    ],
  ],
  [
    'custom (checker)',
    customCheckerWords.sentences,
    [
      ['custom.passed', {}, 'The custom check passed'],
      ['custom.incomplete', {}, 'The custom check is not complete'],
      ['custom.not_answered', {}, 'The custom check gave no answer'],
    ],
  ],
])('each reason code of %s has its sentence', (_, sentences, rows) => {
  expectSentences(sentences, rows)
})

test.each([
  ['a', 'a'],
  ['', ''],
  [1000, '1,000'],
  [true, '–'],
  [undefined, '–'],
] as const)('the parameter %j of a sentence becomes %j', (value, words) => {
  expect(text(value)).toBe(words)
})

const agent = (words: string, call: string | null = null) => ({ owner: 'agent', text: words, call })
const operator = (words: string) => ({ owner: 'operator', text: words, call: null })
const config = (words: string) => ({ owner: 'config', text: words, call: null })
const OWN: PolicyDocument = { id: 'own', type: 'custom:policy' }

/** undefined: the code has no steps. */
test.each<[string, JsonObject, PolicyDocument | undefined, readonly object[] | undefined]>([
  ['sequential.satisfied', {}, undefined, undefined],
  [
    'sequential.missing',
    { missing: ['test', 1, 'build'] },
    undefined,
    [
      agent('Run `test` until it succeeds', 'test'),
      agent('Run `build` until it succeeds', 'build'),
    ],
  ],
  ['sequential.missing', { missing: 'test' }, undefined, []],
  ['file.new', path, READS, undefined],
  ['file.was_read', path, READS, undefined],
  ['file.not_read', path, READS, [agent('Read `a.txt` with `read` or `open`', 'read a.txt')]],
  ['file.not_read', path, undefined, [agent('Read `a.txt` with a reading tool')]],
  ['file.not_read', path, OWN, [agent('Read `a.txt` with a reading tool')]],
  ['file.not_read', {}, { ...READS, read_tools: [] }, [agent('Read `` with a reading tool')]],
  ['file.changed', path, READS, [agent('Read `a.txt` again with `read` or `open`', 'read a.txt')]],
  ['file.is_directory', path, READS, [agent('Use a file instead of the directory `a.txt`')]],
  [
    'file.outside_workspace',
    path,
    READS,
    [agent('Write to a file inside the workspace instead of `a.txt`')],
  ],
  ['file.existence_unknown', path, READS, [operator('Make `a.txt` visible to the runtime')]],
  ['file.existence_unknown', {}, READS, [operator('Make `` visible to the runtime')]],
  ['file.path_hidden', {}, READS, [config('Stop redacting the path argument')]],
  ['file.behind_link', path, READS, [agent("Write `a.txt` without '..'")]],
  ['file.too_many_paths', { most: 100 }, READS, [agent('Write at most 100 files in one call')]],
  ['arguments.not_an_object', {}, READS, [agent('Pass the arguments as an object')]],
  ['expression.allows', {}, undefined, undefined],
  [
    'expression.denies',
    {},
    undefined,
    [config('Change the call, or the condition of rule `rule`')],
  ],
  ['expression.not_evaluated', {}, undefined, undefined],
  ['rate.within_limit', {}, undefined, undefined],
  [
    'rate.exceeded',
    { per_seconds: 60 },
    undefined,
    [agent('Wait until there are fewer calls in the last 60 s')],
  ],
  ['approval.approved', {}, undefined, undefined],
  ['approval.not_asked', {}, undefined, undefined],
  ['approval.denied', {}, undefined, [operator('Approve the call when it is asked for again')]],
  ['approval.timed_out', {}, undefined, [operator('Approve the call when it is asked for again')]],
  [
    'approval.unavailable',
    {},
    undefined,
    [operator('Connect the runtime, so that someone can be asked')],
  ],
  ['approval.would_ask', {}, undefined, undefined],
  ['custom.allows', {}, undefined, undefined],
  ['custom.denies', {}, undefined, [operator('Do what `rule` asks for, or change its code')]],
  ['answer.missing', {}, undefined, undefined],
])('a denial with the code %s and %j has its steps', (...[code, params, policy, steps]) => {
  const denial: RuleResult = {
    rule: 'rule',
    pointer: '/policies/0',
    type: 'any',
    mode: 'enforce',
    result: 'deny',
    code,
    params,
    because: [],
  }
  expect(policyReason(code).steps?.(denial, policy)).toEqual(steps)
})

test('a reason code of another build rests on the arguments and has no steps', () => {
  expect(policyReason('other.code')).toEqual({ basis: 'input' })
  expect(policyReason('toString')).toEqual({ basis: 'input' })
})

test('values of redaction rules are described, and texts that may be secrets only counted', () => {
  const { keys, literals } = REDACTION_WORDS
  expect(keys.describe([])).toBe('none')
  expect(keys.summarize(keys.describe(['token', 'path']))).toBe('keys `token`, `path`')
  expect(literals.describe(['a', 'b'], ['a'])).toBe('2 literal texts')
  expect(literals.describe(['a', 'b'], ['a', 'b'])).toBe('2 literal texts')
  expect(literals.summarize(literals.describe(['a', 'c'], ['a', 'b']))).toBe(
    '2 other literal texts',
  )
})
