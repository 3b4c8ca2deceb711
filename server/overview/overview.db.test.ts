import { importedSessionId } from '@signalbox/wire'
import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { addRollups } from '@/server/ingest/projectors/rollup-hours.ts'
import { RollupCounts } from '@/server/ingest/rollups/series.ts'
import { database } from '@/server/platform/db/client.ts'
import { inSqlTransaction } from '@/server/platform/db/sql-transaction.ts'
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
  otherProject,
  started,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

const BROKEN = { brokenPosition: 1, brokenEntryId: 'aud_1', brokenReason: 'changed' }

let project: TestProject
let key: string

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
})

const CHECK = { type: 'plan', pointer: '', params: {}, feedback: 'Go on.', because: [] } as const

function stop(
  verdict: 'allowed' | 'blocked' | 'bypassed' | 'error' | 'no_checker',
  attempt: number,
  checker = 'plan-done',
): readonly Draft[] {
  const leaf = { ...CHECK, checker, status: 'incomplete', code: 'plan.open_steps' } as const
  const root = { ...leaf, checker: 'all', params: { cause: checker }, children: [leaf] }
  return [
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    {
      type: 'stop.decided',
      data: {
        attempt,
        verdict,
        ...(verdict === 'bypassed' ? { bypass: 'deadline' } : {}),
        prior_blocks: attempt - 1,
        code: 'plan.open_steps',
        params: { open: 1, total: 2 },
        message: null,
        check: verdict === 'blocked' || verdict === 'error' ? root : null,
      },
    },
  ]
}

const atEnd = (drafts: readonly Draft[]): readonly Draft[] =>
  drafts.map((draft) =>
    draft.type === 'stop.attempted' ? { ...draft, data: { via: 'final' } } : draft,
  )

const listAttention = async (caller: Awaited<ReturnType<typeof createProjectCaller>>, input = {}) =>
  (await caller.overview.attention(input)).items

async function send(drafts: readonly Draft[], at = Date.now()): Promise<string> {
  const session = newSessionId()
  const events = chained(session, [started({ ns: 'a', key: 'b' }), ...drafts], { at })
  const answer = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ errors: [] })
  return session
}

function post(path: string, body: object, ofKey: string = key): Request {
  return new Request(`http://127.0.0.1:3000/api/runtime/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ofKey}` },
    body: JSON.stringify(body),
  })
}

test('overview figures count the last 24 hours, the day before, and the running sessions separately', async () => {
  const viewer = await createProjectCaller(project, 'viewer')
  expect(await viewer.overview.steps()).toMatchObject({ session: null })
  const requested: Draft = { type: 'tool.requested', data: { call_id: 'c', tool: 't', args: {} } }
  const allowed = { call_id: 'c', tool: 't', decision: 'allowed', reason: null, rules: [] } as const
  const call: readonly Draft[] = [requested, { type: 'tool.decided', data: allowed }]
  // No rule sees an invalid call, so it is not counted.
  const running = await send([...call, ...call, requested, ...stop('blocked', 1)])
  await send([
    ...call,
    ...stop('allowed', 1),
    { type: 'session.ended', data: { reason: 'completed' } },
  ])
  await send([...call], Date.now() - 30 * 3_600_000)

  const figures = await viewer.overview.figures({})
  expect(figures.callsDenied).toMatchObject({ value: 0, of: 3, previousOf: 1 })
  expect(figures.stopsBlocked).toMatchObject({ value: 1, of: 2, previousOf: 0 })
  expect(figures.stopsBlocked.series).toHaveLength(24)
  expect(figures.stopsBlocked.series.reduce((sum, { value }) => sum + value, 0)).toBe(1)
  const live = await viewer.sessions.list({ filter: { status: 'running' } })
  expect(live.rows.map(({ id }) => id)).toContain(running)
  expect(figures).toMatchObject({ running: 2, sessionsStarted: { value: 2, previousValue: 1 } })
  const elsewhere = await viewer.overview.figures({ environment: 'production' })
  expect(elsewhere.callsDenied.of).toBe(0)
})

