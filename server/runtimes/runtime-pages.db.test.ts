import { beforeAll, expect, test } from 'vitest'
import { publishBundle } from '@/server/bundles/bundles.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import {
  createProjectCaller,
  installed,
  otherProject,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

let project: TestProject

beforeAll(async () => {
  project = await installed()
})

interface Made {
  readonly name: string
  readonly applied?: number | null
  readonly rejected?: string
  readonly silentMs?: number
  readonly in?: TestProject
}

async function make({ name, applied = 1, rejected, silentMs = 0, in: place = project }: Made) {
  const id = `rt_${name.replaceAll(/\W/g, '')}`
  await database().prisma.runtime.create({
    data: {
      id,
      projectId: place.projectId,
      environment: 'dev',
      apiKeyId: 'key_x',
      name,
      sdkVersion: '0.1.0',
      harness: { name: 'test' },
      prompts: ['demo/release-notes'],
      capabilities: { policies: ['approval'] },
      posture: 'last_known_good',
      lastSeenAt: new Date(Date.now() - silentMs),
      appliedRevision: applied,
      rejectedRevision: rejected === undefined ? null : 2,
      rejectedReason: rejected ?? null,
    },
  })
  return id
}

test('a deployment counts as behind the runtimes that lack what they were sent, and no other', async () => {
  const ours = await otherProject()
  const viewer = await createProjectCaller(ours, 'viewer')
  await make({ name: 'fleet-1', applied: 5, in: ours })
  await make({ name: 'fleet-2', applied: null, in: ours })
  await make({ name: 'fleet-3', applied: null, rejected: 'no such type', in: ours })
  await make({ name: 'fleet-4', applied: 0, in: ours })
  expect((await viewer.runtimes.groups({})).groups).toMatchObject([
    { total: 4, connected: 4, inSync: 1, behind: 2 },
  ])
  const find = async (filter: Parameters<typeof viewer.runtimes.groups>[0]) =>
    (await viewer.runtimes.groups(filter)).alone.map(({ name }) => name)
  expect(await find({ state: 'rejected' })).toEqual(['fleet-3'])
  const named = (text: string) => ({
    terms: [{ kind: 'text' as const, field: null, words: [text], isNegated: false }],
  })
  expect(await find(named('fleet-2'))).toEqual(['fleet-2'])
  expect(await find({ ...named('demo/release'), state: 'in_sync' })).toEqual(['fleet-4'])
})

test('runtimes with the same settings are one deployment, whose pages list problems first and each runtime once', async () => {
  const viewer = await createProjectCaller(project, 'viewer')
  for (let i = 0; i < 230; i++)
    await make({ name: `api-7d9f8b6c5d-x${String(i).padStart(4, '0')}` })
  expect((await viewer.runtimes.groups({})).groups).toMatchObject([
    { name: 'api', environment: 'dev', total: 230, connected: 230, inSync: 230, isUniform: true },
  ])
  const late = await make({ name: 'api-7d9f8b6c5d-zzzzz', applied: 0 })
  const { groups } = await viewer.runtimes.groups({ environment: 'dev' })
  expect(groups).toMatchObject([
    { total: 231, inSync: 230, behind: 1, isUniform: false, state: 'behind' },
  ])
  type Page = Awaited<ReturnType<typeof viewer.runtimes.page>>
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: Page = await viewer.runtimes.page({ filter: { group: 'api' }, cursor })
    seen.push(...page.rows.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(seen[0]).toBe(late)
  expect([seen.length, new Set(seen).size]).toEqual([231, 231])
})

test('a runtime shows its versions, its lag and a reason, and another project sees none of them', async () => {
  const viewer = await createProjectCaller(project, 'viewer')
  const behind = await make({ name: 'worker-1', applied: 0, rejected: 'no such type' })
  expect(await viewer.runtimes.get({ id: behind })).toMatchObject({
    state: 'rejected',
    rejectedReason: 'no such type',
    configs: [{ prompt: 'demo/release-notes', applied: null, expected: 1, behind: 1 }],
    capabilities: { policies: ['approval'] },
  })
  const { alone } = await viewer.runtimes.groups({})
  expect(alone.map(({ id }) => id)).toEqual([behind])
  await inTransaction((tx) =>
    publishBundle(tx, {
      projectId: project.projectId,
      environmentId: project.environments['dev'] ?? '',
    }),
  )
  const current = await make({ name: 'worker-2', applied: 2 })
  // The revision is newer, the config in it is the same.
  expect(await viewer.runtimes.get({ id: current })).toMatchObject({
    state: 'in_sync',
    configs: [{ applied: 1, expected: 1, behind: 0 }],
  })
  const stranger = await createProjectCaller(await otherProject(), 'admin')
  await expect(stranger.runtimes.get({ id: behind })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await stranger.runtimes.groups({})).groups).toEqual([])
})

test('a silent runtime becomes stale, then disconnected', async () => {
  const viewer = await createProjectCaller(project, 'viewer')
  const loadRuntimeState = async (id: string) => (await viewer.runtimes.get({ id })).state
  expect(await loadRuntimeState(await make({ name: 'quiet', applied: 2, silentMs: 50_000 }))).toBe(
    'stale',
  )
  expect(await loadRuntimeState(await make({ name: 'gone', applied: 2, silentMs: 400_000 }))).toBe(
    'disconnected',
  )
})

test('a runtime runs the sessions that the lists of sessions count as running, whatever its heartbeat counts', async () => {
  const ours = await otherProject()
  const viewer = await createProjectCaller(ours, 'viewer')
  const { projectId } = ours
  const { prisma } = database()
  const runtimeId = await make({ name: 'busy-1', in: ours })
  await make({ name: 'busy-2', in: ours })
  await prisma.runtime.update({ where: { id: runtimeId }, data: { liveSessions: 5 } })
  const at = new Date()
  const times = { partitionDay: at, startedAt: at, lastEventAt: at, receivedAt: at }
  for (const [id, endedAt] of [
    ['sess_running', null],
    ['sess_ended', at],
  ] as const) {
    const place = { projectId, environment: 'dev', ns: 'demo', key: 'release-notes', harness: {} }
    await prisma.session.create({ data: { ...place, ...times, id, runtimeId, endedAt } })
  }
  const { rows } = await viewer.sessions.list({ filter: { status: 'running' } })
  expect(rows.map(({ id }) => id)).toEqual(['sess_running'])
  expect(await viewer.runtimes.get({ id: runtimeId })).toMatchObject({ liveSessions: 1 })
  expect((await viewer.runtimes.groups({})).groups).toMatchObject([{ total: 2, sessions: 1 }])
})
