import { randomInt } from 'node:crypto'
import type { SessionEvent } from '@signalbox/core'
import { toEventId } from '@signalbox/wire'
import { beforeAll, expect, test } from 'vitest'
import type { StopFilter } from '@/server/explanations/stop-list.sql.ts'
import type { DeliveryFilter } from '@/server/feedback/delivery-list.sql.ts'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { runRetention } from '@/server/retention/retention.ts'
import {
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  type TestProject,
} from '@/server/test/installation.ts'
import { nextRelease, type Release, recordedSession } from '@/server/test/recorded-session.ts'
import { countUncounted, foldRollups, listDeliveries } from '../keep-rollups.ts'
import { type Followed, SessionCounter } from './count-session.ts'
import { RollupCounts } from './series.ts'

withTestDatabase()

const PROMPT = { ns: 'counted', key: 'agent' }
const TEXT = JSON.stringify({
  schema_version: 1,
  ...PROMPT,
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
  feedback_providers: [
    { id: 'again', type: 'repeated_call', trigger: { every_n_calls: 1 }, times: 2 },
    {
      id: 'lost',
      type: 'tool_usage',
      trigger: { every_n_calls: 3 },
      max_calls_without_progress: 2,
    },
    { id: 'words', type: 'static', trigger: { every_n_calls: 4 }, feedback: 'Look.' },
  ],
  task_completion_checker: { id: 'plan', type: 'plan' },
})
const RELEASE = { digest: `sha256:${'7'.repeat(64)}`, text: TEXT }
const never = new AbortController().signal

let project: TestProject
let key: string

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
})

function happenings(length: number): readonly Draft[] {
  const drafts: Draft[] = [
    {
      type: 'session.started',
      data: {
        ...PROMPT,
        semantics: 2,
        environment: 'dev',
        harness: { name: 'test' },
        deadline_at: 1_795_000_000_000 + 4_000,
      },
    },
  ]
  for (let i = 0; i < length; i++) {
    const tool = ['deploy', 'read', 'read', 'test', 'lint'][randomInt(5)] ?? 'read'
    const call_id = `c${i}`
    drafts.push({ type: 'tool.requested', data: { call_id, tool, args: { n: randomInt(2) } } })
    drafts.push({ type: 'tool.invoked', data: { call_id, tool, outcome: 'success' } })
    if (i % 7 === 3) {
      const steps = [0, 1, 2].map((step) => ({
        title: `step ${step}`,
        status: step < randomInt(4) ? 'done' : 'pending',
      }))
      drafts.push({ type: 'plan.updated', data: { steps } })
    }
    if (i % 9 === 5) drafts.push({ type: 'stop.attempted', data: { via: 'turn_end' } })
  }
  if (randomInt(4) > 0) drafts.push({ type: 'session.ended', data: { reason: 'completed' } })
  return drafts
}

function released(): readonly SessionEvent[] {
  const plan = (status: 'pending' | 'done'): Draft => ({
    type: 'plan.updated',
    data: { steps: [{ title: 'step', status }] },
  })
  const stop: Draft = { type: 'stop.attempted', data: { via: 'turn_end' } }
  const [begin] = happenings(0)
  const told = [plan('pending'), stop, stop, plan('done'), stop, stop]
  return recordedSession({ session: newSessionId(), at: 1_795_000_000_000, release: RELEASE }, [
    ...(begin === undefined ? [] : [begin]),
    ...told,
    { type: 'session.ended', data: { reason: 'failed' } },
  ])
}

function sessions(count: number): readonly (readonly SessionEvent[])[] {
  return Array.from({ length: count }, (_, i) => {
    const at = 1_795_000_000_000 + i * 1_700_000
    return recordedSession(
      { session: newSessionId(), at, release: RELEASE },
      happenings(20 + i * 5),
    )
  })
}

function shuffled<T>(items: readonly T[]): T[] {
  const list = [...items]
  for (let i = list.length - 1; i > 0; i--) {
    const j = randomInt(i + 1)
    const [a, b] = [list[i], list[j]]
    if (a === undefined || b === undefined) continue
    list[i] = b
    list[j] = a
  }
  return list
}

async function send(events: readonly SessionEvent[]): Promise<void> {
  const answer = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(answer.status).toBe(200)
}

type Table = Readonly<Record<string, number>>

