// Every query of the console is asked before and after a demo session, and again after the same session with an ordinary id: a query that
// forgets to leave the demo out fails, and so does one that this test could not tell apart.
import { DEMO_NAMESPACE, DEMO_RUNTIME, newDemoSessionId } from '@signalbox/wire'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { readMoments } from '@/server/alerts/alert-moments.sql.ts'
import { ALERT_SIGNAL_NAMES } from '@/server/alerts/signals.kinds.ts'
import { api } from '@/server/http/api.ts'
import { generateKey } from '@/server/platform/auth/api-key.ts'
import { insertKey } from '@/server/platform/auth/keys.sql.ts'
import { requireProjectScope } from '@/server/platform/auth/session.ts'
import { database } from '@/server/platform/db/client.ts'
import { setTestEnvironment, withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { PROCEDURES } from '@/server/test/access-table.ts'
import { type Call, callTrpc } from '@/server/test/callers.ts'
import {
  chained,
  type Draft,
  eventsRequest,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
} from '@/server/test/installation.ts'
import { createAdmin, makeTenant, registration, type Tenant } from '@/server/test/tenant.ts'
import { appRouter } from '@/server/trpc/root.ts'
import { lockDemo } from './demo.sql.ts'
import { ensureStoryConfig } from './story-configs.ts'

const demoKey = generateKey()
setTestEnvironment({ SIGNALBOX_DEMO_KEY: demoKey.secret })
withTestDatabase()

const HOUR_MS = 3_600_000

let tenant: Tenant
let key: string

beforeAll(async () => {
  tenant = await makeTenant(await otherProject(), 'kestrel')
  key = await makeKey(tenant.project)
  // Nothing of the tenant becomes silent or lost while the test reads.
  const { pool } = database()
  const mine = [tenant.project.projectId]
  await pool.query(
    `UPDATE runtimes SET last_seen_at = now() + interval '10 minutes' WHERE project_id = $1`,
    mine,
  )
  await pool.query(
    `UPDATE sessions SET received_at = now() + interval '10 minutes' WHERE project_id = $1`,
    mine,
  )
})

// The record holds each procedure by its path; its type only hides the definition.
const procedures = appRouter._def.procedures as unknown as Readonly<
  Record<string, { readonly _def: { readonly type: Call['type'] } }>
>

/** Inputs are made once, because some of them change rows. */
async function listCalls(): Promise<readonly Call[]> {
  const calls: Call[] = []
  for (const [path, { _def }] of Object.entries(procedures)) {
    if (_def.type !== 'query') continue
    const input = await PROCEDURES[path]?.input?.(tenant)
    calls.push({ path, type: 'query', ...(input === undefined ? {} : { input }) })
  }
  return calls
}

async function readAnswers(calls: readonly Call[]): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  for (const call of calls) {
    const { status, text } = await callTrpc(tenant.people.admin.headers, call)
    expect(status, call.path).toBe(PROCEDURES[call.path]?.passes ?? 200)
    answers.set(call.path, text)
  }
  return answers
}

const listChanged = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] =>
  [...before].flatMap(([path, text]) => (after.get(path) === text ? [] : [path]))

const call = (decision: 'denied' | 'error', id: string): readonly Draft[] => [
  { type: 'tool.requested', data: { call_id: id, tool: 'deploy', args: {} } },
  {
    type: 'tool.decided',
    data: {
      call_id: id,
      tool: 'deploy',
      decision,
      reason: 'No.',
      rules: [
        {
          rule: 'order',
          pointer: '/policies/0',
          type: 'sequential_dependency',
          mode: 'enforce',
          result: decision === 'error' ? 'error' : 'deny',
          code: 'tools.missing',
          params: {},
          because: [],
        },
      ],
    },
  },
]

