import { beforeAll, beforeEach, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
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
import { workOffJobs } from '@/server/test/jobs.ts'
import { recordedSession } from '@/server/test/recorded-session.ts'

withTestDatabase()

const prompt = { ns: 'lab', key: 'agent' }
const place = { ...prompt, environment: 'dev' }
const GOOD = 40
type Caller = Awaited<ReturnType<typeof createProjectCaller>>

let project: TestProject
let caller: Caller
let key: string
let live: { readonly digest: string; readonly text: string }
let recorded = 0

const LIVE = {
  policies: [{ id: 'mail', type: 'rate_limit', tools: ['mail'], max_calls: 9, per_seconds: 60 }],
}
const call = (tool: string): readonly Draft[] => [
  { type: 'tool.requested', data: { call_id: tool, tool, args: {} } },
  { type: 'tool.invoked', data: { call_id: tool, tool, outcome: 'success' } },
]
const ended: Draft = { type: 'session.ended', data: { reason: 'completed' } }

async function record(drafts: readonly Draft[], name = prompt): Promise<string> {
  const session = newSessionId()
  recorded += 1
  const at = Date.now() - 3_600_000 + recorded * 1_000
  const began: Draft = {
    type: 'session.started',
    data: { ...name, environment: 'dev', harness: { name: 'test' } },
  }
  const events = recordedSession({ session, at, release: live }, [began, ...drafts, ended])
  const response = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(await response.json()).toMatchObject({ errors: [] })
  return session
}

/** Good sessions look in any order, and test before they deploy. */
async function recordGood(from: number, to: number, name = prompt): Promise<void> {
  for (let i = from; i < to; i++) {
    const [first, second] = i % 2 === 0 ? ['look', 'list'] : ['list', 'look']
    const drafts = [...call(first), ...call(second), ...call('test'), ...call('deploy')]
    await record(drafts, name)
  }
}

async function learn(): Promise<Awaited<ReturnType<Caller['suggestions']['find']>>> {
  await caller.suggestions.start(place)
  await workOffJobs()
  return await caller.suggestions.find(place)
}

const listCounts = () => database().prisma.learnCountsDay.findMany({ orderBy: { label: 'asc' } })

beforeAll(async () => {
  project = await installed()
  caller = await createProjectCaller(project, 'admin')
  key = await makeKey(project)
  const text = JSON.stringify({ schema_version: 1, ...prompt, ...LIVE })
  await caller.configs.create({ ...prompt, text })
  const { draft } = await caller.drafts.open(prompt)
  const seen = { draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
  await caller.releases.publish({ ...prompt, ...seen, environment: 'dev', note: 'first' })
  live = await database().prisma.configVersion.findFirstOrThrow({ where: { config: prompt } })
  await recordGood(0, GOOD)
  for (let i = 0; i < 6; i++) {
    const sessionId = await record([...call('look'), ...call('deploy')])
    await caller.labels.set({ sessionId, seq: 0, label: 'bad' })
  }
})

beforeEach(async () => {
  await database().prisma.dismissedRule.deleteMany()
})

const isOrder = ({ placed }: { readonly placed: { readonly rule: object } }): boolean =>
  'dependencies' in placed.rule && JSON.stringify(placed.rule.dependencies).includes('"deploy"')

test('an order that good sessions keep and bad ones break is suggested as a guard, and counted sessions are not read again', async () => {
  expect(await caller.suggestions.find(place)).toEqual({
    ...{ run: null, sample: null, rules: [], refused: [], dismissed: [] },
  })
  const first = await learn()
  expect(first).toMatchObject({
    run: { status: 'done', error: null, sessionsFound: 2 * (GOOD + 6) },
    sample: { good: GOOD, bad: 6, uses: { good: GOOD, bad: 6 }, version: 1, days: 30 },
  })
  expect(first.rules.find(isOrder)).toMatchObject({
    ...{ kind: 'fresh', group: 'guard', state: 'open' },
    placed: {
      pointer: '/policies/-',
      rule: { dependencies: { deploy: ['test'] }, mode: 'shadow' },
    },
    good: { sessions: GOOD, denied: 0 },
    bad: { sessions: 6, denied: 6 },
  })
  await recordGood(GOOD, GOOD + 2)
  const second = await learn()
  expect(second).toMatchObject({
    run: { status: 'done', sessionsFound: 2 + GOOD + 2 + 6 },
    sample: { good: GOOD + 2, bad: 6 },
  })
})

test('tools that were first called less than 7 days ago are named in the evidence', async () => {
  const evidence = async () => (await learn()).rules.find(isOrder)?.evidence
  expect(await evidence()).toMatch(/First seen less than 7 days ago: .*`deploy`.*`test`/)
  const day = new Date(Date.now() - 8 * 86_400_000)
  const calls = { kind: 'tool', name: 'test', count: 1, lastAt: day }
  await database().prisma.activityDay.create({
    data: { projectId: project.projectId, ...place, day, ...calls },
  })
  expect(await evidence()).toMatch(/First seen less than 7 days ago: (?!.*`test`).*`deploy`/)
})

test('a label moves a session between the counts, which then are those of a first run', async () => {
  await learn()
  const moved = await record([...call('look'), ...call('deploy')])
  const before = await learn()
  expect(before.sample).toMatchObject({ good: GOOD + 3, bad: 6 })
  const shown = before.refused.find(isOrder)
  expect(shown?.good).toMatchObject({ denied: 1, deniedSessions: [moved] })
  await caller.labels.set({ sessionId: moved, seq: 0, label: 'bad' })
  const after = await learn()
  expect(after.sample).toMatchObject({ good: GOOD + 2, bad: 7 })
  const counted = await listCounts()
  await database().prisma.learnCountsDay.deleteMany()
  await learn()
  const anew = await listCounts()
  expect(anew.map(({ label, members }) => ({ label, members }))).toEqual(
    counted.map(({ label, members }) => ({ label, members })),
  )
  expect(anew.map(({ counts }) => Buffer.from(counts).toString('hex'))).toEqual(
    counted.map(({ counts }) => Buffer.from(counts).toString('hex')),
  )
})

test('counts that were made with other tools, or are damaged, are made again', async () => {
  await learn()
  const [before] = await listCounts()
  const moved = Object.keys(Object(before?.members))[0] ?? ''
  await database().prisma.learnCountsDay.updateMany({ data: { tools: 'others' } })
  const other = before?.label === 'good' ? 'bad' : 'good'
  await caller.labels.set({ sessionId: moved, seq: 0, label: other })
  expect((await learn()).run).toMatchObject({ status: 'done' })
  const counted = await listCounts()
  await database().prisma.learnCountsDay.updateMany({ data: { counts: Buffer.from([7, 7]) } })
  expect((await learn()).run).toMatchObject({ status: 'done' })
  const without = ({ tools: _, ...rest }: (typeof counted)[number]) => rest
  expect((await listCounts()).map(without)).toEqual(counted.map(without))
  await caller.labels.set({ sessionId: moved, seq: 0, label: other === 'good' ? 'bad' : null })
})

test('a dismissed rule stays away from every later run until it is restored', async () => {
  const { rules } = await learn()
  const id = rules.find(isOrder)?.id ?? ''
  await caller.suggestions.dismiss({ ...place, id, reason: 'Deploys are tested elsewhere.' })
  await expect(caller.suggestions.take({ ...place, ids: [id] })).rejects.toThrow('Restore it')
  const dismissed = await learn()
  expect(dismissed.rules.map((one) => one.id)).not.toContain(id)
  expect(dismissed.dismissed).toMatchObject([{ id, reason: 'Deploys are tested elsewhere.' }])
  expect(await caller.suggestions.restore({ ...place, id })).toEqual({ ok: true })
  await expect(caller.suggestions.restore({ ...place, id })).rejects.toThrow('is not dismissed')
  expect((await learn()).rules.map((one) => one.id)).toContain(id)
  const unknown = caller.suggestions.dismiss({ ...place, id: 'none', reason: 'why' })
  await expect(unknown).rejects.toThrow('did not find the rule none')
})

test('a rule goes to the draft in shadow mode, and a draft with errors is left as it is', async () => {
  const { rules } = await learn()
  const id = rules.find(isOrder)?.id ?? ''
  expect(await caller.suggestions.take({ ...place, ids: [id] })).toEqual(prompt)
  const { draft } = await caller.drafts.open(prompt)
  expect(JSON.parse(draft?.text ?? '').policies).toMatchObject([
    LIVE.policies[0],
    { type: 'sequential_dependency', dependencies: { deploy: ['test'] }, mode: 'shadow' },
  ])
  const taken = await caller.suggestions.find(place)
  expect(taken.rules.find(isOrder)?.state).toBe('taken')
  const seen = { id: draft?.id ?? '', revision: draft?.revision ?? 0 }
  await caller.drafts.save({ ...prompt, text: '{', baseVersion: null, seen })
  await expect(caller.suggestions.take({ ...place, ids: [id] })).rejects.toThrow('has errors')
})

test('a prompt without a config gets one with the rules that were chosen', async () => {
  const fresh = { ns: 'lab', key: 'fresh' }
  await recordGood(0, 24, fresh)
  expect(await caller.suggestions.prompts()).toEqual([
    { prompt: 'lab/fresh', environment: 'dev', sessions: 24 },
  ])
  const there = { ...fresh, environment: 'dev' }
  await caller.suggestions.start(there)
  await workOffJobs()
  const { rules, sample } = await caller.suggestions.find(there)
  expect(sample).toMatchObject({ good: 24, version: null })
  const chosen = rules.filter(isOrder)
  expect(chosen).toHaveLength(2)
  await caller.suggestions.take({ ...there, ids: chosen.map(({ id }) => id), mode: 'enforce' })
  const { draft } = await caller.drafts.open(fresh)
  expect(JSON.parse(draft?.text ?? '')).toMatchObject({
    ...fresh,
    policies: [{ type: 'sequential_dependency', mode: 'enforce' }],
  })
  expect(await caller.suggestions.prompts()).toEqual([])
})

test('a config that extends another one gets the rule under a free id, and what its base has is refused', async () => {
  const base = { ns: 'lab', key: 'base' }
  const order = { type: 'sequential_dependency', dependencies: { x: ['y'] } }
  const policies = [{ id: 'deploy-after-test-list', ...order }]
  const text = JSON.stringify({ schema_version: 1, ...base, policies })
  await caller.configs.create({ ...base, text })
  const { draft } = await caller.drafts.open(base)
  const seen = { draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
  await caller.releases.publish({ ...base, ...seen, environment: 'dev', note: 'first' })
  const child = { ns: 'lab', key: 'child' }
  await caller.configs.create({
    ...child,
    text: JSON.stringify({ schema_version: 1, ...child, extends: 'lab/base@1' }),
  })
  await recordGood(0, 24, child)
  const there = { ...child, environment: 'dev' }
  await caller.suggestions.start(there)
  await workOffJobs()
  const { rules } = await caller.suggestions.find(there)
  const ids = rules.filter(isOrder).map(({ id }) => id)
  await caller.suggestions.take({ ...there, ids: [...ids, ...ids] })
  const opened = await caller.drafts.open(child)
  expect(JSON.parse(opened.draft?.text ?? '')).toMatchObject({
    extends: 'lab/base@1',
    policies: [{ id: 'deploy-after-test-list-2', after: ['list', 'look'] }],
  })
  // Each order is part of the joined one.
  const again = caller.suggestions.take({ ...there, ids: ids.slice(0, 1) })
  await expect(again).rejects.toThrow('already has this')
})

test('a rule that only records facts stays in shadow mode', async () => {
  const files = { ns: 'lab', key: 'files' }
  const touch = (tool: string): readonly Draft[] => [
    { type: 'tool.requested', data: { call_id: tool, tool, args: { path: 'notes.md' } } },
    { type: 'tool.invoked', data: { call_id: tool, tool, outcome: 'success' } },
  ]
  for (let i = 0; i < 20; i++) await record([...touch('read_file'), ...touch('write_file')], files)
  const there = { ...files, environment: 'dev' }
  await caller.suggestions.start(there)
  await workOffJobs()
  const { rules } = await caller.suggestions.find(there)
  const ids = rules.flatMap(({ id, kind }) => (kind === 'file_facts' ? [id] : []))
  await caller.suggestions.take({ ...there, ids, mode: 'enforce' })
  const { draft } = await caller.drafts.open(files)
  expect(JSON.parse(draft?.text ?? '').policies).toMatchObject([
    { type: 'read_before_write', mode: 'shadow' },
  ])
})

test('a canceled run ends without findings and keeps those of the run before', async () => {
  const { sample } = await learn()
  const { id } = await caller.suggestions.start(place)
  expect(await caller.suggestions.start(place)).toEqual({ id })
  expect(await caller.suggestions.cancel(place)).toEqual({ ok: true })
  expect(await caller.suggestions.cancel(place)).toEqual({ ok: false })
  await workOffJobs()
  const found = await caller.suggestions.find(place)
  expect(found).toMatchObject({ run: { status: 'cancelled' }, sample: { at: sample?.at } })
  const nowhere = caller.suggestions.start({ ...place, environment: 'moon' })
  await expect(nowhere).rejects.toThrow('There is no environment moon.')
  const unknown = caller.suggestions.start({ ...place, key: 'typo' })
  await expect(unknown).rejects.toThrow('There is no config "lab/typo"')
})

test('at night the prompts with new sessions are learned again', async () => {
  const { sample } = await learn()
  const runDue = async () => {
    await inTransaction((tx) => enqueue(tx, { task: 'learn.due', payload: {} }))
    await workOffJobs()
    return (await caller.suggestions.find(place)).sample
  }
  const created = async (createdAt: Date) =>
    await database().prisma.learnRun.updateMany({ data: { createdAt } })
  // Two days later, no session is newer than the run.
  await created(new Date(Date.now() + 2 * 86_400_000))
  expect(await runDue()).toEqual(sample)
  await created(new Date(0))
  expect((await runDue())?.at).toBeGreaterThan(sample?.at ?? 0)
})

test('a session without an end is counted as running, and as lost once its runtime is silent', async () => {
  const session = newSessionId()
  const began: Draft = {
    type: 'session.started',
    data: { ...prompt, environment: 'dev', harness: { name: 'test' } },
  }
  const events = recordedSession({ session, at: Date.now(), release: live }, [began])
  const response = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(await response.json()).toMatchObject({ errors: [] })
  expect((await learn()).sample?.uses).toMatchObject({ running: 1 })
  const receivedAt = new Date(Date.now() - 6 * 60_000)
  await database().prisma.session.updateMany({ where: { id: session }, data: { receivedAt } })
  const { uses } = (await learn()).sample ?? {}
  expect(uses).toMatchObject({ lost: 1 })
  expect(uses).not.toHaveProperty('running')
})

test('the search starts in the environment with the most good sessions', async () => {
  expect(await caller.suggestions.environment(prompt)).toBe('dev')
  expect(await caller.suggestions.environment({ ...prompt, key: 'unknown' })).toBeNull()
})
