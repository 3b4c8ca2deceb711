import type { SessionEvent } from '@signalbox/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { readGrouped } from '@/server/platform/sql/rows.ts'
import {
  chained,
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  makePerson,
  ndjson,
  newSessionId,
  otherProject,
  signedIn,
  started,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

const AT = 1_795_000_000_000
const note: Draft = { type: 'note', data: { text: 'n' } }
const ended: Draft = { type: 'session.ended', data: { reason: 'completed' } }

let project: TestProject
let key: string
let caller: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
  caller = await createProjectCaller(project, 'viewer')
})

async function send(events: readonly SessionEvent[], by = key): Promise<void> {
  const response = await api.fetch(eventsRequest(by, ndjson(events)))
  expect(response.status).toBe(200)
}

async function session(
  prompt: string,
  options: { readonly at?: number; readonly drafts?: readonly Draft[]; readonly by?: string } = {},
): Promise<string> {
  const id = newSessionId()
  const drafts = [started({ ns: 'list', key: prompt }), ...(options.drafts ?? [note])]
  await send(chained(id, drafts, { at: options.at ?? AT }), options.by)
  return id
}

const createListPrompt = (name: string) => ({ ns: 'list', key: name })

async function everyId(prompt: string, limit: number): Promise<readonly string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof caller.sessions.list>> = await caller.sessions.list({
      filter: { prompt: createListPrompt(prompt) },
      cursor,
      limit,
    })
    ids.push(...page.rows.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  return ids
}

