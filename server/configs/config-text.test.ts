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
  expect(first).toEqual([
    { policies: 1, content: 0, providers: 0, checks: 0, isShadow: false },
    null,
  ])
  expect(counts()).toEqual(first)
})

test('a config is in shadow if it has rules, each only records, and its check blocks no stop', () => {
  const shadow = [{ id: 'b', type: 'acme.limit', mode: 'shadow' }]
  const enforced = [{ id: 'd', type: 'acme.limit' }]
  const provider = { id: 'f', type: 'repeated_failure', trigger: { every_n_calls: 1 }, times: 3 }
  const off = [{ id: 'e', type: 'acme.limit', mode: 'off' }]
  const checker = { task_completion_checker: { id: 'c', type: 'files_exist', files: ['a'] } }
  const isShadow = (parts: object) =>
    countRules(JSON.stringify({ schema_version: 1, ns: 'team', key: 'agent', ...parts }))?.isShadow
  expect(isShadow({})).toBe(false)
  expect(isShadow({ policies: off })).toBe(false)
  expect(isShadow({ policies: [...shadow, ...off] })).toBe(true)
  expect(isShadow({ policies: shadow, feedback_providers: [provider] })).toBe(false)
  const section = { id: 's', title: 'S', tools: ['shell'], policies: enforced }
  expect(isShadow({ policies: shadow, sections: [section] })).toBe(false)
  expect(isShadow({ policies: shadow, ...checker })).toBe(false)
  expect(isShadow({ ...checker, limits: { max_stop_blocks: 0 } })).toBe(true)
})
