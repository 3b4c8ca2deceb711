import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { api } from '@/server/http/api.ts'
import { foldRollups } from '@/server/ingest/keep-rollups.ts'
import { mergeShards } from '@/server/ingest/projectors/shared-counts.sql.ts'
import { startJobs, stopJobs } from '@/server/jobs/runner.ts'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { readFilterText } from '@/server/platform/list/filter-grammar.ts'
import { onNotification } from '@/server/platform/live/live-bus.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import {
  chained,
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
  type TestProject,
} from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { ALERTS } from './alerts.list.ts'
import { evaluateAlerts } from './evaluate.ts'
import type { AlertSignal } from './signals.kinds.ts'

interface Received {
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
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
      received.push({ headers: request.headers, body })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve)
  })
  // `listen` on a TCP port, so that the address is never a path.
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
})

afterAll(() => receiver.close())

async function blocked(key: string, times: number, at = Date.now() - 30_000): Promise<void> {
  const session = newSessionId()
  const drafts = Array.from({ length: times }, (_, at): readonly Draft[] => [
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    {
      type: 'stop.decided',
      data: {
        attempt: at + 1,
        prior_blocks: at,
        verdict: 'blocked',
        code: 'plan.incomplete',
        params: { open: 2, total: 5 },
        message: 'Go on.',
        check: null,
      },
    },
  ]).flat()
  const events = chained(session, [started({ ns: 'team', key: 'agent' }), ...drafts], {
    at,
  })
  const answer = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
}

function called(
  runtime: string | null,
  { calls, denied, key = 'agent' }: { calls: number; denied: number; key?: string },
) {
  const begun = started({ ns: 'team', key })
  const drafts = Array.from({ length: calls }, (_, at): readonly Draft[] => {
    const call = { call_id: `c${at}`, tool: 'deploy' }
    const decision = at < calls - denied ? 'allowed' : 'denied'
    return [
      { type: 'tool.requested', data: { ...call, args: {} } },
      { type: 'tool.decided', data: { ...call, decision, reason: 'No.', rules: [] } },
    ]
  }).flat()
  const named = runtime === null ? {} : { runtime }
  const first = { ...begun, data: { ...begun.data, ...named } } as Draft
  return chained(newSessionId(), [first, ...drafts], { at: Date.now() - 30_000 })
}

const look = (now = Date.now()): Promise<void> =>
  evaluateAlerts(undefined, { now, signal: new AbortController().signal })
const everyAlert = async () => (await admin.alerts.list({ filter: {} })).rows

const RULE = {
  name: 'Agents get stuck',
  signal: 'blocked_stops' as const,
  environment: 'dev',
  ns: null,
  key: null,
  runtime: null,
  code: null,
  windowMinutes: 15,
  threshold: 3,
}

const SOON = { timeout: 20_000 }
const LEFT = `SELECT task_identifier AS task FROM graphile_worker.jobs WHERE task_identifier IN ('alerts.deliver', 'jobs.tidy')`

