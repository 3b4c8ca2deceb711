import type { ConfigDocument, SessionEvent } from '@signalbox/core'
import { createGuardrails, PromptEvaluationError } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import { describe, expect, test } from 'vitest'
import { claudeByCallback } from '../claude-code/index.ts'
import { guardQuery, type QueryGuardOptions, runEnd } from './guard-query.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { write_file: ['shell'] } },
  ],
  task_completion_checker: { id: 'plan', type: 'plan' },
}
const BASE = { session_id: 's1', cwd: '/repo' }
const WRITE = {
  ...BASE,
  hook_event_name: 'PreToolUse',
  tool_name: 'Write',
  tool_input: { file_path: '/repo/a.txt', content: 'x' },
  tool_use_id: 'toolu_1',
}
const TASK = {
  ...BASE,
  hook_event_name: 'PostToolUse',
  tool_name: 'TaskCreate',
  tool_input: { subject: 'Publish' },
  tool_response: { task: { id: '1', subject: 'Publish' } },
  tool_use_id: 'toolu_2',
}
const RESULT = { type: 'result', subtype: 'success', is_error: false, result: 'Done.' }

function guarded(options: QueryGuardOptions & { readonly config?: ConfigDocument } = {}) {
  const lines: string[] = []
  const { config = CONFIG, ...others } = options
  const guardrails = createGuardrails({ config, onEvent: (line) => void lines.push(line) })
  const guard = guardQuery(guardrails, others)
  const call = (name: keyof typeof guard.hooks, payload: unknown) =>
    guard.hooks[name][0]?.hooks[0]?.(payload)
  const addTask = async () => {
    await call('PreToolUse', { ...TASK, hook_event_name: 'PreToolUse' })
    await call('PostToolUse', TASK)
  }
  const events = (): SessionEvent[] => lines.map((line) => JSON.parse(line))
  const data = (type: string) => events().flatMap((each) => (each.type === type ? [each.data] : []))
  return { addTask, call, data, guard, guardrails }
}

async function* stream(...messages: unknown[]) {
  yield* messages
}

async function drained(messages: AsyncIterable<unknown>) {
  const all: unknown[] = []
  for await (const message of messages) all.push(message)
  return all
}

describe('hooks of a guarded query', () => {
  test("deny with the reason, and open the session in the agent's folder", async () => {
    const { call, data } = guarded({ version: '0.3.329' })
    expect(await call('PreToolUse', WRITE)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: "Tool 'write_file' requires: shell",
      },
    })
    expect(data('session.started')).toMatchObject([
      {
        harness: { name: 'claude-agent-sdk', version: '0.3.329' },
        workspace_root: '/repo',
        capabilities: { on_guard_crash: 'closed', structured_attempts: 5 },
      },
    ])
  })

  test('use the session that the host opened', async () => {
    const { guardrails } = guarded()
    const session = HarnessSession.open(guardrails, claudeByCallback.profile(null), {
      workspaceRoot: '/elsewhere',
    })
    const guard = guardQuery(session)
    expect(guard.session).toBe(session.session)
    await guard.hooks.PreToolUse[0]?.hooks[0]?.(WRITE)
    expect(session.session.state.workspaceRoot).toBe('/elsewhere')
  })

  test('refuse unreadable input and calls that cannot be evaluated', async () => {
    const { guard, call } = guarded()
    const { tool_use_id, ...nameless } = WRITE
    expect(await call('PreToolUse', nameless)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    })
    expect(await call('PreToolUse', null)).toMatchObject({ decision: 'block' })
    const broken = guardQuery({
      ...createGuardrails({ config: CONFIG }),
      openSession: () => {
        throw new Error('The disk is full')
      },
    })
    expect(await broken.hooks.PreToolUse[0]?.hooks[0]?.(WRITE)).toMatchObject({
      hookSpecificOutput: {
        permissionDecisionReason:
          'The guardrails could not answer this hook, so it is refused: The disk is full.',
      },
    })
    expect(broken.session).toBeNull()
    expect(guard.session).toBeNull()
  })

  test('hooks of a guarded query are set up to refuse the call when the hook fails or times out', () => {
    const { guard } = guarded({ timeoutSeconds: 5 })
    expect(guard.hooks.PreToolUse[0]).toMatchObject({ onFailure: 'block', timeout: 5 })
  })
})

