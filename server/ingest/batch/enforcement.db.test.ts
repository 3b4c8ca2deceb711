import type { RecordedCapabilities, SessionEvent } from '@signalbox/core'
import { beforeAll, describe, expect, test } from 'vitest'
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
} from '@/server/test/installation.ts'
import { firstRelease, type Release, recordedSession } from '@/server/test/recorded-session.ts'
import { forgetLiveState } from '../live-states.ts'

withTestDatabase()

const AT = 1_795_000_000_000

let key: string
let release: Release
let caller: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  const project = await installed()
  key = await makeKey(project)
  release = await firstRelease()
  caller = await createProjectCaller(project, 'viewer')
})

const CLOSED: RecordedCapabilities = {
  deny_reason: true,
  inject: 'message',
  block_stop: 'in_loop',
  max_blocks: 8,
  structured: 'before_accept',
  structured_attempts: null,
  failure: 'event',
  call_ids: true,
  batch: 'serial',
  on_guard_crash: 'closed',
  on_guard_timeout: 'closed',
  ungoverned: [],
}

const OPEN = { ...CLOSED, on_guard_crash: 'open', ungoverned: ['web\0search'] } as const

function opening(capabilities: RecordedCapabilities | null = null): Draft {
  const harness = { name: 'claude-code', version: '2.1.197' }
  const prompt = { ns: 'demo', key: 'release-notes', environment: 'dev', harness }
  return {
    type: 'session.started',
    data: capabilities === null ? prompt : { ...prompt, capabilities },
  }
}

const lapse: Draft = {
  type: 'enforcement.lapsed',
  data: { code: 'guard_unreachable', detail: 'The daemon was away.', tool: 'shell' },
}

const unasked: Draft = {
  type: 'tool.invoked',
  data: { call_id: 'never', tool: 'shell', outcome: 'success', facts: { files: {} } },
}

const ended: Draft = { type: 'session.ended', data: { reason: 'completed' } }

async function send(events: readonly SessionEvent[]): Promise<void> {
  const response = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(response.status).toBe(200)
}

function recorded(drafts: readonly Draft[]): readonly SessionEvent[] {
  return recordedSession({ session: newSessionId(), at: AT, release }, drafts)
}

async function storeDrafts(drafts: readonly Draft[]) {
  const events = recorded(drafts)
  await send(events)
  return { id: events[0]?.session ?? '', events }
}

const loadSessionHead = (sessionId: string) => caller.sessions.head({ sessionId })

describe('enforcement of a stored session', () => {
  const openings: readonly {
    readonly name: string
    readonly start: Draft
    readonly enforcement: string
    readonly sentences: readonly string[]
  }[] = [
    { name: 'in its own loop', start: opening(), enforcement: 'full', sentences: [] },
    {
      name: 'of a harness that denies on every failure',
      start: opening(CLOSED),
      enforcement: 'full',
      sentences: [],
    },
    {
      name: 'of a harness with gaps',
      start: opening(OPEN),
      enforcement: 'gap',
      sentences: [
        'A call goes ahead when the guard crashes',
        'Not covered by the guard: web\0search',
      ],
    },
  ]
  test.each(openings)(
    'is reported for a session $name',
    async ({ start, enforcement, sentences }) => {
      const { id } = await storeDrafts([start, ended])
      const head = await loadSessionHead(id)
      expect(head).toMatchObject({ enforcement, breachCount: 0 })
      expect(head.shortfalls.map(({ sentence }) => sentence)).toEqual(sentences)
      expect(head.harness).toEqual({ name: 'claude-code', version: '2.1.197' })
    },
  )

  test("is unknown until the session's start is stored", async () => {
    const events = recorded([opening(OPEN), ended])
    const id = events[0]?.session ?? ''
    await send(events.slice(1))
    expect(await loadSessionHead(id)).toMatchObject({ enforcement: 'unknown', shortfalls: [] })
    await send(events.slice(0, 1))
    expect(await loadSessionHead(id)).toMatchObject({ enforcement: 'gap' })
  })

  test('lists breaches with their events before the gaps', async () => {
    const { id, events } = await storeDrafts([opening(OPEN), lapse, unasked, ended])
    const head = await loadSessionHead(id)
    expect(head).toMatchObject({ enforcement: 'breach', breachCount: 2, anomalies: 1 })
    const findSeq = (type: string) => events.find((event) => event.type === type)?.seq
    expect(head.shortfalls.slice(0, 3)).toEqual([
      {
        code: 'breach.guard_unreachable',
        severity: 'breach',
        seq: findSeq('enforcement.lapsed'),
        sentence: 'The guard could not be reached (shell): The daemon was away',
      },
      {
        code: 'breach.result_without_request',
        severity: 'breach',
        seq: findSeq('tool.invoked'),
        sentence: 'shell ran without a decision',
      },
      expect.objectContaining({ code: 'gap.guard_crash', severity: 'gap', seq: null }),
    ])
  })

  test('keeps a breach that arrived before the start of the session', async () => {
    const events = recorded([opening(CLOSED), lapse])
    const id = events[0]?.session ?? ''
    await send(events.slice(1))
    expect(await loadSessionHead(id)).toMatchObject({ enforcement: 'breach' })
    await send(events.slice(0, 1))
    expect(await loadSessionHead(id)).toMatchObject({ enforcement: 'breach', breachCount: 1 })
  })

  test('counts a lapse even when earlier events are missing', async () => {
    const events = recorded([opening(), { type: 'note', data: { text: 'n' } }, lapse])
    await send(events.filter(({ type }) => type !== 'note'))
    expect(await loadSessionHead(events[0]?.session ?? '')).toMatchObject({ breachCount: 1 })
  })

  test('treats two requests of one call as an anomaly, not a breach', async () => {
    const asked: Draft = { type: 'tool.requested', data: { call_id: 'c', tool: 't', args: {} } }
    const { id } = await storeDrafts([opening(), asked, asked])
    expect(await loadSessionHead(id)).toMatchObject({
      anomalies: 1,
      enforcement: 'full',
      shortfalls: [],
    })
  })
})

