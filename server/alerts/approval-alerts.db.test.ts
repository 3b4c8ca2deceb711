// From a waiting call to a receiver that checks every format, and back by the end of the alert.
import { createHash } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { MESSAGE_FORMATS } from '@signalbox/testkit'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
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
import { evaluateAlerts } from './evaluate.ts'

const KEY = 'R0'.repeat(16)
const SOON = { timeout: 20_000, interval: 20 }

interface Received {
  readonly kind: keyof typeof MESSAGE_FORMATS
  /** Checked against the schema of its kind on arrival. */
  readonly body: { readonly [field: string]: unknown }
}

const received: Received[] = []
const refused: string[] = []
/** Requests per kind that are answered 503 before one is accepted. */
let unavailable = 0

vi.stubEnv('SIGNALBOX_WEBHOOK_HOSTS', '127.0.0.1')
withTestDatabase()

let project: TestProject
let admin: Awaited<ReturnType<typeof createProjectCaller>>
let root: string

const receiver = http.createServer((request, response) => {
  let text = ''
  request.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  request.on('end', () => {
    const name = request.url === '/v2/enqueue' ? 'pagerduty' : (request.url ?? '').slice(1)
    const kind = name as keyof typeof MESSAGE_FORMATS
    const body: Received['body'] = JSON.parse(text)
    const parsed = MESSAGE_FORMATS[kind].safeParse(body)
    if (unavailable > 0) {
      unavailable -= 1
      response.writeHead(503).end()
    } else if (parsed.success) {
      received.push({ kind, body })
      response.writeHead(kind === 'pagerduty' ? 202 : 200).end()
    } else {
      refused.push(`${kind} ${parsed.error.message}`)
      response.writeHead(400).end()
    }
  })
})

beforeAll(async () => {
  project = await installed()
  admin = await createProjectCaller(project, 'admin')
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve)
  })
  // `listen` on a TCP port, so that the address is never a path.
  root = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})

beforeEach(async () => {
  await database().prisma.alertRule.deleteMany()
  await database().prisma.callApproval.deleteMany()
  await database().pool.query('DELETE FROM graphile_worker._private_jobs')
  received.length = 0
  refused.length = 0
  unavailable = 0
})

afterAll(() => receiver.close())

const RULE = {
  environment: 'dev',
  ns: null,
  key: null,
  runtime: null,
  code: null,
  windowMinutes: 1,
  threshold: 1,
}

const everyKind = () => [
  { kind: 'webhook' as const, url: `${root}/webhook` },
  { kind: 'slack' as const, url: `${root}/slack` },
  { kind: 'teams' as const, url: `${root}/teams` },
  { kind: 'discord' as const, url: `${root}/discord` },
  { kind: 'pagerduty' as const, url: `${root}/v2/enqueue#${KEY}` },
]

const pagerDuty = () => [{ kind: 'pagerduty' as const, url: `${root}/v2/enqueue#${KEY}` }]

