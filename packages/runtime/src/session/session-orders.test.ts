import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ConfigDocument } from '@signalbox/core'
import { verifySession } from '@signalbox/core/analysis'
import { FakeControlPlane, fakeSeed, PROMPT, RULES } from '@signalbox/testkit'
import type { SessionOrderV1 } from '@signalbox/wire'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGuardrails, type GuardedSession, type Guardrails } from '../index.ts'

const SOON = { timeout: 20_000 }
const HOUR_MS = 3_600_000
const OPEN: ConfigDocument = { ...RULES, policies: [] }

let plane: FakeControlPlane
let dataDir: string
let guardrails: Guardrails
let session: GuardedSession
let said: string[]
let lines: string[]

beforeEach(async () => {
  plane = new FakeControlPlane()
  await plane.start()
  plane.giveOrders([])
  plane.publish(OPEN)
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-orders-'))
  said = []
  lines = []
  guardrails = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir,
    onDiagnostic: ({ code, message }) => void said.push(`${code}: ${message}`),
  })
  await guardrails.ready()
  await vi.waitFor(() => expect(guardrails.status()?.applied?.revision).toBe(1), SOON)
  session = guardrails.openSession({ onEvent: (line) => void lines.push(line) })
})

afterEach(async () => {
  await guardrails.close(50)
  await plane.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

const order = (fields: Partial<SessionOrderV1> = {}): SessionOrderV1 => ({
  session_order_version: 1,
  session: session.id,
  counter: 1,
  action: 'pause',
  by: 'Mira',
  reason: 'It loops.',
  at: Date.now(),
  expires_at: Date.now() + HOUR_MS,
  ...fields,
})

const recordedOrders = () =>
  lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'session.controlled')

const refusals = () => said.filter((line) => line.startsWith('session_order_refused'))

async function nextHeartbeats(): Promise<void> {
  const before = plane.heartbeats.length
  await vi.waitFor(() => expect(plane.heartbeats.length).toBeGreaterThan(before + 2), SOON)
}

test('a session that began before its runtime was registered is reported until it ends', async () => {
  await nextHeartbeats()
  expect(plane.heartbeats.at(-1)).not.toHaveProperty('moved_sessions')
  const early = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir: path.join(dataDir, 'early'),
    onDiagnostic: () => undefined,
  })
  const opened = early.openSession()
  const reported = () => plane.heartbeats.at(-1)?.moved_sessions
  await vi.waitFor(() => expect(reported()).toEqual([opened.id]), SOON)
  await opened.end({ reason: 'completed' })
  await vi.waitFor(() => expect(reported()).toBeUndefined(), SOON)
  await early.close(50)
})

test('a signed order pauses the session, a newer one resumes it, and the log verifies', async () => {
  plane.giveOrders([order()])
  await vi.waitFor(() => expect(recordedOrders()).toHaveLength(1), SOON)
  const denied = await session.beforeToolCall({ tool: 'deploy', args: {} })
  expect(denied).toMatchObject({ allowed: false, reason: 'Paused by Mira: It loops.' })
  plane.giveOrders([order({ counter: 2, action: 'resume', reason: 'Fixed.' })])
  await vi.waitFor(() => expect(recordedOrders()).toHaveLength(2), SOON)
  expect(await session.beforeToolCall({ tool: 'deploy', args: {} })).toMatchObject({
    allowed: true,
  })
  const { compiled } = session
  if (compiled === null) throw new Error('A config is in force.')
  expect(
    verifySession(
      compiled,
      lines.map((line) => JSON.parse(line)),
    ),
  ).toMatchObject({
    status: 'verified',
  })
})

test('a runtime says that it takes orders once its server gives them', async () => {
  await nextHeartbeats()
  expect(plane.heartbeats.at(-1)).toMatchObject({ orders: true })
})

test.each<[string, () => void, string]>([
  ['forged', () => plane.giveOrders([order()], fakeSeed(9)), 'not signed by a trusted key'],
  [
    'for another session',
    () => plane.giveOrders([order({ session: 'sess_other' })]),
    'not for a session that runs here',
  ],
  ['expired', () => plane.giveOrders([order({ expires_at: Date.now() - 1 })]), 'expired at'],
])('an order that is %s changes nothing and is reported once', async (_what, give, why) => {
  give()
  await nextHeartbeats()
  expect(recordedOrders()).toEqual([])
  expect(await session.beforeToolCall({ tool: 'deploy', args: {} })).toMatchObject({
    allowed: true,
  })
  expect(refusals()).toHaveLength(1)
  expect(refusals()[0]).toContain(why)
})

test('a repeated or older order changes nothing and is reported once', async () => {
  plane.giveOrders([order({ counter: 2 })])
  await vi.waitFor(() => expect(recordedOrders()).toHaveLength(1), SOON)
  plane.giveOrders([order({ counter: 1, action: 'resume' })])
  await nextHeartbeats()
  expect(recordedOrders()).toHaveLength(1)
  const denied = await session.beforeToolCall({ tool: 'deploy', args: {} })
  expect(denied.reason).toBe('Paused by Mira: It loops.')
  expect(refusals().filter((line) => line.includes('Order 1 (resume)'))).toHaveLength(1)
})

test('a runtime that was offline takes the order when it is back', async () => {
  await plane.stop()
  plane.giveOrders([order({ action: 'end', reason: 'Enough.' })])
  expect(await session.beforeToolCall({ tool: 'deploy', args: {} })).toMatchObject({
    allowed: true,
  })
  await plane.start()
  await vi.waitFor(() => expect(recordedOrders()).toHaveLength(1), SOON)
  const denied = await session.beforeToolCall({ tool: 'deploy', args: {} })
  expect(denied.reason).toBe('Ended by Mira: Enough.')
  const stop = await session.beforeStop({ via: 'turn_end' })
  expect(stop).toMatchObject({ allowed: true, decision: { verdict: 'bypassed', bypass: 'ended' } })
})

test('a resumed session remembers the order and its counter', async () => {
  const order = { action: 'pause', by: 'Mira', reason: 'It loops.', counter: 3 } as const
  const recorded: string[] = []
  const offline = createGuardrails({ config: OPEN, onEvent: (line) => void recorded.push(line) })
  const first = offline.openSession()
  expect(await first.obey(order)).toBeNull()
  const resumed = offline.openSession({ resume: { events: [...recorded], config: OPEN } })
  expect(await resumed.beforeToolCall({ tool: 'deploy', args: {} })).toMatchObject({
    reason: 'Paused by Mira: It loops.',
  })
  expect(await resumed.obey({ ...order, action: 'resume' })).toContain('took this order')
  expect(await resumed.obey({ ...order, action: 'resume', counter: 4 })).toBeNull()
  expect(await resumed.beforeToolCall({ tool: 'deploy', args: {} })).toMatchObject({
    allowed: true,
  })
})

test('an order to end denies a call that waits for approval, without an answer', async () => {
  const config: ConfigDocument = {
    ...OPEN,
    policies: [{ id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 600 }],
  }
  const offline = createGuardrails({
    config,
    approvals: { decide: () => new Promise(() => undefined) },
  })
  const waiting = offline.openSession()
  const answer = waiting.beforeToolCall({ tool: 'deploy', args: {} })
  await waiting.obey({ action: 'end', by: 'Mira', reason: 'Enough.', counter: 1 })
  expect((await answer).reason).toBe('Ended by Mira: Enough.')
})
