// In the texts, `|` marks the cursor.

import { celExpressions } from '@signalbox/core/expression'
import { lintConfig } from '@signalbox/core/lint'
import { parseConfigText } from '@signalbox/wire'
import { describe, expect, test } from 'vitest'
import { applyEdit } from '@/components/kit/diff/json-edit.ts'
import { type Suggestion, suggestionsAt } from './completion.ts'
import type { CustomRule } from './document/schema-walk.ts'

const CUSTOM: readonly CustomRule[] = [
  {
    kind: 'policy',
    type: 'acme/freeze',
    schema: {
      type: 'object',
      properties: {
        until: { type: 'string', description: 'Last day of the freeze.' },
        level: { $ref: '#/$defs/level' },
      },
      required: ['until'],
      $defs: { level: { enum: ['soft', 'hard'] } },
    },
  },
  { kind: 'checker', type: 'acme/green', schema: null },
]

function options(marked: string): readonly Suggestion[] {
  const offset = marked.indexOf('|')
  return suggestionsAt(marked.replace('|', ''), offset, CUSTOM)?.options ?? []
}

function labels(marked: string): readonly string[] {
  return options(marked).map(({ label }) => label)
}

function taken(marked: string, label: string): string {
  const option = options(marked).find((one) => one.label === label)
  if (option === undefined) throw new Error(`no option ${label}`)
  const text = applyEdit(marked.replace('|', ''), option.edit)
  return `${text.slice(0, option.cursor)}|${text.slice(option.cursor)}`
}

const RULE = '{"policies": [{"id": "order", "type": "sequential_dependency", |}]}'

describe('field completion', () => {
  test('offers the fields of an object that are missing, before or after the cursor', () => {
    const found = labels('{"schema_version": 1, |, "key": "k"}')
    expect(found).toContain('policies')
    expect(found).not.toContain('schema_version')
    expect(found).not.toContain('key')
  })

  test('describes fields from the schema', () => {
    const [found] = options(RULE).filter(({ label }) => label === 'dependencies')
    expect(found).toMatchObject({
      detail: 'required',
      info: 'For each tool, the tools that must have succeeded before it.',
    })
    const all = [...options('{|}'), ...options(RULE)]
    expect(all.filter(({ info }) => info === '').map(({ label }) => label)).toEqual([])
  })

  test('offers the fields of the union alternative that "type" names, even below the cursor', () => {
    expect(labels(RULE)).toEqual(['mode', 'optional', 'dependencies', 'after'])
    expect(labels('{"policies": [{"id": "a", |, "type": "rate_limit"}]}')).toEqual([
      'mode',
      'optional',
      'tools',
      'max_calls',
      'per_seconds',
    ])
  })

  test('offers only shared fields in a union without a type', () => {
    expect(labels('{"policies": [{|}]}')).toEqual(['id', 'mode', 'optional', 'type'])
  })

  test('offers the fields of the kind of content rule that "kind" names', () => {
    expect(labels('{"content": [{"id": "a", "on": "result", "kind": "size", |}]}')).toEqual([
      'mode',
      'tools',
      'action',
      'on_unsupported',
      'max_chars',
    ])
  })

  test('finds fields of a composite inside a composite', () => {
    const nested =
      '{"task_completion_checker": {"type": "composite", "checkers": [{"type": "composite", "checkers": [{"type": "tool_succeeded", |}]}]}}'
    expect(labels(nested)).toEqual(['id', 'tool', 'after'])
  })

  test('finds fields of a nested section and of a rule in it', () => {
    expect(labels('{"sections": [{"sections": [{|}]}]}')).toContain('policies')
    expect(
      labels('{"sections": [{"sections": [{"policies": [{"type": "approval", |}]}]}]}'),
    ).toContain('timeout_seconds')
  })

  test('offers the fields of a custom rule from the schema that a runtime registered', () => {
    const params = '{"policies": [{"type": "acme/freeze", "params": {|}}]}'
    expect(options(params)).toMatchObject([
      { label: 'until', detail: 'required', info: 'Last day of the freeze.' },
      { label: 'level' },
    ])
    expect(labels('{"policies": [{"type": "acme/freeze", "params": {"level": "|"}}]}')).toEqual([
      'soft',
      'hard',
    ])
  })

  test('inserts a field with a placeholder value, and a comma before another field', () => {
    expect(taken('{"schema_version": 1, |}', 'ns')).toBe('{"schema_version": 1, "ns": "|"}')
    expect(taken('{\n  |\n  "key": "k"\n}', 'policies')).toBe(
      '{\n  "policies": [|],\n  "key": "k"\n}',
    )
    expect(taken('{"po|"}', 'policies')).toBe('{"policies": [|]}')
    expect(taken('{po|}', 'policies')).toBe('{"policies": [|]}')
  })

  test('keeps the value of a field that already has one', () => {
    expect(taken('{"po|": [1]}', 'policies')).toBe('{"policies"|: [1]}')
  })
})

