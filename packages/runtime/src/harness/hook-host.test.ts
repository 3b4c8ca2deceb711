import { type ConfigDocument, isJsonObject, type SessionEvent } from '@signalbox/core'
import { describe, expect, test } from 'vitest'
import { createGuardrails, type Diagnostic } from '../index.ts'
import { PROFILE } from '../test/harness-profile.ts'
import { type HookHarness, HookPayloadError } from './hook-harness.ts'
import { HookHost, type HookKey } from './hook-host.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['shell'] } }],
  task_completion_checker: { id: 'files', type: 'files_exist', files: ['done.txt'] },
}

const ECHO: HookHarness = {
  name: 'echo',
  profile: (version) => (version === null ? PROFILE : { ...PROFILE, version }),
  read(payload) {
    if (!isJsonObject(payload) || typeof payload['session'] !== 'string') {
      throw new HookPayloadError('"session" is missing')
    }
    const { session, cwd = null, ...said } = payload
    return { session, cwd, ...said } as ReturnType<HookHarness['read']>
  },
  answer: (_, { kind, ...said }) => ({ kind, ...said }),
  refuse: (_, reason) => ({ kind: 'refused', reason }),
}

const CONTEXT = { version: null }
const asked = (tool: string, session = 's1') => ({
  session,
  event: { kind: 'tool_requested', call: { tool, input: {} } },
})
const done = (tool: string, session = 's1') => ({
  session,
  event: { kind: 'tool_finished', result: { tool, input: {}, outcome: 'success' } },
})

function host(over: { readonly open?: () => never } = {}) {
  const events: SessionEvent[] = []
  const opened: HookKey[] = []
  const ended: HookKey[] = []
  const diagnostics: Diagnostic[] = []
  let time = 1000
  const guardrails = createGuardrails({
    config: CONFIG,
    onEvent: (line) => void events.push(JSON.parse(line)),
  })
  const hooks = new HookHost({
    open: (key, options) => {
      opened.push(key)
      over.open?.()
      return guardrails.openSession(options)
    },
    onEnd: (key) => void ended.push(key),
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    now: () => time,
  })
  const ask = (payload: unknown) => hooks.handle(ECHO, payload, CONTEXT)
  const tick = (ms: number) => {
    time += ms
  }
  return { ask, diagnostics, ended, events, hooks, opened, tick }
}

test('the hook of a denied call is answered with the reason', async () => {
  const { ask } = host()
  expect(await ask(asked('deploy'))).toEqual({
    kind: 'deny',
    reason: "Tool 'deploy' requires: shell",
  })
})

test('a hook records the usage and the version that the adapter read from the harness', async () => {
  const { ask, events } = host()
  await ask({ ...asked('Bash'), version: '7.0' })
  const call = { tool: 'Bash', input: {}, callId: 'late', outcome: 'unknown' }
  const learned = {
    unasked: [call],
    usage: [{ evaluation_id: 'e', input_tokens: 1, output_tokens: 1 }],
  }
  expect(await ask({ ...asked('deploy'), learned })).toMatchObject({ kind: 'deny' })
  expect(events.map(({ type }) => type)).toContain('usage.recorded')
  expect(events.find(({ type }) => type === 'session.started')?.data).toMatchObject({
    harness: { version: '7.0' },
  })
})

describe('feedback on a call that the adapter learned from the harness', () => {
  /** Allowed stops and prompts carry no text, as in Codex. */
  const tight: HookHarness = {
    ...ECHO,
    answer: (event, answer) =>
      event.kind === 'run_started' || (event.kind === 'stop_attempted' && answer.kind !== 'block')
        ? null
        : ECHO.answer(event, answer),
  }
  const call = { tool: 'deploy', input: {}, callId: 'late', outcome: 'failure', error: 'no host' }
  const learning = (event: object) => ({ session: 's1', event, learned: { unasked: [call] } })
  const prompt = { kind: 'run_started' }
  const CONFIG_WITH_FEEDBACK: ConfigDocument = {
    ...CONFIG,
    feedback_providers: [
      { id: 'hint', type: 'static', trigger: { every_n_calls: 1 }, feedback: 'Look at it.' },
    ],
  }
  function telling() {
    const guardrails = createGuardrails({ config: CONFIG_WITH_FEEDBACK })
    return new HookHost({ open: (_, options) => guardrails.openSession(options) })
  }

  test('feedback on a call that the adapter learned from the harness is part of the answer to the same hook', async () => {
    expect(await telling().handle(ECHO, learning(prompt), CONTEXT)).toMatchObject({
      kind: 'feedback',
      text: expect.stringContaining('Look at it.'),
    })
  })

  test('feedback on a call that the adapter learned from the harness is delivered once, with the next hook that can carry it', async () => {
    const hooks = telling()
    expect(await hooks.handle(tight, learning(prompt), CONTEXT)).toBeNull()
    expect(await hooks.handle(tight, asked('Bash'), CONTEXT)).toMatchObject({
      kind: 'feedback',
      text: expect.stringContaining('Look at it.'),
    })
    expect(await hooks.handle(tight, asked('Bash'), CONTEXT)).toEqual({ kind: 'pass' })
  })

  test('feedback on a call that the adapter learned from the harness is delivered again with the next hook when the first answer was not received', async () => {
    const hooks = telling()
    await hooks.handle(ECHO, learning(prompt), { ...CONTEXT, signal: AbortSignal.abort() })
    expect(await hooks.handle(ECHO, asked('Bash'), CONTEXT)).toMatchObject({ kind: 'feedback' })
  })
})