describe('the sessions list', () => {
  test('the sessions list has every session once over all pages, newest first, even with equal start times', async () => {
    const ids: string[] = []
    for (const offset of [3, 1, 1, 1, 2]) ids.push(await session('pages', { at: AT + offset * 7 }))
    const listed = await everyId('pages', 2)
    expect([...listed].sort()).toEqual([...ids].sort())
    expect(listed[0]).toBe(ids[0])
    expect(listed[1]).toBe(ids[4])
  })

  test('the sessions list does not move a row when a session begins between two pages', async () => {
    for (const offset of [1, 2, 3]) await session('moves', { at: AT + offset })
    const filter = { prompt: createListPrompt('moves') }
    const first = await caller.sessions.list({ filter, limit: 2 })
    await session('moves', { at: AT + 9 })
    const second = await caller.sessions.list({ filter, limit: 2, cursor: first.nextCursor })
    const ids = [...first.rows, ...second.rows].map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
  })

  test('shows under "mine" the sessions of a key that the user created', async () => {
    const [mine] = [await session('mine'), await session('mine')]
    const { prisma } = database()
    const { userId: createdBy } = await caller.members.me()
    const { projectId } = project
    const { id: apiKeyId } = await prisma.apiKey.findFirstOrThrow({ where: { projectId } })
    const filter = { prompt: createListPrompt('mine'), mine: true }
    const listed = async () => (await caller.sessions.list({ filter })).rows.map(({ id }) => id)
    expect(await listed()).toEqual([])
    await prisma.apiKey.update({ where: { id: apiKeyId }, data: { createdBy } })
    const facts = { name: 'mine', sdkVersion: '0', harness: {}, prompts: [], capabilities: {} }
    const at = { projectId, environment: 'dev', apiKeyId, posture: 'deny' }
    await prisma.runtime.create({ data: { id: 'rt_mine', ...at, ...facts } })
    await prisma.session.update({ where: { id: mine }, data: { runtimeId: 'rt_mine' } })
    expect(await listed()).toEqual([mine])
  })

  test('the sessions list has the status running, ended or lost, and a silent session is not lost while its runtime reports it', async () => {
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
    const filter = { prompt: createListPrompt('status') }
    const rows = await caller.sessions.rows({ filter, ids: [running, over, lost, quiet] })
    expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
      [running]: 'running',
      [over]: 'ended',
      [lost]: 'lost',
      [quiet]: 'running',
    })
    const onlyLost = await caller.sessions.list({ filter: { ...filter, status: 'lost' } })
    expect(onlyLost.rows.map(({ id }) => id)).toEqual([lost])
  })

  test('shows a running session as working, waiting, blocked or silent, based on its log and runtime', async () => {
    const { prisma } = database()
    const now = Date.now()
    const reporting = {
      id: 'rt_works',
      projectId: project.projectId,
      environment: 'dev',
      apiKeyId: 'key',
      name: 'works',
      sdkVersion: '0',
      harness: {},
      prompts: [],
      capabilities: {},
      posture: 'deny',
      lastSeenAt: new Date(now),
      liveSessions: 1,
    }
    await prisma.runtime.create({ data: reporting })
    const request: Draft = {
      type: 'tool.requested',
      data: { call_id: 'c1', tool: 'list_files', args: {} },
    }
    const result: Draft = {
      type: 'tool.invoked',
      data: { call_id: 'c1', tool: 'list_files', outcome: 'success' },
    }
    const stop = (verdict: 'blocked' | 'allowed'): readonly Draft[] => [
      { type: 'stop.attempted', data: { via: 'turn_end' } },
      {
        type: 'stop.decided',
        data: {
          verdict,
          attempt: 1,
          prior_blocks: 0,
          code: 'none',
          params: {},
          message: null,
          check: null,
        },
      },
    ]
    const cases = {
      calls: [request],
      called: [request, result],
      blocked: stop('blocked'),
      'goes on': [...stop('blocked'), request, result],
      'turn over': stop('allowed'),
      'lease out': [{ type: 'lease.expired', data: { message: 'm1' } }],
    } as const satisfies Record<string, readonly Draft[]>
    const ids = new Map<string, string>()
    for (const [name, drafts] of Object.entries(cases)) {
      ids.set(await session('activity', { drafts }), name)
    }
    const filter = { prompt: createListPrompt('activity') }
    const read = async (): Promise<Readonly<Record<string, string>>> => {
      const rows = await caller.sessions.rows({ filter, ids: [...ids.keys()] })
      return Object.fromEntries(
        rows.map(({ id, status, activity }) => [ids.get(id) ?? '', activity ?? status]),
      )
    }
    const settled = { blocked: 'blocked', 'turn over': 'waiting' }
    expect(await read()).toEqual({
      ...settled,
      calls: 'working',
      called: 'working',
      'goes on': 'working',
      'lease out': 'working',
    })
    const among = { where: { id: { in: [...ids.keys()] } } }
    await prisma.session.updateMany({ ...among, data: { receivedAt: new Date(now - 90_000) } })
    expect(await read()).toEqual({
      ...settled,
      calls: 'unknown',
      called: 'unknown',
      'goes on': 'unknown',
      'lease out': 'lost',
    })
    await prisma.session.updateMany({ ...among, data: { runtimeId: 'rt_works' } })
    expect(await read()).toEqual({
      ...settled,
      calls: 'working',
      called: 'silent',
      'goes on': 'silent',
      'lease out': 'lost',
    })
    const silent = await caller.sessions.list({ filter: { ...filter, status: 'silent' } })
    expect(silent.rows.map(({ id }) => ids.get(id)).sort()).toEqual(['called', 'goes on'])
    // The activity before the newest event is unknown while events are missing.
    await prisma.session.updateMany({ ...among, data: { maxSeq: 99 } })
    expect(await read()).toMatchObject({
      blocked: 'silent',
      calls: 'silent',
      'lease out': 'silent',
    })
  })

  test('ordered by most denials has only sessions with denials', async () => {
    const { prisma } = database()
    const ids: string[] = []
    for (const denied of [3, 0, 7, 3, 1]) {
      const id = await session('denials')
      await prisma.session.update({ where: { id }, data: { denied } })
      ids.push(id)
    }
    const filter = { prompt: createListPrompt('denials') }
    const listed: number[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof caller.sessions.list>> = await caller.sessions.list({
        filter,
        cursor,
        order: 'denied',
        limit: 1,
      })
      listed.push(...page.rows.map(({ denied }) => denied))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(listed).toEqual([7, 3, 3, 1])
    expect(await caller.sessions.total({ filter })).toBe(5)
  })

  test('names the filter term that hides the most rows first', async () => {
    await session('narrow')
    await session('narrow')
    const filter = {
      prompt: createListPrompt('narrow'),
      status: 'lost',
      environment: 'dev',
    } as const
    expect((await caller.sessions.list({ filter })).rows).toEqual([])
    const [most] = await caller.sessions.narrowings({ filter })
    expect(most).toEqual({ part: 'status', without: 2 })
  })

  test('matches words literally, and excludes sessions that began outside the range', async () => {
    const id = await session('a_sure', { at: AT + 5_000 })
    const listed = async (filter: object) =>
      (await caller.sessions.list({ filter })).rows.map((row) => row.id)
    expect(await listed({ q: 'A_sure list/' })).toEqual([id])
    expect(await listed({ q: 'list/__sure' })).toEqual([])
    const q = 'a_sure'
    expect(await listed({ q, since: AT + 5_000, until: AT + 5_001 })).toEqual([id])
    expect(await listed({ q, until: AT + 5_000 })).toEqual([])
  })

  test('the sessions list is exported completely and in its order, as JSONL and CSV', async () => {
    for (const offset of [1, 2, 3]) await session('export', { at: AT + offset })
    const headers = await signedIn(await makePerson(project, 'viewer'))
    const read = async (format: string): Promise<string> => {
      const filter = JSON.stringify({ prompt: createListPrompt('export') })
      const query = new URLSearchParams({ format, filter })
      const url = `http://127.0.0.1:3000/api/export/sessions?${query.toString()}`
      return await (await api.fetch(new Request(url, { headers }))).text()
    }
    const lines = (await read('jsonl')).trim().split('\n')
    const starts = lines.map((line): { started_at: string } => JSON.parse(line))
    expect(starts.map(({ started_at: at }) => Date.parse(at) - AT)).toEqual([3, 2, 1])
    const csv = await read('csv')
    expect(csv.trim().split('\r\n')).toHaveLength(4)
    expect(csv).toMatch(/^session,environment,prompt,status,activity,/)
  })

  test('returns rows by id, flagged as matching or not matching the filter', async () => {
    const id = await session('matches', { drafts: [ended] })
    const prompt = createListPrompt('matches')
    const [row] = await caller.sessions.rows({ filter: { prompt, status: 'running' }, ids: [id] })
    expect(row).toMatchObject({ id, matches: false, status: 'ended', endReason: 'completed' })
  })

  test('finds the sessions whose last stop could not be evaluated', async () => {
    const prompt = createListPrompt('stop-error')
    const stop = (verdict: 'error' | 'allowed'): readonly Draft[] => [
      { type: 'stop.attempted', data: { via: 'turn_end' } },
      {
        type: 'stop.decided',
        data: {
          ...{ verdict, attempt: 1, prior_blocks: 0 },
          ...{ code: 'none', params: {}, message: null, check: null },
        },
      },
    ]
    const failed = await session('stop-error', { drafts: stop('error') })
    await session('stop-error', { drafts: stop('allowed') })
    const page = await caller.sessions.list({ filter: { prompt, verdict: 'error' } })
    expect(page.rows.map(({ id }) => id)).toEqual([failed])
  })

  test.each([
    ['environment', { environment: 'production' }],
    ['verdict', { verdict: 'denied' }],
    ['status', { status: 'ended' }],
  ] as const)('excludes every row that does not match a filter by %s', async (name, filter) => {
    await session(`filter-${name}`)
    const page = await caller.sessions.list({
      filter: { ...filter, prompt: createListPrompt(`filter-${name}`) },
    })
    expect(page.rows).toEqual([])
  })
})

