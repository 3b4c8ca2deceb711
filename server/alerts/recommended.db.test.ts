import fc from 'fast-check'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { addRollups } from '@/server/ingest/projectors/rollup-hours.ts'
import { RollupCounts } from '@/server/ingest/rollups/series.ts'
import { database } from '@/server/platform/db/client.ts'
import { inSqlTransaction } from '@/server/platform/db/sql-transaction.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { freshId } from '@/server/platform/ids.ts'
import {
  createProjectCaller,
  installed,
  newSessionId,
  otherProject,
  type TestProject,
} from '@/server/test/installation.ts'
import { evaluateAlerts } from './evaluate.ts'
import { insertRecommendedRules } from './recommended.ts'
import { RECOMMENDED_RULES } from './recommended-rules.kinds.ts'
import type { AlertSignal } from './signals.kinds.ts'

withTestDatabase()

const MINUTE_MS = 60_000
const ANYWHERE = { environment: null, ns: null, key: null }
const PLACE = { environment: 'dev', ns: 'team', key: 'agent' } as const

let project: TestProject

beforeAll(async () => {
  project = await installed()
})

async function preview(
  of: TestProject,
  rule: {
    readonly signal: AlertSignal
    readonly threshold: number
    readonly windowMinutes?: number
  },
) {
  const viewer = await createProjectCaller(of, 'viewer')
  return await viewer.alerts.preview({ ...ANYWHERE, windowMinutes: 60, ...rule })
}

async function look(): Promise<void> {
  const { signal } = new AbortController()
  await evaluateAlerts(undefined, { now: Date.now(), signal })
}

test('six recommended rules are on after setup, and the others state how often they would have fired', async () => {
  const ours = await otherProject()
  const admin = await createProjectCaller(ours, 'admin')
  const before = await admin.alerts.recommended()
  expect(before.map(({ name }) => name)).toEqual(RECOMMENDED_RULES.map(({ name }) => name))
  expect(before.every(({ isOn, ruleId }) => !isOn && ruleId === null)).toBe(true)
  await inTransaction((tx) => insertRecommendedRules(tx, ours.projectId, 'usr_first'))
  const after = await admin.alerts.recommended()
  expect(after.filter(({ isOn }) => isOn)).toHaveLength(6)
  expect(after.find(({ name }) => name === 'A runtime goes silent')).toMatchObject({
    isOn: false,
    fired: null,
  })
  expect(after.find(({ name }) => name === 'Sessions run long')).toMatchObject({
    isOn: false,
    fired: 0,
  })
  const [own] = after
  await admin.alerts.enable({ id: own?.ruleId ?? '', enabled: false })
  expect((await admin.alerts.recommended())[0]).toMatchObject({ isOn: false, ruleId: own?.ruleId })
  expect((await admin.overview.attention({})).watch).toMatchObject({ rules: 5, lastAlertAt: null })
})

test('how often a rule that is off would have fired is computed again after ten minutes', async () => {
  const ours = await otherProject()
  const viewer = await createProjectCaller(ours, 'viewer')
  const fired = async () =>
    (await viewer.alerts.recommended()).find(({ name }) => name === 'A session is lost')?.fired
  expect(await fired()).toBe(0)
  const session = await addSession(ours, { startedAt: Date.now() - 600_000 })
  const since = "now() - interval '10 minutes'"
  await database().pool.query(
    `UPDATE sessions SET received_at = ${since}, last_event_at = ${since} WHERE id = $1`,
    [session],
  )
  expect((await preview(ours, { signal: 'lost_sessions', threshold: 1 })).fired).toBe(1)
  expect(await fired()).toBe(0)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * MINUTE_MS })
  onTestFinished(() => void vi.useRealTimers())
  expect(await fired()).toBe(1)
})

interface Verdict {
  readonly verdict: 'blocked' | 'allowed' | 'error'
  readonly checker: 'one' | 'two'
}

/** Length of each run of blocks by a check that no other verdict than a block or an error interrupts. */
function countRuns(stops: readonly Verdict[]): readonly number[] {
  const runs = new Map<string, number>()
  let passed = 0
  for (const { verdict, checker } of stops) {
    if (verdict === 'allowed') passed += 1
    const run = `${passed} ${checker}`
    if (verdict === 'blocked') runs.set(run, (runs.get(run) ?? 0) + 1)
  }
  return [...runs.values()]
}

