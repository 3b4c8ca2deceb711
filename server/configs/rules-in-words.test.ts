import { expect, test } from 'vitest'
import { rulesInWords } from './rules-in-words.ts'

const said = (document: object) =>
  rulesInWords(JSON.stringify({ schema_version: 1, ns: 'a', key: 'b', ...document }))

test('rules in words list policies of sections first, with their section, in evaluation order', () => {
  const deploy = { type: 'sequential_dependency', dependencies: { deploy: ['test'] } }
  const rules = said({
    policies: [{ id: 'whole', ...deploy }],
    sections: [{ id: 'release', policies: [{ id: 'part', mode: 'shadow', ...deploy }] }],
  })
  expect(rules?.policies).toMatchObject([
    { id: 'part', mode: 'shadow', sentence: expect.stringContaining('(section `release`)') },
    { id: 'whole', mode: 'enforce', sentence: expect.not.stringContaining('section') },
  ])
  expect(rules?.policies.map(({ pointer }) => pointer)).toEqual([
    '/sections/0/policies/0',
    '/policies/0',
  ])
})

test('rules in words indent the children of a composite checker', () => {
  const checkers = [
    { id: 'plan', type: 'plan' },
    { id: 'files', type: 'files_exist', files: ['a'] },
  ]
  const rules = said({
    task_completion_checker: { id: 'all', type: 'composite', all_must_pass: false, checkers },
  })
  expect(rules?.checkers.map(({ id, depth, pointer }) => [id, depth, pointer])).toEqual([
    ['all', 0, '/task_completion_checker'],
    ['plan', 1, '/task_completion_checker/checkers/0'],
    ['files', 1, '/task_completion_checker/checkers/1'],
  ])
  expect(rules?.checkers[0]?.sentence).toBe('Any one of the following')
})

test('rules in words are empty for an empty config, and null for an unsupported schema version', () => {
  expect(said({})).toEqual({ policies: [], providers: [], checkers: [], maxStopBlocks: 10 })
  expect(said({ schema_version: 99 })).toBeNull()
})

test('a rule with a condition has a plain sentence when its author gave the reason', () => {
  const condition = { id: 'a', type: 'expression', deny_when: 'args.force' }
  const rules = said({
    policies: [{ ...condition, reason: 'Push without force. Ask if you must.' }],
    task_completion_checker: { id: 'b', type: 'expression', require: 'calls.test.succeeded > 0' },
  })
  expect(rules?.policies[0]).toMatchObject({
    sentence: 'Denies every call when `args.force`',
    plain: 'Denies a call: “Push without force.”',
    told: 'Push without force. Ask if you must.',
  })
  expect(rules?.checkers[0]).not.toHaveProperty('plain')
})
