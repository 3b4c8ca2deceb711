// Two web processes on one port (SIGNALBOX_WEB_PROCESSES=2). Every request opens a connection, so that requests reach both in turn; the log
// shows which process answered. Each of them is killed with -9 while agents send events.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startEmbedded } from '@/server/platform/db/embedded.mjs'
import { isAlive } from '@/server/platform/process-alive.mjs'
import {
  exited,
  freePort,
  ProcessGroup,
  readSecrets,
  runToEnd,
  said,
  webPid,
} from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-cluster-'))
// When root runs this, PostgreSQL's account must be able to read the folder.
fs.chmodSync(folder, 0o755)
const processes = new ProcessGroup()
const WAIT = { timeout: 60_000, interval: 50 }

let url: string
let product: ReturnType<ProcessGroup['start']>
let database: pg.Client
let demoKey: string
let cookie: string

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  processes.endDatabaseIn(folder)
  product = processes.start(['scripts/start.mjs', '--no-demo', '--port', String(port)], {
    SIGNALBOX_DATA_DIR: folder,
    SIGNALBOX_WEB_PROCESSES: '2',
    SIGNALBOX_LOG_LEVEL: 'debug',
  })
  await said(product, /Signalbox is ready/)
  database = new pg.Client({ connectionString: (await startEmbedded({ dataDir: folder })).url })
  // SIGTERM ends it with the product.
  database.on('error', () => undefined)
  await database.connect()
  demoKey = readSecrets(folder).demoKey
})
afterAll(async () => {
  await database.end().catch(() => undefined)
  processes.endAll()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** Process ids of the workers. */
function workers(): readonly number[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,stat='], { encoding: 'utf8' })
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  return rows.flatMap(([pid, parent, state = 'Z']) =>
    Number(parent) === webPid(folder) && !state.startsWith('Z') ? [Number(pid)] : [],
  )
}

interface LogLine {
  readonly pid: number
  readonly msg: string
  readonly requestId?: string
  readonly pauseMs?: number
}

/** Throws when a line is not one JSON object. */
function readLog(): readonly LogLine[] {
  const text = fs.readFileSync(path.join(folder, 'server.log'), 'utf8')
  return text
    .slice(0, text.lastIndexOf('\n'))
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Sends a request on a connection of its own. */
async function ask(place: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('connection', 'close')
  return await fetch(`${url}${place}`, { ...init, headers })
}

async function post(place: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: url, cookie: cookie ?? '' }
  return await ask(place, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Asserts that these answers came from both workers. */
async function expectBoth(answers: readonly Response[]): Promise<void> {
  const ids = new Set(answers.map(({ headers }) => headers.get('x-request-id')))
  const answered = () =>
    readLog().filter(({ requestId, msg }) => ids.has(requestId ?? '') && msg === 'request')
  await vi.waitFor(() => expect(answered()).toHaveLength(ids.size), WAIT)
  expect(new Set(answered().map(({ pid }) => pid))).toEqual(new Set(workers()))
}

const many = <T>(count: number, work: () => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, work))

const statuses = (answers: readonly Response[]): readonly number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

/** Number of lanes whose worker holds the lock that shows its presence. */
async function jobLanes(): Promise<number> {
  const { rows } = await database.query(
    "SELECT count(*)::int AS lanes FROM pg_locks WHERE locktype = 'advisory' AND granted",
  )
  return rows[0].lanes
}

it('a server with two web processes answers with both once it is ready, and one of them works on jobs', async () => {
  const answers = await many(8, () => ask('/readyz'))
  expect(statuses(answers)).toEqual(Array(8).fill(200))
  expect(workers()).toHaveLength(2)
  await expectBoth(answers)
  await vi.waitFor(async () => expect(await jobLanes()).toBe(3), WAIT)
})

it('users sign in and work at both web processes, whose limits count together', async () => {
  const admin = { name: 'Ana', email: 'ana@example.test', password: 'correct horse battery' }
  const token = readSecrets(folder).setupToken
  const setups = await many(4, () => post('/api/trpc/members.setup', { token, ...admin }))
  expect(statuses(setups).filter((status) => status === 200)).toHaveLength(1)
  const entry = await post('/api/auth/sign-in/email', admin)
  expect(entry.status).toBe(200)
  cookie = entry.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const reads = await many(6, () => ask('/api/trpc/projects.mine', { headers: { cookie } }))
  expect(statuses(reads)).toEqual(Array(6).fill(200))
  await expectBoth(reads)

  const wrong = { email: 'ben@example.test', password: 'a wrong password' }
  const guesses = await many(13, () => post('/api/auth/sign-in/email', wrong))
  expect(statuses(guesses)).toEqual([...Array(10).fill(401), ...Array(3).fill(429)])
  await expectBoth(guesses)
})

it('while one web process runs the demo agent, none of them starts another', async () => {
  await database.query("SELECT pg_advisory_lock(hashtextextended('signalbox demo agent', 0))")
  const refused = await many(4, () => post('/api/trpc/overview.runDemo', {}))
  await database.query("SELECT pg_advisory_unlock(hashtextextended('signalbox demo agent', 0))")
  expect(statuses(refused)).toEqual(Array(4).fill(409))
  await expectBoth(refused)
})

/** An agent that sends five events at a time until it is stopped, and sends them again until they are acknowledged. */
class Agent {
  readonly session: string
  acknowledged = 0
  #isStopped = false
  readonly #done: Promise<void>

  constructor(index: number) {
    this.session = `sess_${String(index).padStart(26, '0')}`
    this.#done = this.#run()
  }

  stop(): Promise<void> {
    this.#isStopped = true
    return this.#done
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const first = this.acknowledged + 1
      const lines = Array.from({ length: 5 }, (_, i) => JSON.stringify(this.#event(first + i)))
      const headers = {
        authorization: `Bearer ${demoKey}`,
        'content-type': 'application/x-ndjson',
      }
      // A killed process may cut an answer after its head.
      const { acked_through: through } = await ask('/api/runtime/v1/events', {
        method: 'POST',
        headers,
        body: lines.join('\n'),
      })
        .then((answer) => answer.json())
        .catch(() => ({}))
      this.acknowledged = through?.[this.session] ?? this.acknowledged
      await wait(10)
    }
  }

  #event(seq: number): object {
    const harness = { name: 'none' }
    const started = { ns: 'demo', key: 'release-notes', environment: 'dev', harness }
    const call = { call_id: `c${seq}`, tool: 'list_files', args: { seq } }
    const [type, data] = seq === 1 ? ['session.started', started] : ['tool.requested', call]
    return { session: this.session, seq, at: Date.now(), type, data }
  }
}

/** Number of stored events in the metrics, which any of the processes answers for all. */
async function countStored(): Promise<number> {
  const text = await (await ask('/metrics')).text()
  expect(text).toContain('signalbox_database_up 1')
  return Number(/^signalbox_ingest_events_total\{result="stored"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** Kills a worker while agents work, then its replacement before it serves, and resolves when both serve again. */
async function killed(pid: number, agents: readonly Agent[]): Promise<void> {
  const [other = 0] = workers().filter((one) => one !== pid)
  const sent = () => agents.map(({ acknowledged }) => acknowledged)
  process.kill(pid, 'SIGKILL')
  const replacement = () => workers().find((one) => one !== pid && one !== other)
  const first = await vi.waitUntil(replacement, WAIT)
  process.kill(first, 'SIGKILL')
  const before = sent()
  const second = await vi.waitUntil(
    () => workers().find((one) => ![pid, other, first].includes(one)),
    WAIT,
  )
  // The other one serves all agents meanwhile.
  await vi.waitUntil(() => sent().every((count, i) => count > (before[i] ?? 0)), WAIT)
  await vi.waitUntil(() => readLog().some((line) => line.pid === second && line.requestId), WAIT)
  expect(workers().toSorted()).toEqual([other, second].toSorted())
}

it('a kill -9 of either web process under ingest loses no acknowledged event, and its replacement continues its work', async () => {
  const agents = Array.from({ length: 4 }, (_, i) => new Agent(i))
  await vi.waitUntil(() => agents.every(({ acknowledged }) => acknowledged >= 50), WAIT)
  const before = await countStored()
  expect(before).toBeGreaterThanOrEqual(200)
  for (const pid of workers()) await killed(pid, agents)
  await Promise.all(agents.map((agent) => agent.stop()))
  const [read, again] = await Promise.all([countStored(), countStored()])
  expect(read).toBeGreaterThan(before)
  expect(again).toBe(read)

  const { rows } = await database.query(
    `SELECT s.id, s.contiguous_seq AS through, s.max_seq AS most,
            (SELECT count(*)::int FROM session_events e WHERE e.session_id = s.id) AS stored FROM sessions s`,
  )
  for (const { session, acknowledged } of agents) {
    const row = rows.find(({ id }) => id === session)
    expect(row.through).toBeGreaterThanOrEqual(acknowledged)
    expect([row.most, row.stored]).toEqual([row.through, row.through])
  }

  // The pause grows when a replacement ends at once.
  const [a = 0, b = 0, c = 0, d = 0, ...more] = readLog().flatMap(({ pauseMs }) => pauseMs ?? [])
  expect([b > a, d > c, more]).toEqual([true, true, []])
  await vi.waitFor(async () => expect(await jobLanes()).toBe(3), WAIT)
  await database.query("SELECT graphile_worker.add_job('jobs.tidy', job_key => 'of this test')")
  const waiting = async () =>
    (
      await database.query(
        "SELECT count(*)::int AS jobs FROM graphile_worker._private_jobs WHERE key = 'of this test'",
      )
    ).rows[0].jobs
  await vi.waitFor(async () => expect(await waiting()).toBe(0), WAIT)
})

it('SIGTERM ends a server with two web processes without leaving one behind', async () => {
  const all = [webPid(folder), ...workers()]
  expect(all).toHaveLength(3)
  product.kill('SIGTERM')
  await exited(product)
  expect(product.exitCode).toBe(0)
  expect(all.filter(isAlive)).toEqual([])
  await expect(ask('/livez')).rejects.toThrow()
})

it('web processes that cannot start end the server with their exit code instead of being replaced', async () => {
  const server = ['scripts/serve.mjs', '--port', String(await freePort())]
  const { code, said: output } = await runToEnd(['scripts/cluster.mjs', '2', ...server], {
    NODE_ENV: 'production',
    DATABASE_URL: '',
  })
  expect(code).toBe(1)
  expect(output).toContain('environment is incomplete')
  expect(output).not.toContain('is replaced')
})
