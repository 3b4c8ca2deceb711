import { gzipSync } from 'node:zlib'
import { canonicalJson } from '@signalbox/wire'
import { beforeAll, describe, expect, test } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
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
} from '@/server/test/installation.ts'
import { api } from './api.ts'

withTestDatabase()

let project: TestProject
let key: string

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
})

interface Answer {
  readonly status: number
  readonly acked_through: Record<string, number>
  readonly gaps: readonly { session: string; from: number; to: number }[]
  readonly errors: readonly { line: number; code: string; session?: string; seq?: number }[]
  readonly stored: number
  readonly duplicates: number
}

async function send(
  body: string | Uint8Array<ArrayBuffer>,
  options: { key?: string; gzip?: true } = {},
) {
  const headers = options.gzip === true ? { 'content-encoding': 'gzip' } : {}
  const response = await api.fetch(eventsRequest(options.key ?? key, body, headers))
  const answer = (await response.json()) as Answer
  return { ...answer, status: response.status }
}

const PROMPT = { ns: 'demo', key: 'unreleased' }

const CALL: readonly Draft[] = [
  { type: 'tool.requested', data: { call_id: 'c1', tool: 'deploy', args: { to: 'prod' } } },
  {
    type: 'tool.decided',
    data: {
      call_id: 'c1',
      tool: 'deploy',
      decision: 'denied',
      reason: "Tool 'deploy' requires: test",
      rules: [
        {
          rule: 'order',
          pointer: '/policies/0',
          type: 'sequential_dependency',
          mode: 'enforce',
          result: 'deny',
          code: 'sequential.missing',
          params: { tool: 'deploy', missing: ['test'] },
          because: [],
          reason_class: 'prerequisite_missing',
          reason: "Tool 'deploy' requires: test",
        },
      ],
    },
  },
  { type: 'tool.invoked', data: { call_id: 'c1', tool: 'deploy', outcome: 'denied' } },
]

const STOP: readonly Draft[] = [
  { type: 'stop.attempted', data: { via: 'turn_end' } },
  {
    type: 'stop.decided',
    data: {
      attempt: 1,
      verdict: 'blocked',
      prior_blocks: 0,
      code: 'plan.open_steps',
      params: { open: 1, total: 2 },
      message: 'Go on.',
      check: null,
    },
  },
]

function log(session = newSessionId()) {
  const drafts = [
    started(PROMPT),
    { type: 'plan.updated', data: { steps: [{ title: 'a', status: 'done' }, { title: 'b' }] } },
    ...CALL,
    { type: 'usage.recorded', data: { evaluation_id: 'e', input_tokens: 7, output_tokens: 5 } },
    ...STOP,
  ] satisfies readonly Draft[]
  return { session, events: chained(session, drafts) }
}

async function readSessionCounts(session: string) {
  const { prisma } = database()
  const {
    partitionDay: _day,
    receivedAt: _at,
    ...row
  } = await prisma.session.findUniqueOrThrow({
    where: { id: session },
  })
  const where = { sessionId: session }
  return {
    row,
    events: await prisma.sessionEvent.count({ where }),
    stops: await prisma.stop.count({ where }),
    denials: await prisma.denial.count({ where }),
    minutes: await prisma.minuteCount.aggregate({
      _sum: { calls: true, denied: true, stops: true, blocked: true, sessions: true },
    }),
  }
}

describe('a complete log', () => {
  test('counts its final verification separately from stop attempts', async () => {
    const session = newSessionId()
    const [attempted, decided] = STOP
    const drafts = [
      started(PROMPT),
      ...STOP,
      { ...attempted, data: { via: 'final' } },
      { ...decided, data: { ...decided?.data, attempt: 2 } },
    ] as readonly Draft[]
    await send(ndjson(chained(session, drafts)))
    const { row, stops } = await readSessionCounts(session)
    expect(row).toMatchObject({ stopAttempts: 1, stopsBlocked: 1, lastVerdict: 'blocked' })
    expect(row?.lastEventText).toMatch(/^stop\.decided · final verification · [^·]+$/)
    expect(stops).toBe(2)
  })

  test('a complete log is stored with its session, stop, denial and counts', async () => {
    const { session, events } = log()
    const answer = await send(ndjson(events))
    expect(answer).toMatchObject({ status: 200, stored: 8, duplicates: 0, errors: [], gaps: [] })
    expect(answer.acked_through).toEqual({ [session]: 8 })
    const { row, stops, denials } = await readSessionCounts(session)
    expect(row).toMatchObject({
      ...PROMPT,
      environment: 'dev',
      contiguousSeq: 8,
      maxSeq: 8,
      calls: 1,
      denied: 1,
      stopAttempts: 1,
      stopsBlocked: 1,
      tokensUsed: 12,
      planDone: 1,
      planTotal: 2,
      lastVerdict: 'blocked',
      lastStopId: `stop_${session.slice(5)}_8`,
      verification: 'pending',
    })
    expect([stops, denials]).toEqual([1, 1])
    const stop = await database().prisma.stop.findFirstOrThrow({ where: { sessionId: session } })
    expect(stop).toMatchObject({ attemptedSeq: 7, via: 'turn_end', verdict: 'blocked', ...PROMPT })
  })

  test('sent again with gzip changes nothing and counts nothing twice', async () => {
    const { session, events } = log()
    const body = gzipSync(ndjson(events))
    await send(body, { gzip: true })
    const before = await readSessionCounts(session)
    const again = await send(body, { gzip: true })
    expect(again).toMatchObject({ stored: 0, duplicates: 8, acked_through: { [session]: 8 } })
    expect(await readSessionCounts(session)).toEqual(before)
  })

  test('a complete log is stored exactly as sent', async () => {
    const session = newSessionId()
    const text = 'NUL \0, lone \ud800 half? no: 𝄞, "quotes" and \\ {} '.replace('\ud800', '')
    const events = chained(session, [started(PROMPT), { type: 'note', data: { text } }])
    expect(await send(ndjson(events))).toMatchObject({ stored: 2, errors: [] })
    const rows = await database().prisma.sessionEvent.findMany({
      where: { sessionId: session },
      orderBy: { seq: 'asc' },
    })
    expect(rows.map(({ data }) => canonicalJson(data))).toEqual(
      events.map(({ data }) => canonicalJson(data)),
    )
  })
})