const stop = (verdict: 'blocked' | 'bypassed' | 'error', attempt: number): readonly Draft[] => [
  { type: 'stop.attempted', data: { via: 'turn_end' } },
  {
    type: 'stop.decided',
    data: {
      attempt,
      verdict,
      prior_blocks: attempt - 1,
      code: 'plan.open_steps',
      params: {},
      message: null,
      check: null,
    },
  },
]

async function send(session: string, drafts: readonly Draft[], at: number): Promise<void> {
  await store(chained(session, [started(tenant.prompt), ...drafts], { at }))
}

async function store(events: ReturnType<typeof chained>): Promise<void> {
  const answer = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
}

/** Sessions with everything that figures, alerts and the attention list are about, and a runtime that is behind. */
async function misbehave(newId: () => string, runtime: string): Promise<void> {
  const register = new Request('http://127.0.0.1:3000/api/runtime/v1/register', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(registration(runtime, 'demo/release-notes')),
  })
  expect((await api.fetch(register)).status).toBe(200)
  await database().pool.query(
    `UPDATE runtimes SET registered_at = now() - interval '1 hour' WHERE name = $1`,
    [runtime],
  )
  const now = Date.now()
  await send(
    newId(),
    [
      ...call('denied', 'c1'),
      ...call('error', 'c2'),
      ...stop('blocked', 1),
      ...stop('blocked', 2),
      ...stop('blocked', 3),
    ],
    now - 60_000,
  )
  await send(newId(), [...stop('error', 1)], now - 50_000)
  await send(
    newId(),
    [...stop('bypassed', 1), { type: 'session.ended', data: { reason: 'completed' } }],
    now - 40_000,
  )
  await send(
    newId(),
    [
      { type: 'tool.requested', data: { call_id: 'c1', tool: 'pay', args: {} } },
      {
        type: 'approval.requested',
        data: { call_id: 'c1', tool: 'pay', rules: ['ask'], expires_at: now + HOUR_MS },
      },
    ],
    now - 30_000,
  )
  const lost = newId()
  await send(lost, [], now - 3 * HOUR_MS)
  await database().pool.query(
    `UPDATE sessions SET received_at = now() - interval '6 minutes' WHERE id = $1`,
    [lost],
  )
  await database().pool.query(
    `UPDATE call_approvals SET half_over_at = now() - interval '1 second' WHERE project_id = $1`,
    [tenant.project.projectId],
  )
}

async function readSignals(): Promise<ReadonlyMap<string, string>> {
  const everywhere = { environment: null, ns: null, key: null, runtime: null, code: null }
  const found = new Map<string, string>()
  for (const signal of ALERT_SIGNAL_NAMES) {
    // For this one, the time since which a runtime has been behind.
    const since = signal === 'runtimes_behind' ? Date.now() : Date.now() - 10 * 60_000
    const moments = await readMoments(tenant.project.projectId, signal, { ...everywhere, since })
    // Moments of a rate are minutes, so their number alone may stay the same.
    found.set(signal, JSON.stringify(moments.map(({ count, total }) => [count, total])))
  }
  return found
}

/** Queries that show the demo: what waits for a reviewer, what a search finds, the use of a key, and the rows that are stored. */
const SHOWN = [
  'callApprovals.waiting',
  'environments.list',
  'keys.list',
  'projects.deletion',
  'retention.get',
  'retention.preview',
  'runtimes.list',
  'search.find',
]