describe('counts of breaches', () => {
  test.each([
    ['repeated', (events: readonly SessionEvent[]) => [...events, ...events]],
    ['backwards', (events: readonly SessionEvent[]) => [...events].reverse()],
    ['one by one, each twice', (events: readonly SessionEvent[]) => events.flatMap((e) => [e, e])],
  ])('are the same when events arrive %s and the server restarts', async (_, order) => {
    const drafts = [opening(OPEN), lapse, unasked, lapse, unasked, ended]
    const whole = await storeDrafts(drafts)
    const events = recorded(drafts)
    const id = events[0]?.session ?? ''
    for (const event of order(events)) {
      await send([event])
      forgetLiveState(id)
    }
    const { shortfalls, enforcement, anomalies } = await loadSessionHead(whole.id)
    expect(await loadSessionHead(id)).toMatchObject({
      shortfalls,
      enforcement,
      anomalies,
      breachCount: 4,
    })
  })

  test('include all breaches, and list the first fifty', async () => {
    const drafts = [opening(), ...Array.from({ length: 60 }, () => lapse)]
    const events = recorded(drafts)
    await send(events.slice(30))
    await send(events)
    const { breachCount, shortfalls } = await loadSessionHead(events[0]?.session ?? '')
    expect(breachCount).toBe(60)
    expect(shortfalls.map(({ seq }) => seq)).toEqual([
      ...Array.from({ length: 50 }, (_, i) => i + 2),
      null,
    ])
    expect(shortfalls.at(-1)?.sentence).toMatch(/^10 more/)
  })
})

describe('the list of sessions', () => {
  test('is filtered by full enforcement, and a session with unknown enforcement matches neither value', async () => {
    const prompt = { ns: 'filter', key: 'enforced' }
    const session = async (drafts: readonly Draft[], from = 0): Promise<string> => {
      const named = drafts.map((draft) =>
        draft.type === 'session.started' ? { ...draft, data: { ...draft.data, ...prompt } } : draft,
      )
      const events = chained(newSessionId(), named, { at: AT })
      await send(events.slice(from))
      return events[0]?.session ?? ''
    }
    const full = await session([opening(CLOSED)])
    const gap = await session([opening(OPEN)])
    const breach = await session([opening(CLOSED), lapse])
    const unknown = await session([opening(CLOSED), ended], 1)
    const ids = async (enforced: 'fully' | 'not') => {
      const { rows: sessions } = await caller.sessions.list({ filter: { prompt, enforced } })
      return sessions.map(({ id }) => id).sort()
    }
    expect(await ids('fully')).toEqual([full])
    expect(await ids('not')).toEqual([breach, gap].sort())
    const rows = await caller.sessions.rows({
      filter: { enforced: 'not' },
      ids: [full, gap, breach, unknown],
    })
    expect(new Map(rows.map(({ id, matches }) => [id, matches]))).toEqual(
      new Map([
        [full, false],
        [gap, true],
        [breach, true],
        [unknown, false],
      ]),
    )
  })
})

test('the native tool name of a call is in the session index and in the explanation of its decision', async () => {
  const { id, events } = await storeDrafts([
    opening(OPEN),
    {
      type: 'tool.requested',
      data: { call_id: 'c', tool: 'list_files', native_tool: 'LS', args: {} },
    },
  ])
  const index = await caller.sessions.index({ sessionId: id, afterSeq: 0 })
  const natives = index.filter(([, , , , , , , native]) => native !== null)
  expect(natives.map(([, , type, , tool, , , native]) => [type, tool, native])).toEqual([
    ['tool.requested', 'list_files', 'LS'],
  ])
  const seq = events.find(({ type }) => type === 'tool.decided')?.seq ?? 0
  const audit = await caller.decisions.explanation({ decisionId: `dec_${id.slice(5)}_${seq}` })
  expect(audit.request).toMatchObject({ tool: 'list_files', nativeTool: 'LS' })
  expect(audit.session.shortfalls).toHaveLength(2)
})

test('the explanation of a stop lists the shortfalls of its session', async () => {
  const { id, events } = await storeDrafts([
    opening(OPEN),
    { type: 'stop.attempted', data: { via: 'turn_end', facts: { files: {} } } },
  ])
  const seq = events.find(({ type }) => type === 'stop.decided')?.seq ?? 0
  const audit = await caller.stops.explanation({ stopId: `stop_${id.slice(5)}_${seq}` })
  expect(audit.session.shortfalls.map(({ code }) => code)).toEqual([
    'gap.guard_crash',
    'gap.ungoverned',
  ])
})

test('a session stored before breaches existed reports its anomalies as unlisted breaches', async () => {
  const { id } = await storeDrafts([opening()])
  await database().prisma.session.update({
    where: { id },
    data: { anomalies: 2, breachCount: 2, enforcement: 'breach' },
  })
  expect((await loadSessionHead(id)).shortfalls).toEqual([
    {
      code: 'breach.unlisted',
      severity: 'breach',
      seq: null,
      sentence: '2 more events show calls without a decision or against one',
    },
  ])
})
