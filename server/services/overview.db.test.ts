import { beforeAll, expect, test } from 'vitest'
import { database } from '../db/client.ts'
import { withTestDatabase } from '../db/test-database.ts'
import { postHeartbeat } from '../http/heartbeat.ts'
import { postEvents } from '../http/ingest-events.ts'
import { postRegister } from '../http/register.ts'
import {
  callerOf,
  chained,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  started,
  type TestProject,
} from '../test/installation.ts'

withTestDatabase()

const BROKEN = { brokenPosition: 1, brokenEntryId: 'aud_1', brokenReason: 'changed' }

let project: TestProject
let key: string

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
})

function stop(verdict: 'allowed' | 'blocked', attempt: number): readonly Draft[] {
  return [
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    {
      type: 'stop.decided',
      data: {
        attempt,
        verdict,
        prior_blocks: attempt - 1,
        code: 'plan.open_steps',
        params: { open: 1, total: 2 },
        message: null,
        check: null,
      },
    },
  ]
}

async function send(drafts: readonly Draft[], at = Date.now()): Promise<string> {
  const session = newSessionId()
  const events = chained(session, [started({ ns: 'a', key: 'b' }), ...drafts], { at })
  expect((await postEvents(eventsRequest(key, ndjson(events)))).status).toBe(200)
  return session
}

function post(path: string, body: object): Request {
  return new Request(`http://127.0.0.1:3000/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
}

test('figures count today and yesterday apart, and name what runs now', async () => {
  const viewer = await callerOf(project, 'viewer')
  expect(await viewer.overview.steps()).toMatchObject({ hasSession: false })
  const call: Draft = { type: 'tool.requested', data: { call_id: 'c', tool: 't', args: {} } }
  const running = await send([call, call, ...stop('blocked', 1)])
  await send([
    call,
    ...stop('allowed', 1),
    { type: 'session.ended', data: { reason: 'completed' } },
  ])
  await send([call], Date.now() - 30 * 3_600_000)

  const figures = await viewer.overview.figures({})
  expect(figures.callsDenied).toMatchObject({ value: 0, of: 3, previousOf: 1 })
  expect(figures.stopsBlocked).toMatchObject({ value: 1, of: 2, previousOf: 0 })
  expect(figures.stopsBlocked.series).toHaveLength(24)
  expect(figures.stopsBlocked.series.reduce((sum, { value }) => sum + value, 0)).toBe(1)
  const live = await viewer.sessions.list({ filter: { status: 'running' } })
  expect(live.sessions.map(({ id }) => id)).toContain(running)
  expect(figures.liveSessions.value).toBe(2)
  expect(await viewer.overview.steps()).toMatchObject({
    hasSession: true,
    hasRelease: true,
    hasRuntime: false,
  })
  const elsewhere = await viewer.overview.figures({ environment: 'production' })
  expect(elsewhere.callsDenied.of).toBe(0)
})

test('a session blocked three times, one with a breach and a runtime that refuses the version ask for attention', async () => {
  const viewer = await callerOf(project, 'viewer')
  const session = await send([1, 2, 3].flatMap((attempt) => stop('blocked', attempt)))
  const registered = await postRegister(
    post('register', {
      name: 'worker-2',
      sdk_version: '0.1.0',
      harness: { name: 'x' },
      prompts: [],
      capabilities: { policies: [], feedback_providers: [], checkers: [] },
      posture: 'deny',
      now: Date.now(),
    }),
  )
  const { runtime_id: id } = (await registered.json()) as { runtime_id: string }
  await postHeartbeat(
    post('heartbeat', {
      runtime_id: id,
      now: Date.now(),
      applied: null,
      rejected: { revision: 1, reason: 'unknown checker type' },
      live_sessions: 0,
      spooled_events: 0,
    }),
  )
  const lapse: Draft = {
    type: 'enforcement.lapsed',
    data: { code: 'guard_timeout', detail: 'No answer within 5 s.' },
  }
  const breached = await send([lapse, lapse])
  const attention = await viewer.overview.attention({})
  const [newest] = await viewer.overview.releases({})
  expect(attention).toMatchObject([
    {
      kind: 'runtime_rejected',
      runtimeId: id,
      reason: 'unknown checker type',
      releaseId: newest?.id,
    },
    { kind: 'session_breached', sessionId: breached, breachCount: 2 },
    { kind: 'session_blocked', sessionId: session, stopsBlocked: 3 },
  ])

  for (let count = 0; count < 7; count++) await send([lapse])
  const kinds = (await viewer.overview.attention({})).map(({ kind }) => kind)
  expect(kinds).toHaveLength(7)
  expect(kinds.at(0)).toBe('runtime_rejected')
  // Many of one kind hide none of another.
  expect(kinds.at(-1)).toBe('session_blocked')
})

test('a rise of denials since a release, and a broken chain for those who may read it, ask for attention', async () => {
  const [admin, viewer] = [await callerOf(project, 'admin'), await callerOf(project, 'viewer')]
  const { prisma } = database()
  const release = await prisma.release.findFirstOrThrow({ orderBy: { createdAt: 'desc' } })
  const at = release.createdAt.getTime()
  const minute = (offset: number, denied: number) => ({
    ...{ projectId: project.projectId, environment: 'dev', calls: 100, denied },
    minute: new Date(Math.floor((at + offset) / 60_000) * 60_000),
  })
  await prisma.minuteCount.deleteMany()
  await prisma.release.update({
    where: { id: release.id },
    data: { createdAt: new Date(at - 3_600_000) },
  })
  await prisma.minuteCount.createMany({ data: [minute(-7_200_000, 2), minute(-600_000, 8)] })
  const attention = await viewer.overview.attention({})
  const figures = await viewer.overview.figures({})
  const rose = attention.find(({ kind }) => kind === 'denials_rose')
  expect(rose).toMatchObject({ releaseId: release.id, before: 0.02, after: 0.08 })
  expect(figures.callsDenied.since).toMatchObject({ before: 0.02, after: 0.08 })

  await prisma.auditChain.upsert({
    where: { projectId: project.projectId },
    create: { projectId: project.projectId, headPosition: 1, headHash: 'x', ...BROKEN },
    update: BROKEN,
  })
  expect((await viewer.overview.attention({})).map(({ kind }) => kind)).not.toContain(
    'audit_broken',
  )
  const [first] = await admin.overview.attention({})
  expect(first).toMatchObject({ kind: 'audit_broken', position: 1 })
})

test('a draft that rests on an older version than runs asks for the attention of who wrote it', async () => {
  const place = { ns: 'demo', key: 'release-notes' }
  const editor = await callerOf(project, 'editor')
  const { draft } = await editor.drafts.open(place)
  const drafts = async (caller: typeof editor) =>
    (await caller.overview.attention({})).filter(({ kind }) => kind === 'draft_behind')
  expect(draft).toBeNull()
  const saved = await editor.drafts.save({ ...place, text: '{}', seen: null, baseVersion: null })
  expect(await drafts(editor)).toMatchObject([
    { ...place, environment: 'dev', base: null, live: 1 },
  ])
  expect(await drafts(await callerOf(project, 'editor'))).toEqual([])
  if (!saved.ok) throw new Error('The draft was not saved.')
  const seen = { ...place, id: saved.id, revision: saved.revision }
  await editor.drafts.rebase({ ...seen, baseVersion: 1 })
  expect(await drafts(editor)).toEqual([])
})
