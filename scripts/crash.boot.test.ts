// kill -9 of agent, web server and database while an agent emits: what the agent was told is recorded is stored, once, without
// a gap; the next start recovers by itself.
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, it, vi } from 'vitest'
import { embeddedFolder, startEmbedded } from '../server/db/embedded.mjs'
import { exited, freePort, ProcessGroup, ROOT, secretsOf, webPid } from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-crash-'))
const emittedFile = path.join(folder, 'emitted.log')
const processes = new ProcessGroup()

/** An agent that works until it has emitted about 2,000 events, noting after each call what the runtime acknowledged. */
const AGENT = `
import fs from 'node:fs'
import { createGuardrails } from ${JSON.stringify(path.join(ROOT, 'packages/runtime/dist/index.js'))}
const [url, apiKey, dataDir, log, calls] = process.argv.slice(2)
const guardrails = createGuardrails({ url, apiKey, prompt: 'demo/release-notes', dataDir })
await guardrails.ready()
const session = guardrails.openSession({})
for (let i = 0; i < Number(calls); i++) {
  const call = { tool: 'list_files', args: { i }, callId: 'c' + i }
  await session.beforeToolCall(call)
  await session.afterToolCall({ ...call, outcome: 'success', output: 'ok' })
  fs.appendFileSync(log, session.id + ' ' + (3 * i + 4) + '\\n')
  if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
await session.end({ reason: 'completed' })
await guardrails.close(20000)
`

/** Of each session, the sequence of the last event that its agent saw recorded; none before the first. */
function emitted(): ReadonlyMap<string, number> {
  if (!fs.existsSync(emittedFile)) return new Map()
  const lines = fs.readFileSync(emittedFile, 'utf8').trim().split('\n')
  return new Map(
    lines.map((line): [string, number] => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]),
  )
}

/** Resolves when the agent of the `count`th session is at work: how long a process takes to begin is the machine's affair. */
async function inTheMiddle(count: number): Promise<void> {
  await vi.waitUntil(
    () => emitted().size === count && [...emitted().values()].every((seq) => seq > 100),
    {
      timeout: 60_000,
      interval: 20,
    },
  )
}

/** A batch of one event whose `rest` is not sent yet. Resolves when the server has read its head. */
async function halfSentBatch(port: number, key: string) {
  const at = Date.now()
  const data = { ns: 'demo', key: 'release-notes', environment: 'dev', harness: { name: 'none' } }
  const event = { session: `sess_${'0'.repeat(26)}`, seq: 1, at, type: 'session.started', data }
  const line = JSON.stringify(event)
  const sending = http.request({
    ...{ host: '127.0.0.1', port, method: 'POST', path: '/api/runtime/v1/events' },
    headers: {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      ...{ 'content-length': line.length, expect: '100-continue' },
    },
  })
  const status = new Promise<number | undefined>((resolve, reject) => {
    sending.once('response', (answer) => resolve(answer.resume().statusCode))
    sending.once('error', reject)
  })
  const isRead = new Promise((resolve) => sending.once('continue', resolve))
  sending.flushHeaders()
  await Promise.race([isRead, status])
  sending.write(line.slice(0, 40))
  return { status, rest: () => sending.end(line.slice(40)) }
}

/** Whether somebody answers at the port. */
const listens = (port: number) =>
  fetch(`http://127.0.0.1:${port}/livez`).then(
    () => true,
    () => false,
  )

afterAll(() => {
  processes.endAll()
})

it('loses and repeats nothing through kill -9 of agent, web server and database, and answers the batch on its way when it is stopped', async () => {
  const port = await freePort()
  let product = await processes.startProduct(folder, port)
  const { demoKey } = secretsOf(folder)
  const agentFile = path.join(folder, 'agent.mjs')
  fs.writeFileSync(agentFile, AGENT)
  const agent = (calls: number) =>
    processes.start([
      agentFile,
      `http://127.0.0.1:${port}`,
      demoKey,
      path.join(folder, 'agent'),
      emittedFile,
      String(calls),
    ])

  const first = agent(5000)
  await inTheMiddle(1)
  first.kill('SIGKILL')

  const second = agent(670)
  await inTheMiddle(2)
  process.kill(webPid(folder), 'SIGKILL')
  await exited(product)
  product = await processes.startProduct(folder, port)

  await wait(300)
  const database = await startEmbedded({ dataDir: folder })
  // It cannot start again before its data is back.
  const data = path.join(embeddedFolder(folder) ?? '', 'pg18')
  fs.renameSync(data, `${data}.away`)
  process.kill(database.pid, 'SIGKILL')
  const isAway = async () => (await fetch(`http://127.0.0.1:${port}/login`)).status === 503
  await vi.waitUntil(isAway, { timeout: 60_000, interval: 20 })
  fs.renameSync(`${data}.away`, data)
  await vi.waitUntil(async () => !(await isAway()), { timeout: 60_000, interval: 20 })
  await wait(300)
  product.kill('SIGKILL')
  await exited(product)
  product = await processes.startProduct(folder, port)
  await exited(second)
  // What an agent could not send any more is sent by the next one in the same folder.
  await exited(agent(1))

  const after = await startEmbedded({ dataDir: folder })
  const client = new pg.Client({ connectionString: after.url })
  await client.connect()
  const stored = await client.query<{ id: string; contiguous: number; most: number; rows: number }>(
    `SELECT s.id, s.contiguous_seq AS contiguous, s.max_seq AS most,
            (SELECT count(*)::int FROM session_events e WHERE e.session_id = s.id) AS rows FROM sessions s`,
  )
  await client.end()

  const batch = await halfSentBatch(port, demoKey)
  expect(await listens(port)).toBe(true)
  product.kill('SIGTERM')
  await vi.waitUntil(async () => !(await listens(port)), { timeout: 20_000 })
  // Slow, but not stuck.
  await wait(2000)
  batch.rest()
  expect(await batch.status).toBe(200)
  await exited(product)

  const expected = emitted()
  expect(expected.size).toBe(3)
  expect([...expected.values()].some((seq) => seq >= 2000)).toBe(true)
  for (const [session, seq] of expected) {
    const row = stored.rows.find(({ id }) => id === session)
    expect(row?.contiguous).toBeGreaterThanOrEqual(seq)
    expect(row?.most).toBe(row?.contiguous)
    expect(row?.rows).toBe(row?.contiguous)
  }
  fs.rmSync(folder, { recursive: true, force: true })
})
