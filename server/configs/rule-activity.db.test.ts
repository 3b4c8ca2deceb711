import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  started,
} from '@/server/test/installation.ts'
import { recordedSession } from '@/server/test/recorded-session.ts'

withTestDatabase()

const PROMPT = { ns: 'counts', key: 'rules' }
const DAY_MS = 86_400_000
const TEXT = JSON.stringify({
  schema_version: 1,
  ...PROMPT,
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } },
    {
      id: 'soft',
      type: 'sequential_dependency',
      mode: 'shadow',
      dependencies: { build: ['lint'] },
    },
    { id: 'idle', type: 'sequential_dependency', dependencies: { publish: ['deploy'] } },
  ],
  content: [
    { id: 'keys', kind: 'secrets', on: 'result', tools: ['test'], action: 'mask' },
    { id: 'people', kind: 'pii', on: 'result', tools: ['test'], action: 'mask' },
  ],
  feedback_providers: [
    { id: 'hint', type: 'static', feedback: 'Look.', trigger: { every_n_calls: 2 } },
  ],
  task_completion_checker: { id: 'plan', type: 'plan' },
})

let runtimeKey: Awaited<ReturnType<typeof makeKey>>
let send: (at: number) => Promise<ReturnType<typeof recordedSession>>
let people: {
  readonly [Role in 'editor' | 'viewer' | 'admin']: Awaited<ReturnType<typeof createProjectCaller>>
}

beforeAll(async () => {
  const project = await installed()
  const [key, editor, viewer, admin] = await Promise.all([
    makeKey(project),
    createProjectCaller(project, 'editor'),
    createProjectCaller(project, 'viewer'),
    createProjectCaller(project, 'admin'),
  ])
  people = { editor, viewer, admin }
  runtimeKey = key
  await editor.configs.create({ ...PROMPT, text: TEXT })
  send = async (at) => {
    const session = newSessionId()
    const release = { digest: `sha256:${'0'.repeat(64)}`, text: TEXT }
    const call = (call_id: string, tool: string) => [
      { type: 'tool.requested' as const, data: { call_id, tool, args: {} } },
    ]
    const ran = (call_id: string, tool: string) => ({
      type: 'tool.invoked' as const,
      data: { call_id, tool, outcome: 'success' as const },
    })
    const place = { kind: 'secrets', pointer: '', offset: 0, length: 20, tag: '0a1b' }
    const content = {
      detectors: [{ name: 'secretlint', version: '11' }],
      checked: ['keys', 'people'],
      found: [{ rule: 'keys', ...place }],
    }
    const found = (call_id: string, tool: string) => {
      const { type, data } = ran(call_id, tool)
      return { type, data: { ...data, facts: { content } } }
    }
    const events = recordedSession({ session, at, release }, [
      started(PROMPT),
      ...call('1', 'deploy'),
      ...call('2', 'build'),
      ran('2', 'build'),
      ...call('3', 'test'),
      found('3', 'test'),
      { type: 'plan.updated', data: { steps: [{ title: 'a', status: 'open' }] } },
      { type: 'stop.attempted', data: { via: 'turn_end' } },
    ])
    const { status } = await api.fetch(eventsRequest(key, ndjson(events)))
    expect(status).toBe(200)
    // A runtime sends events again when it received no answer.
    expect((await api.fetch(eventsRequest(key, ndjson(events)))).status).toBe(200)
    return events
  }
})

test('rule activity counts denials, shadow denials, masked content, deliveries and blocks once, for repeated events as well', async () => {
  const now = Date.now()
  expect(await people.viewer.drafts.activity(PROMPT)).toMatchObject({ sessions: 0, rules: {} })
  await send(now - 1_000)
  await send(now - 3 * DAY_MS)
  await send(now - 9 * DAY_MS)
  const activity = await people.viewer.drafts.activity(PROMPT)
  const counts = Object.entries(activity.rules).map(([id, { count }]) => [id, count])
  expect(Object.fromEntries(counts)).toEqual({ order: 2, soft: 2, keys: 2, hint: 2, plan: 2 })
  expect(activity).toMatchObject({ days: 7, sessions: 2, tools: ['build', 'deploy', 'test'] })
  expect(activity.plans).toEqual({ sessions: 3, planned: 3 })
  const elsewhere = await people.viewer.drafts.activity({ ...PROMPT, environment: 'production' })
  expect(elsewhere).toMatchObject({ sessions: 0, rules: {}, tools: [] })
})

test('rule activity counts sessions with a plan among the newest fifty that attempted a stop', async () => {
  const prompt = { ns: 'counts', key: 'plans' }
  await people.editor.configs.create(prompt)
  const plans = async () => (await people.viewer.drafts.activity(prompt)).plans
  expect(await plans()).toEqual({ sessions: 0, planned: 0 })
  let minute = 0
  const run = async (...events: Parameters<typeof recordedSession>[1]) => {
    const session = newSessionId()
    const at = Date.now() - 3_600_000 + minute++ * 60_000
    const release = {
      digest: `sha256:${'0'.repeat(64)}`,
      text: JSON.stringify({ schema_version: 1, ...prompt }),
    }
    const log = recordedSession({ session, at, release }, [started(prompt), ...events])
    expect((await api.fetch(eventsRequest(runtimeKey, ndjson(log)))).status).toBe(200)
  }
  const stop = { type: 'stop.attempted' as const, data: { via: 'turn_end' as const } }
  const plan = (...titles: string[]) => ({
    type: 'plan.updated' as const,
    data: { steps: titles.map((title) => ({ title, status: 'open' as const })) },
  })
  await run()
  expect(await plans()).toEqual({ sessions: 0, planned: 0 })
  await run(stop)
  await run(plan(), stop)
  expect(await plans()).toEqual({ sessions: 2, planned: 0 })
  await run(plan('a'), stop)
  expect(await plans()).toEqual({ sessions: 3, planned: 1 })
  await database().prisma.session.updateMany({
    where: { key: prompt.key, planTotal: 1 },
    data: { startedAt: new Date(0) },
  })
  for (let n = 0; n < 50; n++) await run(stop)
  expect(await plans()).toEqual({ sessions: 50, planned: 0 })
})

test('rule activity does not list a rule published today as settled', async () => {
  const { draft } = await people.admin.drafts.open(PROMPT)
  if (draft === null) throw new Error('The config has no draft.')
  const { id: draftId, revision } = draft
  const published = await people.admin.releases.publish({
    ...PROMPT,
    draftId,
    revision,
    environment: 'dev',
  })
  expect(published.ok).toBe(true)
  expect((await people.viewer.drafts.activity(PROMPT)).settled).toEqual([])
})
