// Two cells: `main`, whose database is also the directory, and `b`. A project with sessions, plans and people is moved from one to the
// other and back while its agents report. This process is that of one cell at a time, as one behind the balancer would be.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionEvent } from '@signalbox/core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { bootstrap } from '@/server/bootstrap.ts'
import { api } from '@/server/http/api.ts'
import { openCells } from '@/server/http/find-cell.ts'
import { findKeyCell, findSlugCell } from '@/server/platform/auth/places.sql.ts'
import { env } from '@/server/platform/base/env.ts'
import { resetAll } from '@/server/platform/base/process-memory.ts'
import { database } from '@/server/platform/db/client.ts'
import { activateCell, moveProject, removeMoved } from '@/server/platform/db/move-project.mjs'
import {
  migratedDatabase,
  setTestEnvironment,
  withTestDatabase,
} from '@/server/platform/db/test-database.ts'
import { callTrpc } from '@/server/test/callers.ts'
import {
  eventsRequest,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  signIn,
  started,
} from '@/server/test/installation.ts'
import { type Release, recordedSession } from '@/server/test/recorded-session.ts'
import { createAdmin, makeTenant, type Tenant } from '@/server/test/tenant.ts'
import { fingerprintRows } from '@/server/test/traces.ts'

withTestDatabase()

type CellName = 'main' | 'b'

type FindCell = (request: {
  readonly headers: Readonly<Record<string, string>>
  readonly place: string
}) => Promise<string | null>

let clients: Readonly<Record<CellName, pg.Client>>
let urls: Readonly<Record<CellName, string>>
let drop: () => Promise<void>
let moved: Tenant
let staying: Tenant
let key: string
let release: Release
let serving: CellName = 'main'

async function serve(cell: CellName): Promise<void> {
  setTestEnvironment({
    DATABASE_URL: urls[cell],
    SIGNALBOX_CELL: cell,
    // Empty: the same database.
    SIGNALBOX_DIRECTORY_URL: cell === 'main' ? '' : urls.main,
  })
  await resetAll()
  serving = cell
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

beforeAll(async () => {
  const second = await migratedDatabase()
  drop = second.drop
  urls = { main: env().DATABASE_URL, b: second.url }
  clients = { main: await connected(urls.main), b: await connected(urls.b) }
  moved = await makeTenant(await otherProject(), 'kestrel')
  staying = await makeTenant(await otherProject(), 'plover')
  key = await makeKey(moved.project)
  release = await database().prisma.configVersion.findFirstOrThrow({
    where: { config: moved.prompt },
    orderBy: { number: 'desc' },
    select: { digest: true, text: true },
  })
})

afterAll(async () => {
  await Promise.all(Object.values(clients).map((client) => client.end()))
  await resetAll()
  await drop()
})

class Agent {
  readonly session = newSessionId()
  readonly events: readonly SessionEvent[]
  readonly statuses = new Set<number>()
  acknowledged = 0
  #isPaused = false
  #running: Promise<unknown> = Promise.resolve()

  /** `calls`: each is two events, the call and its decision. */
  constructor({ prompt }: Tenant, calls: number) {
    const requests = Array.from({ length: calls }, (_, index) => ({
      type: 'tool.requested' as const,
      data: { call_id: `c${index}`, tool: 'test', args: { index } },
    }))
    const recording = { session: this.session, at: Date.now() - 60_000, release }
    this.events = recordedSession(recording, [started(prompt), ...requests])
  }

  go({ toEnd = false } = {}): void {
    this.#isPaused = false
    this.#running = this.#report(toEnd ? this.events.length : Math.floor(this.events.length / 2))
  }

  async pause(): Promise<void> {
    this.#isPaused = true
    await this.#running
  }

  async finish(): Promise<void> {
    await this.#running
  }

  async #report(limit: number): Promise<void> {
    while (!this.#isPaused && this.acknowledged < this.events.length) {
      const at = this.acknowledged < limit ? this.acknowledged : this.acknowledged - 2
      const batch = this.events.slice(at, at + 2)
      const response = await api.fetch(eventsRequest(key, ndjson(batch)))
      this.statuses.add(response.status)
      const answer = await response.text()
      if (response.status === 503) {
        expect(response.headers.get('retry-after')).toBe('1')
        await sleep(20)
        continue
      }
      expect(answer).toContain('"errors":[]')
      this.acknowledged = Math.max(this.acknowledged, at + batch.length)
    }
  }
}

