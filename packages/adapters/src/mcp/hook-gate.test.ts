import type { JsonObject, SessionEvent } from '@signalbox/core'
import { createGuardrails } from '@signalbox/runtime'
import { HookHost } from '@signalbox/runtime/harness'
import { expect, test } from 'vitest'
import { HookGate } from './hook-gate.ts'
import { mcp } from './mcp-hooks.ts'

function daemon() {
  const events: SessionEvent[] = []
  const guardrails = createGuardrails({
    config: {
      schema_version: 1,
      ns: 'a',
      key: 'b',
      policies: [
        { id: 'order', type: 'sequential_dependency', dependencies: { write: ['check'] } },
      ],
      feedback_providers: [
        { id: 'hint', type: 'static', trigger: { every_n_calls: 1 }, feedback: 'Keep it short.' },
      ],
    },
    onEvent: (line) => void events.push(JSON.parse(line)),
  })
  const host = new HookHost({ open: (_, options) => guardrails.openSession(options) })
  const ask = async (payload: JsonObject): Promise<unknown> => {
    const answer = await host.handle(mcp, JSON.parse(JSON.stringify(payload)), { version: null })
    return JSON.parse(JSON.stringify(answer))
  }
  const gate = (session: string) => new HookGate({ ask, session, cwd: '/repo' })
  return { ask, events, gate }
}

const call = (tool: string, callId: string) => ({ tool, input: { path: 'a' }, callId })

test('a daemon evaluates calls of an MCP proxy, records results and delivers feedback', async () => {
  const { events, gate } = daemon()
  const one = gate('s')
  await one.begin()
  expect(await one.before(call('write', '1'))).toMatchObject({ allowed: false })
  expect(await one.before(call('check', '2'))).toEqual({ allowed: true, text: null })
  const result = { outcome: 'success', output: { content: [] }, durationMs: 3 } as const
  expect((await one.finish({ ...call('check', '2'), ...result })).feedback).toContain(
    'Keep it short.',
  )
  expect(await one.before(call('write', '3'))).toMatchObject({ allowed: true })
  expect(events[0]).toMatchObject({ data: { workspace_root: '/repo', harness: { name: 'mcp' } } })
  const invoked = events.flatMap((event) => (event.type === 'tool.invoked' ? [event.data] : []))
  expect(invoked.map(({ call_id, outcome }) => [call_id, outcome])).toEqual([
    ['1', 'denied'],
    ['2', 'success'],
  ])
})

test('a session of two MCP proxies ends once, with the last of them', async () => {
  const { events, gate } = daemon()
  const [one, two] = [gate('s'), gate('s')]
  await one.begin()
  await two.begin()
  const ends = () => events.filter(({ type }) => type === 'session.ended').length
  await one.end({ reason: 'completed' })
  await one.end({ reason: 'completed' })
  expect(ends()).toBe(0)
  await two.end({ reason: 'completed' })
  expect(ends()).toBe(1)
})

test('an MCP proxy that only made calls keeps the shared session open', async () => {
  const { events, gate } = daemon()
  const [one, two] = [gate('s'), gate('s')]
  await one.begin()
  await two.before(call('check', '1'))
  await one.end({ reason: 'completed' })
  expect(events.map(({ type }) => type)).not.toContain('session.ended')
})

test('the gate of an MCP proxy denies every call after its end, and sends nothing to the daemon', async () => {
  const { events, gate } = daemon()
  const one = gate('s')
  await one.begin()
  await one.end({ reason: 'completed' })
  const before = events.length
  expect(await one.before(call('check', '1'))).toMatchObject({ allowed: false })
  expect(await one.finish({ ...call('check', '1'), outcome: 'success' })).toMatchObject({
    feedback: null,
  })
  expect(events).toHaveLength(before)
})

test.each([null, [], 'yes', {}, { allowed: 'true' }, { allowed: 1, text: 'go' }])(
  'the answer %j of a daemon allows no call',
  async (answer) => {
    const gate = new HookGate({ ask: async () => answer, session: 's', cwd: '/repo' })
    expect(await gate.before(call('check', '1'))).toMatchObject({ allowed: false })
  },
)

test('the gate of an MCP proxy denies a call with the reason when the daemon cannot be reached', async () => {
  const told: string[] = []
  const gate = new HookGate({
    ask: () => Promise.reject(new Error('Nobody is there')),
    session: 's',
    cwd: '/repo',
    onTrouble: (message) => void told.push(message),
  })
  await gate.begin()
  const text = 'Nobody is there. So this call is refused.'
  expect(await gate.before(call('check', '1'))).toEqual({ allowed: false, text })
  expect(await gate.finish({ ...call('check', '1'), outcome: 'success' })).toMatchObject({
    feedback: null,
    replaced: { output: 'Result withheld: the Signalbox daemon could not record it.' },
  })
  expect(told).toEqual(['Nobody is there.', text, 'Nobody is there.'])
})

test.each([
  [{ kind: 'tool.before', session: 's' }, "no text in 'proxy'"],
  [{ kind: 'tool.before', session: 's', proxy: 'p', tool: 'x' }, "no text in 'call_id'"],
  [{ kind: 'other', session: 's', proxy: 'p' }, "kind 'other' is not known"],
  [
    { kind: 'tool.after', session: 's', proxy: 'p', tool: 'x', call_id: '1', outcome: 'fine' },
    "outcome 'fine' is not known",
  ],
])('a daemon refuses the payload %j of an MCP proxy', async (payload, reason) => {
  const { ask } = daemon()
  expect(await ask(payload)).toEqual({ allowed: false, text: expect.stringContaining(reason) })
})