describe('messages of a guarded query', () => {
  test('pass through unchanged, are counted in tokens, and end the session', async () => {
    const { guard, call, data } = guarded()
    await call('UserPromptSubmit', { ...BASE, hook_event_name: 'UserPromptSubmit', prompt: 'Go.' })
    const usage = { input_tokens: 3, output_tokens: 4 }
    const messages = [{ type: 'assistant', message: { id: 'm', usage } }, RESULT]
    expect(await drained(guard.follow(stream(...messages)))).toEqual(messages)
    expect(data('usage.recorded')).toMatchObject([{ evaluation_id: 'm' }, {}])
    expect(data('session.ended')).toEqual([{ reason: 'completed', output: 'Done.' }])
    expect(await call('PreToolUse', WRITE)).toMatchObject({
      hookSpecificOutput: { permissionDecisionReason: 'The session has ended.' },
    })
  })

  test('record an incomplete output as overridden', async () => {
    const { addTask, data, guard } = guarded()
    await addTask()
    await drained(guard.follow(stream(RESULT)))
    expect(data('completion.overridden')).toHaveLength(1)
  })

  test('throw for an incomplete output when final_verification is "error"', async () => {
    const { addTask, guard } = guarded({ config: { ...CONFIG, final_verification: 'error' } })
    await addTask()
    await expect(drained(guard.follow(stream(RESULT)))).rejects.toBeInstanceOf(
      PromptEvaluationError,
    )
  })

  test('mark the session as failed when they break off', async () => {
    const { addTask, data, guard } = guarded()
    await addTask()
    const breaking = (async function* () {
      yield { type: 'system' }
      throw new Error('The process died')
    })()
    await expect(drained(guard.follow(breaking))).rejects.toThrow('The process died')
    expect(data('session.ended')).toEqual([{ reason: 'failed', error: 'Error: The process died' }])
  })

  test('end the session as aborted when the host stops reading', async () => {
    const { addTask, data, guard } = guarded()
    await addTask()
    for await (const _ of guard.follow(stream({ type: 'system' }, RESULT))) break
    expect(data('session.ended')).toEqual([{ reason: 'aborted' }])
  })

  test('messages of a guarded query can be passed to end() one at a time, which returns the final verification', async () => {
    const { addTask, guard } = guarded()
    await addTask()
    expect(await guard.end(RESULT)).toMatchObject({ allowed: false })
  })
})

describe('the end of a guarded query', () => {
  test('the end of a guarded query is completed with the structured output, else with the text', () => {
    const success = { type: 'result', subtype: 'success', is_error: false, result: 'Done.' }
    expect(runEnd(success)).toEqual({ reason: 'completed', output: 'Done.' })
    expect(runEnd({ ...success, structured_output: { n: 1 } })).toEqual({
      reason: 'completed',
      output: { n: 1 },
    })
  })

  test.each([
    [
      { subtype: 'error_max_turns', is_error: true, errors: ['Reached the maximum of 3 turns'] },
      'error_max_turns: Reached the maximum of 3 turns',
    ],
    [{ subtype: 'error_max_structured_output_retries' }, 'error_max_structured_output_retries'],
    // The SDK reports an error of the provider under the subtype "success".
    [{ subtype: 'success', is_error: true, result: 'API Error: 500' }, 'API Error: 500'],
  ])('is failed at a limit or an error: %j', (fields, error) => {
    expect(runEnd({ type: 'result', ...fields })).toEqual({ reason: 'failed', error })
  })

  test('the end of a guarded query is reported by result messages only', () => {
    expect(runEnd({ type: 'assistant', message: {} })).toBeNull()
    expect(runEnd(undefined)).toBeNull()
  })
})