describe('alert rules', () => {
  const ANY = { ...RULE, name: 'Any', threshold: 1, destinations: [] }

  // The first of this file: no refusal waits already.
  test('alert rules are evaluated in one job for refusals that arrive within seconds of each other', async () => {
    const { id } = await admin.alerts.create(ANY)
    await workOffJobs()
    const key = await makeKey(project)
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await blocked(key, 1)
    await blocked(key, 1)
    vi.advanceTimersByTime(5_000)
    vi.useRealTimers()
    const waiting = 'SELECT 1 FROM graphile_worker.jobs WHERE key IS NOT NULL'
    await vi.waitFor(
      async () => expect((await database().pool.query(waiting)).rowCount).toBe(1),
      SOON,
    )
    await workOffJobs()
    expect(await everyAlert()).toMatchObject([{ scope: 'dev team/agent', value: 2 }])
    await admin.alerts.remove({ id })
  })

  test('that name a reason count only stops with that reason', async () => {
    const firesFor = async (code: string) =>
      (await admin.alerts.preview({ ...RULE, threshold: 1, code })).fired
    expect(await firesFor('plan.incomplete')).toBe(1)
    expect(await firesFor('file.missing')).toBe(0)
    const rate = { ...ANY, signal: 'denial_rate' as const, code: 'plan.incomplete' }
    await expect(admin.alerts.create(rate)).rejects.toThrow('has no reasons')
  })

  test('that name one runtime count only its data, in the preview and in the alert', async () => {
    const { pool, prisma } = database()
    const { projectId } = project
    await prisma.runtime.create({
      data: {
        projectId,
        id: 'rt_0',
        name: 'worker-3',
        environment: 'dev',
        apiKeyId: 'k',
        harness: {},
        sdkVersion: '1',
        capabilities: {},
        posture: 'deny',
      },
    })
    await pool.query('DELETE FROM stops')
    const key = await makeKey(project)
    await blocked(key, 1)
    await blocked(key, 1)
    await pool.query(
      "UPDATE sessions SET runtime_id = 'rt_0' WHERE id = (SELECT min(session_id) FROM stops)",
    )
    const peaks = async (runtime: string | null, signal: AlertSignal = 'blocked_stops') => {
      const { times } = await admin.alerts.preview({ ...RULE, signal, threshold: 1, runtime })
      return times.map(({ peak }) => peak)
    }
    expect(await peaks(null)).toEqual([2])
    expect(await peaks('worker-3')).toEqual([1])
    expect(await peaks('worker-9')).toEqual([])
    for (const signal of ['error_verdicts', 'lost_sessions'] as const)
      expect(await peaks('worker-3', signal)).toEqual([])
    const { id } = await admin.alerts.create({ ...ANY, runtime: 'worker-3' })
    await look()
    expect(await everyAlert()).toMatchObject([{ value: 1 }])
    await admin.alerts.remove({ id })
    expect(await admin.runtimes.names({ environment: 'dev' })).toEqual({
      names: ['worker-3'],
      isCut: false,
    })
    await prisma.runtime.delete({ where: { id: 'rt_0' } })
  })

  test('alert rules on the denial rate of one runtime or config count each of its calls once, in any order of arrival', async () => {
    const { pool, prisma } = database()
    const process = { projectId: project.projectId, environment: 'dev', apiKeyId: 'k', harness: {} }
    const made = { ...process, sdkVersion: '1', capabilities: {}, posture: 'deny' }
    await prisma.runtime.createMany({
      data: [
        { ...made, id: 'rt_0', name: 'worker-4' },
        { ...made, id: 'rt_0b', name: 'worker-4' },
        { ...made, id: 'rt_9', name: 'worker-9' },
      ],
    })
    await pool.query('DELETE FROM denials')
    const key = await makeKey(project)
    const send = async (events: Parameters<typeof ndjson>[0]) => {
      const answer = await api.fetch(eventsRequest(key, ndjson(events)))
      expect(await answer.json()).toMatchObject({ errors: [] })
    }
    const first = called('rt_0', { calls: 10, denied: 1 })
    for (const batch of [first, first.slice(4), first]) await send(batch)
    const anew = called('rt_0b', { calls: 14, denied: 5 })
    for (const batch of [anew.slice(1, 9), anew.slice(0, 12), anew.slice(6), anew])
      await send(batch)
    await send(called('rt_0b', { calls: 30, denied: 3, key: 'other' }))
    await send(called('rt_9', { calls: 30, denied: 30 }))
    await send(called(null, { calls: 30, denied: 30 }))
    const { rows } = await pool.query(
      `SELECT runtime_id AS id, key, sum(calls)::int AS calls, sum(denied)::int AS denied FROM all_call_minutes WHERE calls > 0 GROUP BY 1, 2 ORDER BY 1, 2`,
    )
    expect(rows).toEqual([
      { id: '', key: 'agent', calls: 30, denied: 30 },
      { id: 'rt_0', key: 'agent', calls: 10, denied: 1 },
      { id: 'rt_0b', key: 'agent', calls: 14, denied: 5 },
      { id: 'rt_0b', key: 'other', calls: 30, denied: 3 },
      { id: 'rt_9', key: 'agent', calls: 30, denied: 30 },
    ])
    const runtimeRule = {
      ...ANY,
      signal: 'denial_rate' as const,
      threshold: 1,
      runtime: 'worker-4',
    }
    const peaks = async (change: object) => {
      const { times } = await admin.alerts.preview({ ...runtimeRule, ...change })
      return times.map(({ scope, peak }) => `${scope} ${peak.toFixed(1)}`)
    }
    const [agent, other] = ['agent', 'other'].map((name) => ({ ns: 'team', key: name }))
    expect(await peaks({ ...agent })).toEqual(['dev team/agent worker-4 25.0'])
    expect(await peaks({ ...agent, threshold: 26 })).toEqual([])
    expect(await peaks({ ...agent, environment: 'staging' })).toEqual([])
    expect(await peaks({ ...other, runtime: null })).toEqual(['dev team/other 10.0'])
    expect(await peaks({ ...other, runtime: 'worker-9' })).toEqual([])
    expect((await peaks({}))[0]).toMatch(/^dev worker-4 /)
    const rates = async () => [await peaks({}), await peaks({ runtime: null })]
    const counted = await rates()
    expect(counted[1]?.[0]).toMatch(/^dev \d/)
    for (const [table, columns] of [
      [
        'minute_count_shards',
        'environment, minute, feedback, warnings, stops, blocked, bypassed, sessions',
      ],
      ['call_minute_shards', 'runtime_id, ns, key, environment, minute'],
    ] as const) {
      await pool.query(
        `INSERT INTO ${table} (project_id, ${columns}, calls, denied, shard)
         SELECT project_id, ${columns}, calls / 2, denied / 2, shard + 8 FROM ${table}`,
      )
      await pool.query(
        `UPDATE ${table} SET calls = calls - calls / 2, denied = denied - denied / 2 WHERE shard < 8`,
      )
    }
    expect(await rates()).toEqual(counted)
    const rate = { ...runtimeRule, ...agent, threshold: 25 }
    const { id } = await admin.alerts.create(rate)
    await look()
    const [alert, ...others] = await everyAlert()
    expect(others).toEqual([])
    expect(alert).toMatchObject({ scope: 'dev team/agent worker-4', value: 25 })
    expect(alert?.reason).toContain(
      '25% of the calls of team/agent on the runtime worker-4 in 15 minutes were denied.',
    )
    const itsOwn = `SELECT 1 FROM denials d JOIN sessions s ON s.id = d.session_id
      WHERE '/decisions/' || d.id = $1 AND s.runtime_id IN ('rt_0', 'rt_0b')`
    expect((await pool.query(itsOwn, [alert?.evidence])).rowCount).toBe(1)
    await admin.alerts.remove({ id })

    await mergeShards(new AbortController().signal)
    expect(await rates()).toEqual(counted)
    await pool.query(
      `UPDATE call_minutes SET minute = minute - interval '8 days' WHERE runtime_id = 'rt_9'`,
    )
    await foldRollups(new AbortController().signal)
    const kept = await pool.query(
      'SELECT DISTINCT runtime_id AS id FROM all_call_minutes ORDER BY 1',
    )
    expect(kept.rows).toEqual([{ id: '' }, { id: 'rt_0' }, { id: 'rt_0b' }])
    await prisma.runtime.deleteMany({ where: { id: { startsWith: 'rt_' } } })
    await pool.query('DELETE FROM denials')
    await pool.query('UPDATE sessions SET ended_at = now()')
  })

  test('alert rules are evaluated immediately when they are created', async () => {
    const { id } = await admin.alerts.create(ANY)
    await workOffJobs()
    expect(await everyAlert()).toMatchObject([{ rule: 'Any' }])
    await admin.alerts.remove({ id })
    await database().pool.query('DELETE FROM stops')
  })
})

