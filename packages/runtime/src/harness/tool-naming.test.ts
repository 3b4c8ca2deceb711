import type { ConfigDocument } from '@signalbox/core'
import { describe, expect, test } from 'vitest'
import type { NativeCall } from './native-call.ts'
import type { NativeTools } from './native-tools.ts'
import { ToolNaming } from './tool-naming.ts'

const TABLE: NativeTools = {
  bash: { name: 'shell' },
  write: {
    name: 'write_file',
    args: (input) => ({ ...input, file_path: input['filePath'] ?? '' }),
  },
  patch: {
    name: 'edit_file',
    parts: ({ files }) =>
      Array.isArray(files)
        ? files.map((file) => ({ name: 'edit_file', args: { file_path: String(file) } }))
        : [],
  },
  todo: { name: 'update_plan', plan: () => [{ title: 'One' }] },
}

const LIMIT = { type: 'rate_limit', max_calls: 1, per_seconds: 60 } as const

function naming(rules: Partial<ConfigDocument> = {}): ToolNaming {
  return new ToolNaming(TABLE, { schema_version: 1, ns: 'a', key: 'b', ...rules })
}

const names = (of: ToolNaming, tool: string) =>
  of.nameCalls({ tool, input: {} }).map(({ tool: name }) => name)

describe('the name of a native tool in rules', () => {
  test("the name of a native tool in rules is the name in the adapter's table", () => {
    expect(names(naming(), 'bash')).toEqual(['shell'])
  })

  test('the name of a native tool in rules is the native name when the table does not have it', () => {
    expect(names(naming(), 'mcp__files__write')).toEqual(['mcp__files__write'])
    expect(names(naming(), 'constructor')).toEqual(['constructor'])
  })

  test('the name of a native tool in rules is the native name when the config has an alias for it', () => {
    const config = naming({
      aliases: { bash: 'run' },
      policies: [{ id: 'x', ...LIMIT, tools: ['shell'] }],
    })
    expect(names(config, 'bash')).toEqual(['bash'])
  })

  test('the name of a native tool in rules is the native name when a rule names it', () => {
    expect(names(naming({ policies: [{ id: 'x', ...LIMIT, tools: ['bash'] }] }), 'bash')).toEqual([
      'bash',
    ])
  })

  test('the name of a native tool in rules is the native name when a condition quotes it', () => {
    const rule = {
      id: 'x',
      type: 'expression',
      deny_when: "tool == 'bash'",
      message: 'No.',
    } as const
    expect(names(naming({ policies: [rule] }), 'bash')).toEqual(['bash'])
  })

  test('includes the canonical name when the native name appears only as a rule id', () => {
    const rule = { id: 'bash', ...LIMIT, tools: ['deploy'] }
    expect(names(naming({ policies: [rule] }), 'bash')).toEqual(['bash', 'shell'])
  })

  test('the name of a native tool in rules is both names when rules name both, so that the call escapes neither', () => {
    const config = naming({
      policies: [
        { id: 'x', ...LIMIT, tools: ['bash'] },
        { id: 'y', ...LIMIT, tools: ['shell'] },
      ],
    })
    expect(names(config, 'bash')).toEqual(['bash', 'shell'])
  })

  test('the name of a native tool in rules is the name in the table while no config is in force', () => {
    expect(names(new ToolNaming(TABLE, null), 'bash')).toEqual(['shell'])
  })
})

test('arguments of a native tool are renamed to those that rules read', () => {
  expect(naming().nameCalls({ tool: 'write', input: { filePath: 'a.txt', content: 'x' } })).toEqual(
    [{ tool: 'write_file', args: { filePath: 'a.txt', content: 'x', file_path: 'a.txt' } }],
  )
})

test('arguments that are not an object are passed to the engine unchanged, which denies them', () => {
  expect(naming().nameCalls({ tool: 'write', input: 'a.txt' })).toEqual([
    { tool: 'write_file', args: 'a.txt' },
  ])
})

test('a call that changes several files counts as several calls', () => {
  expect(naming().nameCalls({ tool: 'patch', input: { files: ['a', 'b'] } })).toEqual([
    { tool: 'edit_file', args: { file_path: 'a' } },
    { tool: 'edit_file', args: { file_path: 'b' } },
  ])
})

test('a call of a file tool that names no file is still evaluated', () => {
  expect(naming().nameCalls({ tool: 'patch', input: { text: 'odd' } })).toEqual([
    { tool: 'edit_file', args: { text: 'odd' } },
  ])
})

test('only a plan tool changes the plan', () => {
  const readPlan = (call: NativeCall) => naming().readPlan({ ...call, outcome: 'success' }, [])
  expect(readPlan({ tool: 'todo', input: {} })).toEqual([{ title: 'One' }])
  expect(readPlan({ tool: 'todo', input: null })).toBeNull()
  expect(readPlan({ tool: 'bash', input: {} })).toBeNull()
})
