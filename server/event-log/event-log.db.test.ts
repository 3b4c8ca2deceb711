import net from 'node:net'
import { gzipSync } from 'node:zlib'
import type { SessionEvent } from '@signalbox/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeWithNats } from '@/packages/worker/src/test/nats-server.ts'
import { api } from '@/server/http/api.ts'
import { resetAll } from '@/server/platform/base/process-memory.ts'
import { database } from '@/server/platform/db/client.ts'
import {
  readTestUrl,
  setTestEnvironment,
  withTestDatabase,
} from '@/server/platform/db/test-database.ts'
import {
  chained,
  createProjectCaller,
  eventsRequest,
  ingestEvents,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
  type TestProject,
} from '@/server/test/installation.ts'
import { EventLog, eventLog } from './event-log.ts'
import { startLogReader, stopLogReader } from './log-reader.ts'

withTestDatabase()

const WAIT = { timeout: 20_000, interval: 20 }

function sessionLog(notes: number): { session: string; events: readonly SessionEvent[] } {
  const session = newSessionId()
  const events = chained(session, [
    started({ ns: 'demo', key: 'unreleased' }),
    ...Array.from({ length: notes }, (_, i) => ({
      type: 'note' as const,
      data: { text: `note ${i} of ${session}` },
    })),
  ])
  return { session, events }
}

async function send(key: string, body: string | Uint8Array<ArrayBuffer>, isGzip = false) {
  const headers = isGzip ? { 'content-encoding': 'gzip' } : {}
  const response = await api.fetch(eventsRequest(key, body, headers))
  const answer: { stored?: number; relayed?: boolean } & object = await response.json()
  return { status: response.status, retryAfter: response.headers.get('retry-after'), answer }
}

async function readSession(id: string) {
  return await database().prisma.session.findUnique({ where: { id } })
}

function readLetters(projectId: string) {
  return database().prisma.deadLetter.findMany({ where: { projectId } })
}

class Line {
  readonly #sockets = new Set<net.Socket>()
  #isCut = false
  #isHeld = false
  readonly #server: net.Server

