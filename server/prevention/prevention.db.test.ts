import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
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
type Caller = Awaited<ReturnType<typeof createProjectCaller>>

let project: TestProject
let caller: Caller
let key: string
let live: { readonly digest: string; readonly text: string }
/** A deploy without tests. */
let incident: Recorded

const LIVE = {
  policies: [{ id: 'mail', type: 'rate_limit', tools: ['mail'], max_calls: 9, per_seconds: 60 }],
}
const began: Draft = {
  type: 'session.started',
  data: { ...prompt, environment: 'dev', harness: { name: 'test' } },
}
const call = (tool: string, args: Record<string, string> = {}): readonly Draft[] => [
  { type: 'tool.requested', data: { call_id: tool, tool, args } },
  { type: 'tool.invoked', data: { call_id: tool, tool, outcome: 'success' } },
]
const ended: Draft = { type: 'session.ended', data: { reason: 'completed' } }

let recorded = 0

async function record(drafts: readonly Draft[]) {
  const session = newSessionId()
  recorded += 1
  const at = Date.now() - 3_600_000 + recorded * 1_000
  const events = recordedSession({ session, at, release: live }, [began, ...drafts, ended])
  const response = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(await response.json()).toMatchObject({ errors: [] })
  const list = (type: string, tool: string) =>
    events.filter(({ type: one, data }) => one === type && 'tool' in data && data.tool === tool)
  const find = (type: string, tool: string) => list(type, tool)[0]?.seq ?? 0
  const findLast = (type: string, tool: string) => list(type, tool).at(-1)?.seq ?? 0
  return { session, find, findLast }
}
type Recorded = Awaited<ReturnType<typeof record>>

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
  for (let i = 0; i < 24; i++) {
    const look = i % 2 === 0 ? call('look') : []
    await record([...look, ...call('test'), ...call('deploy')])
  }
  incident = await record([...call('look'), ...call('deploy')])
})

const toSeen = ({ id, revision }: { readonly id: string; readonly revision: number }) => ({
  id,
  revision,
})

const marked = () => ({
  sessionId: incident.session,
  seq: incident.find('tool.decided', 'deploy'),
})

/** Records each state of a search that is stored. */
async function watchStates(): Promise<() => Promise<readonly unknown[]>> {
  const { prisma } = database()
  await prisma.$executeRaw`CREATE TABLE states (n serial, id text, status text, found int)`
  await prisma.$executeRaw`CREATE FUNCTION note_state() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO states (id, status, found) VALUES (NEW.id, NEW.status, json_array_length(NEW.findings->''candidates'')); RETURN NEW; END'`
  await prisma.$executeRaw`CREATE TRIGGER note_state AFTER UPDATE ON preventions FOR EACH ROW EXECUTE FUNCTION note_state()`
  return async () => await prisma.$queryRaw`SELECT id, status, found FROM states ORDER BY n`
}

test('each change is stored when it is found, while the search goes on', async () => {
  const list = await watchStates()
  const { id } = await caller.prevention.start(marked())
  await workOffJobs()
  const { findings } = (await caller.prevention.find(marked())) ?? {}
  const all = findings?.candidates.length ?? 0
  expect(all).toBeGreaterThan(1)
  const running = Array.from({ length: all }, (_, i) => ({ id, status: 'running', found: i + 1 }))
  expect((await list()).slice(-all - 1)).toEqual([...running, { id, status: 'done', found: all }])
})

test('a deploy without tests is prevented by an order that no good session breaks; the change goes to the draft, and the call is pinned', async () => {
  const other = await record(call('deploy'))
  for (const one of [incident, other]) {
    const seq = one.find('tool.decided', 'deploy')
    await caller.labels.set({ sessionId: one.session, seq, label: 'bad' })
  }
  const { id } = await caller.prevention.start(marked())
  expect(await caller.prevention.start(marked())).toEqual({ id })
  await workOffJobs()
  const found = await caller.prevention.find(marked())
  expect(found).toMatchObject({
    ...{ id, status: 'done', error: null, sessionsFound: 24, sessionsRead: 24 },
    findings: {
      ...{ goodSessions: 24, goodCalls: 24, otherBad: 1, noAnswer: null, isCut: false },
      uses: { good: 24, bad: 2 },
    },
  })
  const [first] = found?.findings?.candidates ?? []
  expect(first).toMatchObject({
    ...{ outcome: 'denied', denies: 0, alsoStops: 1 },
    edit: { kind: 'add_policy', policy: { dependencies: { deploy: ['test'] } } },
  })
  const taken = await caller.prevention.take({ id, candidate: 1, mode: 'shadow' })
  const { draft } = await caller.drafts.open(prompt)
  expect(JSON.parse(draft?.text ?? '').policies).toMatchObject([
    LIVE.policies[0],
    { type: 'sequential_dependency', mode: 'shadow' },
  ])
  const { cases } = await caller.backtests.of(prompt)
  expect(cases).toMatchObject([{ id: taken.pinned, expected: 'denied' }])
  const again = caller.prevention.take({ id, candidate: 1 })
  await expect(again).rejects.toThrow('already has this change')
  await expect(caller.prevention.take({ id, candidate: 5 })).rejects.toThrow('no candidate 5')
})

