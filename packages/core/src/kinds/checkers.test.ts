import { expect, test } from 'vitest'
import { type ConfigDocument, compileConfig, initialState, type SessionState } from '../index.ts'
import type { CheckResult } from '../model/effect.ts'
import type { Facts } from '../model/fact.ts'
import type { JsonObject } from '../model/json.ts'
import { mapFrom } from '../model/persistent-map.ts'
import type { ToolTally } from '../model/state.ts'
import type { CheckContext, LeafChecker } from './checkers/checker.ts'
import { nextQuestion } from './checkers/question.ts'
import { type Evaluation, runChecker, untouched } from './checkers/tree.ts'
import { type CheckerDocument, checkerRule } from './checkers.ts'

const POINTER = '/task_completion_checker'

function compiled(checker: CheckerDocument) {
  const document: ConfigDocument = {
    schema_version: 1,
    ns: 'a',
    key: 'b',
    task_completion_checker: checker,
  }
  const result = compileConfig(document, { customTypes: 'any' })
  if (!result.ok || result.config.checker === null) throw new Error('does not compile')
  return result.config.checker
}

type Given = Partial<SessionState> & { readonly facts?: Facts }

const context = ({ facts, ...state }: Given): CheckContext => ({
  state: { ...initialState('a:b'), ...state },
  stop: { via: 'turn_end', ...(facts === undefined ? {} : { facts }) },
})

const steps = (...all: readonly (readonly [title: string, status?: string])[]): Given => ({
  plan: {
    seq: 7,
    steps: all.map(([title, status]) => ({ title, ...(status === undefined ? {} : { status }) })),
    done: 0,
  },
})
const files = (facts: Facts['files']): Given => ({
  facts: facts === undefined ? {} : { files: facts },
})
const answer = (given: NonNullable<Facts['answers']>[string]): Given => ({
  facts: { answers: { check: given } },
})
const ran = (fields: Partial<ToolTally>): ToolTally => ({
  calls: 1,
  succeeded: 0,
  failed: 0,
  denied: 0,
  last: null,
  lastSeq: null,
  successSeq: null,
  ...fields,
})
const succeeded = (seq: number) => ran({ last: 'success', lastSeq: seq, successSeq: seq })
const tools = (tallies: { readonly [tool: string]: ToolTally }): Given => ({
  tallies: mapFrom(Object.entries(tallies)),
})

type Outcome = readonly [
  status: CheckResult['status'],
  code: string,
  params: JsonObject,
  feedback: string | null,
  because?: readonly number[],
]

function toResult(document: CheckerDocument, outcome: Outcome): CheckResult {
  const [status, code, params, feedback, because = []] = outcome
  const { id, type } = document
  return { checker: id, pointer: POINTER, type, status, code, params, feedback, because }
}

const PLAN: CheckerDocument = { id: 'plan', type: 'plan' }
const FILES: CheckerDocument = {
  id: 'files',
  type: 'files_exist',
  files: ['./a', 'b', '../c', 'd'],
}
const TESTED: CheckerDocument = {
  id: 'tested',
  type: 'tool_succeeded',
  tool: 'test',
  after: ['write', 'edit', 'test'],
}
const JUDGE: CheckerDocument = { id: 'check', type: 'llm_judge', criteria: 'Done.' }
const EASY: CheckerDocument = { ...JUDGE, require_adapter: false }
const OWN: CheckerDocument = { id: 'check', type: 'custom:check' }
const NAMED = ['./a', 'b', '../c', 'd']

const created = { exists: true }
const absent = { exists: false }

