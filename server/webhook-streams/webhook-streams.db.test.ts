import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { runRetention } from '@/server/retention/retention.ts'
import { ageSession } from '@/server/test/aged-session.ts'
import {
  chained,
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  started,
  type TestProject,
} from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { deliverStream, requestDeliveries } from './deliver.ts'
import { acceptBatch, claimBatch } from './webhook-streams.sql.ts'

interface StreamedRecord {
  readonly number: number
  readonly type: string
  readonly [field: string]: unknown
}

interface Received {
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  readonly first: number
  readonly last: number
  readonly records: readonly StreamedRecord[]
}

const received: Received[] = []
let status = 200
let receiver: http.Server
let url: string
let project: TestProject
let admin: Awaited<ReturnType<typeof createProjectCaller>>

vi.stubEnv('SIGNALBOX_WEBHOOK_HOSTS', '127.0.0.1')
withTestDatabase()

beforeAll(async () => {
  project = await installed()
  admin = await createProjectCaller(project, 'admin')
  receiver = http.createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      const { data } = JSON.parse(body)
      received.push({ headers: request.headers, body, ...data })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve)
  })
  // `listen` on a TCP port, so that the address is never a path.
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/records`
})

afterAll(() => receiver.close())

beforeEach(async () => {
  status = 200
  for (const { id } of await admin.webhookStreams.list()) await admin.webhookStreams.remove({ id })
  received.length = 0
})

const AUDIT = { name: 'audit', audit: true, decisions: false, environment: null }
const THIRTY_DAYS = { archiveDays: null, eventsDays: 30, decisionsDays: 30 }
const DECISIONS = { name: 'decisions', audit: false, decisions: true, environment: 'dev' }

/** Two denied calls and a blocked stop. */
async function refused(environment = 'dev'): Promise<string> {
  const session = newSessionId()
  const call = (id: string): readonly Draft[] => [
    { type: 'tool.requested', data: { call_id: id, tool: 'deploy', args: {} } },
    {
      type: 'tool.decided',
      data: { call_id: id, tool: 'deploy', decision: 'denied', reason: 'No.', rules: [] },
    },
  ]
  const stop: readonly Draft[] = [
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    {
      type: 'stop.decided',
      data: {
        attempt: 1,
        prior_blocks: 0,
        verdict: 'blocked',
        code: 'plan.incomplete',
        params: { open: 2, total: 5 },
        message: 'Go on.',
        check: null,
      },
    },
  ]
  const head = started({ ns: 'team', key: 'agent' })
  const first = { ...head, data: { ...head.data, environment } } as Draft
  const events = chained(session, [first, ...call('c1'), ...call('c2'), ...stop], {
    at: Date.now() - 30_000,
  })
  const key = await makeKey(project, { environment, scopes: ['ingest'] })
  const answer = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
  return session
}

async function findStream(id: string) {
  return (await admin.webhookStreams.list()).find((stream) => stream.id === id)
}

/** Makes the next attempt due. */
const due = (id: string) =>
  database().prisma.webhookStream.update({ where: { id }, data: { nextAt: null } })

describe('a webhook stream', () => {
  test('sends the audit log from its creation on, signed, numbered from 1, in the order of the chain', async () => {
    const { id } = await admin.webhookStreams.create({ ...AUDIT, url })
    await admin.webhookStreams.test({ id })
    received.length = 0
    const { secret } = await admin.webhookStreams.secret({ id })
    await workOffJobs()
    const [message] = received
    expect(received).toHaveLength(1)
    expect(message).toMatchObject({ first: 1, last: 3 })
    expect(message?.records.map(({ number, entry }) => [number, Object(entry).action])).toEqual([
      [1, 'webhook_stream.created'],
      [2, 'webhook_stream.tested'],
      [3, 'webhook_stream.secret_shown'],
    ])
    const { headers, body = '' } = message ?? {}
    expect(headers?.['webhook-id']).toBe(`${id}_1`)
    const signed = `${headers?.['webhook-id']}.${headers?.['webhook-timestamp']}.${body}`
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    expect(headers?.['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    )
    expect(body).not.toContain('/records')
    expect(await findStream(id)).toMatchObject({ number: 3, attempts: 0, last: 'delivered' })
  })

  test('sends denied calls and stops of its environment, and no others', async () => {
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, url })
    await refused('staging')
    const session = await refused()
    await workOffJobs()
    const [message] = received
    expect(message?.records.map(({ number, type }) => [number, type]).toSorted()).toEqual([
      [1, expect.stringMatching(/decision|stop/)],
      [2, expect.stringMatching(/decision|stop/)],
      [3, expect.stringMatching(/decision|stop/)],
    ])
    expect(message?.records.filter(({ type }) => type === 'stop')).toMatchObject([
      { session, verdict: 'blocked', prompt: 'team/agent', environment: 'dev' },
    ])
    expect(message?.records.filter(({ type }) => type === 'decision')).toMatchObject([
      { session, verdict: 'denied', tool: 'deploy' },
      { session, verdict: 'denied', tool: 'deploy' },
    ])
    const left = await database().prisma.webhookStreamItem.count({ where: { streamId: id } })
    expect(left).toBe(0)
  })

  test('sends a batch again with the same records, numbers and id, although more have arrived', async () => {
    status = 500
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, audit: true, url })
    await refused()
    await workOffJobs()
    expect(await findStream(id)).toMatchObject({ number: 0, attempts: 1, last: 'answered 500' })
    await refused()
    await admin.webhookStreams.secret({ id })
    status = 200
    await due(id)
    await deliverStream({ id, projectId: project.projectId })
    await deliverStream({ id, projectId: project.projectId })
    const [failed, again, next] = received
    expect(again?.body).toBe(failed?.body)
    expect(again?.headers['webhook-id']).toBe(failed?.headers['webhook-id'])
    expect([failed?.first, failed?.last, next?.first, next?.last]).toEqual([1, 4, 5, 8])
    expect(next?.records.map(({ number }) => number)).toEqual([5, 6, 7, 8])
  })

  test('sends nothing of a source that was removed while a batch was under way', async () => {
    status = 500
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, audit: true, url })
    await refused()
    await workOffJobs()
    const change = (stream: object) =>
      admin.webhookStreams.change({ id, stream: { ...DECISIONS, url, ...stream } })
    const sendNext = async () => {
      received.length = 0
      await due(id)
      await deliverStream({ id, projectId: project.projectId })
      return received.flatMap(({ records }) => records.map(({ number, type }) => [number, type]))
    }
    await change({})
    expect((await sendNext()).map(([, type]) => type)).not.toContain('audit_entry')
    await change({ environment: 'staging' })
    expect(await sendNext()).toEqual([])
    await refused('staging')
    status = 200
    expect((await sendNext()).map(([number]) => number)).toEqual([5, 6, 7])
  })

  test('begins with now when the audit log is added while a batch is under way', async () => {
    status = 500
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, url })
    await refused()
    await workOffJobs()
    await admin.webhookStreams.secret({ id })
    await admin.webhookStreams.change({ id, stream: { ...DECISIONS, audit: true, url } })
    status = 200
    received.length = 0
    for (let batch = 0; batch < 2; batch++) {
      await due(id)
      await deliverStream({ id, projectId: project.projectId })
    }
    const entries = received.flatMap(({ records }) =>
      records.flatMap(({ entry }) => (entry === undefined ? [] : [Object(entry).action])),
    )
    expect(entries).toEqual(['webhook_stream.changed'])
  })

  test('keeps the position of an audit log that was added between a batch and its acceptance', async () => {
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, url })
    await refused()
    const where = { id, projectId: project.projectId }
    const batch = await inTransaction((tx) =>
      claimBatch(tx, where, { now: Date.now(), limit: 100 }),
    )
    if (batch === null) throw new Error('Nothing was claimed.')
    await admin.webhookStreams.change({ id, stream: { ...DECISIONS, audit: true, url } })
    await inTransaction((tx) => acceptBatch(tx, batch, Date.now()))
    const row = await database().prisma.webhookStream.findUniqueOrThrow({ where: { id } })
    expect(row.auditPosition).toBeGreaterThan(batch.claimedAuditPosition)
  })

  test('is put aside after eight attempts, keeps what happens meanwhile, and continues without a gap when resumed', async () => {
    status = 503
    const { id } = await admin.webhookStreams.create({ ...AUDIT, url })
    for (let attempt = 0; attempt < 8; attempt++) {
      await due(id)
      await deliverStream({ id, projectId: project.projectId })
    }
    const aside = await findStream(id)
    expect(aside).toMatchObject({ attempts: 8, number: 0, last: 'answered 503', nextAt: null })
    expect(aside?.asideAt).not.toBeNull()
    await requestDeliveries(Date.now())
    await workOffJobs()
    expect(received).toHaveLength(8)
    status = 200
    received.length = 0
    await admin.webhookStreams.resume({ id })
    await workOffJobs()
    await deliverStream({ id, projectId: project.projectId })
    expect(received.map(({ first, last }) => [first, last])).toEqual([
      [1, 1],
      [2, 2],
    ])
    expect(
      received.flatMap(({ records }) => records.map(({ entry }) => Object(entry).action)),
    ).toEqual(['webhook_stream.created', 'webhook_stream.resumed'])
    expect(await findStream(id)).toMatchObject({ number: 2, attempts: 0, asideAt: null })
  })

  test('is delivered by one job at a time, whichever process asks', async () => {
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, url })
    for (let sessions = 0; sessions < 5; sessions++) await refused()
    for (let replicas = 0; replicas < 3; replicas++) await requestDeliveries(Date.now())
    await Promise.all([workOffJobs(), workOffJobs()])
    const numbers = received.flatMap(({ records }) => records.map(({ number }) => number))
    expect(numbers).toEqual(Array.from({ length: 15 }, (_, at) => at + 1))
    expect(await findStream(id)).toMatchObject({ number: 15 })
  })

  test('begins with what happens after a change of its source', async () => {
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, url })
    await refused()
    const stream = { ...DECISIONS, environment: 'staging', url }
    await admin.webhookStreams.change({ id, stream })
    await refused()
    await refused('staging')
    await workOffJobs()
    const places = received.flatMap(({ records }) => records.map(({ environment }) => environment))
    expect(places).toEqual(['staging', 'staging', 'staging'])
  })

  test('a decision that retention removed leaves a gap in the numbers', async () => {
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, url })
    const session = await refused()
    await database().prisma.stop.deleteMany({ where: { sessionId: session } })
    await deliverStream({ id, projectId: project.projectId })
    expect(received).toMatchObject([{ first: 1, last: 3 }])
    expect(received[0]?.records).toHaveLength(2)
  })

  test('keeps no decision longer than the project does, and shows those that it skipped as a gap', async () => {
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, url })
    await ageSession(await refused(), 40)
    const { confirm } = await admin.retention.preview(THIRTY_DAYS)
    await admin.retention.change({ ...THIRTY_DAYS, typed: confirm })
    await runRetention(new AbortController().signal)
    expect(await database().prisma.webhookStreamItem.count({ where: { streamId: id } })).toBe(0)
    expect(await findStream(id)).toMatchObject({ number: 0, skipped: 3 })
    await refused()
    await deliverStream({ id, projectId: project.projectId })
    expect(received).toMatchObject([{ first: 1, last: 6 }])
    expect(received[0]?.records.map(({ number }) => number)).toEqual([4, 5, 6])
    expect(await findStream(id)).toMatchObject({ number: 6, skipped: 0 })
  })

  test('is refused inside the network, without a source, with an unknown environment or a name that is taken', async () => {
    const create = (more: object) =>
      admin.webhookStreams.create({ ...DECISIONS, url, ...more }).catch((error: Error) => error)
    expect(String(await create({ url: 'https://169.254.169.254/' }))).toContain(
      'inside the server’s network',
    )
    expect(String(await create({ decisions: false, environment: null }))).toContain('Choose the')
    expect(String(await create({ ...AUDIT, environment: 'dev' }))).toContain('no environment')
    expect(String(await create({ environment: 'nowhere' }))).toContain('no environment "nowhere"')
    const answers = (await Promise.all(Array.from({ length: 8 }, () => create({})))).map(String)
    expect(answers.filter((answer) => answer.includes('already'))).toHaveLength(7)
  })
})

describe('a key with the scope admin', () => {
  async function ask(key: string, [method = '', path = '']: readonly string[], body?: object) {
    const response = await api.fetch(
      new Request(`http://127.0.0.1:3000/api/manage/v1/webhook-streams${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    return { status: response.status, text: await response.text() }
  }

  test('streams only what it may read itself, and does not see other streams', async () => {
    await admin.webhookStreams.create({ ...AUDIT, url })
    const { id } = await admin.webhookStreams.create({ ...DECISIONS, environment: null, url })
    const blind = await makeKey(project, { environment: 'dev', scopes: ['admin'] })
    const own = { ...DECISIONS, name: 'own', url }
    expect((await ask(blind, ['POST', ''], own)).status).toBe(403)
    expect((await ask(blind, ['GET', ''])).text).toBe('{"rows":[],"next":null}')

    const reads = await makeKey(project, { environment: 'dev', scopes: ['admin', 'sessions:read'] })
    expect((await ask(reads, ['POST', ''], own)).status).toBe(201)
    expect((await ask(reads, ['POST', ''], { ...own, name: 'x', environment: null })).status).toBe(
      403,
    )
    expect((await ask(reads, ['POST', ''], { ...AUDIT, name: 'y', url })).text).toContain(
      'audit:read',
    )
    const { rows } = JSON.parse((await ask(reads, ['GET', ''])).text)
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(['own'])
    expect((await ask(reads, ['POST', `/${id}/secret`])).status).toBe(404)
    expect((await ask(reads, ['PUT', `/${id}`], own)).status).toBe(404)
    expect((await ask(reads, ['DELETE', `/${id}`])).status).toBe(404)
  })
})
