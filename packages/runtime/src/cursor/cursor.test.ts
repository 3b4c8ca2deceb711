import { HookPayloadError } from '@signalbox/runtime/harness'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cursor } from './cursor.ts'
import { cursorHooks } from './hooks-file.ts'

/** As documents of others say that Cursor sends it. */
const BASE = {
  conversation_id: 's',
  generation_id: 'g',
  model: 'm',
  cursor_version: '2.5.0',
  workspace_roots: ['/w'],
}
const BEFORE = {
  ...BASE,
  hook_event_name: 'preToolUse',
  tool_name: 'Write',
  tool_input: { path: '/w/a.txt' },
  tool_use_id: 'c',
}
const AFTER = { ...BEFORE, hook_event_name: 'postToolUse', tool_output: '{}' }
const FAILED = { ...BEFORE, hook_event_name: 'postToolUseFailure', error_message: 'No.' }
const STOP = { ...BASE, hook_event_name: 'stop', status: 'completed', loop_count: 0 }

describe('hooks of Cursor', () => {
  test.each([
    ['a call', BEFORE, { kind: 'tool_requested', call: { tool: 'Write', callId: 'c' } }],
    ['a result', AFTER, { kind: 'tool_finished', result: { outcome: 'success' } }],
    [
      'a command, of which nobody says how it ended',
      { ...AFTER, tool_name: 'Shell' },
      { kind: 'tool_finished', result: { outcome: 'unknown' } },
    ],
    ['a failure', FAILED, { kind: 'tool_finished', result: { outcome: 'failure', error: 'No.' } }],
    [
      'a refusal of its own',
      { ...FAILED, failure_type: 'permission_denied' },
      { kind: 'tool_finished', result: { outcome: 'denied' } },
    ],
    ['a stop', STOP, { kind: 'stop_attempted', attempt: { via: 'turn_end' } }],
    ['a stop by the user', { ...STOP, status: 'aborted' }, { kind: 'other' }],
    ['a beginning', { ...BASE, hook_event_name: 'sessionStart' }, { kind: 'session_started' }],
    ['a new turn', { ...BASE, hook_event_name: 'beforeSubmitPrompt' }, { kind: 'run_started' }],
    [
      'an end',
      { ...BASE, hook_event_name: 'sessionEnd', reason: 'window_close' },
      { kind: 'session_ended', reason: 'left' },
    ],
    ['anything else', { ...BASE, hook_event_name: 'afterAgentThought' }, { kind: 'other' }],
  ])('are parsed: %s', (_, payload, event) => {
    expect(cursor.read(payload)).toMatchObject({ session: 's', cwd: '/w', version: '2.5.0', event })
  })

  test('hooks of Cursor with a wrong shape are named', () => {
    expect(() => cursor.read(7)).toThrow(HookPayloadError)
    expect(() => cursor.read({ ...BEFORE, conversation_id: null })).toThrow("'conversation_id'")
  })
})

describe('answers to Cursor', () => {
  test('deny, give feedback, and continue the agent', () => {
    expect(cursor.answer(cursor.read(BEFORE).event, { kind: 'deny', reason: 'No.' })).toEqual({
      permission: 'deny',
      agent_message: 'No.',
      user_message: 'No.',
    })
    expect(cursor.answer(cursor.read(AFTER).event, { kind: 'feedback', text: 'Hint.' })).toEqual({
      additional_context: 'Hint.',
    })
    expect(cursor.answer(cursor.read(STOP).event, { kind: 'block', message: '' })).toEqual({
      followup_message: 'Tasks are incomplete.',
    })
    expect(cursor.answer(cursor.read(BEFORE).event, { kind: 'pass' })).toBeNull()
  })

  test('refuse any payload that is not known to be harmless', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        expect(cursor.refuse(payload, '')).toMatchObject({ permission: 'deny' })
      }),
    )
    expect(cursor.refuse(STOP, 'Broken.')).toEqual({ followup_message: 'Broken.' })
    expect(cursor.refuse(AFTER, 'Broken.')).toBeNull()
  })
})

test('guarantees nothing about a failing guard, and asks Cursor to stay closed', () => {
  expect(cursor.profile('2.5.0').capabilities).toMatchObject({
    onGuardCrash: 'open',
    onGuardTimeout: 'open',
  })
  const hooks = cursorHooks('shim cursor')
  expect(JSON.stringify(hooks['preToolUse'])).toContain('"failClosed":true')
  expect(JSON.stringify(hooks['stop'])).toContain('"loop_limit":5')
})

test('files are named by file_path, as in rules', () => {
  const { tools } = cursor.profile(null)
  expect(tools['Write']?.args?.({ path: 'a' })).toEqual({ path: 'a', file_path: 'a' })
  expect(tools['Write']?.args?.({ file_path: 'b' })).toEqual({ file_path: 'b' })
})