test.each<[string, CheckerDocument, Given, Outcome]>([
  ['without a plan', PLAN, {}, ['nothing_to_check', 'plan.none', {}, null]],
  ['with a plan without steps', PLAN, steps(), ['nothing_to_check', 'plan.none', {}, null]],
  [
    'with every step done',
    PLAN,
    steps(['one', 'done'], ['two', 'done']),
    ['passed', 'plan.done', { total: 2 }, 'All 2 task(s) in the plan are complete.', [7]],
  ],
  [
    'with open steps',
    PLAN,
    steps(['one', 'done'], ['two'], ['three', 'in_progress'], ['four', 'pending']),
    [
      'incomplete',
      'plan.open_steps',
      {
        total: 4,
        open: 3,
        steps: [
          { title: 'one', status: 'done' },
          { title: 'two', status: null },
          { title: 'three', status: 'in_progress' },
          { title: 'four', status: 'pending' },
        ],
      },
      'You have 3 incomplete task(s) out of 4. Please either complete all remaining tasks or update the plan to remove tasks that are no longer needed before producing output: two, three, four',
      [7],
    ],
  ],
  [
    'with all files',
    { id: 'f', type: 'files_exist', files: ['./a', 'b'] },
    files({ a: created, b: created }),
    ['passed', 'files.all_exist', { files: ['./a', 'b'] }, 'All required files exist.'],
  ],
  [
    'with files that are missing or cannot be looked up',
    FILES,
    files({ a: created, d: absent }),
    [
      'incomplete',
      'files.missing',
      { files: NAMED, missing: ['d'], unknown: ['b', '../c'] },
      'Missing required files: d, b, ../c',
    ],
  ],
  [
    'with files of which none can be looked up',
    FILES,
    {},
    [
      'incomplete',
      'files.unknown',
      { files: NAMED, missing: [], unknown: NAMED },
      'Missing required files: ./a, b, ../c...',
    ],
  ],
  [
    'without a run',
    TESTED,
    {},
    ['incomplete', 'tool.not_run', { tool: 'test' }, "Tool 'test' has not run yet."],
  ],
  [
    'with denied calls only',
    TESTED,
    tools({ test: ran({ denied: 1 }) }),
    ['incomplete', 'tool.not_run', { tool: 'test' }, "Tool 'test' has not run yet."],
  ],
  [
    'with a failure after a success',
    TESTED,
    tools({ test: ran({ last: 'failure', lastSeq: 9, successSeq: 5 }) }),
    [
      'incomplete',
      'tool.last_run_failed',
      { tool: 'test' },
      "The last run of tool 'test' did not succeed.",
      [9],
    ],
  ],
  [
    'with later successes of other tools',
    TESTED,
    tools({ test: succeeded(5), write: succeeded(9), edit: succeeded(7) }),
    [
      'incomplete',
      'tool.outdated',
      { tool: 'test', newer: ['write', 'edit'] },
      "Tool 'test' must succeed again after: write, edit.",
      [5, 7, 9],
    ],
  ],
  [
    'with earlier successes and a later failure of other tools',
    TESTED,
    tools({
      test: succeeded(5),
      write: succeeded(3),
      edit: ran({ last: 'failure', lastSeq: 9, successSeq: null }),
    }),
    ['passed', 'tool.succeeded', { tool: 'test' }, "Tool 'test' succeeded.", [5]],
  ],
  [
    'with a judge that agrees',
    JUDGE,
    answer({ kind: 'check', complete: true, feedback: 'Fine.', by: 'model-1' }),
    ['passed', 'judge.passed', { by: 'model-1' }, 'Fine.'],
  ],
  [
    'with a judge that disagrees',
    JUDGE,
    answer({ kind: 'check', complete: false }),
    ['incomplete', 'judge.incomplete', {}, null],
  ],
  [
    'with a judge that failed',
    JUDGE,
    answer({ kind: 'error', error: 'Too late.' }),
    ['error', 'judge.not_answered', {}, 'LLM verification failed.'],
  ],
  [
    'without an answer of the judge',
    JUDGE,
    {},
    ['error', 'judge.not_answered', {}, 'LLM verification failed.'],
  ],
  [
    'without a model',
    JUDGE,
    answer({ kind: 'unavailable' }),
    ['incomplete', 'judge.unavailable', {}, 'LLM verification required but no adapter available.'],
  ],
  [
    'without a model that is needed',
    EASY,
    answer({ kind: 'unavailable' }),
    ['nothing_to_check', 'judge.unavailable', {}, null],
  ],
  [
    'with code that agrees',
    OWN,
    answer({ kind: 'check', complete: true }),
    ['passed', 'custom.passed', {}, null],
  ],
  [
    'with code that disagrees',
    OWN,
    answer({ kind: 'check', complete: false, feedback: 'No.' }),
    ['incomplete', 'custom.incomplete', {}, 'No.'],
  ],
  [
    'without an answer of the code',
    OWN,
    {},
    ['error', 'custom.not_answered', {}, "Checker 'check' could not be evaluated."],
  ],
])('a stop is checked %s', (...[, document, given, outcome]) => {
  const result = runChecker(compiled(document), context(given), 'short_circuit')
  expect(result).toEqual(toResult(document, outcome))
})

