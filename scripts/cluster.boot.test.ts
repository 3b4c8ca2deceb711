// Two web processes on one port (SIGNALBOX_WEB_PROCESSES=2). Every request opens a connection, so that requests reach both in turn; the log
// shows which process answered.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startEmbedded } from '@/server/platform/db/embedded.mjs'
import { isAlive } from '@/server/platform/process-alive.mjs'
import { exited, freePort, ProcessGroup, readSecrets, said, webPid } from './product-process.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-cluster-'))
// When root runs this, PostgreSQL's account must be able to read the folder.
fs.chmodSync(folder, 0o755)
const processes = new ProcessGroup()
const WAIT = { timeout: 60_000, interval: 50 }

let url: string
let product: ReturnType<ProcessGroup['start']>
let database: pg.Client
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

it('SIGTERM ends a server with two web processes without leaving one behind', async () => {
  const all = [webPid(folder), ...workers()]
  expect(all).toHaveLength(3)
  product.kill('SIGTERM')
  await exited(product)
  expect(product.exitCode).toBe(0)
  expect(all.filter(isAlive)).toEqual([])
  await expect(ask('/livez')).rejects.toThrow()
})
