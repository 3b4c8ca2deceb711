import { compileConfig } from '@signalbox/core'
import { configDocument } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseConfigText } from './parse-config.ts'

const head = '"schema_version":1,"ns":"a","key":"b"'
const rule = (fields: string) => `{${head},"policies":[{${fields}}]}`

describe('parseConfigText', () => {
  it.each([
    ['empty text', '', '', 'empty'],
    ['text that is not JSON', '{"a":', '', 'This is not valid JSON'],
    ['a list', '[]', '', 'A config is an object'],
    ['a missing version', '{}', '/schema_version', 'required'],
    ['another version', '{"schema_version":2}', '/schema_version', 'version 2 is not supported'],
    ['a missing field', '{"schema_version":1,"ns":"a"}', '/key', 'required'],
    ['a misspelled field', `{${head},"polices":[]}`, '/polices', 'Did you mean "policies"?'],
    [
      'a number too large for a double',
      `{${head},"metadata":{"n":1e999}}`,
      '/metadata/n',
      'too large to be kept',
    ],
    ['a field written twice', `{${head},"key":"c"}`, '/key', 'written twice'],
    [
      'a mistake in a rule of a custom type',
      rule('"id":"x","type":"acme/magic","tools":"deploy"'),
      '/policies/0/tools',
      'Give a list',
    ],
    [
      'an empty condition',
      rule('"id":"x","type":"expression","deny_when":""'),
      '/policies/0/deny_when',
      'Enter a condition in “Deny when” or “Require”.',
    ],
    [
      'an empty condition of a check, which is in one field',
      `{${head},"task_completion_checker":{"id":"x","type":"expression","require":""}}`,
      '/task_completion_checker/require',
      'This text is empty. Fill it in.',
    ],
    ['a rule without a type', rule('"id":"x"'), '/policies/0/type', 'A rule needs a "type"'],
    [
      'a wrong list',
      rule('"id":"x","type":"sequential_dependency","dependencies":{"deploy":"test"}'),
      '/policies/0/dependencies/deploy',
      'Give a list',
    ],
    [
      'a bad id',
      rule('"id":"X Y","type":"sequential_dependency","dependencies":{}'),
      '/policies/0/id',
      'lower-case',
    ],
    [
      'a bad tool name',
      rule('"id":"x","type":"sequential_dependency","dependencies":{"Deploy":[]}'),
      '/policies/0/dependencies/Deploy',
      'cannot be used',
    ],
    [
      'a mistake in a known, optional rule',
      rule('"id":"x","type":"sequential_dependency","optional":true'),
      '/policies/0/dependencies',
      'required',
    ],
    [
      'a document nested too deep',
      `{${head},"metadata":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`,
      '',
      'nested deeper',
    ],
    [
      'a document that is too large',
      `{${head},"description":"${'x'.repeat(1024 * 1024)}"}`,
      '',
      'larger than 1 MiB',
    ],
  ])('refuses %s with its position', (...[, text, pointer, sentence]) => {
    const result = parseConfigText(text)
    expect(result.ok).toBe(false)
    const found = result.problems.map(
      (problem) => `${problem.pointer} ${problem.code} ${problem.message}`,
    )
    expect(
      found.some((line) => line.startsWith(`${pointer} `) && line.includes(sentence)),
      found.join('\n'),
    ).toBe(true)
  })

  it('reports the position of a syntax error', () => {
    const result = parseConfigText('{\n  "a": 1,\n  b\n}')
    expect(result.problems[0]?.message).toContain('line 3, column 3, unexpected b')
  })

  it('keeps an optional rule of an unknown type with its fields', () => {
    const text = rule('"id":"x","type":"magic","optional":true,"power":9')
    const result = parseConfigText(text)
    expect(result.ok && result.value).toEqual(JSON.parse(text))
    expect(result.ok && compileConfig(result.document).ok).toBe(true)
  })

  it('accepts every document that core compiles', () => {
    fc.assert(
      fc.property(configDocument, (document) => {
        const result = parseConfigText(JSON.stringify(document))
        expect(result.ok, JSON.stringify(result.problems)).toBe(true)
        expect(result.ok && result.document).toEqual(document)
      }),
    )
  })

  it('parseConfigText never throws for any text', () => {
    const start = fc.constantFrom('', `{${head},`, `{${head},"policies":`)
    fc.assert(
      fc.property(start, fc.oneof(fc.string(), fc.json()), (before, rest) => {
        const result = parseConfigText(before + rest)
        expect(result.ok || result.problems.length > 0).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

it('parseConfigText reports the position where a truncated text ends', () => {
  const result = parseConfigText('{\n  "schema_version": 1,\n  "ns": ')
  expect(result.problems.map(({ message }) => message)).toEqual([
    'This is not valid JSON: line 3, column 9, unexpected end.',
  ])
})

it('parseConfigText reads $schema as the name of a schema, not as a part of the config', () => {
  const plain = { schema_version: 1, ns: 'a', key: 'b' }
  const named = parseConfigText(JSON.stringify({ $schema: './config-v1.json', ...plain }))
  expect(named).toEqual(parseConfigText(JSON.stringify(plain)))
  expect(named).toMatchObject({ ok: true, value: plain })
  const inside = parseConfigText(JSON.stringify({ ...plain, tool_aliases: { $schema: 'x' } }))
  expect(inside.ok).toBe(false)
  expect(parseConfigText(JSON.stringify({ $schema: 1, ...plain })).ok).toBe(false)
})
