import type { ConfigDocument, SessionEvent } from '@signalbox/core'
import { describe, expect, test } from 'vitest'
import { createGuardrails } from '../index.ts'
import { PROFILE } from '../test/harness-profile.ts'
import { HarnessSession } from './harness-session.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['shell'] } },
    {
      id: 'read-first',
      type: 'read_before_write',
      read_tools: ['read_file'],
      write_tools: ['write_file'],
    },
  ],
  feedback_providers: [
    { id: 'hint', type: 'static', trigger: { every_n_calls: 1 }, feedback: 'Keep it short.' },
  ],
  task_completion_checker: { id: 'plan', type: 'plan' },
}

function opened(files: { readonly [path: string]: boolean } = {}, config = CONFIG) {
  const lines: string[] = []
  const guardrails = createGuardrails({ config, onEvent: (line) => void lines.push(line) })
  const lookUp = async (path: string) => ({ exists: files[path] ?? false })
  const harness = HarnessSession.open(guardrails, PROFILE, { files: { lookUp } })
  const events = (): SessionEvent[] => lines.map((line) => JSON.parse(line))
  const data = (type: string) =>
    events().flatMap((event) =>
      event.type === type ? [event.data as Record<string, unknown>] : [],
    )
  return { harness, data }
}

describe('calls of a harness session', () => {
  test('calls of a harness session are recorded under the canonical name, together with the native name', async () => {
    const { harness, data } = opened()
    await harness.before({ tool: 'Bash', input: { command: 'ls' }, callId: '1' })
    await harness.after({ tool: 'Bash', input: { command: 'ls' }, callId: '1', outcome: 'success' })
    expect(data('tool.requested')[0]).toMatchObject({
      tool: 'shell',
      native_tool: 'Bash',
      call_id: '1',
    })
    expect(await harness.before({ tool: 'deploy', input: {}, callId: '2' })).toEqual({
      allowed: true,
      text: null,
    })
  })

  test('calls of a harness session are denied with reason and feedback in one text', async () => {
    const { harness } = opened()
    const { allowed, text } = await harness.before({ tool: 'deploy', input: {} })
    expect(allowed).toBe(false)
    expect(text).toContain("Tool 'deploy' requires: shell\n\n<feedback provider='Static'>")
  })

  test('calls of a harness session with an unknown outcome satisfy no prerequisite', async () => {
    const { harness } = opened()
    await harness.before({ tool: 'Bash', input: {} })
    await harness.after({ tool: 'Bash', input: {}, outcome: 'unknown' })
    expect(await harness.before({ tool: 'deploy', input: {} })).toMatchObject({ allowed: false })
  })

  test('calls of a harness session with a text input are evaluated with the text as their only argument', async () => {
    const { harness, data } = opened()
    await harness.before({ tool: 'Bash', input: 'ls' })
    expect(data('tool.requested')[0]).toMatchObject({ tool: 'shell', args: { $value: 'ls' } })
  })
})

describe('a call that changes several files', () => {
  const patch = (callId?: string) => ({
    tool: 'Patch',
    input: { files: ['new.txt', 'old.txt'] },
    ...(callId === undefined ? {} : { callId }),
  })

  test('a call that changes several files is denied as a whole when one file may not be written, and its other parts end as denied', async () => {
    const { harness, data } = opened({ 'old.txt': true })
    const { allowed, text } = await harness.before(patch('p'))
    expect(allowed).toBe(false)
    expect(text).toContain("File 'old.txt' must be read before overwriting.")
    expect(data('tool.invoked')).toMatchObject([
      { call_id: 'p#2', outcome: 'denied' },
      {
        call_id: 'p',
        outcome: 'denied',
        error: 'Another part of the same call was denied, so no part of it ran.',
      },
    ])
  })

  test('a call that changes several files has one result', async () => {
    const { harness, data } = opened()
    await harness.before(patch())
    await harness.after({ ...patch(), outcome: 'success', output: 'both', durationMs: 3 })
    expect(data('tool.invoked')).toMatchObject([{ output: 'both', duration_ms: 3 }, {}])
    expect(data('tool.invoked')[1]).not.toHaveProperty('output')
    const ids = data('tool.requested').map((each) => each['call_id'])
    expect(data('tool.invoked').map((each) => each['call_id'])).toEqual(ids)
  })
})