test('a result that a content rule withholds is replaced also where feedback waits for the answer', async () => {
  const guardrails = createGuardrails({
    config: {
      ...CONFIG,
      feedback_providers: [
        { id: 'hint', type: 'static', trigger: { every_n_calls: 1 }, feedback: 'Look at it.' },
      ],
      content: [{ id: 'short', kind: 'size', max_chars: 3, on: 'result', action: 'withhold' }],
    },
  })
  const capabilities = { ...PROFILE.capabilities, replacesResults: true }
  const able: HookHarness = { ...ECHO, profile: () => ({ ...PROFILE, capabilities }) }
  const hooks = new HookHost({ open: (_, options) => guardrails.openSession(options) })
  await hooks.handle(able, asked('Bash'), CONTEXT)
  const { session, event } = done('Bash')
  const finished = { session, event: { ...event, result: { ...event.result, output: 'long' } } }
  expect(await hooks.handle(able, finished, CONTEXT)).toMatchObject({
    kind: 'feedback',
    text: expect.stringContaining('Look at it.'),
    replaced: { output: expect.stringContaining('Result withheld') },
  })
})

test('each harness session opens its own guarded session, without the results of others', async () => {
  const { ask, opened } = host()
  await ask(asked('Bash'))
  await ask(done('Bash'))
  expect(await ask(asked('deploy'))).toEqual({ kind: 'pass' })
  expect(await ask(asked('deploy', 's2'))).toMatchObject({ kind: 'deny' })
  expect(opened).toEqual([
    { harness: 'echo', session: 's1' },
    { harness: 'echo', session: 's2' },
  ])
})

test('a relative folder in a hook is not used as a workspace', async () => {
  const { ask, events } = host()
  await ask({ ...asked('Bash'), cwd: 'shop' })
  await ask({ ...asked('Bash', 's2'), cwd: '/shop' })
  const roots = events.flatMap((event) =>
    event.type === 'session.started' ? [event.data.workspace_root] : [],
  )
  expect(roots).toEqual([undefined, '/shop'])
})

test('concurrent hooks of one harness session open one guarded session', async () => {
  const { ask, opened } = host()
  await Promise.all([ask(asked('Bash')), ask(asked('Bash')), ask(asked('deploy'))])
  expect(opened).toHaveLength(1)
})

test('an early stop is blocked with the message of the checker', async () => {
  const { ask } = host()
  const stop = { session: 's1', event: { kind: 'stop_attempted', attempt: { via: 'turn_end' } } }
  expect(await ask(stop)).toEqual({ kind: 'block', message: 'Missing required files: done.txt' })
})

describe('a hook that cannot be evaluated', () => {
  test.each([undefined, null, 7, 'text', [], {}, { session: 3 }])(
    'is refused for the payload %j',
    async (payload) => {
      const { ask, diagnostics } = host()
      expect(await ask(payload)).toMatchObject({
        kind: 'refused',
        reason: 'The guardrails could not read this hook, so it is refused: "session" is missing.',
      })
      expect(diagnostics).toMatchObject([{ code: 'hook_refused' }])
    },
  )

  test('a hook that cannot be evaluated is refused when no session can be opened, and the next hook tries again', async () => {
    const { ask, opened } = host({
      open: () => {
        throw new Error('the disk is full')
      },
    })
    expect(await ask(asked('Bash'))).toMatchObject({ kind: 'refused' })
    expect(await ask(asked('Bash'))).toMatchObject({ kind: 'refused' })
    expect(opened).toHaveLength(2)
  })

  test('a hook that cannot be evaluated is refused when the adapter cannot format the answer', async () => {
    const { hooks } = host()
    const mute: HookHarness = {
      ...ECHO,
      answer: () => {
        throw new Error('no words')
      },
    }
    expect(await hooks.handle(mute, asked('Bash'), CONTEXT)).toMatchObject({ kind: 'refused' })
  })
})