describe('value completion', () => {
  test('offers the choices of the schema, and true and false', () => {
    expect(labels('{"policies": [{"mode": "|"}]}')).toEqual(['enforce', 'shadow', 'off'])
    expect(labels('{"feedback_exclusive": |}')).toEqual(['true', 'false'])
    expect(taken('{"final_verification": |\n "key": "k"}', 'error')).toBe(
      '{"final_verification": "error"|,\n "key": "k"}',
    )
  })

  test('offers every type that the list allows for `type`, including custom types, whatever the present value is', () => {
    const found = labels('{"policies": [{"type": "approval|"}]}')
    expect(found).toContain('rate_limit')
    expect(found).toContain('acme/freeze')
    expect(found).not.toContain('acme/green')
    expect(options('{"policies": [{"type": "|"}]}')[0]).toMatchObject({
      info: 'A tool may run only after others have succeeded.',
    })
  })

  test('offers the kinds of content rules', () => {
    const kinds = ['secrets', 'pii', 'pattern', 'size']
    expect(labels('{"content": [{"kind": "pii|"}]}')).toEqual(kinds)
  })

  test('offers the tools that the text names, except those already in the list', () => {
    const text =
      '{"aliases": {"Bash": "bash"}, "sections": [{"tools": ["build", "test"]}], "policies": [{"type": "rate_limit", "tools": ["test", "|"]}]}'
    expect(labels(text)).toEqual(['bash', 'build'])
    expect(
      labels(
        text.replace('"rate_limit"', '"sequential_dependency", "dependencies": {"deploy": []}'),
      ),
    ).toEqual([])
  })

  test('offers tools on both sides of a dependency', () => {
    const of = (dependencies: string) =>
      labels(
        `{"sections": [{"tools": ["build", "test"]}], "policies": [{"type": "sequential_dependency", "dependencies": ${dependencies}}]}`,
      )
    expect(of('{"build": ["test"], "|"}')).toEqual(['test'])
    expect(of('{"build": [|]}')).toEqual(['build', 'test'])
  })

  test('offers nothing after a complete value or before one', () => {
    expect(labels('{"key": "k"|}')).toEqual([])
    expect(labels('{"policies": |[]}')).toEqual([])
    expect(labels('{"policies": [{}, |{}]}')).toEqual([])
  })
})

describe('rule completion', () => {
  test('inserts a complete rule with an unused id', () => {
    const text = taken('{"policies": [{"id": "rate"}, |]}', 'rate_limit')
    expect(text).toContain('"id": "rate-2"')
    expect(text).toContain('"tools": [|]')
  })

  const LISTS = [
    '{"schema_version": 1, "ns": "n", "key": "k", "policies": [|]}',
    '{"schema_version": 1, "ns": "n", "key": "k", "sections": [{"id": "s", "policies": [|]}]}',
    '{"schema_version": 1, "ns": "n", "key": "k", "content": [|]}',
    '{"schema_version": 1, "ns": "n", "key": "k", "sections": [{"id": "s", "content": [|]}]}',
    '{"schema_version": 1, "ns": "n", "key": "k", "feedback_providers": [|]}',
    '{"schema_version": 1, "ns": "n", "key": "k", "task_completion_checker": |}',
    '{"schema_version": 1, "ns": "n", "key": "k", "task_completion_checker": {"id": "c", "type": "composite", "checkers": [|]}}',
  ]
  test.each(LISTS)('inserts a valid rule for every type allowed in %s', (list) => {
    const offered = labels(list)
    expect(offered.length).toBeGreaterThan(3)
    for (const label of offered) {
      // Only the author can write the condition of an expression or a pattern, which cannot be published without it.
      const text = taken(list, label)
        .replace('|', '')
        .replace('"deny_when": ""', '"deny_when": "false"')
        .replace('"matches": ""', '"matches": "x"')
      const parsed = parseConfigText(text)
      expect(parsed).toMatchObject({ ok: true })
      if (!parsed.ok) continue
      const customTypes = CUSTOM.map(({ type }) => type)
      const lint = lintConfig(parsed.document, { customTypes, expressions: celExpressions() })
      expect(lint.filter(({ severity }) => severity === 'error')).toEqual([])
    }
  })
})

describe('completion in a broken text', () => {
  test.each([
    ['{"policies": [{"id": "a", "type": "approval", |', 'timeout_seconds'],
    ['{"policies": [{"id": "a", "type": "approval", "to|\n  "x": 1}]', 'tools'],
    ['{"key": , "policies": [{"type": "ex|', 'expression'],
    ['{"ns": "n" "key": "k", |', 'policies'],
    [
      '{"task_completion_checker": {"type": "composite", "checkers": [{"type": "plan"}, |',
      'files_exist',
    ],
    ['{|', 'schema_version'],
  ])('for the text %s offers completions such as %s', (text, label) => {
    expect(labels(text)).toContain(label)
  })

  test('offers nothing and does not throw for a text that is not JSON', () => {
    for (const text of [
      '|',
      'a|',
      '[|',
      '{"x": {"y": |}}',
      '}}|',
      '"|',
      '{"policies": {"a": |}}',
    ]) {
      expect(labels(text)).toEqual([])
    }
  })
})

describe('inside a condition of the JSON', () => {
  const rule = (condition: string) =>
    `{"policies":[{"id":"a","type":"expression","tools":["deploy"],"deny_when":"${condition}"}]}`

  test('the names of conditions are offered', () => {
    expect(labels(rule('calls.|'))).toEqual(['deploy'])
    expect(labels(rule('calls.deploy.succeeded > 0 && to|'))).toContain('tool')
    expect(labels('{"policies":[{"id":"a","type":"acme/own","deny_when":"calls.|"}]}')).toEqual([])
  })

  test('what is taken replaces the begun name, with the cursor in its gap', () => {
    const before = rule('args.command.start|')
    expect(taken(before, 'startsWith')).toBe(rule("args.command.startsWith('|')"))
  })
})
