import { isJsonObject } from '@signalbox/core'
import { type HookAnswer, type HookEvent, HookPayloadError } from '@signalbox/runtime/harness'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codexProfile } from './capabilities.ts'
import { codexHarness } from './codex.ts'
import { codexHooks } from './hooks-file.ts'
import { answer, call, command, meta, tokens } from './test/rollout.ts'
import { CODEX_TOOLS } from './tools.ts'

const BASE = {
  session_id: 's',
  turn_id: 'turn-1',
  transcript_path: '/home/.codex/sessions/rollout.jsonl',
  cwd: '/w',
  model: 'gpt-5.5',
  permission_mode: 'bypassPermissions',
}
const PRE = {
  ...BASE,
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'make' },
  tool_use_id: 'c',
}
const POST = { ...PRE, hook_event_name: 'PostToolUse', tool_response: '' }
const STOP = {
  ...BASE,
  hook_event_name: 'Stop',
  stop_hook_active: false,
  last_assistant_message: 'Done.',
}

const withFile = (...lines: readonly string[]) => codexHarness(() => lines.join('\n'))
const withoutFile = codexHarness(() => null)

describe('hooks of Codex', () => {
  test.each([
    ['a call', PRE, { kind: 'tool_requested', call: { tool: 'Bash', callId: 'c' } }],
    [
      'a stop',
      STOP,
      { kind: 'stop_attempted', attempt: { via: 'turn_end', lastMessage: 'Done.' } },
    ],
    [
      'a stop of a sub-agent',
      { ...STOP, hook_event_name: 'SubagentStop', agent_id: 'a', agent_transcript_path: null },
      { kind: 'stop_attempted', attempt: { via: 'subagent_end', agent: 'a' } },
    ],
    [
      'a call of a sub-agent',
      { ...PRE, agent_id: 'a', agent_type: 'default' },
      { kind: 'tool_requested', call: { agent: 'a' } },
    ],
    ['a session start', { ...BASE, hook_event_name: 'SessionStart' }, { kind: 'session_started' }],
    ['a new turn', { ...BASE, hook_event_name: 'UserPromptSubmit' }, { kind: 'run_started' }],
    [
      'a session end',
      { ...BASE, hook_event_name: 'SessionEnd', reason: 'other' },
      { kind: 'session_ended', reason: 'left' },
    ],
    ['another event', { ...BASE, hook_event_name: 'PreCompact' }, { kind: 'other' }],
  ])('are parsed into events: %s', (_, payload, event) => {
    const input = withoutFile.read(payload)
    expect(input).toMatchObject({ session: 's', cwd: '/w', event })
  })

  test('leave the outcome of a command unknown without a session file', () => {
    expect(withoutFile.read(POST).event).toMatchObject({ result: { outcome: 'unknown' } })
    expect(withoutFile.read(POST)).not.toHaveProperty('learned')
  })

  test.each([
    [0, 'success'],
    [3, 'failure'],
  ])('report from the session file that a command exited with %i', (code, outcome) => {
    const { event } = withFile(command('c', code)).read(POST)
    expect(event).toMatchObject({ kind: 'tool_finished', result: { outcome, callId: 'c' } })
  })

  test('include version, usage and results that no hook reported', () => {
    const harness = withFile(
      meta('0.169.0'),
      call('p', 'apply_patch', 'x'),
      answer('p', 'apply_patch verification failed: x'),
      call('w', 'write_stdin', { chars: 'y' }),
      answer('w', 'ok'),
      tokens(9, 1),
    )
    expect(harness.read({ ...PRE, agent_id: 'a' })).toMatchObject({
      version: '0.169.0',
      learned: {
        results: [{ callId: 'p', agent: 'a' }],
        unasked: [{ callId: 'w', agent: 'a' }],
        usage: [{ evaluation_id: 'codex a', input_tokens: 9 }],
      },
    })
    expect(harness.read(POST).learned).not.toHaveProperty('results')
  })

  test('find an item before a long output with a second read', () => {
    const asked: number[] = []
    const long = `${command('c', 0)}\n${'x'.repeat(300_000)}`
    const harness = codexHarness((_, bytes) => {
      asked.push(bytes)
      return long.slice(-bytes)
    })
    expect(harness.read(POST).event).toMatchObject({ result: { outcome: 'success' } })
    expect(asked).toHaveLength(2)
  })

  test.each([
    ['text', 'The payload is not a JSON object'],
    [{ hook_event_name: 'PreToolUse' }, "The payload has no text in 'session_id'"],
    [{ ...PRE, tool_name: 7 }, "The payload's 'tool_name' is not text but a value of type number"],
    [{ ...PRE, tool_use_id: null }, "The payload has no text in 'tool_use_id'"],
  ])('with a wrong shape are refused with the field named: %j', (payload, message) => {
    expect(() => withoutFile.read(payload)).toThrow(new HookPayloadError(message))
  })
})

