import { DEMO_RUNTIME, newDemoSessionId } from '@signalbox/wire'
import { expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  chained,
  createProjectCaller,
  type Draft,
  eventsRequest,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

const NOTHING = {
  prompt: null,
  hasKey: false,
  runtime: null,
  session: null,
  hasCalled: false,
  firstCall: null,
  isWatched: false,
  isEnforced: false,
  hasConfig: false,
  hasRelease: false,
}

const CALL: readonly Draft[] = [
  { type: 'tool.requested', data: { call_id: 'c', tool: 'read_file', args: {} } },
  {
    type: 'tool.decided',
    data: { call_id: 'c', tool: 'read_file', decision: 'allowed', reason: null, rules: [] },
  },
]

const CAPABILITIES = {
  deny_reason: true,
  inject: 'message',
  block_stop: 'in_loop',
  max_blocks: 8,
  structured: 'none',
  structured_attempts: null,
  failure: 'event',
  call_ids: true,
  batch: 'serial',
  on_guard_crash: 'closed',
  on_guard_timeout: 'closed',
  ungoverned: [],
}

async function register(key: string, prompt: string, name = `host of ${prompt}`): Promise<string> {
  const body = {
    name,
    sdk_version: '0.1.0',
    harness: { name: 'x' },
    prompts: [prompt],
    capabilities: { policies: [], feedback_providers: [], checkers: [] },
    posture: 'deny',
    now: Date.now(),
  }
  const answer = await api.fetch(
    new Request('http://127.0.0.1:3000/api/runtime/v1/register', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    }),
  )
  expect(answer.status).toBe(200)
  return JSON.parse(await answer.text()).runtime_id
}

interface Host {
  readonly key: string
  readonly prompt: string
  readonly runtime: string
  /** Absent: that of an agent. */
  readonly session?: string
  /** Absent: the host's own loop. */
  readonly hooks?: object
}

async function begin(
  { key, prompt, runtime, hooks, session = newSessionId() }: Host,
  events: readonly Draft[],
): Promise<string> {
  const [ns = '', name = ''] = prompt.split('/')
  const first = started({ ns, key: name })
  const begun = { ...first, data: { ...first.data, runtime, ...hooks } } as Draft
  const sent = chained(session, [begun, ...events], { at: Date.now() })
  expect((await api.fetch(eventsRequest(key, ndjson(sent)))).status).toBe(200)
  return session
}

test('the demo completes no step of Get started', async () => {
  const project = await otherProject()
  const viewer = await createProjectCaller(project, 'viewer')
  expect(JSON.stringify(await viewer.overview.steps())).toEqual(JSON.stringify(NOTHING))
  const key = await makeKey(project)
  const prompt = 'demo/release-notes'
  const runtime = await register(key, prompt, DEMO_RUNTIME)
  const random = crypto.getRandomValues(new Uint8Array(16))
  const session = newDemoSessionId({ now: Date.now(), random })
  await begin({ key, prompt, runtime, session }, CALL)
  expect(JSON.stringify(await viewer.overview.steps())).toEqual(JSON.stringify(NOTHING))
})

test("an agent that runs under a config of the demo completes the steps, and still does when its session's events are removed", async () => {
  const project = await otherProject()
  const viewer = await createProjectCaller(project, 'viewer')
  const prompt = 'demo/release-notes'
  const key = await makeKey(project)
  const runtime = await register(key, prompt)
  const session = await begin({ key, prompt, runtime }, CALL)
  const { id: keyId } = await database().prisma.apiKey.findFirstOrThrow({
    where: { projectId: project.projectId },
  })
  for (const input of [undefined, { keyId }]) {
    const firstCall = {
      session,
      ns: 'demo',
      key: 'release-notes',
      tool: 'read_file',
      verdict: 'allowed',
    }
    expect(await viewer.overview.steps(input)).toMatchObject({
      session,
      hasCalled: true,
      firstCall,
    })
  }
  await database().pool.query('DELETE FROM session_events WHERE session_id = $1', [session])
  expect(await viewer.overview.steps()).toMatchObject({ hasCalled: true, firstCall: null })
})

test('the first call has the name that the agent gives its tool, and the verdict that a shadow rule would have given', async () => {
  const project = await otherProject()
  const viewer = await createProjectCaller(project, 'viewer')
  const key = await makeKey(project)
  const runtime = await register(key, 'team/coder')
  const rule = { rule: 'r', pointer: '/policies/0', type: 'expression', because: [] }
  const denial = { result: 'deny', code: 'expression.denies', params: { expression: 'true' } }
  const call = { call_id: 'c', tool: 'shell' }
  await begin({ key, prompt: 'team/coder', runtime }, [
    { type: 'tool.requested', data: { ...call, native_tool: 'Bash', args: {} } },
    {
      type: 'tool.decided',
      data: {
        ...call,
        decision: 'allowed',
        reason: null,
        rules: [{ ...rule, ...denial, mode: 'shadow' }],
      },
    },
  ] as readonly Draft[])
  expect(await viewer.overview.steps()).toMatchObject({
    firstCall: { tool: 'Bash', verdict: 'would be denied' },
  })
})