async function readStored(cell: CellName, session: string) {
  const { rows } = await clients[cell].query(
    `SELECT array_agg(e.seq ORDER BY e.seq) AS seqs, min(s.verification::text) AS verification, min(s.contiguous_seq) AS contiguous
     FROM sessions s JOIN session_events e ON e.session_id = s.id AND e.partition_day = s.partition_day WHERE s.id = $1`,
    [session],
  )
  return rows[0]
}

async function countLeft(cell: CellName): Promise<number> {
  const { rows } = await clients[cell].query(
    'SELECT ((SELECT count(*) FROM session_events WHERE project_id = $1) + (SELECT count(*) FROM audit_entries WHERE project_id = $1) + (SELECT count(*) FROM api_keys WHERE project_id = $1))::int AS left',
    [moved.project.projectId],
  )
  return rows[0].left
}

async function moveUnderLoad(from: CellName, to: CellName): Promise<readonly Agent[]> {
  const agents = Array.from({ length: IS_SOAK ? 8 : 3 }, () => new Agent(moved, IS_SOAK ? 300 : 50))
  for (const agent of agents) agent.go()
  while (agents.some(({ acknowledged }) => acknowledged < 20)) await sleep(5)
  const move = { source: clients[from], target: clients[to], projectId: moved.project.projectId }
  await moveProject(move, { activate: () => activateCell(clients.main, move, to) })
  while (agents.some(({ statuses }) => !statuses.has(503))) await sleep(5)
  for (const agent of agents) await agent.pause()
  expect(agents.every(({ acknowledged, events }) => acknowledged < events.length)).toBe(true)
  await serve(to)
  for (const agent of agents) agent.go({ toEnd: true })
  for (const agent of agents) await agent.finish()
  await removeMoved(move, { isDirectory: from === 'main' })
  return agents
}

async function expectComplete(cell: CellName, agents: readonly Agent[]): Promise<void> {
  for (const { session, events, statuses } of agents) {
    expect([...statuses].toSorted()).toEqual([200, 503])
    expect(await readStored(cell, session)).toEqual({
      seqs: events.map(({ seq }) => seq),
      verification: 'verified',
      contiguous: events.length,
    })
  }
}

test('a project moves to another cell while its agents report, and nothing is lost', async () => {
  const untouched = await fingerprintRows(staying.project.projectId)
  const dueAt = Date.now() + 86_400_000
  const { ns, key: name } = moved.prompt
  const { draft } = await createAdmin(moved).drafts.open({ ns, key: name })
  const planned = await createAdmin(moved).schedules.create({
    ...{ ns, key: name, environment: 'staging', note: 'later', dueAt, zone: 'UTC' },
    subject: { kind: 'draft', draftId: draft?.id ?? '', revision: draft?.revision ?? 0 },
  })
  expect(planned.ok).toBe(true)
  const agents = await moveUnderLoad('main', 'b')
  await expectComplete('b', agents)
  expect(await countLeft('main')).toBe(0)
  const jobs = "SELECT run_at FROM graphile_worker.jobs WHERE run_at > now() + interval '1 hour'"
  expect((await clients.b.query(jobs)).rows).toEqual([{ run_at: new Date(dueAt) }])
  expect((await clients.main.query(jobs)).rows).toEqual([])
  const { rows } = await clients.main.query('SELECT tgname FROM pg_trigger WHERE tgname LIKE $1', [
    'a\\_moving%',
  ])
  expect(rows).toEqual([])
  await serve('main')
  expect(await fingerprintRows(staying.project.projectId)).toEqual(untouched)
})

test('the directory names the cell of the project and of its keys', async () => {
  await serve('b')
  expect(await findSlugCell(moved.project.slug)).toBe('b')
  expect(await findKeyCell(key.slice(0, 12))).toBe('b')
  expect(await findSlugCell(staying.project.slug)).toBe('main')
  const made = await createAdmin(moved).keys.create({
    name: 'made in b',
    environment: 'dev',
    scopes: ['read'],
  })
  expect(await findKeyCell(made.prefix)).toBe('b')
})