/** Every key that an answer may have; Codex discards an answer with any other key, and the call runs. */
const KEYS: { readonly [event: string]: readonly string[] } = {
  tool_requested: [
    'hookSpecificOutput',
    'hookSpecificOutput.hookEventName',
    'hookSpecificOutput.permissionDecision',
    'hookSpecificOutput.permissionDecisionReason',
    'hookSpecificOutput.additionalContext',
  ],
  tool_finished: [
    'decision',
    'reason',
    'hookSpecificOutput',
    'hookSpecificOutput.hookEventName',
    'hookSpecificOutput.additionalContext',
  ],
  stop_attempted: ['decision', 'reason'],
}

function flattenKeys(value: unknown, base = ''): readonly string[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, part]) => [
    base + key,
    ...flattenKeys(part, `${base}${key}.`),
  ])
}

const EVENTS: readonly HookEvent[] = [
  { kind: 'session_started' },
  { kind: 'run_started' },
  { kind: 'tool_requested', call: { tool: 'Bash', input: {} } },
  { kind: 'tool_finished', result: { tool: 'Bash', input: {}, outcome: 'unknown' } },
  { kind: 'stop_attempted', attempt: { via: 'turn_end' } },
  { kind: 'session_ended', reason: 'completed' },
  { kind: 'other' },
]
const answers: fc.Arbitrary<HookAnswer> = fc.oneof(
  fc.constant({ kind: 'pass' as const }),
  fc.string().map((reason) => ({ kind: 'deny' as const, reason })),
  fc.string().map((text) => ({ kind: 'feedback' as const, text })),
  fc.string().map((message) => ({ kind: 'block' as const, message })),
)

describe('answers to Codex', () => {
  test('hold only keys that Codex allows for the event, and no empty reason', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVENTS), answers, (event, said) => {
        const told = withoutFile.answer(event, said)
        for (const key of flattenKeys(told)) expect(KEYS[event.kind] ?? []).toContain(key)
        const refused = said.kind === 'deny' || said.kind === 'block'
        if (refused && KEYS[event.kind] !== undefined) {
          const text = told?.['reason'] ?? JSON.stringify(told)
          expect(String(text).trim()).not.toBe('')
        }
      }),
    )
  })

  test('deny with the reason', () => {
    expect(
      withoutFile.answer(EVENTS[2] ?? { kind: 'other' }, { kind: 'deny', reason: 'No.' }),
    ).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'No.',
      },
    })
  })

  test('refuse every payload except one of a call that has already run', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.object()), (payload) => {
        const told = withoutFile.refuse(payload, 'Broken.')
        expect(told).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
      }),
    )
    expect(withoutFile.refuse(PRE, '')).toMatchObject({
      hookSpecificOutput: { permissionDecisionReason: 'Denied by policy.' },
    })
    expect(withoutFile.refuse(POST, 'Broken.')).toBeNull()
  })

  test('refuse a stop that cannot be evaluated, but only the first time, so that no agent works forever', () => {
    expect(withoutFile.refuse(STOP, 'Broken.')).toEqual({ decision: 'block', reason: 'Broken.' })
    expect(withoutFile.refuse({ ...STOP, stop_hook_active: true }, 'Broken.')).toBeNull()
  })
})

describe('native tools of Codex', () => {
  const parts = (tool: string, command: string) =>
    CODEX_TOOLS[tool]?.parts?.({ command }).map(({ name, args }) => [name, args['file_path']])

  test('treat a patch as one call per file, and a moved file as an edit, a deletion and a write', () => {
    const text = '*** Add File: a\n*** Update File: b\n*** Move to: c\n*** Delete File: d'
    expect(parts('apply_patch', text)).toEqual([
      ['write_file', 'a'],
      ['edit_file', 'b'],
      ['delete_file', 'b'],
      ['write_file', 'c'],
      ['delete_file', 'd'],
    ])
  })

  test('treat a command that pipes a patch as a command as well', () => {
    const text = 'apply_patch <<E\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nE'
    expect(parts('Bash', text)).toEqual([
      ['shell', undefined],
      ['write_file', 'a'],
    ])
    expect(parts('Bash', 'make')).toEqual([])
  })

  test("convert the plan's statuses", () => {
    const plan = [{ step: 'one', status: 'completed' }, { step: 'two', status: 'pending' }, 3]
    const done = { output: 'Plan updated', plan: [] }
    expect(CODEX_TOOLS['update_plan']?.plan?.({ plan }, done)).toEqual([
      { title: 'one', status: 'done' },
      { title: 'two', status: 'pending' },
      { title: 'A step without a title' },
    ])
    expect(CODEX_TOOLS['update_plan']?.plan?.({ plan: 'x' }, done)).toBeNull()
  })
})

test.each([
  ['0.169.0', 'closed'],
  ['1.0.0', 'closed'],
  ['0.168.9', 'open'],
  ['latest', 'open'],
  [null, 'open'],
])('Codex version %s is recorded with a guard that fails %s', (version, onGuardCrash) => {
  expect(codexProfile(version).capabilities).toMatchObject({ onGuardCrash })
})

test("settings of Codex turn each failure of a hook's command into exit code 2", () => {
  const commands = JSON.stringify(codexHooks("'/bin/shim' codex")).match(
    /"command":"([^"\\]|\\.)+"/g,
  )
  expect(commands).toHaveLength(7)
  for (const each of commands ?? []) {
    expect(each).toMatch(/'\/bin\/shim' codex \|\| .*exit 2;/)
  }
})