test('a stop of a check that only records is bypassed in no figure, list or alert', async () => {
  const ours = await otherProject()
  const [viewer, ourKey] = [await createProjectCaller(ours, 'viewer'), await makeKey(ours)]
  const [attempt, decided] = stop('bypassed', 1)
  if (attempt === undefined || decided?.type !== 'stop.decided') throw new Error('No stop.')
  const recorded = { bypass: 'max_blocks', code: 'stop.max_blocks', params: { limit: 0 } } as const
  const drafts: readonly Draft[] = [
    started({ ns: 'a', key: 'b' }),
    attempt,
    { type: 'stop.decided', data: { ...decided.data, ...recorded } },
  ]
  const events = chained(newSessionId(), drafts, { at: Date.now() })
  const answer = await api.fetch(eventsRequest(ourKey, ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
  expect(await viewer.overview.figures({})).toMatchObject({
    stopsBypassed: { value: 0, of: 1 },
    shadow: { calls: 0, stops: 1 },
  })
  const rule = { signal: 'bypassed_stops' as const, windowMinutes: 60, threshold: 1 }
  const anywhere = { environment: null, ns: null, key: null }
  expect(await viewer.alerts.preview({ ...rule, ...anywhere })).toMatchObject({ fired: 0 })
  const filter = { verdict: 'bypassed' as const }
  expect((await viewer.sessions.list({ filter })).rows).toEqual([])
  expect((await viewer.stops.list({ filter })).rows).toEqual([])
  expect((await viewer.stops.list({ filter: {} })).rows).toMatchObject([
    { code: 'stop.would_block' },
  ])
})

test('an imported session without an end is neither running nor lost on the Overview', async () => {
  const ours = await otherProject()
  const viewer = await createProjectCaller(ours, 'viewer')
  const session = importedSessionId('0123456789abcdef'.repeat(4))
  const events = chained(session, [started({ ns: 'a', key: 'b' })], { at: Date.now() })
  const answer = await api.fetch(eventsRequest(await makeKey(ours), ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
  expect((await viewer.sessions.list({ filter: { status: 'running' } })).rows).toHaveLength(1)
  expect(await viewer.overview.figures({})).toMatchObject({ running: 0 })
  await database().pool.query(
    "UPDATE sessions SET received_at = now() - interval '1 hour' WHERE id = $1",
    [session],
  )
  expect((await viewer.sessions.list({ filter: { status: 'lost' } })).rows).toHaveLength(1)
  expect((await listAttention(viewer)).map(({ kind }) => kind)).not.toContain('sessions_lost')
})

test('a lost session needs attention once, and the alert about it is not listed beside it', async () => {
  const ours = await otherProject()
  const viewer = await createProjectCaller(ours, 'viewer')
  const { projectId } = ours
  const session = newSessionId()
  const events = chained(session, [started({ ns: 'a', key: 'b' })], { at: Date.now() - 60_000 })
  const answer = await api.fetch(eventsRequest(await makeKey(ours), ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
  const rule = { projectId, windowMinutes: 60, threshold: 1, destinations: [], createdBy: 'usr_1' }
  const alert = {
    ...{ projectId, firing: true, value: 1, threshold: 1, reason: 'r', evidence: '/sessions' },
    firedAt: new Date(),
  }
  const { prisma, pool } = database()
  for (const [id, signal, scope] of [
    ['lost', 'lost_sessions', 'dev a/b'],
    ['stuck', 'blocked_stops', 'dev a/b'],
  ] as const) {
    await prisma.alertRule.create({ data: { ...rule, id: `alr_${id}`, name: id, signal } })
    await prisma.alert.create({
      data: { ...alert, id: `alt_${id}`, ruleId: `alr_${id}`, scope },
    })
  }
  const listed = async () =>
    (await listAttention(viewer)).map((item) =>
      item.kind === 'alert_firing' ? [item.kind, item.signal, item.scope] : [item.kind],
    )
  const alerts = [
    ['alert_firing', 'blocked_stops', 'dev a/b'],
    ['alert_firing', 'lost_sessions', 'dev a/b'],
  ]
  expect((await listed()).toSorted()).toEqual(alerts)
  await pool.query("UPDATE sessions SET received_at = now() - interval '1 hour' WHERE id = $1", [
    session,
  ])
  expect(await listed()).toEqual([['sessions_lost'], alerts[0]])
})

test('the figures mark each release of the last 24 hours, also more than ten', async () => {
  const { prisma } = database()
  const viewer = await createProjectCaller(project, 'viewer')
  const release = await prisma.release.findFirstOrThrow({
    where: { projectId: project.projectId },
    omit: { approvals: true, requestKey: true },
  })
  const before = (await viewer.overview.figures({})).releases.length
  const made = Array.from({ length: 14 }, (_, i) => ({
    ...release,
    id: `rel_mark_${i}`,
    revision: release.revision + 1 + i,
    createdAt: new Date(Date.now() - i * 60_000),
  }))
  await prisma.release.createMany({ data: made })
  expect((await viewer.overview.figures({})).releases).toHaveLength(before + 14)
  await prisma.release.deleteMany({ where: { id: { startsWith: 'rel_mark_' } } })
})

const VIA_FINAL = { kind: 'text', field: 'via', words: ['final'], isNegated: false } as const

test('on every page allowed, blocked, bypassed and error add up to the stop attempts', async () => {
  const ours = await otherProject()
  const viewer = await createProjectCaller(ours, 'viewer')
  const events = chained(
    newSessionId(),
    [
      started({ ns: 'a', key: 'b' }),
      ...stop('blocked', 1),
      ...stop('blocked', 2),
      ...stop('error', 3),
      ...stop('bypassed', 4),
      ...stop('allowed', 5),
      // Neither a stop without a checker nor the final verification is an attempt.
      ...stop('no_checker', 6),
      ...atEnd(stop('allowed', 6)),
      { type: 'session.ended', data: { reason: 'completed' } },
    ],
    { at: Date.now() },
  )
  const answer = await api.fetch(eventsRequest(await makeKey(ours), ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
  const attempts = 5
  const figures = await viewer.overview.figures({})
  expect(figures.stopsBlocked).toMatchObject({ value: 2, of: attempts })
  expect(figures.stopsBypassed).toMatchObject({ value: 1, of: attempts })
  const listed = await viewer.sessions.list({ filter: {} })
  expect(listed.rows).toMatchObject([{ stopAttempts: attempts, stopsBlocked: 2 }])
  const groups = await viewer.stops.groups({ filter: {}, by: 'reason' })
  const grouped = new Map(groups.map(({ verdict, stops }) => [verdict, stops]))
  expect(Object.fromEntries(grouped)).toEqual({
    blocked: 2,
    error: 1,
    bypassed: 1,
    allowed: 1,
    no_checker: 1,
  })
  const range = { from: Date.now() - 86_400_000, until: Date.now() + 3_600_000 }
  const chart = (name: 'stop_ends' | 'reasons' | 'final_checks') =>
    viewer.analytics.chart({ chart: name, filter: range })
  const ends = await chart('stop_ends')
  expect(ends.total).toBe(attempts)
  expect(ends.rows.map(({ names }) => names[0]).toSorted()).toEqual([
    'allowed',
    'blocked',
    'bypassed',
    'error',
  ])
  expect((await chart('reasons')).total).toBe(3)
  // Counted separately, and found by a filter for it.
  expect((await chart('final_checks')).total).toBe(1)
  const final = await viewer.stops.list({ filter: { terms: [VIA_FINAL] } })
  expect(final.rows.map(({ via }) => via)).toEqual(['final'])
})

test('a share of bypassed stops that triples within a day needs attention, from three stops', async () => {
  const ours = await otherProject()
  const viewer = await createProjectCaller(ours, 'viewer')
  const now = Date.now()
  const add = async (verdict: 'bypassed' | 'allowed', count: number, at: number) =>
    await inSqlTransaction(async (sql) => {
      const counts = new RollupCounts({ projectId: ours.projectId, environment: 'dev' })
      for (let i = 0; i < count; i += 1) {
        counts.add({ ns: 'a', key: 'b', digest: '' }, at, {
          kind: 'stop',
          a: verdict,
          b: 'tool.outdated',
          c: 'turn_end',
        })
      }
      await addRollups(sql, counts.rows())
    })
  const [before, today] = [now - 30 * 3_600_000, now - 3_600_000]
  await add('bypassed', 10, before)
  await add('allowed', 90, before)
  await add('bypassed', 2, today)
  await add('allowed', 3, today)
  // Two are too few.
  expect(await listAttention(viewer)).toEqual([])
  await add('bypassed', 1, today)
  expect(await listAttention(viewer)).toMatchObject([
    {
      kind: 'bypasses_rose',
      ns: 'a',
      key: 'b',
      environment: 'dev',
      before: { stops: 100, bypassed: 10 },
      after: { stops: 6, bypassed: 3 },
      bypass: null,
    },
  ])
  await add('allowed', 5, today)
  expect(await listAttention(viewer)).toEqual([])
})

test('a session blocked three times, a session with a breach and a runtime that rejects the version need attention', async () => {
  const viewer = await createProjectCaller(project, 'viewer')
  const session = await send([1, 2, 3].flatMap((attempt) => stop('blocked', attempt)))
  const registered = await api.fetch(
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
  await api.fetch(
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
  const attention = await listAttention(viewer)
  const [newest] = (await viewer.releases.list({ filter: {} })).rows
  expect(attention).toMatchObject([
    {
      kind: 'runtime_rejected',
      runtimeId: id,
      reason: 'unknown checker type',
      release: { id: newest?.id, version: newest?.version },
    },
    { kind: 'session_breached', sessionId: breached, breachCount: 2 },
    { kind: 'session_blocked', sessionId: session, check: 'plan-done', times: 3 },
  ])

  const { prisma } = database()
  const at = { where: { id } }
  // A later release of another prompt made the expected revision, so it is not what the runtime rejected.
  await prisma.runtime.update({ ...at, data: { prompts: ['other/prompt'] } })
  expect((await listAttention(viewer))[0]).toMatchObject({
    kind: 'runtime_rejected',
    release: null,
  })
  await prisma.runtime.update({ ...at, data: { prompts: [`${newest?.ns}/${newest?.key}`] } })
  expect((await listAttention(viewer))[0]).toMatchObject({ release: { id: newest?.id } })
  await prisma.runtime.update({ ...at, data: { prompts: [] } })

  // The candidate of a staged rollout is in a revision without a release.
  const released = await prisma.release.findFirstOrThrow({ where: { id: newest?.id ?? '' } })
  const { projectId, environmentId, configId, versionId, revision, authorId } = released
  const change = { id: 'rlc_1', projectId, kind: 'started', share: 100, authorId }
  await prisma.rollout.create({
    data: {
      ...{ id: 'rlo_1', projectId, environmentId, configId, versionId, authorId },
      ...{ baseVersionId: versionId, kind: 'staged', share: 100, metric: 'denials' },
      ...{ ratio: 1.5, minSessions: 20 },
      changes: { create: { ...change, revision: revision + 1 } },
    },
  })
  const place = { where: { id: environmentId } }
  await prisma.environment.update({ ...place, data: { revision: revision + 1 } })
  expect((await listAttention(viewer))[0]).toMatchObject({
    kind: 'runtime_rejected',
    release: null,
    staged: { ns: newest?.ns, key: newest?.key, version: newest?.version },
  })
  await prisma.environment.update({ ...place, data: { revision } })
  await prisma.rollout.delete({ where: { id: 'rlo_1' } })

  for (let count = 0; count < 7; count++) await send([lapse])
  const worst = await viewer.overview.attention({})
  const kinds = worst.items.map(({ kind }) => kind)
  expect(kinds).toHaveLength(7)
  expect(kinds.at(0)).toBe('runtime_rejected')
  // Many of one kind hide none of another.
  expect(kinds.at(-1)).toBe('session_blocked')
  expect(worst).toMatchObject({ more: 3, isMore: false, runtimes: 1 })
  const every = await viewer.overview.attention({ all: true })
  expect(every.items).toHaveLength(10)
  expect(every).toMatchObject({ more: 0, isMore: false })
})

test('blocked stops by different checks or of different sessions are not added up for attention', async () => {
  const viewer = await createProjectCaller(project, 'viewer')
  await send([
    ...stop('blocked', 1, 'one'),
    ...stop('blocked', 2, 'two'),
    ...stop('blocked', 3, 'one'),
  ])
  await send([...stop('blocked', 1, 'two'), ...stop('blocked', 2, 'two')])
  const both = ['one', 'two', 'one', 'two', 'one', 'two'].flatMap((checker, index) =>
    stop('blocked', index + 1, checker),
  )
  const stuck = await send(both)
  const passed = await send([...both, ...stop('allowed', 7), ...atEnd(stop('blocked', 8, 'one'))])
  const blocked = (await listAttention(viewer, { all: true })).filter(
    (item) => item.kind === 'session_blocked' && item.check !== 'plan-done',
  )
  expect(blocked.map((item) => item.kind === 'session_blocked' && item.sessionId)).toEqual([
    stuck,
    stuck,
  ])
  expect(blocked).toMatchObject([
    { check: expect.any(String), times: 3, stopId: `stop_${stuck.slice(5)}_13` },
    { check: expect.any(String), times: 3, stopId: `stop_${stuck.slice(5)}_11` },
  ])
  expect(JSON.stringify(blocked)).not.toContain(passed)
})

test('attention lists calls that could not be evaluated once per rule of a prompt, with the newest call', async () => {
  const viewer = await createProjectCaller(project, 'viewer')
  const refused = (decision: 'denied' | 'error', rule: string): Draft => ({
    type: 'tool.decided',
    data: {
      call_id: 'c',
      tool: 'deploy',
      decision,
      reason: 'No.',
      rules: [
        {
          rule,
          pointer: '/policies/0',
          type: 'custom',
          mode: 'enforce',
          because: [],
          result: decision === 'error' ? 'error' : 'deny',
          code: 'custom.error',
          params: {},
        },
      ],
    },
  })
  await send([refused('error', 'remote'), refused('denied', 'remote')])
  const newest = await send([refused('error', 'remote'), refused('error', 'other')])
  await send([refused('error', 'remote')], Date.now() - 30 * 3_600_000)
  const found = (await listAttention(viewer, { all: true })).filter(
    ({ kind }) => kind === 'calls_unevaluated',
  )
  const id = `dec_${newest.slice(5)}`
  const where = { ns: 'a', key: 'b', environment: 'dev', tool: 'deploy', isMore: false }
  expect(found).toMatchObject([
    { ...where, rule: 'other', count: 1, decisionId: `${id}_3` },
    { ...where, rule: 'remote', count: 2, decisionId: `${id}_2` },
  ])
  expect(await listAttention(viewer, { environment: 'production', all: true })).toEqual([])
})

async function counted(
  { ns = 'demo', key = 'release-notes', digest = '', at = 0 },
  { sessions, calls, denied }: { sessions: number; calls: number; denied: number },
): Promise<void> {
  const counts = new RollupCounts({ projectId: project.projectId, environment: 'dev' })
  const add = (count: number, names: { kind: 'session' | 'call'; a?: string }): void => {
    for (let i = 0; i < count; i++) counts.add({ ns, key, digest }, at, names)
  }
  add(sessions, { kind: 'session' })
  add(calls - denied, { kind: 'call', a: 'allowed' })
  add(denied, { kind: 'call', a: 'denied' })
  await inSqlTransaction((sql) => addRollups(sql, counts.rows()))
}

test("a rise in denials is attributed to the prompt's release, and needs enough sessions and calls", async () => {
  const viewer = await createProjectCaller(project, 'viewer')
  const { prisma } = database()
  const first = await prisma.release.findFirstOrThrow({ include: { version: true } })
  const { id, createdAt, requestKey: _requestKey, version, ...release } = first
  const next = { ...version, document: version.document ?? {}, digest: `sha256:${'5'.repeat(64)}` }
  await prisma.configVersion.create({ data: { ...next, id: 'ver_rise', number: 2 } })
  const at = Date.now() - 3 * 3_600_000
  await prisma.release.update({
    where: { id },
    data: { createdAt: new Date(at - 40 * 3_600_000) },
  })
  await prisma.release.create({
    data: {
      ...release,
      id: 'rel_rise',
      approvals: [],
      createdAt: new Date(at),
      revision: release.revision + 1,
      versionId: 'ver_rise',
      previousId: version.id,
    },
  })
  const rise = async () =>
    (await listAttention(viewer, { all: true })).filter(({ kind }) => kind === 'denials_rose')
  const [old, now] = [{ digest: version.digest }, { digest: next.digest }]
  const share = (sessions: number, calls: number, denied: number) => ({ sessions, calls, denied })
  // Both in the hour of the release, distinguished by their versions.
  await counted({ ...old, at }, share(10, 1_000, 20))
  await counted({ ...now, at }, share(4, 40, 8))
  // Excludes another prompt, an older day, and the old version after the release.
  await counted({ ...now, key: 'another', at }, share(50, 1_000, 900))
  await counted({ ...old, at: at - 30 * 3_600_000 }, share(50, 1_000, 900))
  await counted({ ...old, at: at + 3_600_000 }, share(50, 1_000, 900))
  expect(await rise()).toEqual([])
  await counted({ ...now, at: at + 2 * 3_600_000 }, share(1, 60, 0))
  // Eight of a hundred, but fewer than ten denied.
  expect(await rise()).toEqual([])
  await counted({ ...now, at: at + 2 * 3_600_000 }, share(5, 100, 8))
  expect(await rise()).toMatchObject([
    {
      ns: 'demo',
      key: 'release-notes',
      environment: 'dev',
      version: 2,
      releaseId: 'rel_rise',
      before: 0.02,
      after: 0.08,
    },
  ])
  // Another prompt's release since then changes nothing about it.
  const other = { ns: 'demo', key: 'other' }
  const config = await prisma.config.create({
    data: { ...(await prisma.config.findFirstOrThrow()), ...other, id: 'cfg_rise' },
  })
  await prisma.release.create({
    data: {
      ...release,
      id: 'rel_newer',
      approvals: [],
      configId: config.id,
      revision: release.revision + 2,
      previousId: version.id,
      createdAt: new Date(),
    },
  })
  expect(await rise()).toMatchObject([{ releaseId: 'rel_rise', before: 0.02, after: 0.08 }])
})

test('overview figures compare periods of equal length, and name the release after which a share changed', async () => {
  const ours = await otherProject()
  const viewer = await createProjectCaller(ours, 'viewer')
  const { prisma } = database()
  const now = Date.now()
  const hour = Math.floor(now / 3_600_000) * 3_600_000
  const minute = (at: number, calls: number, denied: number) => ({
    projectId: ours.projectId,
    environment: 'dev',
    calls,
    denied,
    minute: new Date(Math.floor(at / 60_000) * 60_000),
  })
  await prisma.minuteCount.createMany({
    data: [
      minute(hour - 5 * 3_600_000, 100, 2),
      minute(hour - 3_600_000, 50, 10),
      // Outside of the period before, which ends a day ago to the minute and has the same length.
      minute(now - 86_400_000 + 120_000, 1_000, 1_000),
      minute(hour - 47 * 3_600_000, 40, 4),
      minute(hour - 48 * 3_600_000, 1_000, 1_000),
    ],
  })
  const figures = await viewer.overview.figures({})
  expect(figures.callsDenied).toMatchObject({ previousValue: 4, previousOf: 40, since: null })
  expect(figures.callsDenied.series).toHaveLength(24)
  const shown = figures.callsDenied.series.reduce((sum, { value }) => sum + value, 0)
  expect(shown).toBe(figures.callsDenied.value)
})

test('a broken audit chain needs the attention of users who may read the audit log, and of no one else', async () => {
  const [admin, viewer] = [
    await createProjectCaller(project, 'admin'),
    await createProjectCaller(project, 'viewer'),
  ]
  await database().prisma.auditChain.upsert({
    where: { projectId: project.projectId },
    create: { projectId: project.projectId, headPosition: 1, headHash: 'x', ...BROKEN },
    update: BROKEN,
  })
  expect((await listAttention(viewer, { all: true })).map(({ kind }) => kind)).not.toContain(
    'audit_broken',
  )
  const [first] = await listAttention(admin)
  expect(first).toMatchObject({ kind: 'audit_broken', position: 1 })
})

test('a draft based on an older version than the live one needs the attention of its author only', async () => {
  const place = { ns: 'demo', key: 'release-notes' }
  const editor = await createProjectCaller(project, 'editor')
  const { draft } = await editor.drafts.open(place)
  const drafts = async (caller: typeof editor) =>
    (await listAttention(caller, { all: true })).filter(({ kind }) => kind === 'draft_behind')
  expect(draft).toBeNull()
  const saved = await editor.drafts.save({ ...place, text: '{}', seen: null, baseVersion: null })
  expect(await drafts(editor)).toMatchObject([
    { ...place, environment: 'dev', base: null, live: 1 },
  ])
  expect(await drafts(await createProjectCaller(project, 'editor'))).toEqual([])
  if (!saved.ok) throw new Error('The draft was not saved.')
  const seen = { ...place, id: saved.id, revision: saved.revision }
  await editor.drafts.rebase({ ...seen, baseVersion: 1 })
  expect(await drafts(editor)).toEqual([])
})

test('the configs that alert rules watch are counted without those of the demo', async () => {
  const viewer = await createProjectCaller(project, 'viewer')
  const counted = async () => (await viewer.overview.attention({})).watch.configs
  const all = await database().prisma.environmentPointer.groupBy({ by: ['configId'] })
  const before = await counted()
  expect(before).toBeLessThan(all.length)
  await database().prisma.config.updateMany({ where: { ns: 'demo' }, data: { ns: 'own' } })
  expect(await counted()).toBe(all.length)
})
