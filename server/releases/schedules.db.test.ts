import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '@/server/platform/auth/permissions.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createProjectCaller, installed, type TestProject } from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'

withTestDatabase()

type Caller = Awaited<ReturnType<typeof createProjectCaller>>

const HOUR = 3_600_000
const FREE = {
  requiresNote: false,
  requiresTypedName: false,
  requiresBacktest: false,
  requiredApprovals: 0,
  rollbackSkipsApproval: true,
}

let project: TestProject
const people = {} as Record<Role, Caller>

beforeAll(async () => {
  project = await installed()
  for (const role of ['viewer', 'editor', 'publisher', 'admin'] as const) {
    people[role] = await createProjectCaller(project, role)
  }
})

const demand = (demands: Partial<typeof FREE>) =>
  people.admin.environments.change({ ...FREE, ...demands, name: 'staging' })

beforeEach(async () => {
  await demand({})
  await database().prisma.scheduledRelease.deleteMany()
})

let made = 0

async function newConfig(description = 'first') {
  const prompt = { ns: 'plans', key: `config-${++made}` }
  const text = JSON.stringify({ schema_version: 1, ...prompt, description })
  await people.editor.configs.create({ ...prompt, text })
  const { draft } = await people.editor.drafts.open(prompt)
  return { prompt, draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
}

type Config = Awaited<ReturnType<typeof newConfig>>

async function edit(config: Config, description: string): Promise<Config> {
  const { prompt, draftId: id, revision } = config
  const text = JSON.stringify({ schema_version: 1, ...prompt, description })
  const seen = { id, revision }
  const saved = await people.editor.drafts.save({ ...prompt, text, seen, baseVersion: null })
  if (!saved.ok) throw new Error('The draft moved.')
  return { ...config, revision: saved.revision }
}

const toStaging = ({ prompt }: Config) => ({ ...prompt, environment: 'staging' })

async function publish(config: Config, environment = 'staging') {
  const { prompt, draftId, revision } = config
  const result = await people.publisher.releases.publish({
    ...prompt,
    environment,
    draftId,
    revision,
  })
  if (!result.ok) throw new Error(result.message)
  return result.release
}

const ask = (config: Config, more: object = {}, by = people.publisher) => {
  const { draftId, revision } = config
  const subject = { kind: 'draft' as const, draftId, revision }
  const due = { dueAt: Date.now() + HOUR, zone: 'Europe/Berlin' }
  return by.schedules.create({ ...toStaging(config), ...due, subject, ...more })
}

async function plan(config: Config, more: object = {}): Promise<string> {
  const result = await ask(config, more)
  if (!result.ok) throw new Error(result.message)
  return result.id
}

async function come(id: string): Promise<void> {
  await database().pool.query(
    "UPDATE scheduled_releases SET due_at = now() - interval '1 second' WHERE id = $1",
    [id],
  )
  await database().pool.query(
    'UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = $1',
    [`schedule:${id}`],
  )
  await workOffJobs()
}

const stored = (id: string) =>
  database().prisma.scheduledRelease.findUniqueOrThrow({ where: { id } })

async function live({ prompt }: Config): Promise<number | undefined> {
  const { pointers } = await people.viewer.configs.get(prompt)
  return pointers.find(({ environment }) => environment === 'staging')?.version
}

describe('a planned release', () => {
  test('a planned release is made at its time for the user who planned it, with an audit log entry', async () => {
    const config = await newConfig()
    const id = await plan(config, { note: 'tonight' })
    await workOffJobs()
    expect(await live(config)).toBeUndefined()
    expect(await people.viewer.schedules.list()).toMatchObject([
      { id, state: 'pending', zone: 'Europe/Berlin', note: 'tonight', author: 'A publisher' },
    ])
    await come(id)
    expect(await live(config)).toBe(1)
    const { state, releaseId } = await stored(id)
    expect(state).toBe('released')
    const release = await database().prisma.release.findUniqueOrThrow({
      where: { id: releaseId ?? '' },
    })
    expect(release).toMatchObject({ scheduleId: id, note: 'tonight' })
    const entry = await database().prisma.auditEntry.findFirstOrThrow({
      where: { target: release.id },
    })
    expect(entry).toMatchObject({ actor: 'A publisher', after: { schedule: id } })
    expect(await people.viewer.schedules.list()).toEqual([])
  })

  test('a planned release is made once for any number of runs of its job', async () => {
    const config = await newConfig()
    const id = await plan(config)
    await come(id)
    const { releaseId } = await stored(id)
    const { runSchedule } = await import('./run-schedule.ts')
    await Promise.all([runSchedule(id), runSchedule(id)])
    expect((await stored(id)).releaseId).toBe(releaseId)
    expect((await people.viewer.configs.get(config.prompt)).releases).toHaveLength(1)
  })

  test('requires note and typed name when it is planned', async () => {
    await demand({ requiresNote: true, requiresTypedName: true })
    const config = await newConfig()
    expect(await ask(config)).toMatchObject({ reason: 'note_required' })
    expect(await ask(config, { note: 'why', typedName: 'Staging' })).toMatchObject({
      reason: 'name_required',
    })
    expect(await ask(config, { note: 'why', typedName: 'staging' })).toMatchObject({ ok: true })
  })

  test.each([
    ['a time that is over', { dueAt: Date.now() - 1 }],
    ['a time in two years', { dueAt: Date.now() + 800 * 24 * HOUR }],
    ['a zone that does not exist', { zone: 'Mars/Olympus' }],
  ])('is refused for %s', async (_name, more) => {
    const config = await newConfig()
    await expect(ask(config, more)).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' })
  })

  test('a planned release is refused for a share of sessions or under watch', async () => {
    const config = await newConfig()
    const guard = { metric: 'denials', ratio: 1.5, minSessions: 20 }
    for (const some of [{ stage: { share: 100, guard } }, { watch: { hours: 6, guard } }]) {
      await expect(ask(config, some)).rejects.toThrow('goes to every new session')
    }
  })

  test('a planned release is planned once when two are requested concurrently for one config and environment', async () => {
    const config = await newConfig()
    const results = await Promise.allSettled([ask(config), ask(config)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('a planned release is refused with the reason when the draft was edited, until it is dismissed', async () => {
    const config = await newConfig()
    const id = await plan(config)
    await edit(config, 'another')
    await come(id)
    expect(await live(config)).toBeUndefined()
    const [row] = await people.viewer.schedules.list()
    expect(row).toMatchObject({
      id,
      state: 'refused',
      reason: 'The draft was edited after this was scheduled, so it is not what was agreed.',
    })
    const { items: attention } = await people.viewer.overview.attention({})
    expect(attention).toMatchObject([{ kind: 'schedule_refused', scheduleId: id }])
    await people.publisher.schedules.cancel({ id })
    expect(await people.viewer.schedules.list()).toEqual([])
  })

  test('a planned release is refused without valid approvals, and made with them', async () => {
    const config = await newConfig()
    await demand({ requiredApprovals: 1 })
    const late = await plan(config)
    await come(late)
    expect(await stored(late)).toMatchObject({
      state: 'refused',
      reason: '0 of 1 approval given.',
    })
    const id = await plan(config)
    const { draftId, revision } = config
    const subject = { kind: 'draft' as const, draftId, revision }
    await people.editor.releaseApprovals.request({ ...toStaging(config), subject, note: null })
    const review = await people.viewer.releases.review({
      ...toStaging(config),
      kind: 'publish',
      subject,
    })
    const digest = review.ok ? review.review.digest : ''
    const answer = { digest, expectedLive: null, decision: 'approved' as const, note: null }
    const asked = async () =>
      (await people.publisher.releaseApprovals.list()).find(({ key }) => key === config.prompt.key)
    // The refused one stays listed until it is dismissed.
    const planIds = [late, id]
    expect(await asked()).toMatchObject({ planIds, plan: { state: 'pending' }, isYourTurn: true })
    await people.publisher.schedules.cancel({ id: late })
    const [listed] = (await people.viewer.configs.get(config.prompt)).plans
    expect(listed).toMatchObject({ environment: 'staging', version: null, state: 'pending' })
    await people.publisher.releaseApprovals.decide({ ...toStaging(config), ...answer })
    // The plan makes the release, so no one has to act.
    expect(await asked()).toMatchObject({ state: 'approved', isYourTurn: false })
    await come(id)
    expect(await live(config)).toBe(1)
    expect(await asked()).toBeUndefined()
  })

  test('a planned release is refused when its author has lost the right to release', async () => {
    const author = await createProjectCaller(project, 'publisher')
    const config = await newConfig()
    const result = await ask(config, {}, author)
    if (!result.ok) throw new Error(result.message)
    const { userId } = await author.members.me()
    await people.admin.members.setRole({ userId, role: 'viewer' })
    await come(result.id)
    expect(await stored(result.id)).toMatchObject({
      state: 'refused',
      reason: 'The user who planned it may no longer release.',
    })
    expect(await live(config)).toBeUndefined()
  })

  test('a planned release is refused for a promotion when the environment serves another version', async () => {
    const config = await newConfig()
    await publish(config, 'dev')
    const subject = { kind: 'version' as const, version: 1 }
    const id = await plan(config, { subject })
    const next = await edit(config, 'hot fix')
    await publish(next)
    await come(id)
    expect((await stored(id)).reason).toMatch(
      /staging runs v2 now; another user changed it meanwhile/,
    )
    expect(await live(config)).toBe(2)
  })

  test('a planned release can be moved to another time, and the old job does nothing', async () => {
    const config = await newConfig()
    const id = await plan(config)
    const dueAt = Date.now() + 5 * HOUR
    const stale = people.publisher.schedules.move({ id, dueAt, zone: 'UTC', expectedLive: 4 })
    await expect(stale).rejects.toMatchObject({ code: 'CONFLICT' })
    await people.publisher.schedules.move({ id, dueAt, zone: 'UTC', expectedLive: null })
    const { runSchedule } = await import('./run-schedule.ts')
    await runSchedule(id)
    expect(await live(config)).toBeUndefined()
    expect((await people.viewer.schedules.list())[0]).toMatchObject({ dueAt, zone: 'UTC' })
    await people.publisher.schedules.cancel({ id })
  })

  test('a planned release is either canceled or made, never both, when both happen concurrently', async () => {
    const config = await newConfig()
    const id = await plan(config)
    await database().pool.query('UPDATE scheduled_releases SET due_at = now() WHERE id = $1', [id])
    const { runSchedule } = await import('./run-schedule.ts')
    const cancel = people.publisher.schedules.cancel({ id })
    const [, cancelled] = await Promise.allSettled([runSchedule(id), cancel])
    const isLive = (await live(config)) === 1
    expect(isLive).toBe(cancelled.status === 'rejected')
    expect((await stored(id)).state).toBe(isLive ? 'released' : 'cancelled')
  })
})

describe('planned releases after a rollback', () => {
  async function rolledBack() {
    const config = await newConfig()
    await publish(config)
    const second = await edit(config, 'second')
    await publish(second)
    const third = await edit(second, 'third')
    const id = await plan(third)
    const back = { ...toStaging(config), version: 1, expectedLive: 2 }
    const result = await people.publisher.releases.rollBack(back)
    if (!result.ok) throw new Error(result.message)
    return { config: third, id }
  }

  test('planned releases after a rollback are held, with the rollback as the reason', async () => {
    const { config, id } = await rolledBack()
    expect(await stored(id)).toMatchObject({
      state: 'held',
      reason: 'staging was rolled back from v2 to v1',
    })
    await come(id)
    expect(await live(config)).toBe(1)
    expect((await stored(id)).state).toBe('held')
  })

  test('resume after a manual release to the environment, and a missed one is refused', async () => {
    const { config, id } = await rolledBack()
    const move = { ...toStaging(config), version: 2, expectedLive: 1 }
    await people.publisher.releases.promote(move)
    expect((await stored(id)).state).toBe('pending')
    const other = await rolledBack()
    await database().pool.query(
      "UPDATE scheduled_releases SET due_at = now() - interval '1 minute' WHERE id = $1",
      [other.id],
    )
    await people.publisher.releases.promote({ ...move, ...toStaging(other.config) })
    expect(await stored(other.id)).toMatchObject({
      state: 'refused',
      reason: 'Its time passed while it was held. Schedule it again.',
    })
  })

  test('resume when a user moves them, and not after a release to another environment', async () => {
    const { config, id } = await rolledBack()
    await people.publisher.releases.promote({
      ...toStaging(config),
      environment: 'dev',
      version: 2,
      expectedLive: null,
    })
    expect((await stored(id)).state).toBe('held')
    const dueAt = Date.now() + HOUR
    await people.publisher.schedules.move({ id, dueAt, zone: 'UTC', expectedLive: 1 })
    expect((await stored(id)).state).toBe('pending')
  })
})
