import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ConfigDocument, EventOf, SessionEvent } from '@signalbox/core'
import { compileConfig } from '@signalbox/core'
import { verifySession } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { FakeControlPlane, PROMPT, RULES, STRICTER } from '@signalbox/testkit'
import { computeDigest, isLinked } from '@signalbox/wire'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGuardrails, type Guardrails, type OnlineOptions } from '../index.ts'
import { hashRecorded } from './recorder.ts'

let plane: FakeControlPlane
let dataDir: string
let running: Guardrails[]

beforeEach(async () => {
  plane = new FakeControlPlane()
  await plane.start()
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-shadow-'))
  running = []
})

afterEach(async () => {
  for (const guardrails of running) await guardrails.close(50)
  await plane.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

function createShadow(document: ConfigDocument) {
  return { version: 9, digest: computeDigest(document), document: { ...document } }
}

async function opened(
  live: ConfigDocument,
  shadow: ConfigDocument,
  options: Partial<OnlineOptions> = {},
) {
  plane.publishBeside({ ...live }, { shadow: createShadow(shadow) })
  const guardrails = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir,
    ...options,
  })
  running.push(guardrails)
  await guardrails.ready()
  const lines: string[] = []
  const onEvent = (line: string) => void lines.push(line)
  const session = guardrails.openSession({ workspaceRoot: dataDir, onEvent })
  const events = (): SessionEvent[] => lines.map((line) => JSON.parse(line))
  return { guardrails, session, events, lines }
}

function listData<Type extends SessionEvent['type']>(
  events: readonly SessionEvent[],
  type: Type,
): readonly EventOf<Type>['data'][] {
  return events.flatMap((event) =>
    event.type === type ? [event.data as EventOf<Type>['data']] : [],
  )
}

function checkLog(live: ConfigDocument, events: readonly SessionEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  let before: string | null = null
  for (const event of events) {
    expect(isLinked(event, before)).toBe(true)
    before = hashRecorded(event)
  }
  const compiled = compileConfig(live, { expressions: celExpressions() })
  if (!compiled.ok) throw new Error('does not compile')
  expect(verifySession(compiled.config, events).status).toBe('verified')
}

test('the agent gets the answer of the live version, and the difference is recorded with its rule', async () => {
  const { session, events } = await opened(RULES, STRICTER)
  await session.beforeToolCall({ tool: 'test', args: {}, callId: 'a' })
  await session.afterToolCall({ tool: 'test', args: {}, callId: 'a', outcome: 'success' })
  const verdict = await session.beforeToolCall({ tool: 'deploy', args: {}, callId: 'b' })
  expect(verdict.allowed).toBe(true)
  await session.end({ reason: 'aborted' })
  const digest = computeDigest(STRICTER)
  expect(listData(events(), 'shadow.started')).toEqual([{ version: 9, digest }])
  const request = events().find(
    ({ type, data }) => type === 'tool.requested' && 'call_id' in data && data.call_id === 'b',
  )
  expect(listData(events(), 'shadow.differed')).toEqual([
    {
      version: 9,
      digest,
      of: request?.seq,
      subject: 'call',
      call_id: 'b',
      tool: 'deploy',
      rule: 'order',
      live: 'allowed',
      shadow: 'refused',
      text: "Tool 'deploy' requires: review",
      fidelity: 'exact',
    },
  ])
  expect(listData(events(), 'shadow.stopped')).toEqual([])
  checkLog(RULES, events())
})

test('differences after the first one are marked as approximate', async () => {
  const { session, events } = await opened(RULES, STRICTER)
  await session.beforeToolCall({ tool: 'test', args: {}, callId: 'a' })
  await session.afterToolCall({ tool: 'test', args: {}, callId: 'a', outcome: 'success' })
  for (const callId of ['b', 'c'])
    await session.beforeToolCall({ tool: 'deploy', args: {}, callId })
  await session.end({ reason: 'aborted' })
  expect(listData(events(), 'shadow.differed').map(({ fidelity }) => fidelity)).toEqual([
    'exact',
    'approximate',
  ])
})

test('a shadow version with the same rules records no differences', async () => {
  const { session, events } = await opened(RULES, { ...RULES, limits: { max_stop_blocks: 4 } })
  for (const callId of ['a', 'b', 'c']) {
    await session.beforeToolCall({ tool: 'write_file', args: { path: callId }, callId })
    await session.afterToolCall({
      tool: 'write_file',
      args: { path: callId },
      callId,
      outcome: 'success',
    })
  }
  await session.beforeStop({ via: 'turn_end' })
  await session.end({ reason: 'completed' })
  expect(listData(events(), 'shadow.differed')).toEqual([])
  checkLog(RULES, events())
})

