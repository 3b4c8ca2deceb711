import { expect, test } from 'vitest'
import { changedState, countRules } from './config-text.ts'

const place = { ns: 'team', key: 'agent', customTypes: [] }
const text = JSON.stringify({
  schema_version: 1,
  ns: 'team',
  key: 'agent',
  policies: [{ id: 'mine', type: 'acme.limit' }],
})

test('a remembered state of a draft belongs to its text, its config and the custom types of its project', () => {
  const states = () => [
    changedState(text, place),
    changedState(text, { ...place, customTypes: ['acme.limit'] }),
    changedState(text, { ...place, key: 'other', customTypes: ['acme.limit'] }),
    changedState(text.replace('acme.limit', 'acme.other'), {
      ...place,
      customTypes: ['acme.limit'],
    }),
  ]
  const first = states()
  expect(first).toEqual(['invalid', 'changed', 'invalid', 'invalid'])
  expect(states()).toEqual(first)
})

test('remembered counts of rules belong to their text', () => {
  const counts = () => [countRules(text), countRules(text.replace('schema_version', 'version'))]
  const first = counts()
  expect(first).toEqual([{ policies: 1, content: 0, providers: 0, checks: 0 }, null])
  expect(counts()).toEqual(first)
})