function recount(logs: readonly (readonly SessionEvent[])[]): Table {
  const counts = new RollupCounts({ projectId: project.projectId, environment: 'dev' })
  for (const log of logs) {
    const counter = new SessionCounter(counts, null)
    for (const event of log) counter.add(event)
  }
  return toCountTable(
    counts.rows().map(({ series, hour, count }) => ({ ...series, hour: String(hour), count })),
  )
}

interface CountedRow {
  readonly kind: string
  readonly a: string
  readonly b: string
  readonly c: string
  readonly hour: string
  readonly count: number
}

function toCountTable(rows: readonly CountedRow[]): Table {
  const entries = rows.map(({ kind, a, b, c, hour, count }) => [
    [hour, kind, a, b, c].join(' '),
    count,
  ])
  return Object.fromEntries(entries.sort())
}

async function stored(): Promise<Table> {
  const { rows } = await database().pool.query<CountedRow>(
    `SELECT s.kind, s.a, s.b, s.c, (extract(epoch FROM h.hour) * 1000)::bigint::text AS hour, sum(h.count)::int AS count
     FROM rollup_series s JOIN rollup_hours h ON h.series_id = s.id
     WHERE s.project_id = $1 AND s.ns = $2 GROUP BY 1, 2, 3, 4, 5`,
    [project.projectId, PROMPT.ns],
  )
  return toCountTable(rows)
}

const empty = () => database().pool.query('TRUNCATE rollup_hours')

type Term = NonNullable<StopFilter['terms']>[number]

const between = (field: string, value: number, to = value): Term => ({
  kind: 'number',
  field,
  compare: '=',
  value,
  to,
  isNegated: false,
})
const among = (field: string, word: string): Term => ({
  kind: 'text',
  field,
  words: [word],
  isNegated: false,
})

const BEHIND: Readonly<Record<string, (name: string) => Term>> = {
  until: (name) =>
    name === '5' ? between('attempts', 5, 1_000) : between('attempts', Number(name)),
  time_used: (name) => {
    const from = Number(name) * 10
    return between('time-used', from, name === '11' ? 100_000 : from + 9)
  },
  ended: (name) => among('ending', name),
  plan_end: (name) => {
    const words = ['none', 'under-25', 'under-50', 'under-75', 'under-100', 'all']
    return among('plan-done', name === 'none' ? 'no-plan' : (words[Number(name)] ?? ''))
  },
}

async function expectListsBehind(counts: Table): Promise<void> {
  const bars = new Map<string, number>()
  for (const [text, count] of Object.entries(counts)) {
    const [, kind = '', name = ''] = text.split(' ')
    if (kind in BEHIND) bars.set(`${kind} ${name}`, (bars.get(`${kind} ${name}`) ?? 0) + count)
  }
  expect(new Set([...bars.keys()].map((text) => text.split(' ')[0]))).toEqual(
    new Set(['until', 'time_used', 'ended', 'plan_end']),
  )
  const viewer = await createProjectCaller(project, 'viewer')
  const listed = new Map<string, number>()
  for (const bar of bars.keys()) {
    const [kind = '', name = ''] = bar.split(' ')
    const term = BEHIND[kind]?.(name)
    const filter = { prompt: PROMPT, ...(term === undefined ? {} : { terms: [term] }) }
    const count =
      kind === 'until'
        ? (await viewer.stops.list({ filter, limit: 200 })).rows.length
        : await viewer.sessions.total({ filter })
    listed.set(bar, count)
  }
  expect(listed).toEqual(bars)
}

const HOUR = 3_600_000

/** Link target of a bar in the feedback charts. An act that was `expected` represents all of its deliveries. */
function deliveriesBehind([hour = '', kind = '', a = '', b = '', c = '']: readonly string[]): {
  readonly bar: string
  readonly filter: DeliveryFilter
} {
  const since = Number(hour)
  if (kind === 'feedback') {
    return { bar: `${hour} ${a}`, filter: { provider: a, since, until: since + HOUR } }
  }
  const followed = ({ expected: 'any', followed: 'yes', not_followed: 'no' } as const)[c] ?? 'ended'
  return { bar: [a, b, followed].join(' '), filter: { provider: a, name: b, followed } }
}