describe('the order of events', () => {
  test('the order of events may have gaps, which are reported, not acknowledged, and closed by later events', async () => {
    const { session, events } = log()
    const first = await send(ndjson([...events.slice(0, 2), ...events.slice(4)]))
    expect(first.gaps).toEqual([{ session, from: 3, to: 4 }])
    expect(first.acked_through).toEqual({ [session]: 2 })
    const second = await send(ndjson(events.slice(2, 4)))
    expect(second).toMatchObject({ stored: 2, gaps: [], acked_through: { [session]: 8 } })
    const { row } = await readSessionCounts(session)
    expect(row).toMatchObject({ tokensUsed: 12, calls: 1, denied: 1, stopAttempts: 1 })
  })

  test('the order of events does not change the row of a log that arrives backwards, one event per request', async () => {
    const straight = log()
    await send(ndjson(straight.events))
    const backwards = log()
    for (const event of [...backwards.events].reverse()) await send(ndjson([event]))
    const strip = async (session: string) => {
      const { row } = await readSessionCounts(session)
      return { ...row, id: '', lastStopId: '' }
    }
    expect(await strip(backwards.session)).toEqual(await strip(straight.session))
    const stop = await database().prisma.stop.findFirstOrThrow({
      where: { sessionId: backwards.session },
    })
    expect(stop).toMatchObject({ ...PROMPT, seq: 8, attemptedSeq: 7 })
  })

  test('the order of events may lack the first event: the session is stored with an unknown prompt and not acknowledged', async () => {
    const { session, events } = log()
    const answer = await send(ndjson(events.slice(1)))
    expect(answer).toMatchObject({ stored: 7, acked_through: { [session]: 0 } })
    expect((await readSessionCounts(session)).row).toMatchObject({ ns: '?', key: '?', maxSeq: 8 })
  })

  test('the order of events does not matter for concurrent overlapping batches, whose events are stored once each', async () => {
    const { session, events } = log()
    const rounds = await Promise.all([
      send(ndjson(events.slice(0, 6))),
      send(ndjson(events.slice(2))),
      send(ndjson([...events].reverse())),
      send(ndjson(events)),
    ])
    expect(rounds.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(rounds.reduce((sum, { stored }) => sum + stored, 0)).toBe(8)
    expect(await readSessionCounts(session)).toMatchObject({
      events: 8,
      stops: 1,
      denials: 1,
      row: { contiguousSeq: 8, calls: 1, denied: 1, stopAttempts: 1, stopsBlocked: 1 },
    })
  })
})

describe('an invalid batch', () => {
  test('an invalid batch has its invalid lines reported by number and its valid lines stored', async () => {
    const { session, events } = log()
    const [first = '', ...rest] = ndjson(events).split('\n')
    const body = ['not json', first, '', '{"type":"note"}', '[1]', ...rest].join('\n')
    const answer = await send(body)
    expect(answer.errors.map(({ line }) => line)).toEqual([1, 4, 5])
    expect(answer).toMatchObject({ status: 200, stored: 8, acked_through: { [session]: 8 } })
  })

  test('an invalid batch has a 10 MB line reported by number and the lines around it stored', async () => {
    const { session, events } = log()
    const [first = '', ...rest] = ndjson(events).split('\n')
    const answer = await send([first, 'x'.repeat(10_000_000), ...rest].join('\n'))
    expect(answer.errors).toMatchObject([{ line: 2, code: 'too_long' }])
    expect(answer.acked_through).toEqual({ [session]: 8 })
  })

  test('an invalid batch is refused with 413 for a gzip bomb, without decompressing all of it', async () => {
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, 0x20))
    const before = process.memoryUsage().rss
    expect((await send(bomb, { gzip: true })).status).toBe(413)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  test('an invalid batch is decompressed only up to the line limit when its lines are empty', async () => {
    // More than a batch may have: inflated whole, it would be refused as too large.
    const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, '\n'))
    const answer = await send(bomb, { gzip: true })
    expect(answer).toMatchObject({
      status: 200,
      errors: [{ line: 20_001, code: 'too_many_lines' }],
    })
  })

  test('an invalid batch is refused with 400 for false or truncated gzip', async () => {
    expect((await send('plain text', { gzip: true })).status).toBe(400)
    const cut = gzipSync(ndjson(log().events)).subarray(0, 60)
    expect((await send(new Uint8Array(cut), { gzip: true })).status).toBe(400)
  })

  test('an invalid batch has an event reported as a conflict when its number is stored with other content', async () => {
    const { session, events } = log()
    await send(ndjson(events))
    const forged = { ...events[1]!, at: 5 }
    const answer = await send(ndjson([forged, events[2]!]))
    expect(answer.errors).toMatchObject([{ line: 1, code: 'conflict', session, seq: 2 }])
    expect(answer).toMatchObject({ stored: 0, duplicates: 1 })
  })

  test('an invalid batch has the first of two events with the same number stored, and the other reported as a conflict', async () => {
    const { events } = log()
    const answer = await send(ndjson([...events, { ...events[1]!, at: 5 }]))
    expect(answer).toMatchObject({ stored: 8, errors: [{ line: 9, code: 'conflict' }] })
  })

  test("an invalid batch has lines for another project's session refused, and the rest stored", async () => {
    const mine = log()
    await send(ndjson(mine.events))
    const stranger = await otherProject()
    const own = log()
    const body = ndjson([mine.events[0]!, ...own.events])
    const answer = await send(body, { key: await makeKey(stranger) })
    expect(answer.errors).toMatchObject([{ line: 1, code: 'foreign_session' }])
    expect(answer.acked_through).toEqual({ [own.session]: 8 })
    const staging = await send(ndjson(mine.events), {
      key: await makeKey(project, { environment: 'staging' }),
    })
    expect(staging).toMatchObject({ stored: 0, acked_through: {} })
  })

  test('an invalid batch has events of an unknown type stored', async () => {
    const session = newSessionId()
    const [first] = chained(session, [started(PROMPT)])
    const later = { session, seq: 2, at: 1, type: 'future.thing', data: { a: 1 } }
    const answer = await send(`${JSON.stringify(first)}\n${JSON.stringify(later)}\n`)
    expect(answer).toMatchObject({ stored: 2, errors: [] })
  })

  test('an invalid batch has numbers at their limits stored without overflowing a column', async () => {
    const session = newSessionId()
    const big = 2_147_483_647
    const usage = (evaluation_id: string): Draft => ({
      type: 'usage.recorded',
      data: { evaluation_id, input_tokens: big, output_tokens: big },
    })
    const events = chained(session, [
      started(PROMPT),
      usage('a'),
      usage('b'),
      {
        type: 'tool.invoked',
        data: { call_id: 'c', tool: 't', outcome: 'success', duration_ms: 1e12 },
      },
    ])
    expect(await send(ndjson(events))).toMatchObject({ status: 200, stored: 4 })
  })
})