describe('one stored session', () => {
  test('returns the index after a sequence number, including gaps', async () => {
    const id = newSessionId()
    const events = chained(id, [started(createListPrompt('index')), note, note, note, note], {
      at: AT,
    })
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

  test('returns payloads with the id and the hash of their event', async () => {
    const id = await session('payload')
    const [first] = await caller.sessions.events({ sessionId: id, seqs: [2, 99] })
    expect(first).toMatchObject({
      id: `evt_${id.slice(5)}_2`,
      type: 'note',
      data: JSON.stringify({ text: 'n' }, null, 2),
    })
    expect(first?.hash).toMatch(/^[0-9a-f]{64}$/)
  })
})

test('a connection lost during a grouped read is reported, and the next read works', async () => {
  const dying = readGrouped('SELECT pg_terminate_backend(pg_backend_pid())', [])
  await expect(dying).rejects.toThrow('terminating connection')
  expect(await readGrouped('SELECT 1 AS one', [])).toEqual([{ one: 1 }])
})

test('another project sees no sessions of the first', async () => {
  const id = await session('private')
  const stranger = await createProjectCaller(await otherProject(), 'admin')
  const sessionId = id
  expect((await stranger.sessions.list({ filter: {} })).rows).toEqual([])
  expect(await stranger.sessions.rows({ filter: {}, ids: [id] })).toEqual([])
  expect(await stranger.sessions.prompts()).toEqual([])
  expect(await stranger.sessions.index({ sessionId, afterSeq: 0 })).toEqual([])
  const missing = { code: 'NOT_FOUND' }
  await expect(stranger.sessions.head({ sessionId })).rejects.toMatchObject(missing)
  await expect(stranger.sessions.events({ sessionId, seqs: [1] })).rejects.toMatchObject(missing)
  await expect(stranger.sessions.fold({ sessionId, seq: 1, toSeq: 2 })).rejects.toMatchObject(
    missing,
  )
})