test('a rule on lost sessions counts a session as lost at the same time as the sessions list', async () => {
  const { pool } = database()
  const lost = { ...RULE, signal: 'lost_sessions' as const, threshold: 1 }
  const key = await makeKey(project)
  await blocked(key, 1)
  const fires = async () => (await admin.alerts.preview(lost)).fired
  expect(await fires()).toBe(0)
  await pool.query("UPDATE sessions SET received_at = now() - interval '6 minutes'")
  const { rows: sessions } = await admin.sessions.list({ filter: { status: 'lost' } })
  expect(sessions.length).toBeGreaterThan(0)
  const { fired, times } = await admin.alerts.preview(lost)
  expect(fired).toBe(1)
  const [{ now }] = (await pool.query('SELECT now() AS now')).rows as [{ readonly now: Date }]
  const ago = now.getTime() - (times[0]?.from ?? 0)
  expect(ago).toBeGreaterThanOrEqual(60_000)
  expect(ago).toBeLessThan(5 * 60_000)
  await pool.query('DELETE FROM stops')
  await pool.query('UPDATE sessions SET ended_at = now()')
})

describe('an alert', () => {
  test('fires once, states scope and reason, and links to the stop that caused it', async () => {
    const destinations = [
      { kind: 'webhook' as const, url },
      { kind: 'chat' as const, url },
    ]
    const { id } = await admin.alerts.create({ ...RULE, destinations })
    const key = await makeKey(project)
    await blocked(key, 2)
    await look()
    expect(await everyAlert()).toEqual([])
    await blocked(key, 1)
    expect(await admin.alerts.preview(RULE)).toMatchObject({
      fired: 1,
      times: [{ scope: 'dev team/agent', until: null, peak: 3 }],
    })
    const week = [...Array.from({ length: 27 }, () => 0), 3]
    expect(await admin.alerts.values()).toEqual([{ id, value: 3, history: week }])
    // Without calls there is no share of them.
    const rate = await admin.alerts.create({
      ...RULE,
      ...{ name: 'Denials', signal: 'denial_rate', ns: 'team', key: 'idle', destinations: [] },
    })
    expect(await admin.alerts.values()).toContainEqual(
      expect.objectContaining({ id: rate.id, value: null }),
    )
    await admin.alerts.remove({ id: rate.id })
    await Promise.all([look(), look()])
    await look()
    const [alert, ...others] = await everyAlert()
    expect(others).toEqual([])
    expect(alert).toMatchObject({ scope: 'dev team/agent', isFiring: true, value: 3, threshold: 3 })
    expect(alert?.evidence).toMatch(/^\/stops\/stop_/)
    expect(await admin.alerts.unread()).toBe(1)
    const { reason, evidence } = alert ?? {}
    expect((await admin.overview.attention({})).items).toContainEqual(
      expect.objectContaining({ kind: 'alert_firing', rule: RULE.name, reason, evidence }),
    )

    await workOffJobs()
    expect(received).toHaveLength(2)
    const signed = received.find(({ headers }) => 'webhook-signature' in headers)
    const { secret } = await admin.alerts.secret({ id })
    const [messageId, at] = [signed?.headers['webhook-id'], signed?.headers['webhook-timestamp']]
    const expected = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`${messageId}.${at}.${signed?.body}`)
      .digest('base64')
    expect(signed?.headers['webhook-signature']).toBe(`v1,${expected}`)
    const { data } = JSON.parse(signed?.body ?? '{}')
    expect(data).toMatchObject({ rule: 'Agents get stuck', reason: alert?.reason })
    expect(data.url).toBe(`${env().SIGNALBOX_URL}${alert?.evidence}`)
    const chat = received.find(({ headers }) => !('webhook-signature' in headers))
    expect(JSON.parse(chat?.body ?? '{}').text).toContain(`${alert?.reason} ${data.url}`)
    expect((await everyAlert())[0]?.deliveries).toMatchObject([
      { event: 'firing', attempts: 1, last: 'delivered' },
      { event: 'firing', attempts: 1, last: 'delivered' },
    ])
  })

  test('an alert is acknowledged by one user and resolved when it ends, with a notification', async () => {
    const [alert] = await everyAlert()
    const id = alert?.id ?? ''
    await admin.alerts.acknowledge({ id, note: 'Me.' })
    await admin.alerts.unacknowledge({ id })
    const none = { acknowledgedName: null, acknowledgedAt: null, acknowledgedNote: null }
    expect(await everyAlert()).toMatchObject([none])
    expect(await admin.alerts.unread()).toBe(1)
    await expect(admin.alerts.unacknowledge({ id })).rejects.toThrow('Another user acknowledged')
    await admin.alerts.acknowledge({ id, note: 'I look.' })
    await expect(admin.alerts.acknowledge({ id, note: null })).rejects.toThrow('already')
    expect(await admin.alerts.unread()).toBe(0)
    const kinds = (await admin.overview.attention({})).items.map(({ kind }) => kind)
    expect(kinds).not.toContain('alert_firing')
    // Not by evaluating again later: the evaluation requested by the refusals may be due by now, and would fire it again.
    await database().pool.query('DELETE FROM stops')
    await look()
    expect(await everyAlert()).toMatchObject([{ isFiring: false, acknowledgedNote: 'I look.' }])
    received.length = 0
    await workOffJobs()
    expect(received.map(({ body }) => body).join()).toContain('alert.resolved')
  })

  test('retries a message that did not arrive, stores the last result, and notifies open pages', async () => {
    const heard: (string | undefined)[] = []
    const stop = onNotification(project.projectId, ({ kind, id }) => {
      if (kind === 'alert') heard.push(id)
    })
    onTestFinished(stop)
    // Without id: notifications before the connection are unknown.
    await vi.waitFor(() => expect(heard).toContain(undefined), SOON)
    const waitForHeard = async (id: string | undefined): Promise<void> => {
      await vi.waitFor(() => expect(heard).toContain(id), SOON)
      heard.length = 0
    }
    status = 500
    await blocked(await makeKey(project), 3)
    await look()
    const [alert] = await everyAlert()
    await waitForHeard(alert?.id)
    await workOffJobs()
    await waitForHeard(alert?.id)
    const { deliveries } = (await everyAlert())[0] ?? {}
    expect(deliveries).toMatchObject([
      { attempts: 1, last: 'answered 500', deliveredAt: null },
      { attempts: 1, last: 'answered 500', deliveredAt: null },
    ])
    status = 200
    await database().pool.query('UPDATE graphile_worker._private_jobs SET run_at = now()')
    await workOffJobs()
    await waitForHeard(alert?.id)
    expect((await everyAlert())[0]?.deliveries).toMatchObject([
      { attempts: 2, last: 'delivered' },
      { attempts: 2, last: 'delivered' },
    ])
  })

  test('an alert is returned by its id, flagged as matching or not matching the filter of the list', async () => {
    const [alert] = await everyAlert()
    const ids = [alert?.id ?? '', 'alr_unknown']
    const rows = async (state: 'firing' | 'resolved' | undefined, environment: string) => {
      const found = await admin.alerts.rows({ filter: { state, environment }, ids })
      return found.map(({ id, matches }) => [id, matches])
    }
    expect(await rows('firing', 'dev')).toEqual([[alert?.id, true]])
    expect(await rows('resolved', 'dev')).toEqual([[alert?.id, false]])
    expect(await rows(undefined, 'staging')).toEqual([[alert?.id, false]])
  })

  test('an alert is filtered by text on its rule, environment, signal, state, times and acknowledger', async () => {
    const [alert] = await everyAlert()
    const found = async (text: string) => {
      const { terms, problem } = readFilterText(text, ALERTS.grammar)
      expect(problem, text).toBeNull()
      const { rows } = await admin.alerts.list({ filter: { terms }, order: 'oldest' })
      return rows.map(({ id }) => id).includes(alert?.id ?? '')
    }
    expect(await found(`rule:stuck where:dev signal:${alert?.signal} state:firing`)).toBe(true)
    expect(await found('fired:>2026-01-01 -resolved:>2026-01-01')).toBe(true)
    expect(await found('state:resolved')).toBe(false)
    expect(await found('by:nobody')).toBe(false)
    expect(await found('-by:nobody "agents get"')).toBe(true)
  })

  test('an alert of a muted rule is stored without notifications', async () => {
    const { id } = await admin.alerts.create({
      ...RULE,
      name: 'Quiet',
      threshold: 1,
      destinations: [{ kind: 'chat', url }],
    })
    await admin.alerts.mute({ id, until: Date.now() + 3_600_000 })
    await look()
    const { rows } = await admin.alerts.list({ filter: { state: 'muted' } })
    expect(rows).toMatchObject([{ rule: 'Quiet', isMuted: true, deliveries: [] }])
  })

  test('an alert has one state, by which lists, the rail, the summary and the Overview count it', async () => {
    const ours = await otherProject()
    const { alerts, overview } = await createProjectCaller(ours, 'admin')
    const { id: ruleId } = await alerts.create({ ...RULE, destinations: [] })
    await database().prisma.alert.create({
      data: {
        id: 'alr_state',
        projectId: ours.projectId,
        ruleId,
        scope: 'dev team/agent',
        value: 3,
        threshold: 3,
        reason: 'Blocked.',
        evidence: '/alerts',
        firing: true,
      },
    })
    const seen = async () => {
      const states = ['firing', 'acknowledged', 'muted', 'resolved'] as const
      const lists = await Promise.all(
        states.map(async (state) => (await alerts.list({ filter: { state } })).rows.length),
      )
      const { firing, acknowledged, muted } = await alerts.summary()
      const { items } = await overview.attention({})
      const shown = items.filter(({ kind }) => kind === 'alert_firing').length
      return { lists, unread: await alerts.unread(), firing, acknowledged, muted, shown }
    }
    const none = { unread: 0, firing: 0, acknowledged: 0, muted: 0, shown: 0 }
    expect(await seen()).toEqual({ ...none, lists: [1, 0, 0, 0], unread: 1, firing: 1, shown: 1 })
    await alerts.acknowledge({ id: 'alr_state', note: null })
    expect(await seen()).toEqual({ ...none, lists: [0, 1, 0, 0], acknowledged: 1 })
    await alerts.mute({ id: ruleId, until: Date.now() + 3_600_000 })
    expect(await seen()).toEqual({ ...none, lists: [0, 0, 1, 0], muted: 1 })
    await database().prisma.alert.update({
      where: { id: 'alr_state' },
      data: { firing: null, resolvedAt: new Date() },
    })
    expect(await seen()).toEqual({ ...none, lists: [0, 0, 0, 1] })
  })
})

