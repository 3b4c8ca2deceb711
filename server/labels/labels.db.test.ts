import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { readFilterText } from '@/server/platform/list/filter-grammar.ts'
import { SESSIONS } from '@/server/sessions/sessions.list.ts'
import {
  chained,
  createProjectCaller,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

type Caller = Awaited<ReturnType<typeof createProjectCaller>>

const session = newSessionId()
const STOP = 3
let project: TestProject
let ana: Caller
let viewer: Caller

beforeAll(async () => {
  project = await installed()
  ana = await createProjectCaller(project, 'editor')
  viewer = await createProjectCaller(project, 'viewer')
  const events = chained(session, [
    started({ ns: 'Upkeep', key: 'bot' }),
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    {
      type: 'stop.decided',
      data: {
        ...{ attempt: 1, verdict: 'allowed', prior_blocks: 0 },
        ...{ code: 'stop.all_checks_passed', params: {}, message: null, check: null },
      },
    },
  ])
  const sent = await api.fetch(eventsRequest(await makeKey(project), ndjson(events)))
  expect(sent.status).toBe(200)
})

const labels = (by: Caller) => by.labels.list({ sessionId: session })

test('a session and a stop of it are labeled, relabeled and cleared; the log does not change', async () => {
  const { prisma } = database()
  const hashes = () => prisma.sessionEvent.findMany({ select: { hash: true } })
  const before = await hashes()
  await ana.labels.set({ sessionId: session, seq: 0, label: 'good' })
  await ana.labels.set({ sessionId: session, seq: STOP, label: 'bad' })
  await ana.labels.set({ sessionId: session, seq: 0, label: 'bad' })
  expect(await labels(viewer)).toMatchObject([
    { seq: 0, label: 'bad', by: expect.any(String), at: expect.any(Number) },
    { seq: STOP, label: 'bad' },
  ])
  await ana.labels.set({ sessionId: session, seq: STOP, label: null })
  await ana.labels.set({ sessionId: session, seq: STOP, label: null })
  expect(await labels(viewer)).toMatchObject([{ seq: 0, label: 'bad' }])
  expect(await hashes()).toEqual(before)
  const entries = await prisma.auditEntry.findMany({
    where: { target: session, action: { startsWith: 'label.' } },
    orderBy: { id: 'asc' },
  })
  expect(entries.map(({ action }) => action).toSorted()).toEqual([
    ...['label.removed', 'label.set', 'label.set', 'label.set'],
  ])
})

test('a label names the decision of a call or stop; other events, missing ones and sessions of others are refused', async () => {
  const set = (seq: number) => ana.labels.set({ sessionId: session, seq, label: 'bad' })
  await expect(set(1)).rejects.toThrow('Event #1 (session.started) decides nothing.')
  await expect(set(99)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const stranger = await createProjectCaller(await otherProject(), 'admin')
  await expect(labels(stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

const put = (key: string, body: object) =>
  api.fetch(
    new Request(`http://test.local/api/manage/v1/sessions/${session}/labels`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

test('a key labels sessions of its environment only, and is never the key of an agent', async () => {
  const key = await makeKey(project, { scopes: ['labels:write'] })
  expect((await put(key, { seq: STOP, label: 'bad' })).status).toBe(200)
  const refused = await put(key, { seq: 1, label: 'bad' })
  expect(await refused.json()).toMatchObject({
    ...{ status: 422, errors: [{ pointer: '/seq', detail: expect.stringContaining('decides') }] },
  })
  const elsewhere = await makeKey(project, { scopes: ['labels:write'], environment: 'staging' })
  expect((await put(elsewhere, { seq: 0, label: 'good' })).status).toBe(404)
  const admin = await createProjectCaller(project, 'admin')
  const both = { name: 'agent', environment: 'dev', scopes: ['ingest', 'labels:write'] as const }
  await expect(
    admin.keys.create({ ...both, scopes: [...both.scopes], expiresAt: null }),
  ).rejects.toThrow('an agent could praise its own sessions')
})

test('the sessions list is filtered by label', async () => {
  const other = newSessionId()
  const sent = chained(other, [started({ ns: 'Upkeep', key: 'bot' })])
  expect((await api.fetch(eventsRequest(await makeKey(project), ndjson(sent)))).status).toBe(200)
  const find = async (text: string) => {
    const { terms } = readFilterText(text, SESSIONS.grammar)
    return (await viewer.sessions.list({ filter: { terms } })).rows.map(({ id }) => id)
  }
  await ana.labels.set({ sessionId: session, seq: 0, label: null })
  await ana.labels.set({ sessionId: session, seq: STOP, label: 'bad' })
  await ana.labels.set({ sessionId: other, seq: 0, label: 'good' })
  expect(await find('label:bad')).toEqual([session])
  expect(await find('label:good')).toEqual([other])
  expect(await find('label:none')).toEqual([])
})
