// In the texts, `|` marks the pointer.
import { expect, test } from 'vitest'
import type { CustomRule } from './document/schema-walk.ts'
import { explainAt } from './explain.ts'

const CUSTOM: readonly CustomRule[] = [
  {
    kind: 'policy',
    type: 'acme/freeze',
    schema: { properties: { until: { type: 'string', description: 'Last day.' } } },
  },
]

function explained(marked: string) {
  const found = explainAt(marked.replace('|', ''), marked.indexOf('|'), CUSTOM)
  return found === null ? null : [found.title, found.facts, found.sentence]
}

test('the editor explains a field on its name and on its value, with its bounds', () => {
  const rate = [
    'max_calls',
    'whole number, 1 to 100000, required',
    'Number of calls allowed in the window.',
  ]
  expect(explained('{"policies": [{"type": "rate_limit", "max_|calls": 3}]}')).toEqual(rate)
  expect(explained('{"policies": [{"type": "rate_limit", "max_calls": 3|}]}')).toEqual(rate)
  expect(explained('{"policies": [{"type": "rate_limit", "max_calls"  |:  3}]}')).toEqual(rate)
})

test('the editor explains the type of a rule by the effect of the rule', () => {
  expect(explained('{"policies": [{"type": "appr|oval"}]}')).toEqual([
    'type',
    'always "approval", required',
    'A reviewer must approve the call before it runs.',
  ])
})

test('the editor explains a choice by its values, and a custom field by the description of the runtime', () => {
  expect(explained('{"final_verification": "err|or"}')?.[1]).toBe('"warning" or "error"')
  expect(explained('{"policies": [{"type": "acme/freeze", "params": {"un|til": ""}}]}')).toEqual([
    'until',
    'text',
    'Last day.',
  ])
})

test('the editor explains a list item by its list', () => {
  expect(explained('{"sections": [{"tools": ["bu|ild"]}]}')).toEqual([
    'tools',
    'tool',
    'Canonical name of a tool, as used in rules.',
  ])
})

test('the editor explains a field after a syntax error, and nothing that is no known field', () => {
  expect(explained('{"ns": , "poli|cies": [')?.[0]).toBe('policies')
  for (const text of [
    '|',
    '{|}',
    '{"x|": 1}',
    '[1|]',
    '{"policies": [{"type": "plan", "y|": 1}]',
  ]) {
    expect(explained(text)).toBeNull()
  }
})