test('each step of Get started completes with what a runtime reports', async () => {
  const project = await otherProject()
  const viewer = await createProjectCaller(project, 'viewer')
  const key = await makeKey(project)
  const runtime = await register(key, 'team/coder')
  const prompt = { ns: 'team', key: 'coder' }
  const connected = { hasKey: true, runtime: { name: 'host of team/coder', isRunning: true } }
  expect(await viewer.overview.steps()).toEqual({ ...NOTHING, ...connected })
  const quiet = await begin({ key, prompt: 'team/coder', runtime }, [])
  expect(await viewer.overview.steps()).toEqual({
    ...NOTHING,
    prompt,
    ...connected,
    session: quiet,
  })
  const session = await begin({ key, prompt: 'team/coder', runtime }, [
    ...CALL,
    { type: 'session.ended', data: { reason: 'completed' } },
  ])
  expect(await viewer.overview.steps()).toMatchObject({
    firstCall: { session, ns: 'team', key: 'coder', tool: 'read_file', verdict: 'allowed' },
    isWatched: true,
  })
  const [own, other] = await database().prisma.apiKey.findMany({
    where: { projectId: project.projectId },
    select: { id: true },
  })
  expect(other).toBeUndefined()
  expect(await viewer.overview.steps({ keyId: own?.id ?? '' })).toMatchObject(connected)
  expect(await viewer.overview.steps({ keyId: 'key_other' })).toEqual(NOTHING)
  const about = { keyId: own?.id ?? '', harness: 'codex' }
  expect(await viewer.overview.steps(about)).toEqual({ ...NOTHING, ...connected })
  const hooks = { harness: { name: 'codex', version: '1' }, capabilities: CAPABILITIES }
  const hooked = await begin({ key, prompt: 'team/coder', runtime, hooks }, [])
  expect(await viewer.overview.steps(about)).toEqual({
    ...NOTHING,
    prompt,
    ...connected,
    session: hooked,
  })
  expect(await viewer.overview.steps({ ...about, harness: 'claude-code' })).toMatchObject({
    session: null,
  })
})

async function publish(
  project: TestProject,
  key: string,
  mode: 'shadow' | 'enforce',
): Promise<void> {
  const publisher = await createProjectCaller(project, 'publisher')
  const prompt = { ns: 'team', key }
  await publisher.configs.create({ ...prompt, template: 'coding-agent', mode })
  const { draft } = await publisher.drafts.open(prompt)
  const { id: draftId = '', revision = 0 } = draft ?? {}
  const place = { ...prompt, environment: 'dev', note: 'First rules' }
  expect(await publisher.releases.publish({ ...place, draftId, revision })).toMatchObject({
    ok: true,
  })
}

test('a release whose rules only record completes no enforcement step, even when another prompt enforces', async () => {
  const project = await otherProject()
  const viewer = await createProjectCaller(project, 'viewer')
  const prompt = { ns: 'team', key: 'coder' }
  expect(await viewer.overview.steps({ prompt })).toEqual({ ...NOTHING, prompt })
  await publish(project, 'coder', 'shadow')
  const released = { ...NOTHING, prompt, hasConfig: true, hasRelease: true }
  expect(await viewer.overview.steps({ prompt })).toEqual(released)
  const acting = { ns: 'team', key: 'acting' }
  await publish(project, 'acting', 'enforce')
  expect(await viewer.overview.steps({ prompt })).toEqual(released)
  const enforced = { ...released, prompt: acting, isEnforced: true }
  expect(await viewer.overview.steps({ prompt: acting })).toEqual(enforced)
})

test('without a prompt, the steps are those of the prompt with the most progress', async () => {
  const project = await otherProject()
  const viewer = await createProjectCaller(project, 'viewer')
  const steps = () => viewer.overview.steps()
  const named = (key: string) => ({ prompt: { ns: 'team', key }, hasConfig: true })
  await publish(project, 'recording', 'shadow')
  expect(await steps()).toMatchObject({ ...named('recording'), isEnforced: false })
  await publish(project, 'acting', 'enforce')
  expect(await steps()).toMatchObject({ ...named('acting'), isEnforced: true, hasCalled: false })
  const key = await makeKey(project)
  const call = async (prompt: string) =>
    await begin({ key, prompt, runtime: await register(key, prompt) }, CALL)
  const recorded = await call('team/recording')
  expect(await steps()).toMatchObject({
    ...named('recording'),
    session: recorded,
    hasCalled: true,
    firstCall: { key: 'recording' },
    isEnforced: false,
  })
  const prompt = { ns: 'team', key: 'acting' }
  expect(await viewer.overview.steps({ prompt })).toMatchObject({
    session: null,
    hasCalled: false,
    firstCall: null,
    isEnforced: true,
  })
  const acted = await call('team/acting')
  expect(await steps()).toMatchObject({
    ...named('acting'),
    firstCall: { session: acted },
    isEnforced: true,
  })
})