test('a checker that throws is an error of that checker', () => {
  const broken: LeafChecker = {
    kind: 'leaf',
    id: 'c',
    pointer: POINTER,
    type: 'plan',
    files: [],
    external: false,
    criteria: null,
    check: () => {
      throw new Error('broken')
    },
  }
  expect(runChecker(broken, context({}), 'everything')).toEqual(
    toResult({ id: 'c', type: 'plan' }, [
      'error',
      'checker.threw',
      {},
      "Checker 'c' could not be evaluated.",
    ]),
  )
})

const yes = (id: string): CheckerDocument => ({ id, type: 'tool_succeeded', tool: id })
const group = (all_must_pass: boolean | null, ...checkers: readonly CheckerDocument[]) => ({
  id: 'group',
  type: 'composite' as const,
  checkers,
  ...(all_must_pass === null ? {} : { all_must_pass }),
})
const RAN = tools({
  ok: succeeded(5),
  fine: succeeded(3),
  bad: ran({ last: 'failure', lastSeq: 4 }),
})
const NO_OK = "The last run of tool 'bad' did not succeed."
const bad = yes('bad')
const ok = yes('ok')

test.each<[string, CheckerDocument, Evaluation, Outcome, readonly string[]]>([
  [
    'no checkers',
    group(true),
    'short_circuit',
    ['nothing_to_check', 'composite.empty', {}, 'No checkers configured.'],
    [],
  ],
  [
    'checks that all pass',
    group(null, ok, yes('fine'), PLAN),
    'short_circuit',
    ['passed', 'composite.all_passed', {}, "Tool 'ok' succeeded. Tool 'fine' succeeded.", [3, 5]],
    ['passed', 'passed', 'nothing_to_check'],
  ],
  [
    'checks that have nothing to check',
    group(true, PLAN, { ...PLAN, id: 'more' }),
    'short_circuit',
    ['nothing_to_check', 'composite.all_passed', {}, 'All checks passed.'],
    ['nothing_to_check', 'nothing_to_check'],
  ],
  [
    'a check that fails',
    group(true, ok, bad, yes('fine')),
    'short_circuit',
    ['incomplete', 'composite.child_incomplete', { cause: 'bad' }, NO_OK, [4]],
    ['passed', 'incomplete', 'not_evaluated'],
  ],
  [
    'a check that fails, with all evaluated',
    group(true, ok, bad, yes('fine'), { ...TESTED, id: 'none' }),
    'everything',
    ['incomplete', 'composite.child_incomplete', { cause: 'bad' }, NO_OK, [4]],
    ['passed', 'incomplete', 'passed', 'incomplete'],
  ],
  [
    'a choice with a check that passes',
    group(false, bad, ok, yes('fine')),
    'short_circuit',
    ['passed', 'composite.child_passed', { cause: 'ok' }, "Tool 'ok' succeeded.", [5]],
    ['incomplete', 'passed', 'not_evaluated'],
  ],
  [
    'a choice with nothing to check',
    group(false, PLAN, bad),
    'short_circuit',
    ['nothing_to_check', 'composite.child_passed', { cause: 'plan' }, null],
    ['nothing_to_check', 'not_evaluated'],
  ],
  [
    'a choice of which none passes',
    group(false, bad, OWN),
    'short_circuit',
    [
      'incomplete',
      'composite.none_passed',
      {},
      `${NO_OK} Checker 'check' could not be evaluated.`,
      [4],
    ],
    ['incomplete', 'error'],
  ],
  [
    'a choice of errors only',
    group(false, OWN, { ...OWN, id: 'two' }),
    'short_circuit',
    [
      'error',
      'composite.none_passed',
      {},
      "Checker 'check' could not be evaluated. Checker 'two' could not be evaluated.",
    ],
    ['error', 'error'],
  ],
])('a composite concludes from %s', (...[, document, evaluation, outcome, statuses]) => {
  const result = runChecker(compiled(document), context(RAN), evaluation)
  const { children = [], ...head } = result
  expect(head).toEqual(toResult(document, outcome))
  expect(children.map(({ status }) => status)).toEqual(statuses)
})

test('a choice without any message says that no check passed', () => {
  const { feedback } = runChecker(
    compiled(group(false, OWN)),
    context(answer({ kind: 'check', complete: false })),
    'short_circuit',
  )
  expect(feedback).toBe('No checks passed.')
})

