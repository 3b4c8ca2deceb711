import { isJsonObject } from '@signalbox/core'
import { HookPayloadError } from '@signalbox/runtime/harness'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copilotProfile } from './capabilities.ts'
import { copilotHarness } from './copilot.ts'
import { copilotHooks } from './hooks-file.ts'
import { COPILOT_TOOLS } from './tools.ts'

const BASE = { sessionId: 's', timestamp: 1795260470987, cwd: '/w' }
const BEFORE = { ...BASE, toolName: 'view', toolArgs: { path: '/w/a.txt' } }
const AFTER = { ...BEFORE, toolResult: { resultType: 'success', textResultForLlm: 'text' } }
const FAILED = { ...BEFORE, error: 'Path does not exist' }
const STOP = {
  ...BASE,
  transcriptPath: '/home/.copilot/session-state/s/events.jsonl',
  stopReason: 'end_turn',
  stop_hook_active: false,
}
const harness = copilotHarness(() => null)
const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+x\n*** Delete File: b.txt\n*** End Patch'

describe('hooks of Copilot CLI', () => {
  test.each([
    ['a call', BEFORE, { kind: 'tool_requested', call: { tool: 'view' } }],
    ['a result', AFTER, { kind: 'tool_finished', result: { outcome: 'success', output: 'text' } }],
    ['a failure', FAILED, { kind: 'tool_finished', result: { outcome: 'failure' } }],
    ['a stop', STOP, { kind: 'stop_attempted', attempt: { stopReason: 'end_turn' } }],
    [
      'a session start',
      { ...BASE, source: 'new', initialPrompt: 'x' },
      { kind: 'session_started' },
    ],
    ['a new turn', { ...BASE, prompt: 'x' }, { kind: 'run_started' }],
    [
      'a session end, without an output',
      { ...BASE, reason: 'complete' },
      { kind: 'session_ended', reason: 'completed', output: null },
    ],
    [
      'a session end with an error',
      { ...BASE, reason: 'error' },
      { kind: 'session_ended', reason: 'failed' },
    ],
    [
      'a session end by the user',
      { ...BASE, reason: 'user_exit' },
      { kind: 'session_ended', reason: 'aborted' },
    ],
    ['another payload', { ...BASE, other: 1 }, { kind: 'other' }],
  ])('are parsed into events: %s', (_, payload, event) => {
    expect(harness.read(payload)).toMatchObject({ session: 's', cwd: '/w', event })
  })

  test('hooks of Copilot CLI of a sub-agent belong to the session that the sub-agent works for', () => {
    const kid = { sessionId: 'kid', agentId: 'kid', agentType: 'task', parentAgentId: 's' }
    expect(harness.read({ ...BEFORE, ...kid })).toMatchObject({
      session: 's',
      event: { call: { agent: 'kid' } },
    })
    expect(harness.read({ ...FAILED, ...kid })).toMatchObject({
      session: 's',
      event: { result: { agent: 'kid' } },
    })
    expect(harness.read({ ...STOP, ...kid })).toMatchObject({
      session: 's',
      event: { attempt: { via: 'subagent_end', agent: 'kid' } },
    })
  })

  test('include the usage before the turn that a stop ends', () => {
    const usage = { inputTokens: 100, outputTokens: 10 }
    const line = JSON.stringify({ type: 'session.usage_record', id: 'u', data: { usage } })
    const text = `"session.usage_record" cut}\n${line}`
    expect(copilotHarness(() => text).read(STOP).learned?.usage).toEqual([
      { evaluation_id: 'u', input_tokens: 100, output_tokens: 10 },
    ])
    expect(copilotHarness(() => text).read(BEFORE).learned).toBeUndefined()
  })

  test('hooks of Copilot CLI with a wrong shape are refused with the field named', () => {
    expect(() => harness.read(null)).toThrow(HookPayloadError)
    expect(() => harness.read({ ...BEFORE, sessionId: 7 })).toThrow("'sessionId' is not text")
  })
})

