// Lists, header and index of sessions, as the console's router answers them.
import type { SessionEvent } from '@signalbox/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { database } from '../db/client.ts'
import { withTestDatabase } from '../db/test-database.ts'
import { postEvents } from '../http/ingest-events.ts'
import {
  callerOf,
  chained,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
  type TestProject,
} from '../test/installation.ts'

withTestDatabase()

const AT = 1_795_000_000_000
const note: Draft = { type: 'note', data: { text: 'n' } }
const ended: Draft = { type: 'session.ended', data: { reason: 'completed' } }

let project: TestProject
let key: string
let caller: Awaited<ReturnType<typeof callerOf>>

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
  caller = await callerOf(project, 'viewer')
})

async function send(events: readonly SessionEvent[], by = key): Promise<void> {
  const response = await postEvents(eventsRequest(by, ndjson(events)))
  expect(response.status).toBe(200)
}

/** Returns the id of a session of prompt `list/<prompt>`. */
async function session(
  prompt: string,
  options: { readonly at?: number; readonly drafts?: readonly Draft[]; readonly by?: string } = {},
): Promise<string> {
  const id = newSessionId()
  const drafts = [started({ ns: 'list', key: prompt }), ...(options.drafts ?? [note])]
  await send(chained(id, drafts, { at: options.at ?? AT }), options.by)
  return id
}

const promptOf = (name: string) => ({ ns: 'list', key: name })

async function everyId(prompt: string, limit: number): Promise<readonly string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof caller.sessions.list>> = await caller.sessions.list({
      filter: { prompt: promptOf(prompt) },
      cursor,
      limit,
    })
    ids.push(...page.sessions.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  return ids
}

describe('the list', () => {
  test('pages hold every session once, newest first, also when starts are equal', async () => {
    const ids: string[] = []
    for (const offset of [3, 1, 1, 1, 2]) ids.push(await session('pages', { at: AT + offset * 7 }))
    const listed = await everyId('pages', 2)
    expect([...listed].sort()).toEqual([...ids].sort())
    expect(listed[0]).toBe(ids[0])
    expect(listed[1]).toBe(ids[4])
  })

  test('a session that begins between two pages moves nothing', async () => {
    for (const offset of [1, 2, 3]) await session('moves', { at: AT + offset })
    const filter = { prompt: promptOf('moves') }
    const first = await caller.sessions.list({ filter, limit: 2 })
    await session('moves', { at: AT + 9 })
    const second = await caller.sessions.list({ filter, limit: 2, cursor: first.nextCursor })
    const ids = [...first.sessions, ...second.sessions].map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
  })

  test('status: running, ended, lost; silence alone is not lost while the runtime reports', async () => {
    const running = await session('status')
    const over = await session('status', { drafts: [ended] })
    const lost = await session('status')
    const quiet = await session('status')
    const { prisma } = database()
    const now = new Date()
    await prisma.runtime.create({
      data: {
        id: 'rt_quiet',
        projectId: project.projectId,
        environment: 'dev',
        apiKeyId: 'key',
        name: 'quiet',
        sdkVersion: '0',
        harness: {},
        prompts: [],
        capabilities: {},
        posture: 'deny',
        lastSeenAt: now,
        liveSessions: 1,
      },
    })
    const receivedAt = new Date(now.getTime() - 6 * 60_000)
    await prisma.session.update({ where: { id: lost }, data: { receivedAt } })
    await prisma.session.update({
      where: { id: quiet },
      data: { receivedAt, runtimeId: 'rt_quiet' },
    })
    const filter = { prompt: promptOf('status') }
    const rows = await caller.sessions.rows({ filter, ids: [running, over, lost, quiet] })
    expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
      [running]: 'running',
      [over]: 'ended',
      [lost]: 'lost',
      [quiet]: 'running',
    })
    const onlyLost = await caller.sessions.list({ filter: { ...filter, status: 'lost' } })
    expect(onlyLost.sessions.map(({ id }) => id)).toEqual([lost])
  })

  test('rows by id say whether they belong to the filtered list', async () => {
    const id = await session('matches', { drafts: [ended] })
    const prompt = promptOf('matches')
    const [row] = await caller.sessions.rows({ filter: { prompt, status: 'running' }, ids: [id] })
    expect(row).toMatchObject({ id, matches: false, status: 'ended', endReason: 'completed' })
  })

  test.each([
    ['environment', { environment: 'production' }],
    ['verdict', { verdict: 'denied' }],
    ['status', { status: 'ended' }],
  ] as const)('a filter by %s leaves out what does not match', async (name, filter) => {
    await session(`filter-${name}`)
    const page = await caller.sessions.list({
      filter: { ...filter, prompt: promptOf(`filter-${name}`) },
    })
    expect(page.sessions).toEqual([])
  })
})

describe('one session', () => {
  test('the index gives what follows a sequence number, gaps and all', async () => {
    const id = newSessionId()
    const events = chained(id, [started(promptOf('index')), note, note, note, note], { at: AT })
    await send(events.filter(({ seq }) => seq !== 3))
    const all = await caller.sessions.index({ sessionId: id, afterSeq: 0 })
    expect(all.map(([seq]) => seq)).toEqual([1, 2, 4, 5])
    expect(all[0]).toEqual([1, AT, 'session.started', null, null, 'list/index in dev', null, null])
    const page = await caller.sessions.index({ sessionId: id, afterSeq: 2, limit: 1 })
    expect(page.map(([seq]) => seq)).toEqual([4])
    expect(await caller.sessions.head({ sessionId: id })).toMatchObject({
      contiguousSeq: 2,
      maxSeq: 5,
    })
  })

  test('payloads come with the id and hash of their event', async () => {
    const id = await session('payload')
    const [first] = await caller.sessions.events({ sessionId: id, seqs: [2, 99] })
    expect(first).toMatchObject({
      id: `evt_${id.slice(5)}_2`,
      type: 'note',
      data: JSON.stringify({ text: 'n' }, null, 2),
      audit: null,
    })
    expect(first?.hash).toMatch(/^[0-9a-f]{64}$/)
  })
})

test('another project sees nothing of it', async () => {
  const id = await session('private')
  const stranger = await callerOf(await otherProject(), 'admin')
  const sessionId = id
  expect((await stranger.sessions.list({ filter: {} })).sessions).toEqual([])
  expect(await stranger.sessions.rows({ filter: {}, ids: [id] })).toEqual([])
  expect(await stranger.sessions.prompts()).toEqual([])
  expect(await stranger.sessions.index({ sessionId, afterSeq: 0 })).toEqual([])
  const missing = { code: 'NOT_FOUND' }
  await expect(stranger.sessions.head({ sessionId })).rejects.toMatchObject(missing)
  await expect(stranger.sessions.events({ sessionId, seqs: [1] })).rejects.toMatchObject(missing)
  await expect(stranger.sessions.state({ sessionId, seq: 1 })).rejects.toMatchObject(missing)
})
