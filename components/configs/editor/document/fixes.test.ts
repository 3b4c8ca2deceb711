import { expect, test } from 'vitest'
import { applyEdit } from '@/components/kit/diff/json-edit.ts'
import { analyze } from './analysis.ts'
import { fixLabel, toTextEdit } from './fixes.ts'

const PROMPT = { ns: 'demo', key: 'notes', customTypes: [] }
const text = (more: string) =>
  `{\n  "schema_version": 1,\n  "ns": "demo",\n  "key": "notes"${more}\n}`

function repaired(source: string): { readonly label: string; readonly text: string } {
  const [problem] = analyze(source, PROMPT).problems
  if (problem === undefined || problem.fix === null) throw new Error('There is no repair.')
  const edit = toTextEdit(source, problem.fix)
  if (edit === null) throw new Error('The repair has no place.')
  return { label: fixLabel(problem.fix), text: applyEdit(source, edit) }
}

const RATE = '"id": "rate",   "type": "rate_limit", "tools": ["a"]'

test.each([
  ['Rename to "policies"', text(',\n  "polices": [ ]'), text(',\n  "policies": [ ]')],
  ['Remove quatsch', text(',\n  "quatsch": 1'), text('')],
  ['Use "demo"', text('').replace('demo', 'other'), text('')],
  [
    'Use 10',
    text(`,\n  "policies": [{ ${RATE}, "per_seconds": 60 }]`),
    text(`,\n  "policies": [{ ${RATE}, "per_seconds": 60, "max_calls": 10 }]`),
  ],
  [
    'Use 100000',
    text(`,\n  "policies": [{ ${RATE}, "per_seconds": 60, "max_calls": 100001 }]`),
    text(`,\n  "policies": [{ ${RATE}, "per_seconds": 60, "max_calls": 100000 }]`),
  ],
  [
    'Use "plan"',
    text(',\n  "task_completion_checker": { "type": "plan" }'),
    text(',\n  "task_completion_checker": { "type": "plan", "id": "plan" }'),
  ],
  [
    'Set trigger',
    text(',\n  "feedback_providers": [{ "id": "d", "type": "deadline" }]'),
    text(
      ',\n  "feedback_providers": [{ "id": "d", "type": "deadline", "trigger": {"every_n_calls": 10} }]',
    ),
  ],
])('the fix %s edits one place and no other character', (label, before, after) => {
  const { label: said, text: written } = repaired(before)
  expect(said).toBe(label)
  expect(written.replace('{ "every_n_calls": 10 }', '{"every_n_calls": 10}')).toBe(after)
})

test('a fix that would lose another value is not applied', () => {
  const source = text(',\n  "polices": [],\n  "policies": []')
  const [problem] = analyze(source, PROMPT).problems
  expect(problem?.fix).toMatchObject({ kind: 'rename', name: 'policies' })
  expect(problem?.fix && toTextEdit(source, problem.fix)).toBeNull()
})