test('a skipped tree has one status throughout', () => {
  const tree = compiled(group(true, PLAN, { ...group(false, ok), id: 'inner' }))
  const skipped = (checker: string, type: string, at: string) => ({
    checker,
    pointer: `${POINTER}${at}`,
    type,
    status: 'bypassed',
    code: 'check.bypassed',
    params: { cause: 'budget' },
    feedback: null,
    because: [],
  })
  expect(untouched(tree, 'bypassed', { cause: 'budget' })).toEqual({
    ...skipped('group', 'composite', ''),
    children: [
      skipped('plan', 'plan', '/checkers/0'),
      {
        ...skipped('inner', 'composite', '/checkers/1'),
        children: [skipped('ok', 'tool_succeeded', '/checkers/1/checkers/0')],
      },
    ],
  })
})

test.each<[string, CheckerDocument, Given, string | null]>([
  ['a check that needs no answer', PLAN, {}, null],
  ['a check without an answer', OWN, {}, 'check'],
  ['a check with an answer', OWN, answer({ kind: 'error', error: 'x' }), null],
  ['a check before a failing one', group(true, OWN, bad), RAN, 'check'],
  ['no check after a failing one', group(true, bad, OWN), RAN, null],
  ['a check after a passing one', group(true, ok, OWN), RAN, 'check'],
  ['no check after the choice', group(false, ok, OWN), RAN, null],
  ['a check of an open choice', group(false, bad, OWN), RAN, 'check'],
])('the next question is about %s', (...[, document, given, rule]) => {
  const question = rule === null ? null : { rule, type: 'custom:check', kind: 'check' }
  expect(nextQuestion(compiled(document), context(given))).toEqual(question)
})

const step = (
  key: string,
  [code, text]: readonly [code: string, text: string],
  more: object = {},
) => ({
  key,
  code,
  text,
  owner: 'agent',
  since: null,
  action: { kind: 'other' },
  obstacle: null,
  ...more,
})
const planStep = (index: number, text: string) =>
  step(`plan ${index}`, ['plan.finish_step', text], {
    since: 7,
    action: { kind: 'plan_step', index },
  })
const fileStep = (path: string, [code, text]: readonly [string, string], more: object = {}) =>
  step(`file ${path}`, [code, text], { action: { kind: 'file', path }, ...more })
const answerStep = (text: string, obstacle: string | null) =>
  step('answer check', ['answer.satisfy', text], {
    action: { kind: 'answer', rule: 'check' },
    obstacle,
  })
const CHECK = 'Satisfy the check `check`'
const JUDGED = 'Satisfy the judge: Done.'
const HOLDS: CheckerDocument = { id: 'x', type: 'expression', require: 'calls.a.calls > 0' }

test.each<[string, CheckerDocument, Given, readonly object[]]>([
  ['no plan', PLAN, {}, []],
  [
    'a plan with open steps',
    PLAN,
    steps(['one', 'done'], ['two'], ['three', 'in_progress'], ['four', 'pending']),
    [
      planStep(1, 'Finish or remove “two”'),
      planStep(2, 'Finish “three”'),
      planStep(3, 'Finish or remove “four”'),
    ],
  ],
  [
    'files that are missing, unknown or outside',
    FILES,
    files({ a: created, d: absent }),
    [
      fileStep('b', ['files.cannot_check', 'Make `b` visible to the runtime'], {
        owner: 'operator',
      }),
      fileStep('../c', ['files.cannot_check', 'Make `../c` visible to the runtime'], {
        owner: 'config',
        obstacle: '`../c` lies outside the workspace.',
      }),
      fileStep('d', ['files.create', 'Create `d`']),
    ],
  ],
  ['a tool that must run', TESTED, {}, []],
  ['code without an answer yet', OWN, {}, [answerStep(CHECK, null)]],
  [
    'code that disagreed',
    OWN,
    answer({ kind: 'check', complete: false }),
    [answerStep(CHECK, null)],
  ],
  [
    'code that failed',
    OWN,
    answer({ kind: 'error', error: 'Too late.' }),
    [answerStep(CHECK, 'It could not be evaluated: Too late.')],
  ],
  [
    'code that is not registered',
    OWN,
    answer({ kind: 'unavailable' }),
    [answerStep(CHECK, 'No code is registered for it.')],
  ],
  [
    'an answer of another kind',
    OWN,
    answer({ kind: 'policy', allow: true }),
    [answerStep(CHECK, 'Its answer was not valid.')],
  ],
  [
    'a judge that disagreed',
    JUDGE,
    answer({ kind: 'check', complete: false }),
    [answerStep(JUDGED, null)],
  ],
  [
    'a judge without a model',
    JUDGE,
    answer({ kind: 'unavailable' }),
    [
      step('judge model', ['judge.configure', 'Configure a model for the judge in the runtime'], {
        owner: 'operator',
        action: { kind: 'model' },
      }),
      answerStep(JUDGED, null),
    ],
  ],
  [
    'a condition',
    HOLDS,
    {},
    [step('expression calls.a.calls > 0', ['expression.satisfy', 'Make `calls.a.calls > 0` true'])],
  ],
  [
    'a condition with feedback',
    { ...HOLDS, feedback: 'Call a once.' },
    {},
    [
      step('expression calls.a.calls > 0', [
        'expression.satisfy',
        'Follow “Call a once.” until `calls.a.calls > 0` is true',
      ]),
    ],
  ],
])('the steps after an incomplete check are those of %s', (...[, document, given, expected]) => {
  const result = toResult(document, ['incomplete', 'any', {}, null])
  expect(checkerRule(document)?.steps(document, result, context(given))).toEqual(expected)
})

