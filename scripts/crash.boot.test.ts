// Each is killed with -9 while an agent emits: every acknowledged event is stored once and without a gap, and the next start recovers.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, it, vi } from 'vitest'
import { embeddedFolder, startEmbedded } from '@/server/platform/db/embedded.mjs'
import { exited, freePort, ProcessGroup, ROOT, readSecrets, webPid } from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-crash-'))
// When root runs this, PostgreSQL's account must be able to read the folder.
fs.chmodSync(folder, 0o755)
const emittedFile = path.join(folder, 'emitted.log')
const emittedOnFullDisk = path.join(folder, 'emitted-on-full-disk.log')
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

const agentFile = path.join(folder, 'agent.mjs')
fs.writeFileSync(agentFile, AGENT)

/** Sequence number of the last event that each session's agent saw recorded; none before the first. */
function emitted(file = emittedFile): ReadonlyMap<string, number> {
  if (!fs.existsSync(file)) return new Map()
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n')
  return new Map(
    lines.map((line): [string, number] => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]),
  )
}

async function inTheMiddle(count: number, file = emittedFile): Promise<void> {
  await vi.waitUntil(
    () => emitted(file).size === count && [...emitted(file).values()].every((seq) => seq > 100),
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
  const agent = new http.Agent({ keepAlive: true })
  const sending = http.request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/api/runtime/v1/events',
    agent,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-ndjson',
      'content-length': line.length,
      expect: '100-continue',
    },
  })
  const status = new Promise<number | undefined>((resolve, reject) => {
    sending.once('response', (answer) => resolve(answer.resume().statusCode))
    sending.once('error', reject)
  })
  const isRead = new Promise((resolve) => sending.once('continue', resolve))
  sending.flushHeaders()
  await Promise.race([isRead, status])
  let sent = 40
  sending.write(line.slice(0, sent))
  // Slow, but not stalled: a sender that is silent for ten seconds is disconnected.
  const slowly = setInterval(() => {
    sending.write(line.slice(sent, sent + 1))
    sent += 1
  }, 1000)
  const rest = () => {
    clearInterval(slowly)
    sending.end(line.slice(sent))
  }
  /** Resolves with true when the connection answers one more request. */
  const answersAgain = () =>
    new Promise((resolve) => {
      const again = http.get({ host: '127.0.0.1', port, path: '/livez', agent }, (answer) => {
        answer.resume()
        resolve(true)
      })
      again.once('error', () => resolve(false))
    })
  return { status, rest, answersAgain }
}

const listens = (port: number) =>
  fetch(`http://127.0.0.1:${port}/livez`).then(
    () => true,
    () => false,
  )

const small = path.join(folder, 'small')
fs.mkdirSync(small)
const [mount, unmount] = ['mount', 'umount'] as const
const mounted = spawnSync(mount, ['-t', 'tmpfs', '-o', 'size=320m,mode=755', 'small', small])
const NO_MOUNT = mounted.status === 0 ? '' : ' (skipped: only root can mount a small file system)'

afterAll(() => {
  processes.endAll()
  if (NO_MOUNT === '') spawnSync(unmount, ['--lazy', small])
  fs.rmSync(folder, { recursive: true, force: true })
})