test('the demo changes no figure, list or alert signal, while the same sessions of another agent do', async () => {
  // An answer that names the time of its reading would differ each time, and could not be compared.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const calls = await listCalls()
  const signals = await readSignals()
  const first = await readAnswers(calls)
  const before = await readAnswers(calls)
  const steady = new Map([...before].filter(([path, text]) => first.get(path) === text))
  const newDemo = () =>
    newDemoSessionId({ now: Date.now(), random: crypto.getRandomValues(new Uint8Array(16)) })
  await misbehave(newDemo, DEMO_RUNTIME)
  expect(listChanged(steady, await readAnswers(calls)).toSorted()).toEqual(SHOWN)
  expect(listChanged(signals, await readSignals())).toEqual([])

  await misbehave(newSessionId, 'worker')
  expect(listChanged(steady, await readAnswers(calls))).toEqual(
    expect.arrayContaining([
      'alerts.preview',
      'callApprovals.count',
      'configs.get',
      'configs.list',
      'decisions.list',
      'drafts.activity',
      'overview.attention',
      'overview.figures',
      'refusals.list',
      'runtimes.groups',
      'sessions.list',
      'sessions.total',
      'stops.groups',
      'stops.list',
    ]),
  )
  expect(listChanged(signals, await readSignals())).toEqual(
    expect.arrayContaining([
      'blocked_stops',
      'bypassed_stops',
      'error_verdicts',
      'denial_rate',
      'lost_sessions',
      'runtimes_behind',
      'approval_waiting',
      'approval_lapsing',
    ]),
  )
})

test('the lock of the demo agent has one holder until it is released', async () => {
  const locks = await Promise.all([lockDemo(), lockDemo(), lockDemo()])
  const held = locks.filter((lock) => lock !== null)
  expect(held).toHaveLength(1)
  for (const release of held) release()
  const next = await vi.waitUntil(() => lockDemo(), { interval: 20 })
  next()
})

test('the config of a story is published only by a user who may release to dev, and under their name', async () => {
  const { people, publishersByEnvironment, project } = tenant
  const elsewhere = await requireProjectScope(publishersByEnvironment.staging.headers)
  const editor = await requireProjectScope(people.editor.headers)
  for (const scope of [editor, elsewhere]) {
    await expect(ensureStoryConfig(scope, 'coding-agent')).rejects.toMatchObject({
      code: 'forbidden',
    })
  }
  const publisher = await requireProjectScope(people.publisher.headers)
  await ensureStoryConfig(publisher, 'coding-agent')
  await ensureStoryConfig(editor, 'coding-agent')
  const entries = await database().prisma.auditEntry.findMany({
    where: {
      projectId: project.projectId,
      action: 'release.published',
      after: { path: ['config'], equals: 'demo/coding-agent' },
    },
  })
  expect(entries).toMatchObject([{ actorId: publisher.userId, actor: publisher.userName }])
})

test('a page about a prompt of the demo shows and counts the sessions of the demo', async () => {
  const prompt = { ns: DEMO_NAMESPACE, key: 'coding-agent' }
  await ensureStoryConfig(
    await requireProjectScope(tenant.people.publisher.headers),
    'coding-agent',
  )
  const session = newDemoSessionId({
    now: Date.now(),
    random: crypto.getRandomValues(new Uint8Array(16)),
  })
  await store(chained(session, [started(prompt), ...call('denied', 'c1'), ...stop('blocked', 1)]))
  const recent = await createAdmin(tenant).configs.recent({
    ...prompt,
    environment: null,
    rule: null,
  })
  expect(recent).toMatchObject({
    denials: [{ sessionId: session }],
    stops: [{ sessionId: session }],
  })
})

test('the demo is offered while its key is valid', async () => {
  const { projectId } = tenant.project
  const { prefix, hash } = demoKey
  const id = await inTransaction((tx) =>
    insertKey(tx, {
      projectId,
      environment: 'dev',
      name: 'demo agent',
      prefix,
      hash,
      scopes: ['ingest', 'read'],
      createdBy: 'system',
      expiresAt: null,
    }),
  )
  const admin = createAdmin(tenant)
  const change = (set: string) =>
    database().pool.query(`UPDATE api_keys SET ${set} WHERE id = $1`, [id])
  expect(await admin.demo.stories()).toEqual(expect.any(Array))
  await change("expires_at = now() - interval '1 second'")
  expect(await admin.demo.stories()).toBeNull()
  await change("expires_at = now() + interval '1 hour'")
  expect(await admin.demo.stories()).toEqual(expect.any(Array))
  await change('revoked_at = now()')
  expect(await admin.demo.stories()).toBeNull()
})
