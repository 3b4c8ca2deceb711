import { beforeAll, expect, test } from 'vitest'
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
  expect((await viewer.overview.get({})).steps).toMatchObject({ hasSession: false })
  const call: Draft = { type: 'tool.requested', data: { call_id: 'c', tool: 't', args: {} } }
  const running = await send([call, call, ...stop('blocked', 1)])
  await send([
    call,
    ...stop('allowed', 1),
    { type: 'session.ended', data: { reason: 'completed' } },
  ])
  await send([call], Date.now() - 30 * 3_600_000)

  const { figures, live, steps } = await viewer.overview.get({})
  expect(figures.callsDenied).toMatchObject({ value: 0, of: 3, previousOf: 1 })
  expect(figures.stopsBlocked).toMatchObject({ value: 1, of: 2, previousOf: 0 })
  expect(figures.stopsBlocked.series).toHaveLength(24)
  expect(figures.stopsBlocked.series.reduce((sum, { value }) => sum + value, 0)).toBe(1)
  expect(live.map(({ id }) => id)).toContain(running)
  expect(figures.liveSessions.value).toBe(2)
  expect(steps).toMatchObject({ hasSession: true, hasRelease: true, hasRuntime: false })
  const elsewhere = await viewer.overview.get({ environment: 'production' })
  expect(elsewhere.figures.callsDenied.of).toBe(0)
  expect(elsewhere.live).toEqual([])
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
  const { attention, releases } = await viewer.overview.get({})
  const [newest] = releases
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
})
