import { expect, test } from 'vitest'
import type { ConfigDocument } from '../../kinds/config.ts'
import type { RuleResult, ToolDecision } from '../../model/effect.ts'
import type { JsonObject } from '../../model/json.ts'
import { callSentence, contentSentence, decisionSentence, ruleSentence } from './sentences.ts'
import { checkSentence, stopSentence, wouldBlock } from './stop-sentences.ts'

const base: ToolDecision = {
  call_id: 'c',
  tool: 'deploy',
  decision: 'allowed',
  reason: null,
  rules: [],
}

const denying: RuleResult = {
  rule: 'order',
  pointer: '/policies/0',
  type: 'sequential_dependency',
  mode: 'enforce',
  result: 'deny',
  code: 'sequential.missing',
  params: { tool: 'deploy', missing: ['test', 'lint'] },
  because: [],
}

test('decisionSentence describes a call denied without a rule by the reason of the runtime, without a period', () => {
  const reason = 'No guardrail config is in force yet, so every tool call is denied.'
  expect(decisionSentence({ ...base, decision: 'error', reason })).toBe(reason.slice(0, -1))
  expect(decisionSentence({ ...base, decision: 'error' })).toBe('Denied')
  expect(decisionSentence(base)).toBe('Allowed')
})

test.each([
  [['a.md'], 'a.md exists'],
  [['a.md', 'b.md'], 'a.md and b.md exist'],
])('checkSentence describes existing files: %j', (files, sentence) => {
  expect(checkSentence({ code: 'files.all_exist', params: { files } })).toBe(sentence)
})

test.each(['stop.no_config', 'stop.not_decided', 'stop.undecided_often'])(
  'stopSentence has a sentence for %s',
  (code) => {
    expect(stopSentence({ code, params: {} })).not.toBe(code)
  },
)

test.each([
  ['stop.max_blocks', 1, 'Allowed although incomplete: 1 stop was blocked before'],
  ['stop.max_blocks', 1_000, 'Allowed although incomplete: 1,000 stops were blocked before'],
  [
    'stop.undecided_often',
    1,
    'Allowed although nothing could be checked: 1 previous stop could not be decided either',
  ],
])('stopSentence counts the stops of %s with a limit of %i', (code, limit, sentence) => {
  expect(stopSentence({ code, params: { limit } })).toBe(sentence)
})

test.each<[string, JsonObject, string]>([
  ['policy.threw', {}, 'The rule could not be evaluated'],
  [
    'feedback.delivered',
    { conditions: ['every_n_calls', 'on_file_created'] },
    'Triggered by every n calls and on file created',
  ],
  ['feedback.failed', { error: 'x' }, 'It failed: x'],
  ['feedback.failed', {}, 'It failed: –'],
  ['feedback.silent', {}, 'It was due but gave no feedback'],
  ['feedback.not_due', {}, 'No condition of its trigger was met'],
  ['feedback.not_reached', {}, 'A provider before it gave feedback'],
  ['checker.threw', {}, 'The checker could not be evaluated'],
  ['check.not_evaluated', { cause: 'plan' }, 'Skipped because plan decided first'],
  ['check.bypassed', { cause: 'deadline' }, 'Skipped because of the deadline'],
  ['outlook.unknown', {}, 'It depends on facts that are not known until the agent stops'],
  ['outlook.files', { files: ['a', 'b'] }, 'Existence is looked up when the agent stops: a and b'],
  ['outlook.judge', {}, 'The model is asked when the agent stops'],
  ['outlook.custom', {}, 'Its code is asked when the agent stops'],
  ['outlook.attempt', {}, 'It depends on how the agent stops'],
  ['stop.no_checker', {}, 'Allowed: no completion checker is configured'],
  ['stop.no_config', {}, 'Allowed: no guardrail config was in force'],
  ['stop.not_decided', {}, 'Whether the task is complete could not be checked'],
  [
    'stop.deadline',
    { overdue_ms: 1_250 },
    'Allowed without checks: the deadline passed 1.3 s earlier',
  ],
  [
    'stop.deadline',
    { overdue_ms: 122 },
    'Allowed without checks: the deadline passed 122 ms earlier',
  ],
  ['stop.deadline', {}, 'Allowed without checks: the deadline passed – earlier'],
  [
    'stop.budget',
    { limit: 1_000, dimension: 'total_tokens' },
    'Allowed without checks: the budget of 1,000 total tokens is used up',
  ],
  ['content.clean', { kind: 'secrets' }, 'No secrets found'],
  ['content.clean', { kind: 'size' }, 'Not too long'],
  ['content.denied', { kind: 'secrets', count: 1 }, 'The arguments contain 1 secret'],
  ['content.masked', { kind: 'pii', count: 2 }, 'Masked personal data in 2 places'],
  ['content.masked', { kind: 'size', count: 1 }, 'Cut the result to the allowed length'],
  [
    'content.warned',
    { kind: 'pattern', count: 1 },
    'Warned the agent of text that matches the pattern in 1 place',
  ],
  [
    'content.withheld',
    { kind: 'newer', count: 2 },
    'Withheld the result, which contains 2 places with newer',
  ],
  ['newer.code', { limit: 1 }, 'newer.code'],
  ['toString', {}, 'toString'],
])('the sentence of %s with %j is "%s"', (code, params, sentence) => {
  expect(ruleSentence({ code, params })).toBe(sentence)
  // A stop and its checks have none of these codes, and the forecast of a stop does not load their sentences.
  if (/^(policy|feedback|content)\./.test(code)) return
  expect(stopSentence({ code, params })).toBe(sentence)
  expect(checkSentence({ code, params })).toBe(sentence)
})