  constructor(to: URL) {
    this.#server = net.createServer((socket) => {
      if (this.#isCut) return void socket.destroy()
      const onward = net.connect(Number(to.port), to.hostname)
      for (const [one, other] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(one)
        one.on('error', () => undefined)
        one.once('close', () => {
          this.#sockets.delete(one)
          other.destroy()
        })
        one.pipe(other)
        if (this.#isHeld) one.pause()
      }
    })
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    return address !== null && typeof address === 'object' ? address.port : 0
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  hold(): void {
    this.#isHeld = true
    for (const socket of this.#sockets) socket.pause()
  }

  mend(): void {
    this.#isCut = false
    this.#isHeld = false
    for (const socket of this.#sockets) socket.resume()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}

/** Only `Date`: the key was read in the past, and timers go on. */
function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

describeWithNats('the event log', ({ url }) => {
  let project: TestProject
  let key: string
  let line: Line

  beforeAll(async () => {
    const address = readTestUrl()
    line = new Line(new URL(address))
    address.port = `${await line.open()}`
    setTestEnvironment({
      DATABASE_URL: address.href,
      SIGNALBOX_EVENT_LOG: url(),
      SIGNALBOX_EVENT_LOG_UNSAFE: 'power-loss',
      // The server refuses more than it has disk for.
      SIGNALBOX_EVENT_LOG_MIB: '64',
    })
    project = await installed()
    key = await makeKey(project)
    await vi.waitFor(() => expect(eventLog()?.state.problem).toBeNull(), WAIT)
  })
  beforeEach(startLogReader)
  afterAll(async () => {
    await stopLogReader()
    await resetAll()
    line.close()
  })

  const isDrained = () =>
    vi.waitFor(async () => {
      expect(eventLog()?.state.batches).toBe(0)
    }, WAIT)

  it('acknowledges a batch like a relay, and stores it once', async () => {
    const { session, events } = sessionLog(3)
    const body = gzipSync(ndjson(events))
    const acknowledged = { acked_through: {}, gaps: [], errors: [], duplicates: 0, relayed: true }
    for (let i = 0; i < 2; i++) {
      const { status, answer } = await send(key, body, true)
      expect([status, answer]).toEqual([200, { ...acknowledged, stored: 4 }])
    }
    await vi.waitFor(
      async () => expect(await readSession(session)).toMatchObject({ contiguousSeq: 4, maxSeq: 4 }),
      WAIT,
    )
  })

  it('stores many batches of a few sessions, which waited, in few transactions', async () => {
    await stopLogReader()
    const logs = Array.from({ length: 4 }, () => sessionLog(199))
    for (let from = 0; from < 200; from += 20)
      await Promise.all(logs.map(({ events }) => send(key, ndjson(events.slice(from, from + 20)))))
    expect(await readSession(logs[0]?.session ?? '')).toBeNull()
    startLogReader()
    for (const { session } of logs) {
      await vi.waitFor(
        async () => expect(await readSession(session)).toMatchObject({ contiguousSeq: 200 }),
        WAIT,
      )
    }
    const { rows } = await database().pool.query<{ transactions: number }>(
      'SELECT count(DISTINCT xmin::text)::int AS transactions FROM session_events WHERE session_id = ANY($1)',
      [logs.map(({ session }) => session)],
    )
    // 40 batches with 800 events. The first ones are stored before the others have arrived.
    expect(rows[0]?.transactions).toBeLessThanOrEqual(8)
  })

  it('packs a batch above the largest message of the log into several', async () => {
    const session = newSessionId()
    const text = () =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64')
    const events = chained(session, [
      started({ ns: 'demo', key: 'unreleased' }),
      ...Array.from({ length: 30 }, () => ({ type: 'note' as const, data: { text: text() } })),
    ])
    expect(await send(key, ndjson(events))).toMatchObject({ status: 200, answer: { stored: 31 } })
    await vi.waitFor(
      async () => expect(await readSession(session)).toMatchObject({ contiguousSeq: 31 }),
      WAIT,
    )
  })

  it('stores a request for approval before it acknowledges it', async () => {
    await stopLogReader()
    const session = newSessionId()
    const at = Date.now()
    const call = { call_id: 'c1', tool: 'deploy' }
    const events = chained(
      session,
      [
        started({ ns: 'demo', key: 'unreleased' }),
        { type: 'tool.requested', data: { ...call, args: {} } },
        {
          type: 'approval.requested',
          data: { ...call, rules: ['ask'], expires_at: at + 600_000 },
        },
      ],
      { at },
    )
    const { answer } = await send(key, ndjson(events))
    expect(answer).toMatchObject({ acked_through: { [session]: 3 }, gaps: [], relayed: true })
    expect(await database().prisma.callApproval.count({ where: { sessionId: session } })).toBe(1)
  })

  it('refuses what is no batch before it is in the log', async () => {
    expect(await send(key, 'no gzip', true)).toMatchObject({ status: 400 })
    expect(await send('sbx_00000000_'.padEnd(56, 'x'), '{}')).toMatchObject({ status: 401 })
    const long = 'x'.repeat(300_000)
    const { answer } = await send(key, `${long}\n`)
    expect(answer).toMatchObject({ stored: 0, errors: [{ line: 1, code: 'too_long' }] })
  })

  it('takes events of known keys while the database does not answer', async () => {
    const { session, events } = sessionLog(3)
    await send(key, ndjson(events.slice(0, 2)))
    onTestFinished(() => void vi.useRealTimers())
    onTestFinished(() => line.mend())
    line.hold()
    passTime(60_000)
    const began = performance.now()
    const held = await send(key, ndjson(events.slice(2)))
    expect(held).toMatchObject({ status: 200, answer: { stored: 2, relayed: true } })
    const waitedMs = performance.now() - began
    expect(waitedMs).toBeGreaterThan(900)
    expect(waitedMs).toBeLessThan(10_000)
    line.mend()
    vi.useRealTimers()
    await vi.waitFor(
      async () => expect(await readSession(session)).toMatchObject({ contiguousSeq: 4 }),
      WAIT,
    )
  })

  it('takes events of known keys while the database is away, for an hour', async () => {
    const { session, events } = sessionLog(5)
    const unknown = await makeKey(project)
    await send(key, ndjson(events.slice(0, 2)))
    onTestFinished(() => void vi.useRealTimers())
    onTestFinished(() => line.mend())
    line.cut()
    passTime(60_000)
    const held = await send(key, ndjson(events.slice(2, 4)))
    expect(held).toMatchObject({ status: 200, answer: { stored: 2, relayed: true } })
    expect(await send(unknown, ndjson(events))).toMatchObject({ status: 503, retryAfter: '1' })
    passTime(3_600_000)
    expect(await send(key, ndjson(events.slice(4)))).toMatchObject({ status: 503 })
    line.mend()
    vi.useRealTimers()
    // Connections that broke while the database was away may still be found broken.
    await vi.waitFor(
      async () => expect(await send(key, ndjson(events.slice(4)))).toMatchObject({ status: 200 }),
      WAIT,
    )
    await vi.waitFor(
      async () => expect(await readSession(session)).toMatchObject({ contiguousSeq: 6 }),
      WAIT,
    )
  })

  describe('dead letters', () => {
    it('keeps each line that is refused after the acknowledgement, with its reason', async () => {
      const { session, events } = sessionLog(2)
      await ingestEvents(project, events)
      const other = chained(session, [started({ ns: 'demo', key: 'another' })])
      const { answer } = await send(key, `${ndjson(other)}not json\n${ndjson(events.slice(1))}`)
      expect(answer).toMatchObject({ stored: 4, errors: [] })
      await vi.waitFor(
        async () => expect(await readLetters(project.projectId)).toHaveLength(2),
        WAIT,
      )
      const admin = await createProjectCaller(project, 'admin')
      const { letters, events: count, listed } = await admin.eventLog.deadLetters({})
      expect([letters, count]).toEqual([2, 2])
      const conflict = listed.find(({ reason }) => reason === 'conflict')
      expect(conflict).toMatchObject({ sessionId: session, seq: 1, events: 1, keyName: 'test' })
      expect(JSON.parse(conflict?.text ?? '')).toMatchObject({ data: { key: 'another' } })
      expect(listed.find(({ sessionId }) => sessionId === null)?.text).toBe('not json\n')
      const { items } = await admin.overview.attention({ all: true })
      expect(items.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['dead_letters', 'event_log_unsafe']),
      )
    })

    it('keeps batches of a revoked key, and only the number of events of a deleted project', async () => {
      await stopLogReader()
      const there = await otherProject()
      const [gone, revoked] = [await otherProject(), await makeKey(there)]
      const batches = [sessionLog(1), sessionLog(2)] as const
      await send(revoked, ndjson(batches[0].events))
      await send(await makeKey(gone), ndjson(batches[1].events))
      const { prisma } = database()
      const { projectId } = there
      await prisma.apiKey.updateMany({ where: { projectId }, data: { revokedAt: new Date() } })
      await prisma.project.delete({ where: { id: gone.projectId } })
      startLogReader()
      await vi.waitFor(async () => {
        expect(await readLetters(projectId)).toMatchObject([{ reason: 'key_revoked', events: 2 }])
        expect(await readLetters(gone.projectId)).toMatchObject([
          { reason: 'project_deleted', events: 3, body: null },
        ])
      }, WAIT)
      expect(await readSession(batches[0].session)).toBeNull()
      const admin = await createProjectCaller(there, 'admin')
      const { listed } = await admin.eventLog.deadLetters({})
      expect(listed[0]?.text).toBe(ndjson(batches[0].events))
    })
  })

  it('hands batches of a project that was moved on to the log of its cell', async () => {
    await stopLogReader()
    const moved = await otherProject()
    const { projectId } = moved
    const { session, events } = sessionLog(1)
    await send(await makeKey(moved), ndjson(events))
    const there = new EventLog({
      servers: url(),
      SIGNALBOX_CELL: 'b',
      SIGNALBOX_EVENT_LOG_MIB: 64,
      SIGNALBOX_EVENT_LOG_MONITOR: undefined,
      SIGNALBOX_EVENT_LOG_UNSAFE: 'power-loss',
    })
    await vi.waitFor(() => expect(there.state).toMatchObject({ problem: null, batches: 0 }), WAIT)
    const { prisma } = database()
    await prisma.project.update({ where: { id: projectId }, data: { cell: 'b' } })
    await prisma.apiKey.deleteMany({ where: { projectId } })
    startLogReader()
    await vi.waitFor(() => expect(there.state.batches).toBe(1), WAIT)
    await isDrained()
    expect([await readLetters(projectId), await readSession(session)]).toEqual([[], null])
    await there.close()
  })

  it('reports lag and size, and nothing once everything is stored', async () => {
    await stopLogReader()
    await send(key, ndjson(sessionLog(5).events))
    await vi.waitFor(() => expect(eventLog()?.state).toMatchObject({ batches: 1 }), WAIT)
    expect(eventLog()?.state.lagMs).toBeGreaterThan(0)
    startLogReader()
    await isDrained()
  })

  it('refuses servers that may lose acknowledged events with their power', async () => {
    const strict = new EventLog({
      servers: url(),
      SIGNALBOX_CELL: 'main',
      SIGNALBOX_EVENT_LOG_MIB: 64,
      SIGNALBOX_EVENT_LOG_MONITOR: undefined,
      SIGNALBOX_EVENT_LOG_UNSAFE: undefined,
    })
    await vi.waitFor(() => expect(strict.state.weakness).not.toBeNull(), WAIT)
    expect(strict.state.problem).toMatch(/^SIGNALBOX_EVENT_LOG is refused, because it may lose/)
    const batch = { partition: 0, data: Buffer.from('x'), id: 'x', fields: {} }
    expect(await strict.publish(batch)).toBe('away')
    await strict.close()
  })

  it('asks senders to wait before the log is full', async () => {
    await stopLogReader()
    const settings = {
      servers: url(),
      SIGNALBOX_CELL: 'main',
      SIGNALBOX_EVENT_LOG_MIB: 1 / 16,
      SIGNALBOX_EVENT_LOG_MONITOR: undefined,
      SIGNALBOX_EVENT_LOG_UNSAFE: 'power-loss',
    } as const
    const small = new EventLog(settings)
    await vi.waitFor(() => expect(small.state.problem).toBeNull(), WAIT)
    const batch = { partition: 0, data: Buffer.alloc(1024), fields: {} }
    expect(await small.publish({ ...batch, id: 'first' })).toBe('held')
    for (let i = 0; i < 70; i++) await small.publish({ ...batch, id: `${i}` })
    await vi.waitFor(() => expect(small.state.bytes).toBeGreaterThan(60_000), WAIT)
    expect(await small.publish({ ...batch, id: 'last' })).toBe('full')
    await small.close()
  })
})