async function waitFor(
  seconds: number,
): Promise<{ readonly session: string; readonly id: string }> {
  const session = newSessionId()
  const at = Date.now()
  const call = { call_id: 'c1', tool: 'deploy' }
  const drafts: readonly Draft[] = [
    { type: 'tool.requested', data: { ...call, args: { to: 'production' } } },
    {
      type: 'approval.requested',
      data: { ...call, rules: ['ask'], expires_at: at + seconds * 1_000 },
    },
  ]
  const opening = started({ ns: 'team', key: 'agent' })
  // Ten milliseconds lie between two events, and a call that is requested later than now does not wait yet.
  const events = chained(session, [opening, ...drafts], { at: at - 10 * drafts.length })
  const answer = await api.fetch(eventsRequest(await makeKey(project), ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
  const { calls } = await admin.callApprovals.waiting({})
  return { session, id: calls.find(({ sessionId }) => sessionId === session)?.id ?? '' }
}

async function answer(id: string): Promise<void> {
  const { calls } = await admin.callApprovals.waiting({})
  const input = calls.find((call) => call.id === id)?.input ?? ''
  await admin.callApprovals.decide({ id, input, decision: 'denied' })
}

const firing = async () =>
  (await admin.alerts.list({ filter: { state: 'firing' } })).rows.map(({ signal }) => signal)

test('a waiting call is announced in every format without waiting for the job of the minute, and its alert ends with the answer', async () => {
  await admin.alerts.create({
    ...RULE,
    name: 'Calls <!channel> wait',
    signal: 'approval_waiting',
    destinations: everyKind(),
  })
  await workOffJobs()
  const { id } = await waitFor(120)
  await vi.waitFor(async () => {
    await workOffJobs()
    expect(received).toHaveLength(5)
  }, SOON)
  expect(refused).toEqual([])
  const link = `/call-approvals?call=${id}`
  for (const { body } of received) expect(JSON.stringify(body)).toContain(link)
  const opened = received.find(({ kind }) => kind === 'pagerduty')?.body
  expect(opened).toMatchObject({
    event_action: 'trigger',
    routing_key: KEY,
    payload: {
      severity: 'warning',
      summary: expect.stringContaining('deploy asked for approval; its time limit: '),
    },
  })
  received.length = 0
  await answer(id)
  await workOffJobs()
  expect(received.map(({ kind }) => kind).toSorted()).toEqual(
    ['discord', 'pagerduty', 'slack', 'teams', 'webhook'].toSorted(),
  )
  expect(received.find(({ kind }) => kind === 'pagerduty')?.body).toEqual({
    event_action: 'resolve',
    routing_key: KEY,
    dedup_key: opened?.['dedup_key'],
  })
  expect(await firing()).toEqual([])
})

test('a call that lapses is announced once, at half of its time, and its alert ends when the time is over', async () => {
  await admin.alerts.create({
    ...RULE,
    name: 'Calls lapse',
    signal: 'approval_lapsing',
    destinations: [{ kind: 'slack', url: `${root}/slack` }],
  })
  await workOffJobs()
  await waitFor(8)
  await vi.waitFor(async () => {
    await workOffJobs()
    const next = await database().pool.query(
      "SELECT run_at FROM graphile_worker.jobs WHERE task_identifier = 'alerts.evaluate'",
    )
    expect(next.rows).toHaveLength(1)
  }, SOON)
  expect([received, await firing()]).toEqual([[], []])
  const workUntil = (count: number) =>
    vi.waitFor(
      async () => {
        await workOffJobs()
        expect(received).toHaveLength(count)
      },
      { timeout: 30_000, interval: 200 },
    )
  await workUntil(1)
  expect(received[0]?.body['text']).toContain(
    'still waiting for approval when half of its time was over; its time limit: ',
  )
  await workUntil(2)
  expect(received[1]?.body['text']).toContain('Resolved: Calls lapse')
  expect(await firing()).toEqual([])
})

test('a rule of another config or environment announces no call, and the preview counts those of seven days', async () => {
  const { id } = await waitFor(120)
  const preview = async (place: object) =>
    await admin.alerts.preview({ ...RULE, signal: 'approval_waiting', ...place })
  expect(await preview({})).toMatchObject({ fired: 1, isCut: false, times: [{ until: null }] })
  expect(await preview({ ns: 'team', key: 'other' })).toMatchObject({ fired: 0 })
  expect(await preview({ signal: 'approval_lapsing' })).toMatchObject({ fired: 0 })
  await admin.alerts.create({
    ...RULE,
    ns: 'team',
    key: 'other',
    name: 'Elsewhere',
    signal: 'approval_waiting',
    destinations: [{ kind: 'slack', url: `${root}/slack` }],
  })
  await workOffJobs()
  expect(received).toEqual([])
  await answer(id)
  const [ended] = (await preview({})).times
  expect(ended?.until).toBeGreaterThan(ended?.from ?? Infinity)
})

test('an incident is not opened any more once its alert is over', async () => {
  await admin.alerts.create({
    ...RULE,
    name: 'Late',
    signal: 'approval_waiting',
    destinations: pagerDuty(),
  })
  await workOffJobs()
  unavailable = 1
  const { id } = await waitFor(120)
  await vi.waitFor(async () => {
    await workOffJobs()
    expect(await firing()).toEqual(['approval_waiting'])
  }, SOON)
  await workOffJobs()
  await answer(id)
  await workOffJobs()
  await database().pool.query('UPDATE graphile_worker._private_jobs SET run_at = now()')
  await workOffJobs()
  expect(received.map(({ body }) => body['event_action'])).toEqual(['resolve'])
  const [alert] = (await admin.alerts.list({ filter: {} })).rows
  expect(alert?.deliveries).toMatchObject([
    { event: 'firing', deliveredAt: null, last: 'resolved before it arrived' },
    { event: 'resolved', last: 'delivered' },
  ])
})

test('a rule about waiting calls fires for at most 50 calls at once, however many an agent asks for', async () => {
  await admin.alerts.create({ ...RULE, name: 'Many', signal: 'approval_waiting', destinations: [] })
  const at = Date.now()
  const drafts = Array.from({ length: 55 }, (_, number): readonly Draft[] => {
    const call = { call_id: `c${number}`, tool: 'deploy' }
    return [
      { type: 'tool.requested', data: { ...call, args: {} } },
      { type: 'approval.requested', data: { ...call, rules: ['ask'], expires_at: at + 60_000 } },
    ]
  })
  const head = started({ ns: 'team', key: 'agent' })
  const events = chained(newSessionId(), [head, ...drafts.flat()], { at })
  await api.fetch(eventsRequest(await makeKey(project), ndjson(events)))
  for (let evaluation = 0; evaluation < 2; evaluation++) {
    await evaluateAlerts(undefined, { now: Date.now(), signal: new AbortController().signal })
  }
  expect(await database().prisma.alert.count({ where: { resolvedAt: null } })).toBe(50)
})

test('a routing key is in no list, message of a test, log entry or answer, and stays when its rule is changed', async () => {
  const rule = { ...RULE, name: 'Paged', signal: 'approval_waiting' as const }
  const { id } = await admin.alerts.create({ ...rule, destinations: pagerDuty() })
  const [listed] = await admin.alerts.rules()
  const shown = listed?.destinations ?? []
  expect(shown[0]?.url).toMatch(/#dest_[0-9a-f]{32}$/)
  await admin.alerts.change({ id, ...rule, name: 'Paged again', destinations: [...shown] })
  expect(await admin.alerts.test({ id })).toMatchObject([{ kind: 'pagerduty', why: null }])
  expect(received.map(({ body }) => [body['event_action'], body['routing_key']])).toEqual([
    ['trigger', KEY],
    ['resolve', KEY],
  ])
  const headers = { authorization: `Bearer ${await makeKey(project, { scopes: ['admin'] })}` }
  const address = 'http://127.0.0.1:3000/api/manage/v1/alert-rules'
  const listing = await (await api.fetch(new Request(address, { headers }))).text()
  const stored = `pagerduty ${root}/v2/enqueue#${KEY}`
  expect(listing).toContain(createHash('sha256').update(stored).digest('hex'))
  expect(listing).not.toContain(KEY)
  const audit = await database().prisma.auditEntry.findMany()
  const lists = [await admin.alerts.rules(), await admin.destinations.list(), audit]
  expect(JSON.stringify(lists)).not.toContain(KEY)
  await expect(admin.alerts.create({ ...rule, destinations: [...shown] })).rejects.toThrow(
    'Give the key again',
  )
})

test('an incident goes to PagerDuty and to hosts that the operator allows, and to no other', async () => {
  const create = (url: string) =>
    admin.alerts.create({
      ...RULE,
      name: 'Paged',
      signal: 'approval_waiting',
      destinations: [{ kind: 'pagerduty', url }],
    })
  await expect(create(`https://events.evil.test/v2/enqueue#${KEY}`)).rejects.toThrow(
    'This is no address of PagerDuty.',
  )
  await expect(create('https://events.pagerduty.com/v2/enqueue')).rejects.toThrow('32 letters')
  for (const host of ['events.pagerduty.com', 'events.eu.pagerduty.com'])
    expect(await create(`https://${host}/v2/enqueue#${KEY}`)).toMatchObject({
      id: expect.any(String),
    })
})