test('every process knows the cell of a request by its key, project or user', async () => {
  const addresses = { SIGNALBOX_CELLS: 'main=http://main.test:1,b=http://b.test:2' }
  const find = async (cell: CellName, headers: Readonly<Record<string, string>>, place: string) => {
    setTestEnvironment(addresses)
    await serve(cell)
    openCells()
    const holder = globalThis as { signalboxFindCell?: FindCell }
    return await holder.signalboxFindCell?.({ headers, place })
  }
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  const unknown = `sbx_00000000_${'A'.repeat(43)}`
  const config = '/api/runtime/v1/config'
  expect(await find('main', bearer(key), config)).toBe('http://b.test:2')
  expect(await find('b', bearer(key), config)).toBeNull()
  expect(await find('main', bearer(unknown), config)).toBeNull()
  expect(await find('b', bearer(unknown), config)).toBe('http://main.test:1')
  const cookie = moved.people.admin.headers.get('cookie') ?? ''
  const page = `/sessions?project=${moved.project.slug}`
  expect(await find('main', { cookie }, page)).toBe('http://b.test:2')
  expect(await find('main', { cookie }, '/sessions')).toBe('http://b.test:2')
  expect(await find('main', { cookie }, '/login')).toBeNull()
  expect(await find('main', {}, page)).toBeNull()
  setTestEnvironment({ SIGNALBOX_CELLS: '' })
  await serve('b')
})

test('users of the directory work in the cell, and the audit chain continues there', async () => {
  const { headers } = moved.people.admin
  const call = async (path: string, type: 'query' | 'mutation', input?: object) =>
    await callTrpc(headers, { path, type, input })
  expect((await call('sessions.list', 'query', { filter: {} })).status).toBe(200)
  const invited = await createAdmin(moved).invitations.create({
    email: 'New@x.test',
    role: 'editor',
  })
  const token = new URL(invited.link).searchParams.get('token') ?? ''
  // The link may be opened at any process.
  await serve('main')
  const { email } = await (async () => {
    const answer = await callTrpc(new Headers({ host: '127.0.0.1:3000' }), {
      path: 'invitations.accept',
      type: 'mutation',
      input: { token, name: 'Newcomer', password: 'correct horse battery' },
    })
    expect(answer.status, answer.text).toBe(200)
    return JSON.parse(answer.text).result.data
  })()
  await serve('b')
  const newcomer = await signIn(email)
  newcomer.set('x-signalbox-project', moved.project.slug)
  const me = await callTrpc(newcomer, { path: 'members.me', type: 'query' })
  expect(me.status, me.text).toBe(200)
  const log = await call('auditLog.list', 'query', { filter: {} })
  expect(log.text).toContain('member.joined')
  const { rows } = await clients.b.query(
    'SELECT role::text FROM memberships WHERE project_id = $1',
    [moved.project.projectId],
  )
  const { rows: own } = await clients.main.query(
    'SELECT role::text FROM memberships WHERE project_id = $1',
    [moved.project.projectId],
  )
  expect(rows.length).toBe(own.length)
  expect((await call('auditLog.check', 'mutation')).status).toBe(200)
})

test('a start of the cell that a project left sets nothing of it up again', async () => {
  await serve('main')
  await bootstrap()
  expect(await countLeft('main')).toBe(0)
  const { rowCount } = await clients.main.query(
    'SELECT 1 FROM signing_keys WHERE project_id = $1',
    [moved.project.projectId],
  )
  expect(rowCount).toBe(0)
})

test('a process of another cell refuses the project', async () => {
  await serve('main')
  const answer = await callTrpc(moved.people.admin.headers, { path: 'members.me', type: 'query' })
  expect(answer.status).toBe(503)
})

test('the project moves back, with what happened in between', async () => {
  await serve('b')
  expect(serving).toBe('b')
  const agents = await moveUnderLoad('b', 'main')
  await expectComplete('main', agents)
  expect(await countLeft('b')).toBe(0)
  expect(await findKeyCell(key.slice(0, 12))).toBe('main')
})

test('a move that fails before its commit leaves the project where it is, and writable', async () => {
  const move = { source: clients.main, target: clients.b, projectId: moved.project.projectId }
  await clients.b.query('ALTER TABLE stops ADD CONSTRAINT full_disk CHECK (false) NOT VALID')
  await expect(moveProject(move, { activate: async () => undefined })).rejects.toThrow(/full_disk/)
  await clients.b.query('ALTER TABLE stops DROP CONSTRAINT full_disk')
  const agent = new Agent(moved, 2)
  agent.go({ toEnd: true })
  await agent.finish()
  expect([...agent.statuses]).toEqual([200])
  if (!IS_SOAK) return
  const agents = await moveUnderLoad('main', 'b')
  await expectComplete('b', agents)
})