async function expectDeliveriesBehind(counts: Table): Promise<void> {
  const bars = new Map<string, { count: number; readonly filter: DeliveryFilter }>()
  for (const [text, count] of Object.entries(counts)) {
    const names = text.split(' ')
    if (names[1] !== 'feedback' && names[1] !== 'act') continue
    const { bar, filter } = deliveriesBehind(names)
    bars.set(bar, { filter, count: (bars.get(bar)?.count ?? 0) + count })
  }
  const viewer = await createProjectCaller(project, 'viewer')
  const listed = async (filter: DeliveryFilter): Promise<number> => {
    const asked = { filter: { prompt: PROMPT, ...filter }, limit: 200 }
    return (await viewer.feedback.list(asked)).rows.length
  }
  for (const [bar, { count, filter }] of bars)
    expect([bar, await listed(filter)]).toEqual([bar, count])
  const sumBars = (end: RegExp): number =>
    [...bars].reduce((sum, [bar, { count }]) => (end.test(bar) ? sum + count : sum), 0)
  const known = sumBars(/ (yes|no|ended)$/)
  expect(await listed({ followed: 'open' })).toBe(sumBars(/ any$/) - known)
  expect(known).toBeGreaterThan(0)
}

test('stored counts equal a recount of events that arrive shuffled, duplicated, concurrently or again', async () => {
  const logs = [...sessions(8), released()]
  const batches = logs.flatMap((log) => {
    const list: SessionEvent[][] = []
    for (let from = 0; from < log.length; ) {
      const size = 1 + randomInt(25)
      list.push(shuffled(log.slice(from, from + size)))
      from += size
    }
    return list
  })
  // Two of three batches are joined with another batch, and one of three is sent twice.
  const joined: SessionEvent[][] = []
  for (const batch of shuffled(batches)) {
    const last = joined.at(-1)
    if (last !== undefined && randomInt(3) > 0) last.push(...batch)
    else joined.push([...batch])
    if (randomInt(3) === 0) joined.push([...batch])
  }
  await Promise.all(
    [0, 1, 2, 3].map(async (lane) => {
      for (const [index, batch] of joined.entries()) if (index % 4 === lane) await send(batch)
    }),
  )
  const expected = recount(logs)
  expect(await stored()).toEqual(expected)
  for (const log of logs) await send(log)
  expect(await stored()).toEqual(expected)
  for (const [kind, table] of [
    ['denial', 'denials'],
    ['feedback', 'deliveries'],
    ['stop', 'stops'],
    ['session', 'sessions'],
  ]) {
    const { rows } = await database().pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE ns = $1`,
      [PROMPT.ns],
    )
    const counted = Object.entries(expected).filter(([name]) => name.split(' ')[1] === kind)
    expect(counted.reduce((sum, [, count]) => sum + count, 0)).toBe(rows[0]?.n)
  }
  await expectListsBehind(expected)
  await expectDeliveriesBehind(expected)
  const kinds = new Set(Object.keys(expected).map((name) => name.split(' ')[1]))
  expect([...kinds]).toEqual(expect.arrayContaining(['act', 'call', 'denial', 'feedback', 'stop']))
})

test('a job counts sessions stored before counts existed, and continues while they run', async () => {
  await empty()
  const logs = sessions(3)
  for (const log of logs) await send(log.slice(0, 30))
  await empty()
  await database().pool.query(
    'UPDATE sessions SET rolled_seq = 0, rollup_state = NULL WHERE id = ANY($1)',
    [logs.map(([first]) => first?.session)],
  )
  await database().pool.query('UPDATE stops SET until = NULL')
  await database().pool.query('TRUNCATE deliveries')
  await database().pool.query('UPDATE sessions SET listed_seq = 0 WHERE rolled_seq = 0')
  await database().pool.query('UPDATE sessions SET time_used = NULL, plan_end = NULL')
  // The first continues before it is counted, the others after.
  await send((logs[0] ?? []).slice(30))
  expect(await stored()).toEqual({})
  await countUncounted(never)
  await countUncounted(never)
  for (const log of logs.slice(1)) await send(log.slice(30))
  expect(await stored()).toEqual(recount(logs))
  const { rows } = await database().pool.query<{ stops: number; sessions: number }>(
    `SELECT (SELECT count(*)::int FROM stops WHERE until IS NOT NULL) AS stops,
       (SELECT count(*)::int FROM sessions WHERE plan_end IS NOT NULL) AS sessions`,
  )
  const sumBars = (kind: string): number =>
    Object.entries(recount(logs))
      .filter(([name]) => name.split(' ')[1] === kind)
      .reduce((sum, [, count]) => sum + count, 0)
  expect(rows).toEqual([{ stops: sumBars('until'), sessions: sumBars('plan_end') }])
})

function followedIn(logs: readonly (readonly SessionEvent[])[]): ReadonlyMap<string, Followed> {
  const place = { projectId: project.projectId, environment: 'dev' }
  return new Map(
    logs.flatMap((log) => {
      const counter = new SessionCounter(new RollupCounts(place), null)
      for (const event of log) counter.add(event)
      const session = log[0]?.session ?? ''
      return counter.deliveries.map(({ seq, followed }) => [toEventId(session, seq), followed])
    }),
  )
}

test('a job lists deliveries stored before the list existed, including those of running sessions', async () => {
  const logs = sessions(6)
  const ids = logs.map(([first]) => first?.session ?? '')
  for (const log of logs) await send(log.slice(0, 40))
  // State left by the previous version: counted, with pending advice that does not know its event.
  const { pool } = database()
  await pool.query('DELETE FROM deliveries WHERE session_id = ANY($1)', [ids])
  await pool.query(
    `UPDATE sessions SET listed_seq = 0,
       rollup_state = regexp_replace(rollup_state::text, '"seq":\\d+,', '', 'g')::json WHERE id = ANY($1)`,
    [ids],
  )
  const viewer = await createProjectCaller(project, 'viewer')
  const unlisted = async () => (await viewer.feedback.list({ filter: {} })).unlisted
  // Some continue before they are listed, the others after.
  for (const log of logs.slice(0, 3)) await send(log.slice(40, 55))
  expect(await unlisted()).toEqual({ waiting: ids.length, gone: 0 })
  await listDeliveries(never)
  expect(await unlisted()).toEqual({ waiting: 0, gone: 0 })
  for (const log of logs) await send(log.slice(40))
  const { rows } = await pool.query<{ id: string; followed: Followed }>(
    'SELECT id, followed FROM deliveries WHERE session_id = ANY($1)',
    [ids],
  )
  const expected = followedIn(logs)
  expect(new Map(rows.map(({ id, followed }) => [id, followed]))).toEqual(expected)
  expect([...expected.values()]).toEqual(expect.arrayContaining([null, 'yes', 'no']))
})

function untyped(release: Release): readonly SessionEvent[] {
  const call = (call_id: string): readonly Draft[] => [
    { type: 'tool.requested', data: { call_id, tool: 'read', args: {} } },
    { type: 'tool.invoked', data: { call_id, tool: 'read', outcome: 'success' } },
  ]
  const told = (provider: string, name: string): Draft => ({
    type: 'feedback.delivered',
    data: {
      provider,
      name,
      pointer: '/feedback_providers/0',
      mode: 'enforce',
      delivery: 'message',
      severity: 'caution',
      summary: 'Stop.',
      observations: [],
      suggestions: ['Stop.'],
      conditions: ['every_n_calls'],
      call_index: 1,
      prompt: 'a:b',
      call_id: '1',
    },
  })
  const begin = { ...PROMPT, environment: 'dev', harness: { name: 'test' } }
  return recordedSession({ session: newSessionId(), at: 1_795_000_000_000, release }, [
    { type: 'session.started', data: begin },
    ...call('1'),
    told('clock', 'Deadline'),
    told('again', 'RepeatedCall'),
    ...call('2'),
  ])
}

test('the providers of a log without types are recognized by the stored config, never by name', async () => {
  const trigger = { every_n_calls: 9 }
  const published = await nextRelease({
    feedback_providers: [
      { id: 'clock', type: 'acme/clock', optional: true, trigger },
      { id: 'again', type: 'repeated_call', trigger },
    ],
  })
  const text = JSON.stringify({ schema_version: 1, ...PROMPT })
  const logs = [untyped(published), untyped({ digest: `sha256:${'8'.repeat(64)}`, text })]
  for (const log of logs) await send(log)
  const listed = async () => {
    const { rows } = await database().pool.query<{ session: string; found: string }>(
      `SELECT session_id AS session, string_agg(provider || ' ' || coalesce(followed, '-'), ', ' ORDER BY seq) AS found
       FROM deliveries WHERE session_id = ANY($1) GROUP BY 1`,
      [logs.map(([first]) => first?.session)],
    )
    return logs.map(([first]) => rows.find(({ session }) => session === first?.session)?.found)
  }
  const expected = ['clock -, again no', 'clock unknown, again unknown']
  expect(await listed()).toEqual(expected)
  const ids = logs.map(([first]) => first?.session)
  await database().pool.query('DELETE FROM deliveries WHERE session_id = ANY($1)', [ids])
  await database().pool.query('UPDATE sessions SET listed_seq = 0 WHERE id = ANY($1)', [ids])
  await listDeliveries(never)
  expect(await listed()).toEqual(expected)
})

test('deliveries whose events were removed before they were listed are reported as missing', async () => {
  const [log = []] = sessions(1)
  await send(log)
  const id = log[0]?.session
  await database().pool.query(
    'UPDATE sessions SET listed_seq = 0, events_removed_at = now(), events_removed_days = 30 WHERE id = $1',
    [id],
  )
  await listDeliveries(never)
  const viewer = await createProjectCaller(project, 'viewer')
  expect((await viewer.feedback.list({ filter: {} })).unlisted).toEqual({ waiting: 0, gone: 1 })
})

test('older counts are merged into one row per hour, then per day, with the same sums and with late events', async () => {
  await empty()
  const logs = sessions(4)
  for (const log of logs) await send(log)
  // The log may be in the future or in the past of this clock: move it to where the job looks.
  const move = (days: number) =>
    database().pool.query(
      `UPDATE rollup_hours SET hour = date_trunc('day', now() - make_interval(days => $1), 'UTC') + (hour - (SELECT min(hour) FROM rollup_hours))`,
      [days],
    )
  const sums = async () =>
    (
      await database().pool.query(
        'SELECT series_id, sum(count)::int AS n FROM rollup_hours GROUP BY 1 ORDER BY 1',
      )
    ).rows
  const rows = async () =>
    (await database().pool.query('SELECT DISTINCT hour, shard FROM rollup_hours')).rows.length
  const before = await sums()
  await move(10)
  await foldRollups(never)
  expect(await sums()).toEqual(before)
  expect(
    (await database().pool.query('SELECT 1 FROM rollup_hours WHERE shard <> 0')).rowCount,
  ).toBe(0)
  const byHour = await rows()
  await move(50)
  await foldRollups(never)
  expect(await sums()).toEqual(before)
  expect(byHour).toBeGreaterThan(await rows())
  await foldRollups(never)
  expect(await sums()).toEqual(before)
  const byDay = await rows()
  for (const log of sessions(2)) await send(log)
  const withLate = await sums()
  expect(withLate).not.toEqual(before)
  // Late events of the merged day: everything but its row.
  await database().pool.query(
    `WITH merged AS (SELECT date_trunc('day', now() - interval '50 days', 'UTC') AS day)
     UPDATE rollup_hours SET hour = day + interval '5 hours' + (hour - (SELECT min(hour) FROM rollup_hours, merged WHERE hour <> day))
     FROM merged WHERE hour <> day`,
  )
  await foldRollups(never)
  expect(await sums()).toEqual(withLate)
  expect(await rows()).toBe(byDay)
})

test('retention removes events but not the counts', async () => {
  await empty()
  const [log = []] = sessions(1)
  await send(log)
  const day = "((now() AT TIME ZONE 'utc')::date - 90)"
  const { pool, prisma } = database()
  await pool.query(`SELECT signalbox_ensure_event_partition(${day})`)
  const id = log[0]?.session
  await pool.query(`UPDATE session_events SET partition_day = ${day} WHERE session_id = $1`, [id])
  await pool.query(`UPDATE sessions SET partition_day = ${day}, ended_at = now() WHERE id = $1`, [
    id,
  ])
  await prisma.retentionRule.create({
    data: { projectId: project.projectId, eventsDays: 30, decisionsDays: 30 },
  })
  const told = async () =>
    (await pool.query('SELECT 1 FROM deliveries WHERE session_id = $1', [id])).rowCount
  expect(await told()).toBeGreaterThan(0)
  await runRetention(never)
  expect(await told()).toBe(0)
  expect(await prisma.session.findFirst({ where: { id: id ?? '' } })).toBeNull()
  expect(await stored()).toEqual(recount([log]))
})