describe("the harness's own records", () => {
  const call = { tool: 'Bash', input: {}, callId: '1' }

  test('end a call whose result no hook reported, only once', async () => {
    const { harness, data } = opened()
    await harness.before(call)
    const results = [{ ...call, outcome: 'success' as const }]
    expect(await harness.learn({ results })).toContain('Keep it short.')
    expect(await harness.learn({ results })).toBeNull()
    expect(data('tool.invoked')).toMatchObject([{ call_id: '1', outcome: 'success' }])
  })

  test('end a call before its own hook does, and the hook adds no second end', async () => {
    const { harness, data } = opened()
    const failed = { ...call, outcome: 'failure' as const }
    await harness.before(call)
    const [learned, reported] = await Promise.all([
      harness.learn({ results: [failed] }),
      Promise.resolve().then(() => harness.after(failed)),
    ])
    expect(learned).toContain('Keep it short.')
    expect(reported).toBeNull()
    expect(await harness.after(failed)).toBeNull()
    expect(data('tool.invoked')).toMatchObject([{ call_id: '1', outcome: 'failure' }])
    await harness.before(call)
    await harness.after({ ...call, outcome: 'success' })
    expect(data('tool.invoked')).toHaveLength(2)
  })

  test('add an unrequested call only when they list it as one without a hook', async () => {
    const { harness, data } = opened()
    const unknown = { ...call, outcome: 'unknown' as const }
    await harness.learn({ results: [unknown] })
    expect(data('tool.invoked')).toEqual([])
    await harness.learn({ unasked: [unknown] })
    expect(data('tool.invoked')).toMatchObject([{ call_id: '1', outcome: 'unknown' }])
  })

  test('record each change of usage once', async () => {
    const { harness, data } = opened()
    const usage = { evaluation_id: 'run', input_tokens: 5, output_tokens: 2 }
    await harness.learn({ usage: [usage] })
    await harness.learn({ usage: [usage] })
    await harness.learn({ usage: [{ ...usage, input_tokens: 9 }] })
    expect(data('usage.recorded').map((each) => each['input_tokens'])).toEqual([5, 9])
  })
})

test('feedback has a plain form for a harness that would escape markup', async () => {
  const guardrails = createGuardrails({ config: CONFIG })
  const harness = HarnessSession.open(guardrails, { ...PROFILE, plainFeedback: true })
  const { text } = await harness.before({ tool: 'deploy', input: {} })
  expect(text).toContain('[Static] Keep it short.')
})

describe('the plan of a harness session', () => {
  const todo = (status: string) => ({
    tool: 'Todo',
    input: { steps: [{ title: 'Publish', status }] },
  })

  test('the plan of a harness session is taken from a successful plan tool, and blocks the stop', async () => {
    const { harness } = opened()
    await harness.before(todo('open'))
    await harness.after({ ...todo('open'), outcome: 'success' })
    expect(await harness.stop({ via: 'turn_end' })).toMatchObject({ allowed: false })
    await harness.before(todo('done'))
    await harness.after({ ...todo('done'), outcome: 'failure' })
    expect(await harness.stop({ via: 'turn_end' })).toMatchObject({ allowed: false })
    await harness.before(todo('done'))
    await harness.after({ ...todo('done'), outcome: 'success' })
    expect(await harness.stop({ via: 'turn_end' })).toEqual({ allowed: true, message: null })
  })
})

describe('a report of the harness on a whole step', () => {
  const call = (callId: string) => ({ tool: 'Bash', input: {}, callId })

  test('ends the calls that the harness itself refused, and repeats no known result', async () => {
    const { harness, data } = opened()
    await harness.before({ ...call('denied'), tool: 'deploy' })
    await harness.before(call('ran'))
    await harness.after({ ...call('ran'), outcome: 'success' })
    await harness.before(call('refused'))
    await harness.settle(
      ['ran', 'refused', 'denied'].map((id) => ({ ...call(id), outcome: 'denied' as const })),
    )
    expect(data('tool.invoked')).toMatchObject([
      { call_id: 'denied', outcome: 'denied' },
      { call_id: 'ran', outcome: 'success' },
      { call_id: 'refused', outcome: 'denied' },
    ])
  })

  test('records calls without a request: invalid if they cannot have run, else unknown', async () => {
    const { harness, data } = opened()
    const text = await harness.settle([
      { ...call('odd'), tool: 'Nope', outcome: 'invalid', error: 'No such tool' },
      { ...call('slipped'), outcome: 'denied' },
    ])
    expect(data('tool.invoked')).toMatchObject([
      { call_id: 'odd', tool: 'Nope', outcome: 'invalid', error: 'No such tool' },
      { call_id: 'slipped', tool: 'shell', outcome: 'unknown' },
    ])
    expect(text).toContain('Keep it short.')
  })
})

describe('an interrupted call', () => {
  test('an interrupted call has an unknown outcome once its agent stops', async () => {
    const { harness, data } = opened()
    await harness.before({ tool: 'Bash', input: {}, callId: 'cut' })
    await harness.before({ tool: 'Bash', input: {}, callId: 'child', agent: 'a1' })
    await harness.stop({ via: 'subagent_end', agent: 'a2' })
    expect(data('tool.invoked')).toEqual([])
    await harness.stop({ via: 'turn_end' })
    expect(data('tool.invoked')).toMatchObject([{ call_id: 'cut', outcome: 'unknown' }])
    await harness.stop({ via: 'turn_end' })
    expect(data('tool.invoked')).toHaveLength(1)
  })
})