test('decisionSentence of a condition is the reason of its author, or else the condition', () => {
  const condition = { code: 'expression.denies', params: { expression: 'args.x' } }
  const rules: readonly RuleResult[] = [{ ...denying, ...condition, type: 'expression' }]
  const denied = { ...base, decision: 'denied', rules } as const
  const own = decisionSentence({ ...denied, reason: 'This destroys commits.' })
  expect(own).toBe('This destroys commits')
  for (const reason of ['Denied by policy.', null]) {
    expect(decisionSentence({ ...denied, reason })).toBe(
      "The rule's condition denies the call: args.x",
    )
  }
})

test.each([
  [{ require: 'args.x' }, 'The required condition is not met: args.x'],
  [{ deny_when: 'args.x' }, 'The deny condition is met: args.x'],
] as const)('with the document, a denial by %j reads "%s"', (condition, sentence) => {
  const policy = { id: denying.rule, type: 'expression', ...condition } as const
  const document: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b', policies: [policy] }
  const rule: RuleResult = {
    ...denying,
    type: 'expression',
    code: 'expression.denies',
    params: { expression: 'args.x' },
  }
  const denied = { ...base, decision: 'denied', rules: [rule], reason: null } as const
  expect(ruleSentence(rule, document)).toBe(sentence)
  expect(decisionSentence(denied, document)).toBe(sentence)
  expect(callSentence(denied, document)).toBe(sentence)
})

test('a check of a condition gives the feedback of its author, and a blocked stop also names the rule', () => {
  const check = {
    checker: 'tests-run',
    pointer: '/task_completion_checker',
    type: 'expression',
    status: 'incomplete',
    code: 'expression.does_not_hold',
    params: { expression: 'calls.test.succeeded > 0' },
    feedback: 'Run the tests first.',
    because: [],
  } as const
  expect(checkSentence(check)).toBe('The condition is not met: Run the tests first')
  expect(checkSentence({ ...check, feedback: null })).toBe('The condition is not met')
  const { code, params } = check
  expect(stopSentence({ code, params, check })).toBe(
    'The condition of rule tests-run is not met: Run the tests first',
  )
  const passed = { ...check, status: 'passed', code: 'expression.holds', feedback: null } as const
  expect(stopSentence({ code: passed.code, params, check: passed })).toBe(
    'The condition of rule tests-run is met',
  )
  expect(stopSentence({ code: 'stop.max_blocks', params: { limit: 0 }, check })).toBe(
    'Would have been blocked: The condition of rule tests-run is not met: Run the tests first',
  )
})

