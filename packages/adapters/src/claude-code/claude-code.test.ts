import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { claudeCode } from './claude-code.ts'

/** Payloads as Claude Code 2.1.329 sends them; paths and ids are shortened. */
const BASE = {
  session_id: 's1',
  transcript_path: '/home/agent/.claude/projects/work/s1.jsonl',
  cwd: '/repo',
  prompt_id: 'p1',
  permission_mode: 'acceptEdits',
  effort: { level: 'medium' },
}
const WRITE = {
  tool_name: 'Write',
  tool_input: { file_path: '/repo/a.txt', content: 'hi' },
  tool_use_id: 'toolu_1',
}
const CALL = { tool: 'Write', input: WRITE.tool_input, callId: 'toolu_1' }
const NO_WORK = { background_tasks: [], session_crons: [] }

function readHookEvent(hook_event_name: string, fields: object = {}) {
  return claudeCode.read({ ...BASE, hook_event_name, ...fields }).event
}

describe('a payload of Claude Code', () => {
  test("names its session and the agent's folder", () => {
    expect(
      claudeCode.read({ ...BASE, hook_event_name: 'SessionStart', source: 'startup' }),
    ).toEqual({
      session: 's1',
      cwd: '/repo',
      event: { kind: 'session_started' },
    })
  })

  test.each([
    ['UserPromptSubmit', { prompt: 'Go.' }, { kind: 'run_started' }],
    ['PreToolUse', WRITE, { kind: 'tool_requested', call: CALL }],
    [
      'PreToolUse',
      { ...WRITE, agent_id: 'a1', agent_type: 'general-purpose' },
      { kind: 'tool_requested', call: { ...CALL, agent: 'a1' } },
    ],
    [
      'PostToolUse',
      { ...WRITE, tool_response: { type: 'create', filePath: '/repo/a.txt' }, duration_ms: 11 },
      {
        kind: 'tool_finished',
        result: {
          ...CALL,
          outcome: 'success',
          output: { type: 'create', filePath: '/repo/a.txt' },
          durationMs: 11,
        },
      },
    ],
    [
      'PostToolUseFailure',
      {
        tool_name: 'Bash',
        tool_input: { command: 'exit 3' },
        tool_use_id: 'toolu_2',
        error: 'Exit code 3',
        is_interrupt: false,
        duration_ms: 24,
      },
      {
        kind: 'tool_finished',
        result: {
          tool: 'Bash',
          input: { command: 'exit 3' },
          callId: 'toolu_2',
          outcome: 'failure',
          error: 'Exit code 3',
          durationMs: 24,
        },
      },
    ],
    [
      'Stop',
      { stop_hook_active: false, last_assistant_message: 'done', ...NO_WORK },
      { kind: 'stop_attempted', attempt: { via: 'turn_end', lastMessage: 'done' } },
    ],
    [
      'SubagentStop',
      {
        stop_hook_active: false,
        agent_id: 'a1',
        agent_type: 'general-purpose',
        agent_transcript_path: '/x.jsonl',
        last_assistant_message: 'sub done',
        // The list contains the sub-agent itself.
        background_tasks: [{ id: 'a1', type: 'subagent', status: 'running', description: 'd' }],
      },
      {
        kind: 'stop_attempted',
        attempt: { via: 'subagent_end', lastMessage: 'sub done', agent: 'a1' },
      },
    ],
    ['SessionEnd', { reason: 'other' }, { kind: 'session_ended', reason: 'completed' }],
    ['SessionEnd', { reason: 'clear' }, { kind: 'session_ended', reason: 'left' }],
    ['StopFailure', { error: 'server_error' }, { kind: 'other' }],
    ['Notification', { message: 'waiting' }, { kind: 'other' }],
  ])('of the event %s is parsed', (name, fields, event) => {
    expect(readHookEvent(name, fields)).toEqual(event)
  })

  test('a payload of Claude Code with the wrong shape is refused with its field named', () => {
    expect(() => claudeCode.read('PreToolUse')).toThrow('The payload is not a JSON object')
    expect(() => claudeCode.read({ hook_event_name: 'Stop' })).toThrow("'session_id'")
    expect(() => readHookEvent('PreToolUse', { tool_name: 'Write' })).toThrow("'tool_use_id'")
    expect(() => readHookEvent('PostToolBatch')).toThrow("'tool_calls'")
  })
})

