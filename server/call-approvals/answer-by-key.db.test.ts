// A program answers: the real runtime waits, and verifies the signed answer.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails, type GuardedSession, type Guardrails } from '@signalbox/runtime'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { api } from '@/server/http/api.ts'
import type { KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

const PROMPT = { ns: 'team', key: 'gate' }
const SOON = { timeout: 20_000, interval: 20 }
const DAY_MS = 86_400_000

let project: TestProject
let server: DataPlaneServer
let guardrails: Guardrails
let dataDir: string
let admin: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  project = await installed()
  admin = await createProjectCaller(project, 'admin')
  const rule = { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 120 }
  const text = JSON.stringify({ schema_version: 1, ...PROMPT, policies: [rule] })
  await admin.configs.create({ ...PROMPT, text })
  const { draft } = await admin.drafts.open(PROMPT)
  await admin.releases.publish({
    ...PROMPT,
    environment: 'dev',
    note: 'asks',
    draftId: draft?.id ?? '',
    revision: draft?.revision ?? 0,
  })
  server = await serveDataPlane()
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-answer-'))
  guardrails = createGuardrails({
    url: server.url,
    apiKey: await makeKey(project),
    prompt: 'team/gate',
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

const create = (scopes: readonly KeyScopeName[], days: number | null, environment = 'dev') =>
  admin.keys.create({
    name: 'gate',
    environment,
    scopes: [...scopes],
    expiresAt: days === null ? null : Date.now() + days * DAY_MS,
  })

async function send(key: string, address: string, body?: object) {
  const response = await api.fetch(
    new Request(`http://localhost/api/manage/v1/approvals${address}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    }),
  )
  return { status: response.status, json: await response.json() }
}

async function waitingIn({ id }: GuardedSession, reader: string) {
  return await vi.waitFor(async () => {
    const { json } = await send(reader, '?state=waiting')
    const found = json.rows.find(({ session }: { session: string }) => session === id)
    if (found === undefined) throw new Error('No call waits yet.')
    return found as { readonly approval: string; readonly input: string }
  }, SOON)
}

test('a key approves the call of an agent that waits; session log and audit log name the key and its maker', async () => {
  const { id: keyId, secret, prefix } = await create(['approvals:answer'], 90)
  const reader = await makeKey(project, { scopes: ['sessions:read'] })
  const session = guardrails.openSession()
  const verdict = session.beforeToolCall({ tool: 'deploy', args: { to: 'production' } })
  const { approval, input } = await waitingIn(session, reader)
  const wrong = { decision: 'approved', input: `sha256:${'0'.repeat(64)}` }
  expect((await send(secret, `/${approval}/answer`, wrong)).status).toBe(409)
  const by = `key gate (${prefix}), made by A admin`
  expect(
    await send(secret, `/${approval}/answer`, { decision: 'approved', input, note: 'Ship it.' }),
  ).toMatchObject({ status: 200, json: { decision: 'approved', decided_by: by } })
  expect(await verdict).toMatchObject({ allowed: true })
  await vi.waitFor(async () => {
    const logged = await database().prisma.sessionEvent.findFirst({
      where: { sessionId: session.id, type: 'approval.decided' },
    })
    expect(logged?.data).toMatchObject({ decision: 'approved', by, note: 'Ship it.' })
  }, SOON)
  const audit = await database().prisma.auditEntry.findFirst({
    where: { action: 'call.approved', target: approval },
  })
  expect(audit).toMatchObject({
    actorId: keyId,
    actor: `key gate (${prefix})`,
    after: { input, made_by: { name: 'A admin' } },
  })
  expect(await send(secret, `/${approval}/answer`, { decision: 'denied', input })).toMatchObject({
    status: 409,
    json: { detail: expect.stringContaining(`${by} approved this call at`) },
  })
})

test('a key answers in its environment only, and not after it registered a runtime, even before it was rotated', async () => {
  const reader = await makeKey(project, { scopes: ['sessions:read'] })
  const session = guardrails.openSession()
  const verdict = session.beforeToolCall({ tool: 'deploy', args: {} })
  const { approval, input } = await waitingIn(session, reader)
  const answer = { decision: 'approved', input }
  const elsewhere = await create(['approvals:answer'], 1, 'staging')
  expect((await send(elsewhere.secret, `/${approval}/answer`, answer)).status).toBe(404)

  // No use case makes such a key any more; an older row, or one restored from a backup, may be one.
  const old = await makeKey(project, { scopes: ['ingest', 'approvals:answer'] })
  const registered = await fetch(`${server.url}/api/runtime/v1/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${old}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'agent',
      sdk_version: '0.1.0',
      harness: { name: 'test' },
      prompts: ['team/gate'],
      capabilities: { policies: ['approval'], feedback_providers: [], checkers: [] },
      posture: 'deny',
      now: Date.now(),
    }),
  })
  expect(registered.status).toBeLessThan(300)
  const { secret, id } = await create(['approvals:answer'], 1)
  await database().prisma.apiKey.update({
    where: { prefix: old.slice(0, 12) },
    data: { replacedBy: id },
  })
  for (const key of [old, secret]) {
    expect(await send(key, `/${approval}/answer`, answer)).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('A runtime registered with this API key') },
    })
  }
  await session.end({ reason: 'aborted' })
  expect(await verdict).toMatchObject({ allowed: false })
})

test('no key has approvals:answer together with ingest, without expiry or for more than 90 days, also after a rotation', async () => {
  const TOGETHER = 'cannot have "ingest"'
  const EXPIRES = 'expires within 90 days'
  await expect(create(['approvals:answer', 'ingest'], 1)).rejects.toThrow(TOGETHER)
  await expect(create(['approvals:answer'], null)).rejects.toThrow(EXPIRES)
  await expect(create(['approvals:answer'], 91)).rejects.toThrow(EXPIRES)
  const { id } = await create(['approvals:answer'], 30)
  await expect(admin.keys.rotate({ id, overlapHours: 0, expiresAt: null })).rejects.toThrow(EXPIRES)
  const next = { id, overlapHours: 0, expiresAt: Date.now() + 90 * DAY_MS }
  expect(await admin.keys.rotate(next)).toMatchObject({ secret: expect.any(String) })
})