const isAway = async (port: number): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}/login`)).status === 503

/** Process id of the embedded database; 0: none. */
function postmasterIn(data: string): number {
  const file = path.join(data, 'postmaster.pid')
  return fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8').split('\n')[0]) : 0
}

/** Resolves when pages are answered again, and prints how long that took. */
async function recovered(port: number, after: string, isBack = () => true): Promise<void> {
  const from = performance.now()
  const isReady = async () => isBack() && !(await isAway(port))
  await vi.waitUntil(isReady, { timeout: 60_000, interval: 20 })
  const seconds = ((performance.now() - from) / 1000).toFixed(1)
  process.stdout.write(`crash: pages are answered ${seconds} s after ${after}\n`)
}

interface Stored {
  readonly id: string
  readonly contiguous: number
  readonly most: number
  readonly rows: number
}

async function storedIn(url: string): Promise<readonly Stored[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<Stored>(
    `SELECT s.id, s.contiguous_seq AS contiguous, s.max_seq AS most,
            (SELECT count(*)::int FROM session_events e WHERE e.session_id = s.id) AS rows FROM sessions s`,
  )
  await client.end()
  return rows
}

function expectStored(expected: ReadonlyMap<string, number>, stored: readonly Stored[]): void {
  for (const [session, seq] of expected) {
    const row = stored.find(({ id }) => id === session)
    expect(row?.contiguous).toBeGreaterThanOrEqual(seq)
    expect(row?.most).toBe(row?.contiguous)
    expect(row?.rows).toBe(row?.contiguous)
  }
}

it('a kill -9 of agent, web server and database loses and repeats no event, and a stop answers the running batch', async () => {
  const port = await freePort()
  let product = await processes.startProduct(folder, port)
  const { demoKey } = readSecrets(folder)
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
  const data = path.join(embeddedFolder(folder) ?? '', 'pg18')
  process.kill(database.pid, 'SIGKILL')
  const isAnother = () => ![0, database.pid].includes(postmasterIn(data))
  await recovered(port, 'kill -9 of the database', isAnother)
  // The database cannot start again before its data is back.
  fs.renameSync(data, `${data}.away`)
  process.kill(postmasterIn(`${data}.away`), 'SIGKILL')
  await vi.waitUntil(() => isAway(port), { timeout: 60_000, interval: 20 })
  fs.renameSync(`${data}.away`, data)
  await recovered(port, 'the data of the database is back')
  await wait(300)
  product.kill('SIGKILL')
  await exited(product)
  product = await processes.startProduct(folder, port)
  await exited(second)
  // The next agent in the same folder sends the events that the last one could not.
  await exited(agent(1))

  const after = await startEmbedded({ dataDir: folder })
  const stored = await storedIn(after.url)

  const batch = await halfSentBatch(port, demoKey)
  expect(await listens(port)).toBe(true)
  product.kill('SIGTERM')
  await vi.waitUntil(async () => !(await listens(port)), { timeout: 20_000 })
  await wait(2000)
  batch.rest()
  expect(await batch.status).toBe(200)
  expect(await batch.answersAgain()).toBe(false)
  await exited(product)

  const expected = emitted()
  expect(expected.size).toBe(3)
  expect([...expected.values()].some((seq) => seq >= 2000)).toBe(true)
  expectStored(expected, stored)
})

function fillDisk(file: string): void {
  const ballast = fs.openSync(file, 'w')
  for (const bytes of [1 << 20, 1 << 12]) {
    try {
      for (;;) fs.writeSync(ballast, Buffer.alloc(bytes))
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('ENOSPC'))) throw error
    }
  }
  fs.closeSync(ballast)
}

it.skipIf(NO_MOUNT !== '')(
  `a full disk loses nothing: the database ends, pages answer 503, and both recover when space is free${NO_MOUNT}`,
  async () => {
    const port = await freePort()
    const product = await processes.startProduct(small, port)
    const words = [`http://127.0.0.1:${port}`, readSecrets(small).demoKey]
    const place = [path.join(folder, 'agent-on-full-disk'), emittedOnFullDisk, '670']
    const agent = processes.start([agentFile, ...words, ...place])
    await inTheMiddle(1, emittedOnFullDisk)

    const database = await startEmbedded({ dataDir: small })
    const client = new pg.Client({ connectionString: database.url })
    client.on('error', () => undefined)
    // First: on a full disk, what the agent sends may end the database at once.
    await client.connect()
    fillDisk(path.join(small, 'ballast'))
    // Each statement needs a new file for the write-ahead log, without which PostgreSQL ends.
    const fillLog = async () => {
      for (;;) await client.query("SELECT pg_logical_emit_message(true, '', ''), pg_switch_wal()")
    }
    await expect(fillLog()).rejects.toThrow()
    await vi.waitUntil(() => isAway(port), { timeout: 60_000, interval: 20 })
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
    fs.rmSync(path.join(small, 'ballast'))
    await recovered(port, 'the disk has room')
    await exited(agent)

    const expected = emitted(emittedOnFullDisk)
    expect(expected.size).toBe(1)
    expectStored(expected, await storedIn(database.url))
    product.kill('SIGTERM')
    await exited(product)
  },
)
