import { expect, test } from 'vitest'
import type { CheckerDocument } from './checkers.ts'
import type { ConfigDocument } from './config.ts'
import { withoutRule, withRuleMode } from './edit-document.ts'

const policy = (id: string) =>
  ({ id, type: 'sequential_dependency', dependencies: { deploy: ['test'] } }) as const
const provider = (id: string) =>
  ({ id, type: 'static', feedback: 'x', trigger: { every_n_calls: 1 } }) as const
const all = (id: string, ...checkers: readonly CheckerDocument[]): CheckerDocument => ({
  id,
  type: 'composite',
  checkers,
})
const plan = (id: string): CheckerDocument => ({ id, type: 'plan' })

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const
const FULL: ConfigDocument = {
  ...HEAD,
  policies: [policy('one'), policy('two')],
  sections: [
    {
      id: 'outer',
      tools: ['test'],
      policies: [policy('three')],
      sections: [{ id: 'inner', tools: ['deploy'], policies: [policy('four')] }],
    },
    { id: 'bare', tools: ['lint'] },
  ],
  feedback_providers: [provider('five'), provider('six')],
  task_completion_checker: all('root', plan('seven'), all('nested', plan('eight'), plan('nine'))),
}

test.each<[string, ConfigDocument]>([
  ['one', { ...FULL, policies: [{ ...policy('one'), mode: 'shadow' }, policy('two')] }],
  [
    'three',
    {
      ...FULL,
      sections: [
        {
          id: 'outer',
          tools: ['test'],
          policies: [{ ...policy('three'), mode: 'shadow' }],
          sections: [{ id: 'inner', tools: ['deploy'], policies: [policy('four')] }],
        },
        { id: 'bare', tools: ['lint'] },
      ],
    },
  ],
  [
    'four',
    {
      ...FULL,
      sections: [
        {
          id: 'outer',
          tools: ['test'],
          policies: [policy('three')],
          sections: [
            {
              id: 'inner',
              tools: ['deploy'],
              policies: [{ ...policy('four'), mode: 'shadow' }],
            },
          ],
        },
        { id: 'bare', tools: ['lint'] },
      ],
    },
  ],
  [
    'six',
    { ...FULL, feedback_providers: [provider('five'), { ...provider('six'), mode: 'shadow' }] },
  ],
  ['seven', FULL],
  ['unknown', FULL],
])('withRuleMode changes only the mode of the rule %s', (rule, changed) => {
  expect(withRuleMode(FULL, { rule, mode: 'shadow' })).toEqual(changed)
  expect(withRuleMode(HEAD, { rule, mode: 'shadow' })).toEqual(HEAD)
})

const { task_completion_checker: _, ...UNCHECKED } = FULL

test.each<[string, ConfigDocument]>([
  ['two', { ...FULL, policies: [policy('one')] }],
  [
    'four',
    {
      ...FULL,
      sections: [
        {
          id: 'outer',
          tools: ['test'],
          policies: [policy('three')],
          sections: [{ id: 'inner', tools: ['deploy'], policies: [] }],
        },
        { id: 'bare', tools: ['lint'] },
      ],
    },
  ],
  ['five', { ...FULL, feedback_providers: [provider('six')] }],
  [
    'seven',
    {
      ...FULL,
      task_completion_checker: all('root', all('nested', plan('eight'), plan('nine'))),
    },
  ],
  [
    'nine',
    {
      ...FULL,
      task_completion_checker: all('root', plan('seven'), all('nested', plan('eight'))),
    },
  ],
  ['nested', { ...FULL, task_completion_checker: all('root', plan('seven')) }],
  ['root', UNCHECKED],
  ['unknown', FULL],
])('withoutRule removes only the rule %s', (id, rest) => {
  expect(withoutRule(FULL, id)).toStrictEqual(rest)
  expect(withoutRule(HEAD, id)).toStrictEqual(HEAD)
})