describe('answers to Copilot CLI', () => {
  test('deny a call, block a stop, and give feedback after a call', () => {
    const denied = harness.answer(harness.read(BEFORE).event, { kind: 'deny', reason: 'No.' })
    expect(denied).toEqual({ permissionDecision: 'deny', permissionDecisionReason: 'No.' })
    const blocked = harness.answer(harness.read(STOP).event, { kind: 'block', message: 'Go on.' })
    expect(blocked).toEqual({ decision: 'block', reason: 'Go on.' })
    const feedback = { kind: 'feedback', text: 'Hint.' } as const
    for (const payload of [AFTER, FAILED])
      expect(harness.answer(harness.read(payload).event, feedback)).toEqual({
        additionalContext: 'Hint.',
      })
    expect(harness.answer(harness.read(BEFORE).event, feedback)).toBeNull()
  })

  test('refuse every payload except those at which a refusal has no effect', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        expect(harness.refuse(payload, '')).toEqual({
          permissionDecision: 'deny',
          permissionDecisionReason: 'Denied by policy.',
        })
      }),
    )
    expect(harness.refuse(STOP, 'Broken.')).toEqual({ decision: 'block', reason: 'Broken.' })
    expect(harness.refuse(BEFORE, 'Broken.')).toMatchObject({ permissionDecision: 'deny' })
    for (const payload of [
      AFTER,
      FAILED,
      { ...BASE, prompt: 'x' },
      { ...BASE, reason: 'complete' },
    ])
      expect(harness.refuse(payload, 'Broken.')).toBeNull()
  })
})

test('calls of Copilot CLI name files by file_path, as rules do', () => {
  expect(COPILOT_TOOLS['edit']?.args?.({ path: '/w/a', old_str: 'x' })).toEqual({
    path: '/w/a',
    old_str: 'x',
    file_path: '/w/a',
  })
})

test.each([
  ['1.0.102', 'closed'],
  ['0.9.0', 'open'],
  [null, 'open'],
])('Copilot CLI version %s is recorded with a guard that fails %s', (version, onGuardCrash) => {
  expect(copilotProfile(version).capabilities).toMatchObject({ onGuardCrash, maxBlocks: 8 })
})

test('a hook of Copilot CLI whose command fails refuses calls and stops', () => {
  const hooks = copilotHooks('shim copilot')
  expect(Object.keys(hooks)).toHaveLength(7)
  const [{ bash }] = hooks['preToolUse'] as readonly [{ readonly bash: string }]
  const [command, refusal] = bash.split(" || echo '")
  expect(command).toBe('shim copilot')
  expect(JSON.parse(refusal?.replace(/'$/, '') ?? '')).toMatchObject({
    permissionDecision: 'deny',
    decision: 'block',
  })
})

describe('tools that Copilot CLI offers to some models only', () => {
  test.each([
    ['as text', PATCH],
    ['as a field', { patch: PATCH }],
  ])('a patch given %s is evaluated file by file', (_, toolArgs) => {
    const { event } = harness.read({ ...BEFORE, toolName: 'apply_patch', toolArgs })
    const input = event.kind === 'tool_requested' ? event.call.input : null
    const args = isJsonObject(input) ? input : {}
    expect(COPILOT_TOOLS['apply_patch']?.parts?.(args)).toEqual([
      { name: 'write_file', args: { file_path: 'a.txt', content: 'x\n' } },
      { name: 'delete_file', args: { file_path: 'b.txt' } },
    ])
  })

  test.each([
    ['view', 'read_file'],
    ['create', 'write_file'],
  ])('the editor with the command %s is a call of %s', (command, name) => {
    const args = { command, path: '/w/a' }
    expect(COPILOT_TOOLS['str_replace_editor']?.parts?.(args)).toEqual([
      { name, args: { ...args, file_path: '/w/a' } },
    ])
  })

  test.each(['bash', 'local_shell', 'powershell', 'write_bash', 'write_powershell'])(
    'the tool %s is a shell',
    (native) => expect(COPILOT_TOOLS[native]?.name).toBe('shell'),
  )
})

test('a payload that Copilot CLI means as a call or stop is refused, whatever its other fields', () => {
  const fields = ['toolName', 'toolResult', 'error', 'stopReason', 'source', 'prompt', 'reason']
  const value = fc.constantFrom('x', '', null, 7)
  const payload = fc.dictionary(fc.constantFrom(...fields), value)
  fc.assert(
    fc.property(payload, (said) => {
      const whole = { ...BASE, ...said }
      const kind = readEventKind(whole)
      const refused = harness.refuse(whole, 'No.')
      if (kind === 'tool_requested') expect(refused).toHaveProperty('permissionDecision', 'deny')
      if (kind === 'stop_attempted') expect(refused).toHaveProperty('decision', 'block')
    }),
  )
})

/** null: it cannot be read. */
function readEventKind(payload: unknown): string | null {
  try {
    return harness.read(payload).event.kind
  } catch {
    return null
  }
}
