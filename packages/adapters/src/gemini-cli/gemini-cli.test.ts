import { HookPayloadError } from '@signalbox/runtime/harness'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geminiCliProfile } from './capabilities.ts'
import { geminiCliHarness } from './gemini-cli.ts'
import { geminiCliHooks } from './hooks-file.ts'
import { GEMINI_TOOLS } from './tools.ts'

const BASE = {
  session_id: 's',
  transcript_path: '/home/.gemini/chats/session.jsonl',
  cwd: '/w',
  timestamp: '2026-11-21T11:20:07.789Z',
}
const BEFORE = {
  ...BASE,
  hook_event_name: 'BeforeTool',
  tool_name: 'read_file',
  tool_input: { file_path: 'a.txt' },
}
const AFTER = { ...BEFORE, hook_event_name: 'AfterTool' }
const STOP = {
  ...BASE,
  hook_event_name: 'AfterAgent',
  prompt: 'Do it.',
  prompt_response: 'Done.',
  stop_hook_active: false,
}
const harness = geminiCliHarness(() => null)

describe('hooks of Gemini CLI', () => {
  test.each([
    ['a call, without an id', BEFORE, { kind: 'tool_requested', call: { tool: 'read_file' } }],
    [
      'a result',
      { ...AFTER, tool_response: { llmContent: 'text' } },
      { kind: 'tool_finished', result: { outcome: 'success', output: 'text' } },
    ],
    [
      'a stop',
      STOP,
      { kind: 'stop_attempted', attempt: { via: 'turn_end', lastMessage: 'Done.' } },
    ],
    ['a session start', { ...BASE, hook_event_name: 'SessionStart' }, { kind: 'session_started' }],
    [
      'a new turn',
      { ...BASE, hook_event_name: 'BeforeAgent', prompt: 'x' },
      { kind: 'run_started' },
    ],
    [
      'a session end',
      { ...BASE, hook_event_name: 'SessionEnd', reason: 'exit' },
      { kind: 'session_ended', reason: 'left' },
    ],
    ['another event', { ...BASE, hook_event_name: 'PreCompress' }, { kind: 'other' }],
  ])('are parsed into events: %s', (_, payload, event) => {
    expect(harness.read(payload)).toMatchObject({ session: 's', cwd: '/w', event })
    expect(JSON.stringify(harness.read(payload).event)).not.toContain('callId')
  })

  test("include the model's usage, with each answer counted once", () => {
    const line = (id: string, input: number) =>
      JSON.stringify({ id, type: 'gemini', tokens: { input, output: 10, total: input + 10 } })
    const other = line('u', 9).replace('gemini', 'user')
    const text = [
      '"tokens" cut}',
      line('a', 5),
      line('b', 7),
      line('a', 6),
      '{"tokens":3}',
      other,
    ].join('\n')
    expect(geminiCliHarness(() => text).read(BEFORE).learned?.usage).toEqual([
      { evaluation_id: 'a', input_tokens: 6, output_tokens: 10, total_tokens: 16 },
      { evaluation_id: 'b', input_tokens: 7, output_tokens: 10, total_tokens: 17 },
    ])
  })

  test('hooks of Gemini CLI with a wrong shape are refused with the field named', () => {
    expect(() => harness.read([])).toThrow(HookPayloadError)
    expect(() => harness.read({ ...BEFORE, tool_name: '' })).toThrow("no text in 'tool_name'")
  })
})

describe('answers to Gemini CLI', () => {
  const before = harness.read(BEFORE).event

  test('deny with the reason, and block with the message', () => {
    expect(harness.answer(before, { kind: 'deny', reason: 'No.' })).toEqual({
      decision: 'deny',
      reason: 'No.',
    })
    const stop = harness.read(STOP).event
    expect(harness.answer(stop, { kind: 'block', message: 'Go on.' })).toEqual({
      decision: 'deny',
      reason: 'Go on.',
    })
    expect(harness.answer(before, { kind: 'pass' })).toBeNull()
  })

  test('carry feedback as context, or in place of an error', () => {
    const feedback = { kind: 'feedback', text: 'Hint.' } as const
    const done = harness.read({ ...AFTER, tool_response: { llmContent: 'text' } }).event
    expect(harness.answer(done, feedback)).toEqual({
      hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: 'Hint.' },
    })
    const error = { llmContent: 'x', error: { message: 'Not found.' } }
    const failed = harness.read({ ...AFTER, tool_response: error }).event
    expect(harness.answer(failed, feedback)).toEqual({
      decision: 'deny',
      reason: 'Not found.\n\nHint.',
    })
    expect(harness.answer(before, feedback)).toBeNull()
  })

  test('refuse every payload except one of a call that has already run, and refuse a stop only once', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        expect(harness.refuse(payload, ' ')).toEqual({
          decision: 'deny',
          reason: 'Denied by policy.',
        })
      }),
    )
    expect(harness.refuse(BEFORE, 'Broken.')).toEqual({ decision: 'deny', reason: 'Broken.' })
    expect(harness.refuse(STOP, 'Broken.')).toMatchObject({ decision: 'deny' })
    expect(harness.refuse({ ...STOP, stop_hook_active: true }, 'Broken.')).toBeNull()
    expect(harness.refuse(AFTER, 'Broken.')).toBeNull()
  })
})

test('the plan of Gemini CLI has converted statuses and no canceled steps', () => {
  const todos = [
    { description: 'one', status: 'completed' },
    { description: 'two', status: 'in_progress' },
    { description: 'three', status: 'cancelled' },
    { description: 'four' },
    7,
  ]
  const done = { output: '', plan: [] }
  expect(GEMINI_TOOLS['write_todos']?.plan?.({ todos }, done)).toEqual([
    { title: 'one', status: 'done' },
    { title: 'two', status: 'in_progress' },
    { title: 'four' },
    { title: 'A step' },
  ])
  expect(GEMINI_TOOLS['write_todos']?.plan?.({}, done)).toBeNull()
})

test.each([
  ['0.61.0', 'closed'],
  ['1.2.0', 'closed'],
  ['0.60.9', 'open'],
  [null, 'open'],
])('Gemini CLI version %s is recorded with a guard that fails %s', (version, onGuardCrash) => {
  expect(geminiCliProfile(version).capabilities).toMatchObject({ onGuardCrash })
})

test('every hook of Gemini CLI turns each failure of its command into exit code 2', () => {
  const commands = JSON.stringify(geminiCliHooks('shim gemini-cli')).match(
    /"command":"([^"\\]|\\.)+"/g,
  )
  expect(commands).toHaveLength(6)
  for (const each of commands ?? []) expect(each).toMatch(/shim gemini-cli \|\| .*exit 2;/)
})
