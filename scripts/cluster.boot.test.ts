// Every request opens a connection, so that requests reach both web processes in turn. The one that works on jobs is killed with -9 while
// agents send events; in the soak each of them is, and its replacement ends before it serves.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { isAlive } from '@/server/platform/base/process-alive.mjs'
import { startEmbedded } from '@/server/platform/db/embedded.mjs'
import {
  exited,
  freePort,
  ProcessGroup,
  readSecrets,
  runToEnd,
  said,
  webPid,
} from './product-process.ts'
import { IS_SOAK } from './soak-sample.mjs'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-cluster-'))
// When root runs this, PostgreSQL's account must be able to read the folder.
fs.chmodSync(folder, 0o755)
const processes = new ProcessGroup()
// Each look may start a program and read the log.
const WAIT = { timeout: 60_000, interval: 200 }

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

async function askOnce(place: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('connection', 'close')
  return await fetch(`${url}${place}`, { ...init, headers })
}

/** Repeated while the database of a busy machine is out of reach for a moment, as clients do. */
async function ask(place: string, init: RequestInit = {}): Promise<Response> {
  const response = await askOnce(place, init)
  if (response.status !== 503) return response
  await wait(1_000 * Number(response.headers.get('retry-after')))
  return await ask(place, init)
}

async function post(place: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', origin: url, cookie: cookie ?? '' }
  return await ask(place, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function expectBoth(answers: readonly Response[]): Promise<void> {
  const ids = new Set(answers.map(({ headers }) => headers.get('x-request-id')))
  const answered = () =>
    readLog().filter(({ requestId, msg }) => ids.has(requestId ?? '') && msg === 'request')
  await vi.waitFor(() => expect(answered()).toHaveLength(ids.size), WAIT)
  expect(new Set(answered().map(({ pid }) => pid))).toEqual(new Set(workers()))
}

const many = <T>(count: number, work: () => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, work))

/** Number of answers by status, so that a failure shows all of them. */
function statuses(answers: readonly Response[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** A try that was counted before its answer was 503 uses up the limit, too. */
function expectLimit(answers: readonly Response[], status: number, limit: number): void {
  const { [status]: admitted = 0, 429: refused = 0, ...others } = statuses(answers)
  expect(others).toEqual({})
  expect(admitted).toBeGreaterThan(0)
  expect(admitted).toBeLessThanOrEqual(limit)
  expect(admitted + refused).toBe(answers.length)
}

/** Number of lanes whose worker holds the lock that shows its presence. */
async function jobLanes(): Promise<number> {
  const { rows } = await database.query(
    "SELECT count(*)::int AS lanes FROM pg_locks WHERE locktype = 'advisory' AND granted",
  )
  return rows[0].lanes
}

it('a server with two web processes answers with both once it is ready, and one of them works on jobs', async () => {
  const answers = await many(8, () => askOnce('/readyz'))
  expect(statuses(answers)).toEqual({ 200: 8 })
  expect(workers()).toHaveLength(2)
  await expectBoth(answers)
  await vi.waitFor(async () => expect(await jobLanes()).toBe(3), WAIT)
})

it('users sign in and work at both web processes, whose limits count together', async () => {
  const admin = { name: 'Ana', email: 'ana@example.test', password: 'correct horse battery' }
  const token = readSecrets(folder).setupToken
  const setups = await many(4, () => post('/api/trpc/members.setup', { token, ...admin }))
  expect(statuses(setups)).toMatchObject({ 200: 1 })
  const entry = await post('/api/auth/sign-in/email', admin)
  expect(entry.status).toBe(200)
  cookie = entry.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const reads = await many(6, () => ask('/api/trpc/projects.mine', { headers: { cookie } }))
  expect(statuses(reads)).toEqual({ 200: 6 })
  await expectBoth(reads)

  const wrong = { email: 'ben@example.test', password: 'a wrong password' }
  const guesses = await many(13, () => post('/api/auth/sign-in/email', wrong))
  expectLimit(guesses, 401, 10)
  await expectBoth(guesses)
})

it('unknown invitations and requests of a key to the management API count together', async () => {
  const input = encodeURIComponent(JSON.stringify({ token: `inv_${'a'.repeat(43)}` }))
  const tries = await many(33, () => ask(`/api/trpc/invitations.preview?input=${input}`))
  expectLimit(tries, 404, 30)
  await expectBoth(tries)

  // All but the last two requests of this minute.
  await database.query(
    `INSERT INTO throttles (key, count, ends_at)
     SELECT encode(sha256(convert_to('management requests', 'UTF8') || '\\x00' || convert_to(id, 'UTF8')), 'hex'), 1198, now() + interval '1 minute'
     FROM api_keys`,
  )
  const headers = { authorization: `Bearer ${demoKey}` }
  const requests = await many(4, () => ask('/api/manage/v1/environments', { headers }))
  expectLimit(requests, 200, 2)
  await expectBoth(requests)
})

it('while one web process runs the demo agent, none of them starts another', async () => {
  await database.query("SELECT pg_advisory_lock(hashtextextended('signalbox demo agent', 0))")
  const refused = await many(4, () => post('/api/trpc/demo.run', { story: 'release-notes' }))
  await database.query("SELECT pg_advisory_unlock(hashtextextended('signalbox demo agent', 0))")
  expect(statuses(refused)).toEqual({ 409: 4 })
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
      // A killed process may cut an answer after its head, or leave a connection without one.
      const { acked_through: through } = await ask('/api/runtime/v1/events', {
        method: 'POST',
        headers,
        body: lines.join('\n'),
        signal: AbortSignal.timeout(10_000),
      })
        .then((answer) => answer.json())
        .catch(() => ({}))
      this.acknowledged = through?.[this.session] ?? this.acknowledged
      await wait(100)
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

async function countStored(): Promise<number> {
  const text = await (await ask('/metrics')).text()
  expect(text).toContain('signalbox_database_up 1')
  return Number(/^signalbox_ingest_events_total\{result="stored"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** The start-up hook of a web process takes this lock in a transaction. */
const HOOK_LOCK = "hashtextextended('bootstrap', 0)"

interface Starting {
  readonly pid: number
  readonly backend: number
}

/** Kills a worker while agents work, and resolves when its replacement serves. The other worker serves all agents meanwhile. */
async function killed(pid: number, agents: readonly Agent[]): Promise<void> {
  const known = workers()
  process.kill(pid, 'SIGKILL')
  await replaced(pid, { known, agents })
}

/** Ends the first replacement before it serves, too. A replacement takes no connection before its start-up hook has ended. */
async function killedTwice(
  pid: number,
  agents: readonly Agent[],
  endEarly: (replacement: Starting) => Promise<unknown>,
): Promise<void> {
  const known = workers()
  await database.query(`SELECT pg_advisory_lock(${HOOK_LOCK})`)
  process.kill(pid, 'SIGKILL')
  const backend = await vi.waitUntil(findWaiting, WAIT)
  const first = workers().find((one) => !known.includes(one)) ?? 0
  await endEarly({ pid: first, backend })
  await database.query(`SELECT pg_advisory_unlock(${HOOK_LOCK})`)
  await replaced(pid, { known: [...known, first], agents })
  expect(hasAnswered(first)).toBe(false)
}

async function replaced(
  pid: number,
  { known, agents }: { readonly known: readonly number[]; readonly agents: readonly Agent[] },
): Promise<void> {
  const sent = agents.map(({ acknowledged }) => acknowledged)
  const next = await vi.waitUntil(() => workers().find((one) => !known.includes(one)), WAIT)
  await vi.waitUntil(() => agents.every((one, i) => one.acknowledged > (sent[i] ?? 0)), WAIT)
  await vi.waitUntil(() => hasAnswered(next), WAIT)
  expect(workers()).toHaveLength(2)
  expect(workers()).not.toContain(pid)
}

const hasAnswered = (worker: number): boolean =>
  readLog().some(({ pid, requestId }) => pid === worker && requestId !== undefined)

/** Database process of a start-up hook that waits for its lock; undefined: none waits. */
async function findWaiting(): Promise<number | undefined> {
  const { rows } = await database.query(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
       AND (classid::int8 << 32 | objid::int8) = ${HOOK_LOCK}`,
  )
  return rows[0]?.pid
}

async function failHook({ pid, backend }: Starting): Promise<void> {
  await database.query('SELECT pg_terminate_backend($1)', [backend])
  const failed = 'this web process cannot start'
  await vi.waitUntil(() => readLog().some((line) => line.pid === pid && line.msg === failed), WAIT)
}

it('a kill -9 of a web process under ingest loses no acknowledged event, and its replacement continues its work', async () => {
  const agents = Array.from({ length: 4 }, (_, i) => new Agent(i))
  await vi.waitUntil(() => agents.every(({ acknowledged }) => acknowledged >= 20), WAIT)
  const before = await countStored()
  expect(before).toBeGreaterThanOrEqual(80)
  // The one that works on jobs was started first.
  const [first = 0, second = 0] = workers()
  if (IS_SOAK) {
    await killedTwice(first, agents, failHook)
    await killedTwice(second, agents, async ({ pid }) => process.kill(pid, 'SIGKILL'))
  } else await killed(first, agents)
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
  const pauses = readLog().flatMap(({ pauseMs }) => pauseMs ?? [])
  expect(pauses).toHaveLength(IS_SOAK ? 4 : 1)
  for (const [i, pause] of pauses.entries())
    if (i % 2 === 1) expect(pause).toBeGreaterThan(pauses[i - 1] ?? 0)
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
  const { code, said: output } = await runToEnd(['scripts/cluster.mjs', '1', ...server], {
    NODE_ENV: 'production',
    DATABASE_URL: '',
  })
  expect(code).toBe(1)
  expect(output).toContain('environment is incomplete')
  expect(output).not.toContain('is replaced')
})