describe('the PostToolBatch report of Claude Code', () => {
  test('lists calls that never ran as invalid, refused calls as denied, and other calls as unknown', () => {
    const never = '<tool_use_error>Error: No such tool available: Nope</tool_use_error>'
    const event = readHookEvent('PostToolBatch', {
      tool_calls: [
        { ...WRITE, tool_response: "Claude requested permissions, but you haven't granted it." },
        { tool_name: 'Nope', tool_input: {}, tool_use_id: 'toolu_2', tool_response: never },
        { tool_name: 'StructuredOutput', tool_input: {}, tool_use_id: 'toolu_3' },
        {
          tool_name: 'Agent',
          tool_input: {},
          tool_use_id: 'toolu_4',
          tool_response: [{ type: 'text', text: 'x' }],
        },
      ],
      agent_id: 'a1',
    })
    expect(event).toEqual({
      kind: 'batch_finished',
      results: [
        {
          ...CALL,
          agent: 'a1',
          outcome: 'denied',
          error: "Claude requested permissions, but you haven't granted it.",
        },
        {
          tool: 'Nope',
          input: {},
          callId: 'toolu_2',
          agent: 'a1',
          outcome: 'invalid',
          error: never,
        },
        // It ran, but the hook that reports its end was lost, so its outcome is unknown.
        { tool: 'Agent', input: {}, callId: 'toolu_4', agent: 'a1', outcome: 'unknown' },
      ],
    })
  })
})

describe('a call that Claude reports as done', () => {
  const outcome = (tool_name: string, tool_response: unknown) => {
    const event = readHookEvent('PostToolUse', { ...WRITE, tool_name, tool_response })
    return event.kind === 'tool_finished' ? event.result.outcome : event.kind
  }
  const ran = { stdout: '', stderr: 'a warning', interrupted: false }

  test('a call that Claude reports as done is a success', () => {
    expect(outcome('Bash', ran)).toBe('success')
    expect(outcome('mcp__files__read', [{ type: 'text', text: 'x' }])).toBe('success')
    expect(outcome('mcp__files__read', { isAsync: true, interrupted: true })).toBe('success')
    expect(outcome('Agent', { status: 'completed' })).toBe('success')
    expect(outcome('TaskUpdate', { success: true, taskId: '1' })).toBe('success')
  })

  test.each([
    ['Bash', { ...ran, backgroundTaskId: 'b1' }, 'has only begun'],
    ['Bash', { ...ran, interrupted: true }, 'was interrupted'],
    ['Bash', { ...ran, returnCodeInterpretation: 'Files differ' }, 'ended with another status'],
    ['Agent', { isAsync: true, status: 'async_launched' }, 'has only begun'],
    ['Monitor', { taskId: 'm1', timeoutMs: 300_000 }, 'has only begun'],
    ['TaskUpdate', { success: false, taskId: '9', error: 'Task not found' }, 'changed nothing'],
  ])('is unknown when %s %j %s', (tool, response, _) => {
    expect(outcome(tool, response)).toBe('unknown')
  })
})

describe('structured output of Claude Code', () => {
  const OFFER = {
    tool_name: 'StructuredOutput',
    tool_input: { answer: 42 },
    tool_use_id: 'toolu_9',
  }
  const attempt = readHookEvent('PreToolUse', OFFER)

  test('structured output of Claude Code is a stop attempt before it is accepted', () => {
    expect(attempt).toEqual({
      kind: 'stop_attempted',
      attempt: { via: 'structured_output', output: { answer: 42 } },
    })
    expect(readHookEvent('PostToolUse', OFFER)).toEqual({
      kind: 'output_accepted',
      output: { answer: 42 },
    })
    expect(readHookEvent('PostToolUseFailure', { ...OFFER, error: 'no' })).toEqual({
      kind: 'other',
    })
    expect(readHookEvent('PostToolUse', { ...OFFER, agent_id: 'a1' })).toEqual({ kind: 'other' })
  })

  test('structured output of Claude Code is refused by denying the call', () => {
    expect(claudeCode.answer(attempt, { kind: 'block', message: 'Not yet.' })).toEqual(
      denied('Not yet.'),
    )
  })
})