test('facts that only the shadow version needs are looked up, and its difference is marked with own_facts', async () => {
  fs.writeFileSync(path.join(dataDir, 'notes.txt'), 'x')
  const loose: ConfigDocument = { schema_version: 1, ns: RULES.ns, key: RULES.key }
  const { session, events } = await opened(loose, RULES)
  const call = { tool: 'write_file', args: { path: 'notes.txt' }, callId: 'a' }
  expect((await session.beforeToolCall(call)).allowed).toBe(true)
  // The end of the session waits for the shadow version only for a moment, which a busy machine can exceed.
  await vi.waitFor(() => expect(listData(events(), 'shadow.differed')).toHaveLength(1), 10_000)
  await session.end({ reason: 'aborted' })
  const asked = events().find(({ type }) => type === 'tool.requested')
  expect(asked?.data).not.toHaveProperty('facts')
  expect(listData(events(), 'shadow.differed')).toMatchObject([
    { rule: 'read-first', shadow: 'refused', own_facts: true },
  ])
  checkLog(loose, events())
})

const CUSTOM: ConfigDocument = {
  schema_version: 1,
  ns: RULES.ns,
  key: RULES.key,
  policies: [{ id: 'ask', type: 'acme/ask' }],
}
const NOTHING: ConfigDocument = { schema_version: 1, ns: RULES.ns, key: RULES.key }

test('the answer to the agent does not wait for custom code that only the shadow version calls', async () => {
  let asked = 0
  const never = new Promise<never>(() => undefined)
  const answer = () => {
    asked += 1
    return never
  }
  const { session, events } = await opened(NOTHING, CUSTOM, {
    custom: { policies: { 'acme/ask': { answer } } },
    answerTimeoutMs: 60_000,
  })
  expect((await session.beforeToolCall({ tool: 'any', args: {}, callId: 'a' })).allowed).toBe(true)
  await session.end({ reason: 'aborted' })
  expect(asked).toBe(1)
  expect(listData(events(), 'shadow.stopped')).toMatchObject([
    { version: 9, reason: 'It had not evaluated every event when the session ended.' },
  ])
  expect(events().at(-1)?.type).toBe('session.ended')
})

test('custom code that both versions call in the same way is called once', async () => {
  let asked = 0
  const answer = () => {
    asked += 1
    return { kind: 'policy', allow: true } as const
  }
  const both = { ...CUSTOM, limits: { max_stop_blocks: 2 } }
  const { session, events } = await opened(CUSTOM, both, {
    custom: { policies: { 'acme/ask': { answer } } },
  })
  await session.beforeToolCall({ tool: 'any', args: {}, callId: 'a' })
  await session.end({ reason: 'aborted' })
  expect(asked).toBe(1)
  expect(listData(events(), 'shadow.differed')).toEqual([])
})

test('a shadow version stops after a hundred differences, and the session continues', async () => {
  const denyAll: ConfigDocument = {
    ...NOTHING,
    policies: [{ id: 'no', type: 'expression', deny_when: 'true' }],
  }
  const { session, events } = await opened(NOTHING, denyAll)
  for (let i = 0; i < 120; i++) {
    const callId = `c${i}`
    expect((await session.beforeToolCall({ tool: 'any', args: {}, callId })).allowed).toBe(true)
  }
  await session.end({ reason: 'aborted' })
  expect(listData(events(), 'shadow.differed')).toHaveLength(100)
  expect(listData(events(), 'shadow.stopped')).toHaveLength(1)
  checkLog(NOTHING, events())
})

test('a resumed session records that its shadow version ended', async () => {
  const { guardrails, session, lines } = await opened(RULES, STRICTER)
  await session.beforeToolCall({ tool: 'lint', args: {}, callId: 'a' })
  const more: SessionEvent[] = []
  const resumed = guardrails.openSession({
    resume: { events: [...lines], config: RULES },
    onEvent: (line) => void more.push(JSON.parse(line)),
  })
  await resumed.end({ reason: 'aborted' })
  expect(listData(more, 'shadow.stopped')).toMatchObject([
    { version: 9, reason: 'The process that evaluated it had ended.' },
  ])
})

test('sessions of a candidate have no shadow version', async () => {
  const { guardrails } = await opened(RULES, STRICTER)
  const candidate = { ...createShadow(STRICTER), version: 2, share: 1000, salt: 's' }
  plane.publishBeside({ ...RULES }, { shadow: createShadow(STRICTER), candidate })
  await guardrails.ready()
  for (;;) {
    if (guardrails.status()?.applied?.revision === 2) break
    await new Promise((next) => setImmediate(next))
  }
  const events: SessionEvent[] = []
  guardrails.openSession({ onEvent: (line) => void events.push(JSON.parse(line)) })
  expect(listData(events, 'shadow.started')).toEqual([])
})