describe('structured output of a harness session', () => {
  const CHECKED: ConfigDocument = {
    ...CONFIG,
    task_completion_checker: { id: 'files', type: 'files_exist', files: ['never.txt'] },
  }
  const offer = { via: 'structured_output', output: { n: 1 } } as const

  test('structured output of a harness session is allowed at the last attempt even when incomplete, and a new run can be blocked again', async () => {
    const { harness, data } = opened({}, CHECKED)
    const block = async () => (await harness.stop(offer)).allowed
    expect([await block(), await block(), await block()]).toEqual([false, false, true])
    expect(data('stop.decided').at(-1)).toMatchObject({ verdict: 'bypassed', bypass: 'max_blocks' })
    await harness.outputAccepted({ n: 1 })
    expect(await harness.stop({ via: 'turn_end' })).toEqual({ allowed: true, message: null })
    expect(data('stop.attempted')).toHaveLength(3)
    harness.runStarted()
    expect(await block()).toBe(false)
  })

  test('keeps its count of blocks when the user interrupts a run', async () => {
    const { harness } = opened({}, CHECKED)
    const block = async () => (await harness.stop(offer)).allowed
    expect([await block(), await block()]).toEqual([false, false])
    harness.runStarted()
    expect(await block()).toBe(true)
  })
})

describe('plan steps that change one at a time', () => {
  test('add up, even when two calls end at the same time', async () => {
    const { harness, data } = opened()
    const add = (title: string) =>
      ({ tool: 'AddStep', input: { title }, outcome: 'success' }) as const
    await Promise.all([harness.after(add('One')), harness.after(add('Two'))])
    expect(data('plan.updated').at(-1)).toEqual({ steps: [{ title: 'One' }, { title: 'Two' }] })
  })
})

describe('the plan of a call without a request', () => {
  test('the plan of a call without a request is discarded, because it could let the agent stop', async () => {
    const { harness, data } = opened()
    const done = { tool: 'Todo', input: { steps: [{ title: 'Publish', status: 'done' }] } }
    await harness.after({ ...done, callId: 'never-asked', outcome: 'success' })
    expect(data('plan.updated')).toEqual([])
  })
})

describe('a run that ends despite a block', () => {
  test('a run that ends despite a block is recorded as overridden, with its last output', async () => {
    const { harness, data } = opened()
    const open = { tool: 'Todo', input: { steps: [{ title: 'Publish', status: 'open' }] } }
    await harness.before(open)
    await harness.after({ ...open, outcome: 'success' })
    await harness.stop({ via: 'turn_end', lastMessage: 'Good enough.' })
    await harness.end({ reason: 'completed' })
    expect(data('completion.overridden')).toHaveLength(1)
    expect(data('session.ended')).toEqual([{ reason: 'completed', output: 'Good enough.' }])
  })
})

test('a harness session records the capabilities of its harness at the start', () => {
  const { data } = opened()
  expect(data('session.started')[0]).toMatchObject({
    harness: { name: 'scripted', version: '1.0.0' },
    capabilities: { max_blocks: 2, on_guard_crash: 'closed', ungoverned: ['nothing'] },
  })
})

test('an accepted output of an interrupted run does not allow a stop of the next run', async () => {
  const { harness, data } = opened()
  await harness.session.updatePlan([{ title: 'One' }])
  await harness.outputAccepted({ done: true })
  harness.runStarted()
  await harness.before({ tool: 'Bash', input: {}, callId: '1' })
  expect(await harness.stop({ via: 'turn_end' })).toMatchObject({ allowed: false })
  expect(data('stop.attempted')).toHaveLength(1)
})

test('a call in the same step as an accepted output begins no new run', async () => {
  const { harness, data } = opened()
  await harness.outputAccepted({ done: true })
  await harness.before({ tool: 'Bash', input: {}, callId: '1' })
  expect(await harness.stop({ via: 'turn_end' })).toEqual({ allowed: true, message: null })
  expect(data('stop.attempted')).toHaveLength(0)
})

test('agents that stop at the same time have separate counts of blocks', async () => {
  const { harness, data } = opened()
  await harness.session.updatePlan([{ title: 'One' }])
  await harness.stop({ via: 'turn_end' })
  await Promise.all([
    harness.stop({ via: 'subagent_end', agent: 'a' }),
    harness.stop({ via: 'turn_end' }),
  ])
  expect(data('stop.decided').map(({ verdict }) => verdict)).toEqual([
    'blocked',
    'blocked',
    'blocked',
  ])
})