test('a stop that no alternative of a check lets pass is explained by the reason of each alternative', () => {
  const leaf = { pointer: '', status: 'incomplete', feedback: null, because: [] } as const
  const shell = { ...leaf, checker: 'ran', type: 'tool_succeeded', code: 'tool.not_run' } as const
  const notes = {
    ...leaf,
    checker: 'notes',
    type: 'files_exist',
    code: 'files.missing',
    params: { files: ['NOTES.md'], missing: ['NOTES.md'], unknown: [] },
  } as const
  const check = {
    ...leaf,
    checker: 'either',
    type: 'composite',
    code: 'composite.none_passed',
    params: {},
    children: [{ ...shell, params: { tool: 'shell' } }, notes],
  } as const
  const root = {
    ...leaf,
    checker: 'all',
    type: 'composite',
    code: 'composite.child_incomplete',
    params: { cause: 'either' },
    children: [check],
  } as const
  const { code, params } = check
  const sentence = 'shell has not run · Required file NOTES.md is missing'
  expect(stopSentence({ code, params, check: root })).toBe(sentence)
  expect(stopSentence({ code: 'stop.max_blocks', params: { limit: 0 }, check: root })).toBe(
    `Would have been blocked: ${sentence}`,
  )
  expect(stopSentence({ code, params })).toBe('No check passed, and one would be enough')
})

test('decisionSentence is that of the first rule in force that did not allow the call', () => {
  const rules: readonly RuleResult[] = [
    { ...denying, result: 'allow', code: 'sequential.satisfied', params: { needed: ['x'] } },
    { ...denying, mode: 'shadow', code: 'custom.denies', params: {} },
    { ...denying, mode: 'enforce', result: 'error', code: 'policy.threw', params: {} },
    denying,
  ]
  expect(decisionSentence({ ...base, decision: 'denied', rules })).toBe(
    'The rule could not be evaluated',
  )
  expect(decisionSentence({ ...base, decision: 'denied', rules: [denying] })).toBe(
    'deploy needs test and lint first',
  )
  expect(decisionSentence({ ...base, rules: rules.slice(0, 2) })).toBe(
    'Allowed, would have been denied by shadow rule order',
  )
})

test('callSentence names the shadow rules that would have denied an allowed call, or states that no rule denied it', () => {
  const shadow = { ...denying, mode: 'shadow' } as const
  expect(callSentence(base)).toBe('deploy was allowed: no rule denied it')
  expect(callSentence({ ...base, rules: [shadow, { ...shadow, rule: 'other' }] })).toBe(
    'deploy was allowed: would have been denied by shadow rules order, other',
  )
  expect(callSentence({ ...base, decision: 'denied', rules: [denying, shadow] })).toBe(
    'deploy needs test and lint first',
  )
})

test('stopSentence of a config that blocks no stop states that the stop would have been blocked, and by which check', () => {
  const params = { limit: 0 }
  const code = 'stop.max_blocks'
  const leaf = { code: 'files.all_exist', params: { files: ['a.md'] }, because: [], feedback: null }
  const check = {
    ...leaf,
    checker: 'f',
    pointer: '',
    type: 'files_exist',
    status: 'passed',
  } as const
  expect(stopSentence({ code, params })).toBe('Would have been blocked')
  expect(stopSentence({ code, params, check })).toBe('Would have been blocked: a.md exists')
  expect(wouldBlock({ code, params: { limit: 1 } })).toBe(false)
})

type Judged = Pick<RuleResult, 'mode' | 'code'>

test.each<readonly [one: Judged, other: Judged, sentence: string]>([
  [
    { mode: 'enforce', code: 'content.masked' },
    { mode: 'shadow', code: 'content.withheld' },
    'Masked 1 secret',
  ],
  [
    { mode: 'shadow', code: 'content.masked' },
    { mode: 'enforce', code: 'content.clean' },
    'A shadow rule found 1 secret',
  ],
  [
    { mode: 'shadow', code: 'content.not_checked' },
    { mode: 'enforce', code: 'content.clean' },
    'A shadow rule could not check the result',
  ],
])('contentSentence of %j and %j is "%s"', (one, other, sentence) => {
  const rule: Omit<RuleResult, 'mode' | 'code'> = {
    rule: 'keys',
    pointer: '/content/0',
    type: 'content',
    result: 'allow',
    params: { on: 'result', kind: 'secrets', count: 1 },
    because: [],
  }
  const rules = [one, other].map((judged) => ({ ...rule, ...judged }))
  expect(contentSentence({ rules })).toBe(sentence)
})
