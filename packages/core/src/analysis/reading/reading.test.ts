import { expect, test } from 'vitest'
import type { AllowStep } from '../../kinds/base/policy-reason.ts'
import type { UnblockStep } from '../../kinds/checkers/unblock-step.ts'
import type { ConfigDocument } from '../../kinds/config.ts'
import type { CheckResult, RuleResult, StopDecision, ToolDecision } from '../../model/effect.ts'
import { allowSteps } from './allow-steps.ts'
import { type CheckNode, checkNode } from './check-node.ts'
import { callReading, stopReading } from './reading.ts'

const RULE: RuleResult = {
  rule: 'order',
  pointer: '/policies/0',
  type: 'sequential_dependency',
  mode: 'enforce',
  result: 'deny',
  code: 'sequential.missing',
  params: { tool: 'deploy', missing: ['test', 'lint'] },
  because: [1],
  reason_class: 'prerequisite_missing',
  reason: 'Test first.',
}
const SHADOW: RuleResult = {
  ...RULE,
  rule: 'shade',
  pointer: '/policies/1',
  mode: 'shadow',
  params: { tool: 'deploy', missing: ['build'] },
}
const DENIED: ToolDecision = {
  call_id: 'c1',
  tool: 'deploy',
  decision: 'denied',
  reason: 'Test first.',
  rules: [RULE, SHADOW],
}
const SATISFIED: RuleResult = {
  ...RULE,
  result: 'allow',
  code: 'sequential.satisfied',
  params: { needed: ['test'] },
}

const READERS: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  sections: [
    {
      id: 'files',
      tools: ['read', 'cat', 'write'],
      policies: [
        {
          id: 'rbw',
          type: 'read_before_write',
          read_tools: ['read', 'cat'],
          write_tools: ['write'],
        },
      ],
    },
  ],
}
const UNREAD: RuleResult = {
  ...RULE,
  rule: 'rbw',
  type: 'read_before_write',
  code: 'file.not_read',
  params: { path: 'a.md' },
}

test.each<[string, RuleResult, ConfigDocument | null, readonly AllowStep[]]>([
  ['a rule that allowed the call', SATISFIED, null, []],
  ['a rule in shadow mode', SHADOW, null, []],
  [
    'missing tools',
    RULE,
    null,
    [
      { rule: 'order', text: 'Run `test` until it succeeds', owner: 'agent', call: 'test' },
      { rule: 'order', text: 'Run `lint` until it succeeds', owner: 'agent', call: 'lint' },
    ],
  ],
  [
    'a file that was not read, under a known version',
    UNREAD,
    READERS,
    [
      {
        rule: 'rbw',
        text: 'Read `a.md` with `read` or `cat`',
        owner: 'agent',
        call: 'read a.md',
      },
    ],
  ],
  [
    'a file that was not read, under an unknown version',
    UNREAD,
    null,
    [{ rule: 'rbw', text: 'Read `a.md` with a reading tool', owner: 'agent', call: null }],
  ],
  [
    'a rule that could not be evaluated',
    { ...RULE, result: 'error', code: 'policy.threw', params: {} },
    null,
    [{ rule: 'order', text: 'Fix or change the rule `order`', owner: 'operator', call: null }],
  ],
])('allowSteps lists the steps for %s', (...[, rule, document, steps]) => {
  expect(allowSteps({ ...DENIED, rules: [rule] }, document)).toEqual(steps)
})

test('callReading reads a denial with its steps and every rule', () => {
  const steps = allowSteps(DENIED, null)
  expect(callReading(DENIED, steps)).toEqual({
    verdict: 'denied',
    sentence: 'deploy needs test and lint first',
    message: 'Test first.',
    steps: [
      { text: 'Run `test` until it succeeds', owner: 'agent', obstacle: null },
      { text: 'Run `lint` until it succeeds', owner: 'agent', obstacle: null },
    ],
    checks: null,
    rules: [
      {
        rule: 'order',
        pointer: '/policies/0',
        type: 'sequential_dependency',
        mode: 'enforce',
        result: 'deny',
        sentence: 'deploy needs test and lint first',
      },
      {
        rule: 'shade',
        pointer: '/policies/1',
        type: 'sequential_dependency',
        mode: 'shadow',
        result: 'deny',
        sentence: 'deploy needs build first',
      },
    ],
  })
})

test('callReading reads an allowed call and an error', () => {
  const allowed = { ...DENIED, decision: 'allowed', reason: null, rules: [] } as const
  expect(callReading(allowed, [])).toEqual({
    verdict: 'allowed',
    sentence: 'deploy was allowed: no rule denied it',
    message: null,
    steps: [],
    checks: null,
    rules: [],
  })
  expect(callReading({ ...allowed, decision: 'error', reason: 'No config.' }, [])).toEqual({
    verdict: 'error',
    sentence: 'No config',
    message: 'No config.',
    steps: [],
    checks: null,
    rules: [],
  })
})

const LEAF: CheckResult = {
  checker: 'plan',
  pointer: '/task_completion_checker/checkers/0',
  type: 'plan',
  status: 'incomplete',
  code: 'plan.open_steps',
  params: { open: 2, total: 3 },
  feedback: 'Go on.',
  because: [4],
}
const TREE: CheckResult = {
  ...LEAF,
  checker: 'all',
  pointer: '/task_completion_checker',
  type: 'composite',
  code: 'check.not_evaluated',
  params: { cause: 'plan' },
  because: [],
  children: [LEAF],
}
const LEAF_NODE: CheckNode = {
  checker: 'plan',
  pointer: '/task_completion_checker/checkers/0',
  type: 'plan',
  status: 'incomplete',
  sentence: '2 of 3 plan steps are not done',
  because: [4],
  children: null,
}
const TREE_NODE: CheckNode = {
  checker: 'all',
  pointer: '/task_completion_checker',
  type: 'composite',
  status: 'incomplete',
  sentence: 'Skipped because plan decided first',
  because: [],
  children: [LEAF_NODE],
}

test('checkNode has a sentence for every check of a tree', () => {
  expect(checkNode(TREE)).toEqual(TREE_NODE)
})

test('stopReading reads the steps and the checks of a stop, as far as they are known', () => {
  const decision: StopDecision = {
    attempt: 1,
    verdict: 'blocked',
    prior_blocks: 0,
    code: 'plan.open_steps',
    params: { open: 2, total: 3 },
    message: 'Go on.',
    check: TREE,
  }
  const step: UnblockStep = {
    checkers: ['plan'],
    prerequisiteOf: [],
    code: 'plan.finish',
    text: 'Finish “a”',
    owner: 'agent',
    since: 4,
    action: { kind: 'plan_step', index: 0 },
    obstacle: 'No tool.',
  }
  const plan = { steps: [step], attainable: false, isSmallest: true, isVerified: false }
  const reading = {
    verdict: 'blocked',
    sentence: '2 of 3 plan steps are not done',
    message: 'Go on.',
    steps: [{ text: 'Finish “a”', owner: 'agent', obstacle: 'No tool.' }],
    checks: TREE_NODE,
    rules: [],
  }
  expect(stopReading(decision, plan)).toEqual(reading)
  expect(stopReading(decision, null)).toEqual({ ...reading, steps: [] })
  expect(stopReading({ ...decision, check: null }, plan)).toEqual({ ...reading, checks: null })
})