test('the session of an answer is prevented by a rule that no good session breaks, and nothing is pinned', async () => {
  const document = { schema_version: 1, ...prompt, ...LIVE }
  const question = { ask: 'run_without', tool: 'deploy', needs: 'test' } as const
  const wish = { ...prompt, environment: 'dev', text: JSON.stringify(document), question }
  const { cases } = await caller.backtests.of(prompt)
  const { sessionId } = await caller.prevention.startExample(wish)
  expect(await caller.prevention.startExample(wish)).toEqual({ sessionId })
  await workOffJobs()
  const example = { sessionId, seq: 0 }
  const found = await caller.prevention.find(example)
  expect(found).toMatchObject({ status: 'done', findings: { noAnswer: null } })
  const candidates = found?.findings?.candidates ?? []
  const order = candidates.findIndex(
    ({ edit }) =>
      edit.kind === 'add_policy' && JSON.stringify(edit.policy).includes('"deploy":["test"]'),
  )
  expect(candidates[order]).toMatchObject({ outcome: 'denied', denies: 0 })
  const { draft } = await caller.drafts.open(prompt)
  if (draft !== null) await caller.drafts.discard({ ...prompt, ...toSeen(draft) })
  const id = found?.id ?? ''
  const taken = await caller.prevention.take({ id, candidate: order + 1 })
  expect(taken).toEqual({ ...prompt, pinned: null })
  expect((await caller.backtests.of(prompt)).cases).toHaveLength(cases.length)
  await caller.prevention.start(example)
  await workOffJobs()
  expect((await caller.prevention.find(example))?.id).not.toBe(id)

  const without = { ...wish, question: { ...question, tool: 'mail', needs: 'nothing' } }
  const denied = {
    ...document,
    policies: [{ id: 'no', type: 'expression', tools: ['mail'], deny_when: 'true' }],
  }
  const none = await caller.prevention.startExample({ ...without, text: JSON.stringify(denied) })
  await workOffJobs()
  expect(await caller.prevention.find({ sessionId: none.sessionId, seq: 0 })).toMatchObject({
    status: 'failed',
    error: 'No run does what the question asks about, or the search for one did not end in time.',
  })
  await expect(caller.prevention.startExample({ ...wish, text: '{' })).rejects.toThrow(
    'The config has errors.',
  )
  const trapped = { ...wish, question: { ask: 'trapped' } } as const
  await expect(caller.prevention.startExample(trapped)).rejects.toThrow('no call or stop to refuse')
})

test('a change after which no stop can pass says so', async () => {
  const checker = { id: 'dropped', type: 'tool_succeeded', tool: 'drop' }
  const document = { schema_version: 1, ...prompt, task_completion_checker: checker }
  const question = { ask: 'run_without', tool: 'drop', needs: 'look' } as const
  const wish = { ...prompt, environment: 'dev', text: JSON.stringify(document), question }
  const { sessionId } = await caller.prevention.startExample(wish)
  await workOffJobs()
  const found = await caller.prevention.find({ sessionId, seq: 0 })
  const candidates = found?.findings?.candidates ?? []
  expect(candidates.map(({ kind }) => kind)).toEqual(['tool', 'approval'])
  const [never, asked] = candidates
  expect(never?.faults).toContain('The agent could get into a state from which no stop can pass.')
  expect(never?.faults).toContainEqual(expect.stringMatching(/^The tool "drop" can never run/))
  expect(asked?.faults).toEqual([])
})

