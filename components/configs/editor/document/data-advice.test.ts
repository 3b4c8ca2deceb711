import type { ConfigDocument } from '@signalbox/core'
import { expect, test } from 'vitest'
import type { RuleActivity } from '@/server/configs/rule-activity.ts'
import { dataAdvice, firedSentence, listRuleIds } from './data-advice.ts'

const DOCUMENT: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [
    {
      id: 'order',
      type: 'sequential_dependency',
      dependencies: { build: ['lnt'], depoy: ['test'] },
    },
    { id: 'rate', type: 'rate_limit', tools: ['quite_another'], max_calls: 1, per_seconds: 1 },
  ],
}
const ACTIVITY: RuleActivity = {
  days: 7,
  sessions: 20,
  rules: { order: { count: 41, lastAt: 1 } },
  tools: ['build', 'deploy', 'lint', 'test'],
  settled: ['order', 'rate'],
  plans: { sessions: 12, planned: 0 },
}

const QUIET: RuleActivity = { ...ACTIVITY, sessions: 0, rules: {}, tools: [], settled: [] }

test('advice suggests the most similar called tool for one that was never called, with its basis', () => {
  const unseen = dataAdvice(DOCUMENT, ACTIVITY).filter(({ code }) => code === 'unseen_tool')
  expect(unseen.map(({ pointer, fix }) => [pointer, fix])).toEqual([
    [
      '/policies/0/dependencies/depoy',
      { kind: 'rename', pointer: '/policies/0/dependencies/depoy', name: 'deploy' },
    ],
    [
      '/policies/0/dependencies/build/0',
      { kind: 'set', pointer: '/policies/0/dependencies/build/0', value: 'lint' },
    ],
  ])
  expect(unseen[1]?.message).toContain('20 sessions in 7 days')
})

test('advice treats two similar tools of one declaration as two tools', () => {
  const sections = [{ id: 's', tools: ['lint', 'lints'] }]
  expect(dataAdvice({ ...DOCUMENT, policies: [], sections }, ACTIVITY)).toEqual([])
})

test('advice takes two similar tools of one rule as two tools', () => {
  const policies: ConfigDocument['policies'] = [
    {
      id: 'reads',
      type: 'read_before_write',
      read_tools: ['test'],
      write_tools: ['lint', 'lnt'],
    },
  ]
  expect(dataAdvice({ ...DOCUMENT, policies }, { ...ACTIVITY, settled: [] })).toEqual([])
})

test('advice reports a check of a tool that no session called, and of no other rule', () => {
  const check = (tool: string): ConfigDocument => ({
    ...DOCUMENT,
    policies: [{ id: 'rate', type: 'rate_limit', tools: ['shell'], max_calls: 1, per_seconds: 1 }],
    task_completion_checker: { id: 'ran', type: 'tool_succeeded', tool },
  })
  const told = (tool: string, activity = ACTIVITY) =>
    dataAdvice(check(tool), { ...activity, settled: [] }).map(({ pointer }) => pointer)
  expect(told('shell')).toEqual(['/task_completion_checker/tool'])
  expect(told('test')).toEqual([])
  expect(told('shell', QUIET)).toEqual([])
  expect(told('shell', { ...ACTIVITY, sessions: 5 })).toEqual(['/task_completion_checker/tool'])
  expect(told('shell', { ...ACTIVITY, sessions: 4 })).toEqual([])
})

test('advice reports a rule that never fired only where it could have fired', () => {
  const told = (activity: RuleActivity) =>
    dataAdvice(DOCUMENT, activity).flatMap(({ code, pointer }) =>
      code === 'never_fired' ? [pointer] : [],
    )
  expect(told(ACTIVITY)).toEqual(['/policies/1'])
  expect(told({ ...ACTIVITY, sessions: 19 })).toEqual([])
  expect(told({ ...ACTIVITY, settled: ['order'] })).toEqual([])
  expect(dataAdvice(DOCUMENT, { ...ACTIVITY, sessions: 0 })).toEqual([])
})

test('advice reports a plan check only where the last sessions had no plan', () => {
  const document: ConfigDocument = {
    schema_version: 1,
    ns: 'a',
    key: 'b',
    task_completion_checker: {
      id: 'all',
      type: 'composite',
      checkers: [
        { id: 'built', type: 'tool_succeeded', tool: 'build' },
        { id: 'steps', type: 'plan' },
      ],
    },
  }
  const told = (plans: RuleActivity['plans']) => dataAdvice(document, { ...QUIET, plans })
  expect(told({ sessions: 12, planned: 0 })).toEqual([
    {
      pointer: '/task_completion_checker/checkers/1',
      code: 'unseen_plan',
      severity: 'warning',
      message:
        'The prompt had no plan in its last 12 sessions, so the check "steps" would have nothing to check. Have the agent write a plan, or check something else.',
    },
  ])
  expect(told({ sessions: 12, planned: 1 })).toEqual([])
  expect(told({ sessions: 0, planned: 0 })).toEqual([])
})

test('the activity of a rule states how often it fired or that it is not released, and nothing without sessions or for a newly released rule', () => {
  const released = new Set(listRuleIds(JSON.stringify(DOCUMENT)))
  expect(firedSentence(ACTIVITY, 'order', released)).toBe('Fired 41 times in 7 days')
  expect(firedSentence(ACTIVITY, 'rate', released)).toBe('Never fired (20 sessions in 7 days)')
  expect(firedSentence(ACTIVITY, 'new', released)).toBe('Not released yet')
  expect(firedSentence({ ...ACTIVITY, settled: ['order'] }, 'rate', released)).toBeNull()
  expect(firedSentence({ ...ACTIVITY, sessions: 0 }, 'rate', released)).toBeNull()
})
