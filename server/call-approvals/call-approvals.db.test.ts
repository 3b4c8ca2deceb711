import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails, type GuardedSession, type Guardrails } from '@signalbox/runtime'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import {
  chained,
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  started,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

const PROMPT = { ns: 'team', key: 'approvals' }
const DEPLOY = { tool: 'deploy', args: { to: 'production', token: 'hush' } }
const SOON = { timeout: 20_000, interval: 20 }

type Caller = Awaited<ReturnType<typeof createProjectCaller>>

let project: TestProject
let server: DataPlaneServer
let guardrails: Guardrails
let dataDir: string
let ann: Caller

beforeAll(async () => {
  project = await installed()
  ann = await createProjectCaller(project, 'publisher')
  const text = JSON.stringify({
    schema_version: 1,
    ...PROMPT,
    policies: [
      { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 120 },
      { id: 'ask-soon', type: 'approval', tools: ['purge'], timeout_seconds: 1 },
    ],
  })
  await ann.configs.create({ ...PROMPT, text })
  const { draft } = await ann.drafts.open(PROMPT)
  await ann.releases.publish({
    ...PROMPT,
    environment: 'dev',
    note: 'asks',
    draftId: draft?.id ?? '',
    revision: draft?.revision ?? 0,
  })
  server = await serveDataPlane()
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-approvals-'))
  guardrails = createGuardrails({
    url: server.url,
    apiKey: await makeKey(project),
    prompt: 'team/approvals',
    dataDir,
    harness: { name: 'test' },
  })
  await guardrails.ready()
})

afterAll(async () => {
  await guardrails.close(1000)
  await server.close()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

async function waitingIn({ id }: GuardedSession) {
  return await vi.waitFor(async () => {
    const { calls } = await ann.callApprovals.waiting({})
    const found = calls.find((call) => call.sessionId === id && call.askedAt !== null)
    if (found === undefined) throw new Error('Nobody waits yet.')
    return { ...found, input: found.input ?? '' }
  }, SOON)
}

async function settledIn({ id }: GuardedSession) {
  return await vi.waitFor(async () => {
    const { calls } = await ann.callApprovals.settled({ filter: { sessionId: id } })
    const found = calls.find((call) => call.outcome !== null)
    if (found === undefined) throw new Error('The log does not say yet what became of it.')
    return found
  }, SOON)
}

describe('a call that waits for approval', () => {
  test('a call that waits for approval is listed with redacted arguments, runs when approved, and is logged with the approver', async () => {
    const session = guardrails.openSession()
    const verdict = session.beforeToolCall(DEPLOY)
    const call = await waitingIn(session)
    expect(call).toMatchObject({
      environment: 'dev',
      tool: 'deploy',
      ...PROMPT,
      configVersion: 1,
      rules: ['ask'],
      args: { to: 'production', token: { $redacted: 'builtin.secrets' } },
    })
    expect(await ann.callApprovals.count({})).toBe(1)
    const { id, input } = call
    const sessionId = session.id
    expect(await ann.sessions.head({ sessionId })).toMatchObject({
      waitingCall: { approvalId: id, tool: 'deploy' },
    })
    await ann.callApprovals.decide({ id, input, decision: 'approved', note: 'Go on.' })
    expect(await verdict).toMatchObject({ allowed: true })
    expect(await settledIn(session)).toMatchObject({
      decision: 'approved',
      decidedName: 'A publisher',
      note: 'Go on.',
      outcome: 'approved',
    })
    const logged = await database().prisma.sessionEvent.findFirstOrThrow({
      where: { sessionId: session.id, type: 'approval.decided' },
    })
    expect(logged.data).toMatchObject({ decision: 'approved', by: 'A publisher', note: 'Go on.' })
    const audit = await database().prisma.auditEntry.findFirstOrThrow({
      where: { action: 'call.approved', target: id },
    })
    expect(audit).toMatchObject({ actor: 'A publisher', after: { tool: 'deploy', input } })
    expect(await ann.callApprovals.count({})).toBe(0)
    expect(await ann.sessions.head({ sessionId })).toMatchObject({ waitingCall: null })
  })

  test('a call that waits for approval is denied with the note of the user who refused it', async () => {
    const session = guardrails.openSession()
    const verdict = session.beforeToolCall(DEPLOY)
    const { id, input, earlier } = await waitingIn(session)
    expect(earlier).toMatchObject({
      approved: 1,
      lastDecision: 'approved',
      lastName: 'A publisher',
    })
    await ann.callApprovals.decide({ id, input, decision: 'denied', note: 'Not today.' })
    expect(await verdict).toMatchObject({
      allowed: false,
      reason: "Tool 'deploy' was not approved: Not today.",
    })
  })

  test('a call that waits for approval is denied when the approval times out, and a late answer is refused with the reason', async () => {
    const session = guardrails.openSession()
    const verdict = session.beforeToolCall({ ...DEPLOY, tool: 'purge' })
    const { id, input } = await waitingIn(session)
    expect((await verdict).reason).toBe("Tool 'purge' was not approved within 1 seconds.")
    expect(await settledIn(session)).toMatchObject({ decision: null, outcome: 'timed_out' })
    await expect(ann.callApprovals.decide({ id, input, decision: 'approved' })).rejects.toThrow(
      'The runtime stopped waiting, so the call was denied. Your answer came too late.',
    )
  })

  test('a call that waits for approval is allowed by an approval that was given while the server was unreachable', async () => {
    const session = guardrails.openSession()
    const verdict = session.beforeToolCall(DEPLOY)
    const { id, input } = await waitingIn(session)
    await server.close()
    await ann.callApprovals.decide({ id, input, decision: 'approved' })
    server = await serveDataPlane(server.port)
    expect(await verdict).toMatchObject({ allowed: true })
  })

  test('decided calls are listed by the time of their decision, the newest first', async () => {
    const [earlier, later] = [guardrails.openSession(), guardrails.openSession()]
    const first = earlier.beforeToolCall(DEPLOY)
    const asked = await waitingIn(earlier)
    const second = later.beforeToolCall(DEPLOY)
    for (const { id, input } of [await waitingIn(later), asked])
      await ann.callApprovals.decide({ id, input, decision: 'denied' })
    await Promise.all([first, second])
    const { calls } = await ann.callApprovals.settled({ filter: {} })
    expect(calls.slice(0, 2).map(({ sessionId }) => sessionId)).toEqual([earlier.id, later.id])
    expect(calls.map(({ settledAt }) => settledAt)).toEqual(
      calls.map(({ settledAt }) => settledAt).toSorted((a, b) => b - a),
    )
  })

  test('a call that waits for approval is decided once: the second of two concurrent answers is refused with the name of the first approver', async () => {
    const session = guardrails.openSession()
    const verdict = session.beforeToolCall(DEPLOY)
    const { id, input } = await waitingIn(session)
    const bob = await createProjectCaller(project, 'admin')
    const [first, second] = await Promise.allSettled([
      ann.callApprovals.decide({ id, input, decision: 'approved' }),
      bob.callApprovals.decide({ id, input, decision: 'denied' }),
    ])
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
    const refused = first.status === 'rejected' ? first : second
    expect(String('reason' in refused && refused.reason)).toMatch(
      /A (publisher|admin) (approved|denied) this call at .* UTC\. A call is decided once\./,
    )
    expect((await verdict).allowed).toBe(first.status === 'fulfilled')
    await expect(ann.callApprovals.decide({ id, input, decision: 'approved' })).rejects.toThrow(
      'A call is decided once.',
    )
  })

  test('needs its own approval even when the same call was approved before', async () => {
    const session = guardrails.openSession()
    const before = session.beforeToolCall({ ...DEPLOY, callId: 'again' })
    const { id, input } = await waitingIn(session)
    await ann.callApprovals.decide({ id, input, decision: 'approved' })
    expect((await before).allowed).toBe(true)
    await session.afterToolCall({ ...DEPLOY, callId: 'again', outcome: 'success' })
    const after = session.beforeToolCall({ ...DEPLOY, callId: 'again' })
    const other = await waitingIn(session)
    expect(other.id).not.toBe(id)
    await ann.callApprovals.decide({ id: other.id, input: other.input, decision: 'denied' })
    expect((await after).allowed).toBe(false)
  })

  test('a call that waits for approval is denied when its runtime is killed and its session resumed, and a later answer is refused', async () => {
    const lines: string[] = []
    const journal = {
      begin: () => undefined,
      take: () => undefined,
      append: (line: string) => void lines.push(line),
    }
    const options = { url: server.url, apiKey: await makeKey(project), prompt: 'team/approvals' }
    const harness = { name: 'test' }
    const killed = createGuardrails({ ...options, harness, dataDir: path.join(dataDir, 'killed') })
    await killed.ready()
    const session = killed.openSession({ journal })
    // Its process dies while it waits: no one reads this answer.
    void session.beforeToolCall(DEPLOY)
    const { id, input } = await waitingIn(session)
    const events = [...lines]
    const { config } = session
    await killed.close(1000)
    const next = createGuardrails({ ...options, harness, dataDir: path.join(dataDir, 'next') })
    await next.ready()
    const resumed = next.openSession({ journal, resume: { events, config } })
    expect(await settledIn(resumed)).toMatchObject({ decision: null, outcome: 'unavailable' })
    await expect(ann.callApprovals.decide({ id, input, decision: 'approved' })).rejects.toThrow(
      'The runtime could not wait, so the call was denied. Your answer came too late.',
    )
    await resumed.end({ reason: 'aborted' })
    await next.close(1000)
  })

  test('a call that waits for approval is decided only by a user with the right who saw its arguments, and is denied when its session ends', async () => {
    const session = guardrails.openSession()
    const verdict = session.beforeToolCall(DEPLOY)
    const { id, input } = await waitingIn(session)
    const wish = { id, input, decision: 'approved' as const }
    await expect(
      ann.callApprovals.decide({ ...wish, input: `sha256:${'0'.repeat(64)}` }),
    ).rejects.toThrow('The arguments of the call have changed.')
    const editor = await createProjectCaller(project, 'editor')
    await expect(editor.callApprovals.decide(wish)).rejects.toThrow('the publisher role')
    await session.end({ reason: 'aborted' })
    expect(await verdict).toMatchObject({ allowed: false, reason: 'The session has ended.' })
    expect(await settledIn(session)).toMatchObject({ decision: null, outcome: 'ended' })
    await expect(ann.callApprovals.decide(wish)).rejects.toThrow(
      'The session ended while the call waited, so it was denied. Your answer came too late.',
    )
  })
})

describe('a call whose texts PostgreSQL cannot store', () => {
  const asked = (call_id: string, args: { readonly [name: string]: string }): readonly Draft[] => [
    { type: 'tool.requested', data: { call_id, tool: 'deploy', args } },
    {
      type: 'approval.requested',
      data: { call_id, tool: 'deploy', rules: ['ask'], expires_at: Date.now() + 60_000 },
    },
  ]

  test.each([
    ['a NUL in its arguments', 'plain', { to: 'a\0b' }],
    ['half a surrogate pair in its arguments', 'plain', { to: '\ud800' }],
    ['a NUL in its id', 'call\0', { to: 'production' }],
    ['half a surrogate pair in its id', 'call\udc00', { to: 'production' }],
  ])('is shown as recorded and can be decided: %s', async (_, callId, args) => {
    const sessionId = newSessionId()
    const events = chained(sessionId, [
      started(PROMPT),
      ...asked(callId, args),
      { type: 'tool.requested', data: { call_id: 'later', tool: 'deploy', args: {} } },
      ...asked('other', { to: 'staging' }),
    ])
    const sent = await api.fetch(eventsRequest(await makeKey(project), ndjson(events)))
    expect(await sent.json()).toMatchObject({ errors: [], stored: events.length })
    const { calls } = await ann.callApprovals.waiting({})
    const [call, other] = calls.filter((one) => one.sessionId === sessionId)
    expect([call?.args, other?.args]).toEqual([args, { to: 'staging' }])
    const wish = { id: call?.id ?? '', input: call?.input ?? '' }
    await ann.callApprovals.decide({ ...wish, decision: 'denied' })
    const settled = await ann.callApprovals.settled({ filter: { sessionId } })
    expect(settled.calls).toMatchObject([{ decision: 'denied', args }])
    await ann.callApprovals.decide({
      id: other?.id ?? '',
      input: other?.input ?? '',
      decision: 'denied',
    })
  })
})