test('blocks in a row are those of one check in a session between stops that were let through', async () => {
  const stop = fc.record({
    verdict: fc.constantFrom<Verdict['verdict'][]>(
      'blocked',
      'blocked',
      'blocked',
      'allowed',
      'error',
    ),
    checker: fc.constantFrom<Verdict['checker'][]>('one', 'two'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(stop, { maxLength: 14 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 2, max: 4 }),
      async (sessions, threshold) => {
        const ours = await otherProject()
        const rows = sessions.flatMap((stops) => {
          const sessionId = newSessionId()
          return stops.map(({ verdict, checker }, i) => ({
            ...PLACE,
            id: `stop_${sessionId.slice(5)}_${i + 1}`,
            projectId: ours.projectId,
            sessionId,
            seq: i + 1,
            attemptedSeq: i + 1,
            attempt: i + 1,
            at: new Date(Date.now() - MINUTE_MS * (20 - i)),
            via: 'turn_end',
            verdict,
            checker: verdict === 'allowed' ? null : checker,
            code: 'plan.open_steps',
            reason: 'Open steps.',
          }))
        })
        await database().prisma.stop.createMany({ data: rows })
        const expected = sessions.flatMap(countRuns).filter((length) => length >= threshold)
        const { fired } = await preview(ours, { signal: 'blocks_in_a_row', threshold })
        expect(fired).toBe(expected.length)
      },
    ),
    { numRuns: 12, seed: 1 },
  )
})

test('an alert about blocks in a row stays the same alert while its first blocks leave the window', async () => {
  const ours = await otherProject()
  const admin = await createProjectCaller(ours, 'admin')
  const sessionId = newSessionId()
  const block = async (seq: number, minutesAgo: number) =>
    await database().prisma.stop.create({
      data: {
        ...PLACE,
        id: `stop_${sessionId.slice(5)}_${seq}`,
        projectId: ours.projectId,
        sessionId,
        seq,
        attemptedSeq: seq,
        attempt: seq,
        at: new Date(Date.now() - minutesAgo * MINUTE_MS),
        receivedAt: new Date(Date.now() - minutesAgo * MINUTE_MS),
        via: 'turn_end',
        verdict: 'blocked',
        checker: 'one',
        code: 'plan.open_steps',
        reason: 'Open steps.',
      },
    })
  const rule = { ...ANYWHERE, signal: 'blocks_in_a_row' as const, windowMinutes: 60, threshold: 3 }
  await admin.alerts.create({ ...rule, name: 'Stuck', destinations: [] })
  const ids = async () => (await admin.alerts.list({ filter: {} })).rows.map(({ id }) => id)
  for (const seq of [1, 2, 3]) await block(seq, 40 - seq)
  await look()
  const [first] = await ids()
  await database().pool.query(
    "UPDATE stops SET at = at - interval '30 minutes', received_at = received_at - interval '30 minutes' WHERE session_id = $1 AND seq < 3",
    [sessionId],
  )
  for (const seq of [4, 5]) await block(seq, 5)
  await look()
  expect(await ids()).toEqual([first])
  expect((await admin.alerts.list({ filter: { state: 'firing' } })).rows).toHaveLength(1)
})

async function addSession(
  of: TestProject,
  { startedAt, endedAt, runtimeId }: { startedAt: number; endedAt?: number; runtimeId?: string },
): Promise<string> {
  const id = newSessionId()
  const end = endedAt ?? Date.now()
  await database().prisma.session.create({
    data: {
      ...PLACE,
      id,
      projectId: of.projectId,
      runtimeId: runtimeId ?? null,
      harness: {},
      partitionDay: new Date(startedAt),
      startedAt: new Date(startedAt),
      endedAt: endedAt === undefined ? null : new Date(endedAt),
      lastEventAt: new Date(end),
      receivedAt: new Date(end),
    },
  })
  return id
}

test('a session that takes three times the median of its prompt fires, from ten sessions', async () => {
  const ours = await otherProject()
  const now = Date.now()
  const rule = { signal: 'long_sessions', threshold: 3 } as const
  const short = async () => {
    const startedAt = now - 10 * 86_400_000
    await addSession(ours, { startedAt, endedAt: startedAt + MINUTE_MS })
  }
  const long = await addSession(ours, { startedAt: now - 5 * MINUTE_MS })
  for (let i = 0; i < 9; i += 1) await short()
  expect(await preview(ours, rule)).toMatchObject({ fired: 0 })
  await short()
  const { times } = await preview(ours, rule)
  expect(times).toMatchObject([{ scope: `dev team/agent ${long}`, until: null }])
  expect(times[0]?.peak).toBeCloseTo(5, 0)
  expect(await preview(ours, { ...rule, threshold: 6 })).toMatchObject({ fired: 0 })
})

test('a runtime without a heartbeat fires while a session runs on it, and is resolved when the session ends', async () => {
  const { prisma } = database()
  const admin = await createProjectCaller(project, 'admin')
  const runtimeId = freshId('rt')
  const silentSince = new Date(Date.now() - 3 * MINUTE_MS)
  await prisma.runtime.create({
    data: {
      id: runtimeId,
      projectId: project.projectId,
      apiKeyId: 'key_1',
      environment: 'dev',
      name: 'worker-7',
      sdkVersion: '1',
      harness: {},
      prompts: [],
      capabilities: {},
      posture: 'deny',
      registeredAt: silentSince,
      lastSeenAt: silentSince,
    },
  })
  const rule = { ...ANYWHERE, signal: 'silent_runtimes' as const, windowMinutes: 2, threshold: 1 }
  await admin.alerts.create({ ...rule, name: 'Silent', destinations: [] })
  const firing = async () =>
    (await admin.alerts.list({ filter: { state: 'firing' } })).rows.map(({ scope }) => scope)
  await look()
  expect(await firing()).toEqual([])
  const session = await addSession(project, { startedAt: Date.now() - 600_000, runtimeId })
  await look()
  expect(await firing()).toEqual(['dev worker-7'])
  await prisma.session.update({ where: { id: session }, data: { endedAt: new Date() } })
  await look()
  expect(await firing()).toEqual([])
  expect(await admin.alerts.preview(rule)).toMatchObject({ fired: null })
})

test('a share of denied calls that doubles after a release fires for that release', async () => {
  const { prisma } = database()
  const first = await prisma.release.findFirstOrThrow({
    where: { projectId: project.projectId },
    include: { version: true },
  })
  const { id: _id, requestKey: _requestKey, version, approvals: _approvals, ...release } = first
  const digest = `sha256:${'6'.repeat(64)}`
  await prisma.configVersion.create({
    data: { ...version, document: version.document ?? {}, digest, id: 'ver_after', number: 2 },
  })
  const at = Date.now() - 3 * 3_600_000
  await prisma.release.create({
    data: {
      ...release,
      id: 'rel_after',
      approvals: [],
      createdAt: new Date(at),
      revision: release.revision + 1,
      versionId: 'ver_after',
      previousId: version.id,
    },
  })
  const count = async (under: string, calls: number, denied: number) =>
    await inSqlTransaction(async (sql) => {
      const counts = new RollupCounts({ projectId: project.projectId, environment: 'dev' })
      const prompt = { ns: 'demo', key: 'release-notes', digest: under }
      const times = under === digest ? at + 3_600_000 : at - 3_600_000
      for (let i = 0; i < 5; i += 1) counts.add(prompt, times, { kind: 'session' })
      for (let i = 0; i < calls; i += 1)
        counts.add(prompt, times, { kind: 'call', a: i < denied ? 'denied' : 'allowed' })
      await addRollups(sql, counts.rows())
    })
  const rule = { signal: 'denials_after_release', threshold: 2, windowMinutes: 1440 } as const
  await count(version.digest, 200, 4)
  await count(digest, 40, 10)
  expect(await preview(project, rule)).toMatchObject({ fired: 0 })
  await count(digest, 60, 0)
  expect((await preview(project, rule)).times).toMatchObject([
    { scope: 'dev demo/release-notes v2 rel_after', from: at, peak: 5 },
  ])
  expect(await preview(project, { ...rule, threshold: 6 })).toMatchObject({ fired: 0 })
  const admin = await createProjectCaller(project, 'admin')
  await admin.alerts.create({ ...ANYWHERE, ...rule, name: 'Denials rise', destinations: [] })
  await look()
  const { rows } = await admin.alerts.list({ filter: { state: 'firing' } })
  expect(rows).toMatchObject([
    { reason: '10% of calls denied since v2, 2.0% before.', evidence: '/releases/rel_after' },
  ])
  const released = await prisma.release.findUniqueOrThrow({ where: { id: 'rel_after' } })
  await prisma.release.create({
    data: {
      ...released,
      id: 'rel_again',
      approvals: [],
      requestKey: null,
      revision: released.revision + 2,
      createdAt: new Date(at + 60_000),
    },
  })
  expect((await preview(project, rule)).times).toMatchObject([
    { scope: 'dev demo/release-notes v2 rel_again', peak: 5 },
    { scope: 'dev demo/release-notes v2 rel_after', peak: 5 },
  ])
})