describe('keys of a batch', () => {
  test('keys of a batch are refused with 401 when missing, wrong or revoked, and with 403 without the scope', async () => {
    const body = ndjson(log().events)
    const bare = new Request('http://127.0.0.1:3000/api/runtime/v1/events', {
      method: 'POST',
      body,
    })
    expect((await api.fetch(bare)).status).toBe(401)
    expect((await send(body, { key: `sbx_00000000_${'A'.repeat(43)}` })).status).toBe(401)
    expect((await send(body, { key: await makeKey(project, { scopes: ['read'] }) })).status).toBe(
      403,
    )
    const revoked = await makeKey(project)
    await database().prisma.apiKey.updateMany({
      where: { prefix: revoked.slice(0, 12) },
      data: { revokedAt: new Date() },
    })
    expect((await send(body, { key: revoked })).status).toBe(401)
  })
})

test('a failed batch leaves neither events nor counts, and is stored when sent again', async () => {
  const { session, events } = log()
  const { pool } = database()
  const total = async () =>
    (await pool.query('SELECT sum(calls)::int AS n FROM all_minute_counts')).rows
  const before = await total()
  await pool.query(
    'ALTER TABLE minute_count_shards ADD CONSTRAINT broken CHECK (calls < 0) NOT VALID',
  )
  const failed = await send(ndjson(events))
  await pool.query('ALTER TABLE minute_count_shards DROP CONSTRAINT broken')
  expect(failed.status).toBe(500)
  expect(await database().prisma.session.findUnique({ where: { id: session } })).toBeNull()
  expect(await database().prisma.sessionEvent.count({ where: { sessionId: session } })).toBe(0)
  expect(await total()).toEqual(before)
  expect(await send(ndjson(events))).toMatchObject({ stored: 8, acked_through: { [session]: 8 } })
})