test.each([
  ['No such key.', 'No such key.'],
  [null, 'It could not be evaluated.'],
])('a condition that could not be evaluated (%s) is for its author to mend', (said, obstacle) => {
  const result = toResult(HOLDS, ['error', 'any', {}, said])
  expect(checkerRule(HOLDS)?.steps(HOLDS, result, context({}))).toEqual([
    step('mend x', ['checker.mend', 'Fix the check `x`'], { owner: 'config', obstacle }),
  ])
})

test('only a judge that lacks a model has a step for when there is one', () => {
  const later = (document: CheckerDocument, given: Given) =>
    checkerRule(document)?.stepWithModel(document, context(given))
  expect(later(JUDGE, answer({ kind: 'unavailable' }))).toEqual(answerStep(JUDGED, null))
  expect(later(JUDGE, answer({ kind: 'check', complete: false }))).toBeNull()
  expect(later(JUDGE, {})).toBeNull()
  for (const document of [PLAN, FILES, TESTED, OWN, HOLDS]) {
    expect(later(document, answer({ kind: 'unavailable' }))).toBeNull()
  }
})

test.each<[CheckerDocument, object]>([
  [PLAN, {}],
  [FILES, {}],
  [{ ...FILES, files: ['a'] }, { unknown: 'outlook.files' }],
  [
    TESTED,
    {
      required: [{ item: 'test', pointer: '/c/tool' }],
      watched: ['write', 'edit', 'test'].map((item, i) => ({ item, pointer: `/c/after/${i}` })),
      run: { tool: 'test', after: ['write', 'edit'] },
      unreachable: 'never',
    },
  ],
  [
    { id: 't', type: 'tool_succeeded', tool: 'test' },
    {
      required: [{ item: 'test', pointer: '/c/tool' }],
      run: { tool: 'test', after: [] },
      unreachable: 'never',
    },
  ],
  [JUDGE, { unknown: 'outlook.judge' }],
  [OWN, { unknown: 'outlook.custom' }],
  [{ ...HOLDS, require: 'stop.via == "a"' }, { unknown: 'outlook.attempt' }],
  [{ ...HOLDS, require: 'session.stopped' }, {}],
  [
    { ...HOLDS, require: '( true )' },
    { answer: 'always', unreachable: 'always' },
  ],
  [
    { ...HOLDS, require: 'false' },
    { answer: 'never', unreachable: 'never' },
  ],
])('lint and outlook know of %j', (document, expected) => {
  const rule = checkerRule(document)
  const leaf: LeafChecker = {
    kind: 'leaf',
    id: document.id,
    pointer: POINTER,
    type: document.type,
    files: document === FILES ? ['a', 'b', 'd'] : ['a'],
    external: false,
    criteria: null,
    check: () => ({ status: 'passed', code: '', params: {}, feedback: null, because: [] }),
  }
  expect({
    required: rule?.toolsRequired(document, '/c'),
    watched: rule?.toolsWatched(document, '/c'),
    run: rule?.run(document),
    answer: rule?.answer(document, () => true),
    unreachable: rule?.answer(document, () => false),
    unknown: rule?.unknownBefore(document, leaf),
  }).toEqual({
    required: [],
    watched: [],
    run: null,
    answer: 'depends',
    unreachable: 'depends',
    unknown: null,
    ...expected,
  })
})

test('a composite has no rule of its own', () => {
  expect(checkerRule(group(true))).toBeNull()
})
