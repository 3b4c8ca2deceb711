import type { ConfigDocument, PolicyDocument } from '@signalbox/core'
import { expect, test } from 'vitest'
import { typesMissing, typesNeeded } from './rule-types.ts'

const DOCUMENT: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [
    { id: '1', type: 'rate_limit', tools: ['x'], max_calls: 1, per_seconds: 1 },
    { id: '2', type: 'acme/freeze' },
    { id: '3', type: 'acme/new', optional: true },
  ],
  sections: [
    {
      id: 's',
      tools: ['x'],
      policies: [{ id: '4', type: 'approval', tools: ['x'], timeout_seconds: 1 }],
    },
  ],
  feedback_providers: [{ id: '5', type: 'static', feedback: 'hi', trigger: { every_n_calls: 1 } }],
  task_completion_checker: {
    id: '6',
    type: 'composite',
    checkers: [
      { id: '7', type: 'plan' },
      { id: '8', type: 'composite', checkers: [{ id: '9', type: 'plan' }] },
    ],
  },
}

test('a config requires each rule type once, including nested ones, and no optional one', () => {
  expect(typesNeeded(DOCUMENT).map(({ kind, type }) => `${kind} ${type}`)).toEqual([
    'policy rate_limit',
    'policy acme/freeze',
    'policy approval',
    'feedback_provider static',
    'checker composite',
    'checker plan',
  ])
})

test('a field that came later is required of runtimes like a type', () => {
  const order = { id: '1', type: 'sequential_dependency', dependencies: {} } as const
  const named = (policy: PolicyDocument) =>
    typesNeeded({ schema_version: 1, ns: 'a', key: 'b', policies: [policy] }).map(
      ({ type }) => type,
    )
  expect(named(order)).toEqual(['sequential_dependency'])
  expect(named({ ...order, after: ['edit'] })).toEqual([
    'sequential_dependency',
    'sequential_dependency.after',
  ])
})

test('a runtime lacks every rule type that it did not list, and custom types are compared by kind', () => {
  const needed = typesNeeded(DOCUMENT)
  const capabilities = {
    policies: ['rate_limit', 'approval'],
    feedback_providers: ['static'],
    checkers: ['composite', 'plan'],
  }
  expect(typesMissing(needed, capabilities)).toEqual([{ kind: 'policy', type: 'acme/freeze' }])
  const brought = (kind: string) => ({
    ...capabilities,
    custom_types: [{ kind, type: 'acme/freeze' }],
  })
  expect(typesMissing(needed, brought('checker'))).toHaveLength(1)
  expect(typesMissing(needed, brought('policy'))).toEqual([])
  expect(typesMissing(needed, {})).toEqual(needed)
})
