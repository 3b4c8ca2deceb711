import { celExpressions } from '@signalbox/core/expression'
import { expect, test } from 'vitest'
import { analyze } from './analysis.ts'

const PROMPT = { ns: 'demo', key: 'notes', customTypes: ['acme/known'] }
const text = (more: string) =>
  `{\n  "schema_version": 1,\n  "ns": "demo",\n  "key": "notes"${more}\n}`

test('analysis returns no problem for a valid text, and its value for the form', () => {
  const { problems, value, document } = analyze(text(''), PROMPT)
  expect(problems).toEqual([])
  expect(value).toEqual({ schema_version: 1, ns: 'demo', key: 'notes' })
  expect(document).toEqual(value)
})

test('analysis reports a syntax error at its position and returns no value for the form', () => {
  const { problems, value } = analyze(text(',\n  "policies": [,]'), PROMPT)
  expect(problems).toMatchObject([{ code: 'syntax', line: 5, column: 16 }])
  expect(value).toBeNull()
})

test.each([
  {
    name: 'a missing field at its object',
    more: ',\n  "policies": [{ "id": "x", "type": "read_before_write", "read_tools": [] }]',
    pointer: '/policies/0',
    line: 5,
  },
  {
    name: 'an unknown type at the rule',
    more: ',\n  "policies": [{ "id": "x", "type": "magic" }]',
    pointer: '/policies/0',
    line: 5,
  },
  {
    name: 'a repeated id at its second use',
    more: ',\n  "sections": [{ "id": "a" },\n   { "id": "a" }]',
    pointer: '/sections/1/id',
    line: 6,
  },
])('analysis reports $name', ({ more, pointer, line }) => {
  const [problem] = analyze(text(more), PROMPT).problems
  expect(problem?.pointer.startsWith(pointer)).toBe(true)
  expect(problem?.line).toBe(line)
})

test('analysis reports a document whose prompt is not that of the config', () => {
  const { problems, errors } = analyze(text(''), { ...PROMPT, key: 'other' })
  expect(problems).toMatchObject([{ pointer: '/key', code: 'other_prompt', line: 4 }])
  expect(errors).toBe(1)
})

test('analysis reports a text over 1 MiB as one problem and passes none of it to the form', () => {
  const long = text(`,\n  "description": "${'x'.repeat(1_100_000)}"`)
  const { problems, value } = analyze(long, PROMPT)
  expect(problems.map(({ code }) => code)).toEqual(['too_large'])
  expect(value).toBeNull()
})

test('analysis accepts a custom type once a runtime of the project has registered it', () => {
  const rule = (type: string) => text(`,\n  "policies": [{ "id": "p", "type": "${type}" }]`)
  expect(analyze(rule('acme/known'), PROMPT).problems).toEqual([])
  expect(analyze(rule('acme/other'), PROMPT).problems[0]).toMatchObject({
    pointer: '/policies/0/type',
    line: 5,
  })
})

test('analysis reports an invalid condition at its position once the parser is loaded', () => {
  const more =
    ',\n  "policies": [{ "id": "p", "type": "expression", "require": "has(args.n) && >" }]'
  expect(analyze(text(more), PROMPT).problems).toEqual([])
  const [problem] = analyze(text(more), { ...PROMPT, expressions: celExpressions() }).problems
  expect(problem).toMatchObject({ pointer: '/policies/0/require', severity: 'error', line: 5 })
})

const RATE = { id: 'rate', type: 'rate_limit', tools: ['deploy'], max_calls: 3, per_seconds: 60 }
const BASES = new Map([
  [
    'acme/base@3',
    {
      document: { schema_version: 1, ns: 'acme', key: 'base', policies: [RATE] },
      newest: 4,
      isArchived: false,
      extends: null,
    } as const,
  ],
])
const extending = (more: string) => text(`,\n  "extends": "acme/base@3"${more}`)

test('analysis of a text that extends a base returns its rules and offers the newer version', () => {
  const { document, inherited, problems, errors } = analyze(extending(''), {
    ...PROMPT,
    bases: BASES,
  })
  expect(document?.policies).toEqual([RATE])
  expect(inherited?.origins.get('rate')).toBe('base')
  expect(errors).toBe(0)
  expect(problems).toContainEqual(
    expect.objectContaining({
      code: 'base_newer',
      fix: { kind: 'set', pointer: '/extends', value: 'acme/base@4' },
    }),
  )
})

test('analysis names the rule that a text loosens, at its place in the text', () => {
  const rule = JSON.stringify({ ...RATE, max_calls: 9 })
  const { problems } = analyze(extending(`,\n  "policies": [${rule}]`), { ...PROMPT, bases: BASES })
  expect(problems).toMatchObject([{ code: 'base_loosened', pointer: '/policies/0/max_calls' }])
  expect(problems[0]?.message).toContain('Policy `rate`: `max_calls` is 9 instead of 3')
})

test('analysis reports a missing base only once bases are loaded', () => {
  expect(analyze(extending(''), PROMPT).problems).toEqual([])
  const { problems } = analyze(extending(''), { ...PROMPT, bases: new Map() })
  expect(problems).toMatchObject([{ code: 'base_missing', pointer: '/extends' }])
})

test('analysis places warnings about every run of exactly this text, and leaves out those of an earlier one', () => {
  const policies =
    ',\n  "policies": [{ "id": "x", "type": "sequential_dependency", "dependencies": {"a": ["b"]} }]'
  const code = 'rule_never_decisive'
  const found = { pointer: '/policies/0', code, severity: 'warning', message: 'Why.' } as const
  const proven = { text: text(policies), problems: [found] }
  const problems = (typed: string) =>
    analyze(typed, { ...PROMPT, proven }).problems.filter((one) => one.code === code)
  expect(problems(text(policies))).toMatchObject([{ line: 5, message: 'Why.' }])
  expect(problems(text(`${policies} `))).toEqual([])
})
