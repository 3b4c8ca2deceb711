import { describe, expect, test } from 'vitest'
import type { PluginMessage } from './messages.ts'
import { opencode } from './opencode-hooks.ts'

const FROM = { session: 'ses_1', cwd: '/w' }
const DONE = { output: undefined, plan: [] }
const CALL = { tool: 'bash', call_id: 'call_1', args: { command: 'ls' } }
const readPluginEvent = (message: PluginMessage) => opencode.read(message).event

describe('messages of the opencode plugin', () => {
  test('messages of the opencode plugin before a call are parsed into a requested call', () => {
    expect(opencode.read({ ...FROM, kind: 'before', ...CALL })).toEqual({
      session: 'ses_1',
      cwd: '/w',
      event: {
        kind: 'tool_requested',
        call: { tool: 'bash', input: { command: 'ls' }, callId: 'call_1' },
      },
    })
  })

  test('attribute calls and stops of a sub-agent to the parent session, and ignore its deletion', () => {
    expect(readPluginEvent({ ...FROM, agent: 'ses_2', kind: 'before', ...CALL })).toMatchObject({
      call: { agent: 'ses_2' },
    })
    expect(readPluginEvent({ ...FROM, agent: 'ses_2', kind: 'stop', text: 'Done.' })).toEqual({
      kind: 'stop_attempted',
      attempt: { via: 'subagent_end', lastMessage: 'Done.', agent: 'ses_2' },
    })
    expect(readPluginEvent({ ...FROM, agent: 'ses_2', kind: 'deleted' })).toEqual({ kind: 'other' })
  })

  test.each([
    ['bash', 0, 'success'],
    ['bash', 3, 'failure'],
    // A command that was stopped has no code.
    ['bash', null, 'unknown'],
    ['read', null, 'success'],
  ] as const)('after %s with exit code %s report: %s', (tool, exit, outcome) => {
    const event = readPluginEvent({ ...FROM, kind: 'after', ...CALL, tool, exit, output: 'text' })
    expect(event).toMatchObject({ kind: 'tool_finished', result: { outcome, output: 'text' } })
  })

  test('report a failed call', () => {
    expect(
      readPluginEvent({ ...FROM, kind: 'failed', ...CALL, error: 'no such file' }),
    ).toMatchObject({
      result: { outcome: 'failure', error: 'no such file' },
    })
  })

  test('messages of the opencode plugin report its version', () => {
    const message = { ...FROM, version: '1.18.33', kind: 'before', ...CALL } as const
    expect(opencode.read(message).version).toBe('1.18.33')
  })

  test('messages of the opencode plugin with a field or a kind of a newer plugin are read without it', () => {
    const before = { ...FROM, kind: 'before', ...CALL }
    expect(opencode.read({ ...before, mood: 'fine' })).toEqual(opencode.read(before))
    expect(opencode.read({ ...FROM, kind: 'compacted' }).event).toEqual({ kind: 'other' })
  })

  test('messages of the opencode plugin with a missing field are refused with the field named', () => {
    expect(() => opencode.read({ cwd: '/w', kind: 'stop' })).toThrow("no text in 'session'")
    expect(() => opencode.read({ ...FROM, kind: 'before', call_id: '1' })).toThrow(
      "no text in 'tool'",
    )
    expect(() => opencode.read([])).toThrow('not a JSON object')
  })
})

describe('answers to the opencode plugin', () => {
  const stop = readPluginEvent({ ...FROM, kind: 'stop', text: 'Done.' })

  test.each([
    [{ kind: 'pass' } as const, null],
    [{ kind: 'deny', reason: 'No.' } as const, { deny: 'No.' }],
    [{ kind: 'feedback', text: 'Hint.' } as const, { feedback: 'Hint.' }],
    [{ kind: 'block', message: 'Go on.' } as const, { block: 'Go on.' }],
    [{ kind: 'pass', replaced: { output: ['x'], error: 'y' } } as const, { replaced: ['x'] }],
    [
      { kind: 'feedback', text: 'Hint.', replaced: { error: 'y' } } as const,
      { feedback: 'Hint.', replaced: 'y' },
    ],
  ])("for %j have the plugin's format", (answer, expected) => {
    expect(opencode.answer(stop, answer)).toEqual(expected)
  })

  test('refuse when no decision is possible', () => {
    expect(opencode.refuse({ kind: 'before' }, 'No.')).toEqual({ deny: 'No.' })
    expect(opencode.refuse({ kind: 'stop' }, 'No.')).toEqual({ block: 'No.' })
    expect(opencode.refuse({ kind: 'after' }, 'No.')).toBeNull()
    expect(opencode.refuse('nonsense', 'No.')).toEqual({ deny: 'No.' })
    expect(opencode.refuse({}, 'No.')).toEqual({ deny: 'No.' })
  })
})

test.each([
  ['1.18.33', true],
  ['2.0.0', true],
  ['1.17.9', false],
  [null, false],
])('opencode %s replaces results: %s', (version, expected) => {
  expect(opencode.profile(version).capabilities.replacesResults).toBe(expected)
})

describe('native tools of opencode', () => {
  const { tools } = opencode.profile(null)

  test('native tools of opencode have their path in file_path, where rules read it', () => {
    expect(tools['write']?.args?.({ filePath: 'a.txt', content: 'x' })).toEqual({
      filePath: 'a.txt',
      file_path: 'a.txt',
      content: 'x',
    })
  })

  test('turn a patch into one call per file', () => {
    const patchText =
      '*** Begin Patch\n*** Delete File: a.txt\n*** Add File: b.txt\n+x\n*** End Patch'
    expect(tools['apply_patch']?.parts?.({ patchText })).toEqual([
      { name: 'delete_file', args: { file_path: 'a.txt' } },
      { name: 'write_file', args: { file_path: 'b.txt', content: 'x\n' } },
    ])
    expect(tools['apply_patch']?.parts?.({ patchText: 7 })).toEqual([])
  })

  test('change the plan of the session', () => {
    const todos = [
      { content: 'One', status: 'completed' },
      { content: 'Two', status: 'in_progress' },
      { content: 'Given up', status: 'cancelled' },
    ]
    expect(tools['todowrite']?.plan?.({ todos }, DONE)).toEqual([
      { title: 'One', status: 'done' },
      { title: 'Two', status: 'in_progress' },
    ])
    expect(tools['todowrite']?.plan?.({ todos: 'none' }, DONE)).toBeNull()
  })
})
