import { expect, it } from 'vitest'
import type { ConfigDocument } from '../index.ts'
import { listCheckerPlaces, listRulePlaces, listToolPlaces } from './index.ts'

const trigger = { every_n_calls: 5 }
const CHECKER = '/task_completion_checker'

// Written with the fields of each type.
const DOCUMENT = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  sections: [
    {
      id: 'outer',
      tools: ['lint', 'test'],
      policies: [
        { id: 'order', type: 'sequential_dependency', dependencies: { test: ['lint', 'fmt'] } },
      ],
      sections: [{ id: 'inner', tools: ['deploy'] }],
    },
    { id: 'empty' },
  ],
  policies: [
    { id: 'reads', type: 'read_before_write', mode: 'off', read_tools: ['r'], write_tools: ['w'] },
    { id: 'rate', type: 'rate_limit', mode: 'shadow', tools: ['x'], max_calls: 1, per_seconds: 1 },
    { id: 'every', type: 'custom:policy' },
  ],
  feedback_providers: [
    { id: 'failing', type: 'repeated_failure', tool: 'test', trigger },
    { id: 'any', type: 'repeated_failure', mode: 'off', trigger },
    { id: 'own', type: 'custom:provider', trigger },
    { id: 'hint', type: 'static', feedback: 'x', trigger },
  ],
  task_completion_checker: {
    id: 'all',
    type: 'composite',
    checkers: [
      { id: 'tested', type: 'tool_succeeded', tool: 'test', after: ['w'] },
      { id: 'either', type: 'composite', checkers: [{ id: 'plan', type: 'plan' }] },
      { id: 'code', type: 'custom:check' },
    ],
  },
} as unknown as ConfigDocument

it('listToolPlaces lists declared, governed, required and watched tools with their pointers', () => {
  const places = listToolPlaces(DOCUMENT).map(({ item, pointer }) => `${item} ${pointer}`)
  expect(places).toEqual([
    'lint /sections/0/tools/0',
    'test /sections/0/tools/1',
    'deploy /sections/0/sections/0/tools/0',
    'test /sections/0/policies/0/dependencies/test',
    'lint /sections/0/policies/0/dependencies/test/0',
    'fmt /sections/0/policies/0/dependencies/test/1',
    'r /policies/0/read_tools/0',
    'w /policies/0/write_tools/0',
    'x /policies/1/tools/0',
    'test /feedback_providers/0/tool',
    `test ${CHECKER}/checkers/0/tool`,
    `w ${CHECKER}/checkers/0/after/0`,
  ])
})

it('listRulePlaces lists the rules that can act, and every checker', () => {
  expect(listRulePlaces(DOCUMENT)).toEqual([
    { id: 'order', pointer: '/sections/0/policies/0' },
    { id: 'rate', pointer: '/policies/1' },
    { id: 'every', pointer: '/policies/2' },
    { id: 'failing', pointer: '/feedback_providers/0' },
    { id: 'own', pointer: '/feedback_providers/2' },
    { id: 'hint', pointer: '/feedback_providers/3' },
    { id: 'all', pointer: CHECKER },
    { id: 'tested', pointer: `${CHECKER}/checkers/0` },
    { id: 'either', pointer: `${CHECKER}/checkers/1` },
    { id: 'plan', pointer: `${CHECKER}/checkers/1/checkers/0` },
    { id: 'code', pointer: `${CHECKER}/checkers/2` },
  ])
})

it('listCheckerPlaces lists the checkers of one type', () => {
  expect(listCheckerPlaces(DOCUMENT, 'plan')).toEqual([
    { id: 'plan', pointer: `${CHECKER}/checkers/1/checkers/0` },
  ])
  expect(listCheckerPlaces(DOCUMENT, 'files_exist')).toEqual([])
})

it('a document without sections, rules and checkers has no places', () => {
  const empty: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }
  expect([listToolPlaces(empty), listRulePlaces(empty), listCheckerPlaces(empty, 'plan')]).toEqual([
    [],
    [],
    [],
  ])
})