test.each([
  ['http://example.com/hook', 'Use https://'],
  ['https://169.254.169.254/latest/meta-data', 'inside the server’s network'],
  ['https://[::ffff:10.0.0.1]/', 'inside the server’s network'],
  ['https://user:secret@example.com/', 'Leave name and password out'],
  ['ftp://example.com/', 'begins with https://'],
])('an alert rule with the webhook address %s is refused', async (address, why) => {
  await expect(
    admin.alerts.create({ ...RULE, destinations: [{ kind: 'webhook', url: address }] }),
  ).rejects.toThrow(why)
})

test('a receiver that does not answer delays neither other jobs nor other receivers', async () => {
  const held: http.ServerResponse[] = []
  const pit = http.createServer((_, response) => held.push(response))
  await new Promise<void>((resolve) => {
    pit.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(async () => {
    await stopJobs()
    pit.closeAllConnections()
    pit.close()
  })
  const slow = `http://127.0.0.1:${(pit.address() as AddressInfo).port}/`
  const { id } = await admin.alerts.create({
    ...RULE,
    name: 'Pit',
    threshold: 1,
    destinations: [
      { kind: 'chat', url: slow },
      { kind: 'chat', url },
    ],
  })
  await database().pool.query('DELETE FROM graphile_worker._private_jobs')
  await blocked(await makeKey(project), 1)
  await look()
  startJobs()
  await vi.waitFor(() => expect(held).toHaveLength(1), SOON)
  await inTransaction((tx) => enqueue(tx, { task: 'jobs.tidy', payload: {} }))
  await vi.waitFor(async () => {
    const { rows } = await database().pool.query(LEFT)
    expect(rows).toEqual([{ task: 'alerts.deliver' }])
  }, SOON)
  expect(held[0]?.destroyed).toBe(false)
  held[0]?.writeHead(200).end()
  await admin.alerts.remove({ id })
})

test('a runtime that is behind for longer than the window raises an alert, a late or new one does not', async () => {
  const { pool, prisma } = database()
  const environmentId = project.environments['dev'] ?? ''
  const { revision } = await prisma.environment.findUniqueOrThrow({ where: { id: environmentId } })
  await pool.query(
    `INSERT INTO bundles (environment_id, revision, digest, body, signature, parts, created_at)
     SELECT $1, $2::int + n, 'd', 'b', 's', '{}', now() - make_interval(mins => 20 - 5 * n) FROM generate_series(1, 3) n`,
    [environmentId, revision],
  )
  await prisma.environment.update({
    where: { id: environmentId },
    data: { revision: revision + 3 },
  })
  const runtime = { projectId: project.projectId, environment: 'dev', apiKeyId: 'k', harness: {} }
  const since = { sdkVersion: '1', capabilities: {}, posture: 'deny', registeredAt: new Date(0) }
  await prisma.runtime.createMany({
    data: [
      { ...runtime, ...since, id: 'rt_1', name: 'stuck', appliedRevision: revision },
      { ...runtime, ...since, id: 'rt_2', name: 'late', appliedRevision: revision + 2 },
      { ...runtime, ...since, id: 'rt_3', name: 'new', registeredAt: new Date() },
    ],
  })
  const behind = { ...RULE, name: 'Behind', signal: 'runtimes_behind' as const }
  await admin.alerts.create({ ...behind, windowMinutes: 12, threshold: 1, destinations: [] })
  for (const runtime of ['stuck', 'late'])
    await admin.alerts.create({
      ...behind,
      name: `Behind: ${runtime}`,
      runtime,
      windowMinutes: 12,
      threshold: 1,
      destinations: [],
    })
  await look()
  const fired = (await everyAlert()).flatMap(({ rule, scope }) =>
    rule.startsWith('Behind') ? [`${rule}, ${scope}`] : [],
  )
  expect(fired.toSorted()).toEqual(['Behind, dev stuck', 'Behind: stuck, dev stuck'])
})

test('a rule about one config alerts on a runtime that lacks its newest release, and links to that release', async () => {
  const { prisma } = database()
  const publishRelease = async (key: string, draft: { draftId: string; revision: number }) => {
    const to = { ns: 'behind', key, environment: 'dev', note: key, acknowledged: [] }
    const made = await admin.releases.publish({ ...to, ...draft, typedName: null })
    if (!made.ok) throw new Error('It was not released.')
    return made.release
  }
  const newest = new Map<string, string>()
  for (const key of ['one', 'other']) {
    const text = JSON.stringify({ schema_version: 1, ns: 'behind', key })
    await admin.configs.create({ ns: 'behind', key, text })
    const { draft } = await admin.drafts.open({ ns: 'behind', key })
    const first = { draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
    newest.set(key, (await publishRelease(key, first)).id)
  }
  const released = await prisma.release.findUniqueOrThrow({
    where: { id: newest.get('other') ?? '' },
  })
  await prisma.release.updateMany({ data: { createdAt: new Date(Date.now() - 20 * 60_000) } })
  const runtime = { projectId: project.projectId, environment: 'dev', apiKeyId: 'k', harness: {} }
  const since = { sdkVersion: '1', capabilities: {}, posture: 'deny', registeredAt: new Date(0) }
  await prisma.runtime.create({
    data: {
      ...runtime,
      ...since,
      id: 'rt_9',
      name: 'half',
      appliedRevision: released.revision - 1,
    },
  })
  for (const key of ['one', 'other']) {
    await admin.alerts.create({
      ...RULE,
      name: `Lacks ${key}`,
      signal: 'runtimes_behind',
      ns: 'behind',
      key,
      runtime: 'half',
      windowMinutes: 12,
      threshold: 1,
      destinations: [],
    })
  }
  await look()
  const fired = (await everyAlert()).filter(({ rule }) => rule.startsWith('Lacks'))
  expect(fired).toMatchObject([
    {
      rule: 'Lacks other',
      scope: 'dev half',
      evidence: `/releases/${newest.get('other')}`,
      reason:
        'The runtime had not applied what its environment serves of behind/other for 12 minutes.',
    },
  ])
})

test('an alert ends with its window even when the clock of the runtime is hours ahead', async () => {
  await database().pool.query('DELETE FROM stops')
  const { id } = await admin.alerts.create({ ...RULE, destinations: [] })
  await blocked(await makeKey(project), 3, Date.now() + 2 * 3_600_000)
  await look()
  const isFiring = async () =>
    (await everyAlert()).filter((alert) => alert.ruleId === id).map((alert) => alert.isFiring)
  expect(await isFiring()).toEqual([true])
  await look(Date.now() + 20 * 60_000)
  expect(await isFiring()).toEqual([false])
  await admin.alerts.remove({ id })
})

test('a destination that alert rules share is listed once, and a change or removal applies to every rule', async () => {
  const other = url.replace('/hook', '/other')
  const made = async (name: string, places: readonly string[]) =>
    (
      await admin.alerts.create({
        ...RULE,
        name,
        threshold: 1_000,
        destinations: places.map((place) => ({ kind: 'chat' as const, url: place })),
      })
    ).id
  const ids = [await made('One', [`${url}/secret`]), await made('Two', [`${url}/secret`, other])]
  const mine = async () =>
    (await admin.destinations.list()).flatMap(({ rules, ...place }) => {
      const names = rules.filter(({ id }) => ids.includes(id)).map(({ name }) => name)
      return names.length === 0 ? [] : [{ ...place, names }]
    })
  const before = await mine()
  expect(before.map(({ names }) => names).toSorted()).toEqual([['One', 'Two'], ['Two']])
  expect(JSON.stringify(before)).not.toContain('secret')
  const both = before.find(({ names }) => names.length === 2)?.id ?? ''
  received.length = 0
  status = 200
  expect(await admin.destinations.test({ id: both })).toMatchObject({ why: null })
  expect(received[0]?.body).toContain('This is a test')
  await admin.destinations.change({ id: both, destination: { kind: 'chat', url: other } })
  const [after, ...none] = await mine()
  expect([after?.names, none]).toEqual([['One', 'Two'], []])
  await admin.destinations.remove({ id: after?.id ?? '' })
  expect(await mine()).toEqual([])
  await expect(admin.destinations.test({ id: both })).rejects.toThrow('No alert rule uses')
  const webhook = { kind: 'webhook' as const, url }
  await admin.destinations.add({ destination: webhook, rules: ids })
  expect((await mine()).map(({ kind, names }) => [kind, names])).toEqual([
    ['webhook', ['One', 'Two']],
  ])
  for (const id of ids) await admin.alerts.remove({ id })
})
