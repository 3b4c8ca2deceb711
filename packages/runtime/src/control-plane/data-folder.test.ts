import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { FakeControlPlane, fakeSeed, PROMPT, RULES, STRICTER } from '@signalbox/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGuardrails, type Diagnostic, type Guardrails } from '../index.ts'

const ROTATED = `sbx_4567abcd_${'r'.repeat(43)}`

let planes: FakeControlPlane[]
let plane: FakeControlPlane
let dataDir: string
let running: Guardrails[]
let diagnostics: Diagnostic[]

beforeEach(async () => {
  planes = []
  plane = await startPlane()
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-data-'))
  running = []
  diagnostics = []
})

afterEach(async () => {
  for (const guardrails of running) await guardrails.close(50)
  for (const one of planes) await one.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

async function startPlane(environment = 'dev'): Promise<FakeControlPlane> {
  const made = new FakeControlPlane({ environment })
  made.acceptKey(ROTATED)
  await made.start()
  planes.push(made)
  return made
}

interface Started {
  readonly url?: string
  readonly apiKey?: string
  readonly prompt?: string
}

function start({ url = plane.url, apiKey = plane.apiKey, prompt = PROMPT }: Started = {}) {
  const onDiagnostic = (diagnostic: Diagnostic) => void diagnostics.push(diagnostic)
  const guardrails = createGuardrails({ url, apiKey, prompt, dataDir, onDiagnostic })
  running.push(guardrails)
  return guardrails
}

async function runOnce(options: Started = {}): Promise<void> {
  const guardrails = start(options)
  await guardrails.ready()
  expect(guardrails.status()).toMatchObject({ applied: { source: 'server' } })
  await stop(guardrails)
}

async function stop(guardrails: Guardrails): Promise<void> {
  await guardrails.close(50)
  running = running.filter((one) => one !== guardrails)
}

async function leaveEvents(options: Started = {}): Promise<string> {
  const guardrails = start(options)
  const session = guardrails.openSession()
  await session.beforeToolCall({ tool: 'lint', args: {} })
  await session.end({ reason: 'aborted' })
  await stop(guardrails)
  for (const folder of fs.readdirSync(dataDir).map((name) => path.join(dataDir, name, 'spool'))) {
    for (const owner of fs.existsSync(folder) ? fs.readdirSync(folder) : [])
      fs.renameSync(path.join(folder, owner), path.join(folder, owner.replace(/^\d+/, '4194999')))
  }
  return session.id
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 10 })
const codes = () => diagnostics.map(({ code }) => code)

test.each([
  ['a rotation of the API key', ROTATED],
  ['a change of the address', undefined],
])('unsent events from before %s are sent after it', async (_, apiKey) => {
  plane.publish(RULES)
  await runOnce()
  await plane.stop()
  const session = await leaveEvents()
  const server = apiKey === undefined ? await startPlane() : plane
  if (server === plane) await plane.start()
  const next = start({ url: server.url, ...(apiKey === undefined ? {} : { apiKey }) })
  await next.ready()
  await eventually(() => expect(server.events.events(session).at(-1)?.type).toBe('session.ended'))
})

test('unsent events recorded before the API key was ever registered are sent', async () => {
  plane.publish(RULES)
  await runOnce()
  await plane.stop()
  const session = await leaveEvents({ apiKey: ROTATED })
  await plane.start()
  await start({ apiKey: ROTATED }).ready()
  await eventually(() => expect(plane.events.events(session).at(-1)?.type).toBe('session.ended'))
})

test('a runtime with a rotated API key keeps the pinned signing key and the last good bundle', async () => {
  plane.publish(RULES)
  await runOnce()
  plane.breakSignature()
  plane.publish(STRICTER)
  const next = start({ apiKey: ROTATED })
  await eventually(() => expect(codes()).toContain('bundle_rejected'))
  expect(next.status()).toMatchObject({ applied: { revision: 1, source: 'disk' } })
})

test('a runtime with a rotated API key at another address refuses an older revision', async () => {
  plane.publish(RULES)
  plane.publish(STRICTER)
  await runOnce()
  const restored = await startPlane()
  restored.serveRevision(1, RULES)
  const next = start({ url: restored.url, apiKey: ROTATED })
  await eventually(() => expect(codes()).toContain('bundle_rejected'))
  expect(next.status()).toMatchObject({ applied: { revision: 2 }, rejected: { revision: 1 } })
})

test('a new prompt in the data folder accepts only the signing key of its project', async () => {
  plane.publish(RULES)
  await runOnce()
  plane.breakSignature()
  plane.publish({ ...RULES, key: 'other' })
  const next = start({ apiKey: ROTATED, prompt: `${RULES.ns}/other` })
  await eventually(() => expect(codes()).toContain('bundle_rejected'))
  expect(next.status()?.applied).toBeNull()
})

test('a runtime with a rotated API key starts offline on the last good bundle of its only environment', async () => {
  plane.publish(RULES)
  await runOnce()
  await plane.stop()
  const next = start({ apiKey: ROTATED })
  await next.ready(2000)
  expect(next.status()).toMatchObject({ applied: { revision: 1, source: 'disk' } })
  expect(codes()).toContain('place_assumed')
})

test('a runtime drops the assumed environment of its API key when the server names another', async () => {
  plane.publish(RULES)
  await runOnce()
  const other = await startPlane('staging')
  await other.stop()
  const next = start({ url: other.url, apiKey: ROTATED })
  await eventually(() => expect(next.status()?.applied?.environment).toBe('dev'))
  await other.start()
  await eventually(() => expect(next.status()?.environment).toBe('staging'))
  await eventually(() => expect(next.status()?.applied?.environment).toBe('staging'))
  expect(next.status()).toMatchObject({ applied: { revision: 0, source: 'server' } })
})

test('a runtime polls immediately after a failed registration succeeds', async () => {
  plane.publish(RULES)
  await runOnce()
  const other = await startPlane('staging')
  other.fail('register', { status: 503 })
  const next = start({ url: other.url, apiKey: ROTATED })
  await eventually(() => expect(other.requests.get('config')).toBeGreaterThan(0))
  other.recover('register')
  // Sooner than the next regular poll, which follows 12 to 18 seconds after the last.
  const isApplied = () => expect(next.status()?.applied?.environment).toBe('staging')
  await vi.waitFor(isApplied, { timeout: 10_000, interval: 10 })
})

test('events of another environment are not sent, and a diagnostic names that environment', async () => {
  plane.publish(RULES)
  await runOnce()
  await plane.stop()
  const session = await leaveEvents()
  const other = await startPlane('staging')
  const next = start({ url: other.url, apiKey: ROTATED })
  await next.ready()
  await eventually(() => expect(codes()).toContain('foreign_events'))
  expect(diagnostics.find(({ code }) => code === 'foreign_events')?.message).toContain(
    'default/dev',
  )
  await next.close()
  expect(other.events.sessions()).not.toContain(session)
})

test('a server with the same names but another signing key is another environment', async () => {
  plane.publish(RULES)
  await runOnce()
  const stranger = await startPlane()
  stranger.signBy(fakeSeed(9))
  stranger.publish(STRICTER)
  const next = start({ url: stranger.url, apiKey: ROTATED })
  await next.ready()
  expect(next.status()).toMatchObject({ applied: { revision: 1, source: 'server' } })
  await plane.stop()
  const first = start()
  await first.ready(2000)
  expect(first.status()).toMatchObject({ applied: { revision: 1, key: plane.publicKey } })
})

test('a data folder without place.json, from an earlier version, is matched by its stored config', async () => {
  plane.publish(RULES)
  await runOnce()
  for (const name of fs.readdirSync(dataDir))
    fs.rmSync(path.join(dataDir, name, 'place.json'), { force: true })
  plane.breakSignature()
  plane.publish(STRICTER)
  await plane.stop()
  const session = await leaveEvents()
  plane.signBy(fakeSeed(7))
  await plane.start()
  const next = start({ apiKey: ROTATED })
  await next.ready()
  await eventually(() => expect(plane.events.events(session).at(-1)?.type).toBe('session.ended'))
  expect(fs.readdirSync(dataDir).filter((name) => name !== 'places.lock')).toHaveLength(2)
})