test('a session that no one labeled is no evidence against its own change, and a case that was pinned as recorded is changed', async () => {
  const { session, find } = await record(call('deploy'))
  const seq = find('tool.decided', 'deploy')
  const pinned = await caller.backtests.pin({ id: `dec_${session.slice(5)}_${seq}` })
  expect(pinned.expected).toBe('allowed')
  const { id } = await caller.prevention.start({ sessionId: session, seq })
  await workOffJobs()
  const found = await caller.prevention.find({ sessionId: session, seq })
  const candidates = found?.findings?.candidates ?? []
  expect(candidates).toContainEqual(expect.objectContaining({ outcome: 'denied', denies: 0 }))
  // The first one may be in the draft already.
  const { draft } = await caller.drafts.open(prompt)
  if (draft !== null) await caller.drafts.discard({ ...prompt, ...toSeen(draft) })
  const taken = await caller.prevention.take({ id, candidate: 1 })
  expect(taken.pinned).toBe(pinned.id)
  const { cases } = await caller.backtests.of(prompt)
  expect(cases.find((one) => one.id === pinned.id)).toMatchObject({ expected: 'denied' })
})

test('an event that decides nothing, a missing event and a missing session are refused with the reason', async () => {
  const start = (seq: number) => caller.prevention.start({ ...marked(), seq })
  await expect(start(1)).rejects.toThrow('Event #1 decides nothing.')
  await expect(start(4_000)).rejects.toThrow('Events before #4000 are missing.')
  const nowhere = { sessionId: newSessionId(), seq: 3 }
  await expect(caller.prevention.start(nowhere)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await caller.prevention.find({ ...marked(), seq: 2 })).toBeNull()
})

test('a key gets the reason as a code, too: the event decides nothing, or a rule already refused the call', async () => {
  const secret = await makeKey(project, { scopes: ['publish'] })
  const ask = async ({ session }: Recorded, seq: number) => {
    const url = `http://127.0.0.1:3000/api/manage/v1/sessions/${session}/prevention`
    const headers = { authorization: `Bearer ${secret}` }
    const body = JSON.stringify({ seq })
    const response = await api.fetch(new Request(url, { method: 'POST', headers, body }))
    return { status: response.status, json: await response.json() }
  }
  const errors = [{ pointer: '/seq' }]
  expect(await ask(incident, 1)).toMatchObject({
    status: 422,
    json: { code: 'event_decides_nothing', errors },
  })
  const calls = Array.from({ length: 10 }, (_, i): Draft => {
    const data = { call_id: `mail-${i}`, tool: 'mail', args: {} }
    return { type: 'tool.requested', data }
  })
  const busy = await record(calls)
  expect(await ask(busy, busy.findLast('tool.decided', 'mail'))).toMatchObject({
    status: 422,
    json: { code: 'already_refused', detail: 'This was already refused by `mail`.', errors },
  })
})

test('at most two searches run in a project, and a canceled one ends without findings', async () => {
  const sessions = [await record(call('deploy')), await record(call('deploy'))]
  const ids: string[] = []
  for (const { session, find } of sessions) {
    const seq = find('tool.decided', 'deploy')
    ids.push((await caller.prevention.start({ sessionId: session, seq })).id)
  }
  await expect(caller.prevention.start(marked())).rejects.toThrow('Two searches are running')
  const [id = ''] = ids
  expect(await caller.prevention.cancel({ id })).toEqual({ ok: true })
  expect(await caller.prevention.cancel({ id })).toEqual({ ok: false })
  await workOffJobs()
  const [first] = sessions
  const seq = first?.find('tool.decided', 'deploy') ?? 0
  expect(await caller.prevention.find({ sessionId: first?.session ?? '', seq })).toMatchObject({
    ...{ status: 'cancelled', findings: null },
  })
})

test('a call that the live version refuses by now needs no change', async () => {
  const { session, find } = await record(call('deploy'))
  const asked = { sessionId: session, seq: find('tool.decided', 'deploy') }
  const no = { id: 'no', type: 'expression', tools: ['deploy'], deny_when: 'true' }
  const text = JSON.stringify({ schema_version: 1, ...prompt, policies: [...LIVE.policies, no] })
  const { draft } = await caller.drafts.open(prompt)
  const seen = draft === null ? null : { id: draft.id, revision: draft.revision }
  const saved = await caller.drafts.save({ ...prompt, text, seen, baseVersion: 1 })
  if (!saved.ok) throw new Error('The draft was not saved.')
  const { id: draftId, revision } = saved
  const release = { ...prompt, draftId, revision, environment: 'dev', note: 'no deploys' }
  await caller.releases.publish(release)
  await expect(caller.prevention.start(asked)).rejects.toThrow('live now refuses this already')
})