describe('a session that ends', () => {
  const end = { session: 's1', event: { kind: 'session_ended', reason: 'completed' } }
  const stop = { session: 's1', event: { kind: 'stop_attempted', attempt: { via: 'turn_end' } } }
  const lapses = (events: readonly SessionEvent[]) =>
    events.filter(({ type }) => type === 'enforcement.lapsed')

  test('records a lapse when no stop was attempted', async () => {
    const { ask, events } = host()
    await ask(asked('Bash'))
    await ask(end)
    expect(lapses(events)).toMatchObject([{ data: { code: 'hook_missing' } }])
  })

  test('records a lapse when a call came after its last stop attempt', async () => {
    const { ask, events } = host()
    await ask(stop)
    await ask(asked('Bash'))
    await ask(end)
    expect(lapses(events)).toHaveLength(1)
  })

  test('a session that ends is aborted without a lapse when its user left before the agent stopped', async () => {
    const left = { ...end, event: { ...end.event, reason: 'left' } }
    const { ask, events } = host()
    await ask(asked('Bash'))
    await ask(left)
    expect(lapses(events)).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'aborted' } })
  })

  test('records no lapse when a stop attempt came last', async () => {
    const { ask, events } = host()
    await ask(asked('Bash'))
    await ask(stop)
    await ask(end)
    expect(lapses(events)).toEqual([])
  })
})

describe('the end of a hook session', () => {
  test('the end of a hook session is recorded, and a later hook with the same id begins a new session', async () => {
    const { ask, ended, hooks, opened } = host()
    await ask(asked('Bash'))
    await ask({ session: 's1', event: { kind: 'session_ended', reason: 'completed' } })
    expect(ended).toEqual([{ harness: 'echo', session: 's1' }])
    expect(hooks.size).toBe(0)
    await ask(asked('Bash'))
    expect(opened).toHaveLength(2)
  })

  test('the end of a hook session is not changed by late results', async () => {
    const { ask, diagnostics, hooks, opened } = host()
    const end = { session: 's1', event: { kind: 'session_ended', reason: 'completed' } }
    await ask(asked('Bash'))
    await ask(end)
    const batch = { session: 's1', event: { kind: 'batch_finished', results: [] } }
    for (const late of [done('Bash'), batch, end]) expect(await ask(late)).toEqual({ kind: 'pass' })
    expect([opened.length, hooks.size]).toEqual([1, 0])
    expect(diagnostics).toMatchObject([{ level: 'info', code: 'hook_after_end' }, {}, {}])
    await ask({ session: 's1', event: { kind: 'session_started' } })
    await ask(done('Bash'))
    expect(opened).toHaveLength(2)
  })

  test('the end of a hook session is completed, with an overridden completion, when the cap allowed the last stop', async () => {
    const { ask, events, hooks } = host()
    const stop = { kind: 'stop_attempted', attempt: { via: 'turn_end', lastMessage: 'Done.' } }
    for (const _ of [1, 2, 3]) await ask({ session: 's1', event: stop })
    await hooks.close()
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => type === 'completion.overridden')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ data: { reason: 'completed', output: 'Done.' } })
  })

  test('the end of a hook session is recorded as aborted for idle sessions only', async () => {
    const { ask, events, hooks, tick } = host()
    await ask(asked('Bash', 'old'))
    tick(5000)
    await ask(asked('Bash', 'young'))
    await hooks.endIdle(3000)
    expect(hooks.size).toBe(1)
    expect(events.filter(({ type }) => type === 'session.ended')).toMatchObject([
      { data: { reason: 'aborted' } },
    ])
    await hooks.close()
    expect(hooks.size).toBe(0)
  })
})

describe('an answer that the harness did not receive', () => {
  const late = { version: null, signal: AbortSignal.abort() }
  const types = (events: readonly SessionEvent[]) => events.map(({ type }) => type)

  test('denies the call that the answer allowed', async () => {
    const { events, hooks } = host()
    await hooks.handle(ECHO, asked('read_file'), late)
    expect(events.at(-1)).toMatchObject({ type: 'tool.invoked', data: { outcome: 'denied' } })
  })

  test('changes nothing for a call that the answer denied', async () => {
    const { events, hooks } = host()
    await hooks.handle(ECHO, asked('deploy'), late)
    expect(types(events).filter((type) => type === 'tool.invoked')).toHaveLength(1)
  })

  test('an answer that the harness did not receive to a stop does not count as the end of the agent', async () => {
    const { ask, events, hooks } = host()
    const stop = { session: 's1', event: { kind: 'stop_attempted', attempt: { via: 'turn_end' } } }
    // Two attempts are blocked; the third is allowed, as the harness would do.
    for (const _ of [1, 2]) await ask(stop)
    await hooks.handle(ECHO, stop, late)
    await hooks.close()
    expect(events.at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'aborted' } })
  })
})

test.each([
  ['open', 1],
  ['closed', 0],
] as const)(
  'a session that began as fail-closed and whose hooks then fail %s has %i recorded lapses',
  async (way, times) => {
    const { events, hooks } = host()
    const promising = (how: 'open' | 'closed'): HookHarness => {
      const capabilities = { ...PROFILE.capabilities, onGuardCrash: how }
      return { ...ECHO, profile: () => ({ ...PROFILE, capabilities }) }
    }
    await hooks.handle(
      promising('closed'),
      { session: 's1', event: { kind: 'session_started' } },
      CONTEXT,
    )
    for (const _ of [1, 2]) await hooks.handle(promising(way), asked('Bash'), CONTEXT)
    expect(events.filter(({ type }) => type === 'enforcement.lapsed')).toHaveLength(times)
  },
)
