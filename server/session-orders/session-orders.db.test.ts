import { openSessionOrder } from '@signalbox/wire'
import { beforeAll, expect, test } from 'vitest'
import { bundlePublicKey } from '@/server/bundles/signing-seed.ts'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { findSessionHead } from '@/server/sessions/session-head.sql.ts'
import {
  chained,
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

let project: TestProject
let key: string

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
})

async function post(path: string, body: object) {
  const response = await api.fetch(
    new Request(`http://127.0.0.1:3000/api/runtime/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    }),
  )
  return await response.json()
}

async function register(): Promise<string> {
  const { runtime_id, orders } = await post('register', {
    ...{ name: 'worker', sdk_version: '0.1.0', harness: { name: 'library' }, posture: 'deny' },
    ...{ prompts: ['team/agent'], now: Date.now() },
    capabilities: { policies: [], feedback_providers: [], checkers: [] },
  })
  expect(orders).toBe(true)
  return runtime_id
}

async function beat(runtime: string, takesOrders = true, moved: readonly string[] = []) {
  const { orders } = await post('heartbeat', {
    ...{ runtime_id: runtime, now: Date.now(), applied: null, rejected: null },
    ...{ live_sessions: 1, spooled_events: 0 },
    ...(takesOrders ? { orders: true } : {}),
    ...(moved.length > 0 ? { moved_sessions: moved } : {}),
  })
  const publicKey = await bundlePublicKey(project.projectId)
  return orders.map((signed: { text: string; signature: string }) =>
    openSessionOrder(signed, [publicKey]),
  )
}

async function store(session: string, drafts: readonly Draft[]): Promise<void> {
  const response = await api.fetch(eventsRequest(key, ndjson(chained(session, drafts))))
  expect(response.status).toBe(200)
}

const begun = (runtime: string): Draft => ({
  type: 'session.started',
  data: { ns: 'team', key: 'agent', environment: 'dev', harness: { name: 'test' }, runtime },
})

const controlled = (action: 'pause' | 'end', counter: number): Draft => ({
  type: 'session.controlled',
  data: { action, by: 'Mira', reason: 'It loops.', counter },
})

async function readOrderName(sessionId: string): Promise<string | undefined> {
  const order = await database().prisma.sessionOrder.findFirst({ where: { sessionId } })
  return order?.orderedName
}

async function runningSession() {
  const runtime = await register()
  await beat(runtime)
  const session = newSessionId()
  await store(session, [begun(runtime)])
  return { runtime, session }
}

test('an order is signed for its session in the answer to the next heartbeat, until its event is stored', async () => {
  const { runtime, session } = await runningSession()
  const { sessionOrders } = await createProjectCaller(project, 'admin')
  const given = await sessionOrders.give({
    sessionId: session,
    action: 'pause',
    reason: 'It loops.',
  })
  expect(given).toMatchObject({ counter: 1, isReachable: true })
  const sent = { session, counter: 1, action: 'pause', reason: 'It loops.' }
  expect(await beat(runtime)).toMatchObject([sent])
  expect(await beat(runtime)).toMatchObject([sent])
  expect(await beat(await register())).toEqual([])
  expect(await sessionOrders.control({ sessionId: session })).toMatchObject({
    ...{ state: 'running', recorded: null, pending: { action: 'pause' }, obstacle: null },
  })
  await store(session, [begun(runtime), controlled('pause', 1)])
  expect(await beat(runtime)).toEqual([])
  expect(await sessionOrders.control({ sessionId: session })).toMatchObject({
    ...{ state: 'paused', recorded: { action: 'pause', reason: 'It loops.' }, pending: null },
  })
  const audit = await database().prisma.auditEntry.findFirst({
    where: { projectId: project.projectId, action: 'session.pause_ordered', target: session },
  })
  expect(audit?.after).toMatchObject({ environment: 'dev', counter: 1, reason: 'It loops.' })
})

test('orders go to the runtime that resumed the session, and other keys cannot take it', async () => {
  const { runtime, session } = await runningSession()
  const { sessionOrders } = await createProjectCaller(project, 'admin')
  await sessionOrders.give({ sessionId: session, action: 'pause', reason: 'It loops.' })
  const second = await register()
  const sent = { session, counter: 1, action: 'pause' }
  expect(await beat(second, true, [session])).toMatchObject([sent])
  expect(await beat(runtime)).toEqual([])
  await store(session, [begun(runtime), { type: 'note', data: { text: 'Resumed.' } }])
  expect(await beat(second)).toMatchObject([sent])
  const own = key
  key = await makeKey(project, { environment: 'staging' })
  await beat(await register(), true, [session])
  key = own
  expect(await beat(second)).toMatchObject([sent])
})

test('a newer order replaces one that did not arrive, and nothing follows an end', async () => {
  const { runtime, session } = await runningSession()
  const { sessionOrders } = await createProjectCaller(project, 'admin')
  const give = (action: 'pause' | 'resume' | 'end') =>
    sessionOrders.give({ sessionId: session, action, reason: 'It loops.' })
  await expect(give('resume')).rejects.toThrow('The session is not paused.')
  await give('pause')
  await expect(give('pause')).rejects.toThrow('has paused this session')
  await give('resume')
  expect(await beat(runtime)).toMatchObject([{ action: 'resume', counter: 2 }])
  await give('end')
  expect(await beat(runtime)).toMatchObject([{ action: 'end', counter: 3 }])
  await expect(give('resume')).rejects.toThrow('has ended this session')
  const readEndedBy = async () => (await findSessionHead(project.projectId, session))?.endedBy
  expect(await readEndedBy()).toBeNull()
  await store(session, [begun(runtime), controlled('end', 3)])
  expect(await readEndedBy()).toBe(await readOrderName(session))
})

test('sessions that a crash ended do not keep an order from a session that reports', async () => {
  const { runtime, session } = await runningSession()
  const { sessionOrders } = await createProjectCaller(project, 'admin')
  const pause = (sessionId: string) =>
    sessionOrders.give({ sessionId, action: 'pause', reason: 'It loops.' })
  for (let more = 0; more < 20; more++) {
    const lost = newSessionId()
    await store(lost, [begun(runtime)])
    await pause(lost)
  }
  await pause(session)
  await store(session, [begun(runtime), { type: 'note', data: { text: 'I am here.' } }])
  const orders = await beat(runtime)
  expect(orders).toHaveLength(20)
  expect(orders).toContainEqual(expect.objectContaining({ session }))
})

test('a key that an agent may have pauses its session and does not resume it', async () => {
  const { session } = await runningSession()
  const order = async (by: string, action: string) => {
    const address = `http://127.0.0.1:3000/api/manage/v1/sessions/${session}/orders`
    const headers = { authorization: `Bearer ${by}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ action, reason: 'It loops.' })
    return (await api.fetch(new Request(address, { method: 'POST', headers, body }))).status
  }
  const agent = await makeKey(project, { scopes: ['ingest', 'publish'] })
  expect([await order(agent, 'pause'), await order(agent, 'resume')]).toEqual([201, 403])
  const other = await makeKey(project, { scopes: ['publish'] })
  expect(await order(other, 'resume')).toBe(201)
})

test('an order that expired, or whose session ended, is no longer sent', async () => {
  const { runtime, session } = await runningSession()
  const { sessionOrders } = await createProjectCaller(project, 'admin')
  const order = { sessionId: session, action: 'pause', reason: 'It loops.' } as const
  await sessionOrders.give(order)
  await database().prisma.sessionOrder.updateMany({
    where: { sessionId: session },
    data: { expiresAt: new Date(Date.now() - 1) },
  })
  expect(await beat(runtime)).toEqual([])
  expect(await sessionOrders.control({ sessionId: session })).toMatchObject({ pending: null })
  expect(await sessionOrders.give(order)).toMatchObject({ counter: 2 })
  await store(session, [begun(runtime), { type: 'session.ended', data: { reason: 'completed' } }])
  expect(await beat(runtime)).toEqual([])
  await expect(sessionOrders.give(order)).rejects.toThrow('The session has ended.')
})

test('a runtime that takes no orders is named as the obstacle, and a silent one is not reachable', async () => {
  const { runtime, session } = await runningSession()
  const { sessionOrders } = await createProjectCaller(project, 'admin')
  await beat(runtime, false)
  const order = { sessionId: session, action: 'pause', reason: 'It loops.' } as const
  await expect(sessionOrders.give(order)).rejects.toThrow('takes no orders yet')
  await beat(runtime)
  await database().prisma.runtime.update({
    where: { id: runtime },
    data: { lastSeenAt: new Date(Date.now() - 60_000) },
  })
  expect(await sessionOrders.give(order)).toMatchObject({ isReachable: false })
})

test('of two orders at the same moment one is given, and the other is refused', async () => {
  const { session } = await runningSession()
  const { sessionOrders } = await createProjectCaller(project, 'admin')
  const order = { sessionId: session, action: 'pause', reason: 'It loops.' } as const
  const both = await Promise.allSettled([sessionOrders.give(order), sessionOrders.give(order)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})