describe('the end of a Claude Code turn', () => {
  const stop = (background_tasks: unknown) =>
    readHookEvent('Stop', {
      stop_hook_active: false,
      last_assistant_message: 'later',
      background_tasks,
    })

  test('the end of a Claude Code turn is not a stop attempt while a sub-agent works in the background', () => {
    expect(stop([{ id: 'a1', type: 'subagent', status: 'running' }])).toEqual({ kind: 'other' })
  })

  test('the end of a Claude Code turn is a stop attempt when only a command runs in the background, or the listed sub-agent has ended', () => {
    expect(stop([{ id: 'b1', type: 'shell', status: 'running' }]).kind).toBe('stop_attempted')
    expect(stop([{ id: 'a1', type: 'subagent', status: 'completed' }]).kind).toBe('stop_attempted')
    expect(stop('nonsense').kind).toBe('stop_attempted')
  })
})

describe('an answer to Claude Code', () => {
  const done = (outcome: 'success' | 'failure' | 'unknown') =>
    ({ kind: 'tool_finished', result: { ...CALL, outcome } }) as const

  test('an answer to Claude Code never approves a call', () => {
    const event = readHookEvent('PreToolUse', WRITE)
    expect(claudeCode.answer(event, { kind: 'pass' })).toBeNull()
    expect(claudeCode.answer(event, { kind: 'deny', reason: 'No.' })).toEqual(denied('No.'))
  })

  test('carries feedback under the name of its event', () => {
    const names = [done('success'), done('unknown'), done('failure')].map((event) =>
      claudeCode.answer(event, { kind: 'feedback', text: 'Hint.' }),
    )
    expect(names).toEqual([
      context('PostToolUse'),
      context('PostToolUse'),
      context('PostToolUseFailure'),
    ])
    const batch = { kind: 'batch_finished', results: [] } as const
    expect(claudeCode.answer(batch, { kind: 'feedback', text: 'Hint.' })).toEqual(
      context('PostToolBatch'),
    )
  })

  test('blocks a stop with a reason', () => {
    const event = readHookEvent('Stop', NO_WORK)
    expect(claudeCode.answer(event, { kind: 'block', message: 'Go on.' })).toEqual({
      decision: 'block',
      reason: 'Go on.',
    })
  })
})

describe('a hook of Claude Code that cannot be evaluated', () => {
  test('a hook of Claude Code that cannot be evaluated is refused for every event at which a refusal has an effect', () => {
    const refuse = (payload: unknown) => claudeCode.refuse(payload, 'Broken.')
    expect(refuse({ hook_event_name: 'PreToolUse' })).toEqual(denied('Broken.'))
    expect(refuse({ hook_event_name: 'Stop' })).toEqual({ decision: 'block', reason: 'Broken.' })
    expect(refuse({ hook_event_name: 'PostToolUse' })).toBeNull()
    expect(refuse({ hook_event_name: 'UserPromptSubmit' })).toBeNull()
  })

  test('a hook of Claude Code that cannot be evaluated is refused when it does not identify its event', () => {
    fc.assert(
      fc.property(fc.anything(), (payload) => {
        fc.pre(typeof payload !== 'object' || payload === null || !('hook_event_name' in payload))
        expect(claudeCode.refuse(payload, 'Broken.')).toEqual({
          decision: 'block',
          reason: 'Broken.',
        })
      }),
    )
  })
})

function denied(permissionDecisionReason: string) {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason,
    },
  }
}

function context(hookEventName: string) {
  return { hookSpecificOutput: { hookEventName, additionalContext: 'Hint.' } }
}
