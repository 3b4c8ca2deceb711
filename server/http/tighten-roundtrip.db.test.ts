import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails, type GuardedSession, type Guardrails } from '@signalbox/runtime'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import { createProjectCaller, installed, makeKey } from '@/server/test/installation.ts'
import { firstRelease } from '@/server/test/recorded-session.ts'
import { api } from './api.ts'

withTestDatabase()

const DEMO = { ns: 'demo', key: 'release-notes' }
const ALL = 'candidate,shadow,tighten'

let server: DataPlaneServer
let apiKey: string
let dataDir: string
let guardrails: Guardrails
let publisher: Awaited<ReturnType<typeof createProjectCaller>>
let document: { readonly policies: readonly object[] }
let sessions: readonly GuardedSession[]

beforeAll(async () => {
  const project = await installed()
  apiKey = await makeKey(project)
  publisher = await createProjectCaller(project, 'publisher')
  server = await serveDataPlane()
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-tighten-'))
  document = JSON.parse((await firstRelease()).text)
  guardrails = createGuardrails({ url: server.url, apiKey, prompt: 'demo/release-notes', dataDir })
  await guardrails.ready()
  sessions = [guardrails.openSession(), guardrails.openSession()]
  for (const session of sessions) await deploy(session)
  await stored()
})

afterAll(async () => {
  await guardrails.close(100)
  await server.close()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

async function deploy(session: GuardedSession): Promise<boolean> {
  const { allowed, callId } = await session.beforeToolCall({ tool: 'deploy', args: {} })
  if (allowed) await session.afterToolCall({ tool: 'deploy', args: {}, callId, outcome: 'success' })
  return allowed
}

async function stored() {
  const ids = sessions.map(({ id }) => id)
  const rows = () => database().prisma.session.findMany({ where: { id: { in: ids } } })
  await vi.waitFor(
    async () => {
      const found = await rows()
      const seqs = new Map(sessions.map(({ id, state }) => [id, state.seq]))
      expect(found.map(({ id, contiguousSeq }) => [id, contiguousSeq])).toEqual(
        found.map(({ id }) => [id, seqs.get(id)]),
      )
      expect(found).toHaveLength(2)
    },
    { timeout: 20_000, interval: 20 },
  )
  return await rows()
}

async function drafted(policies: readonly object[]) {
  const { draft, targets } = await publisher.drafts.open(DEMO)
  const baseVersion = targets.find(({ name }) => name === 'dev')?.live?.number ?? 0
  const text = JSON.stringify({ ...document, policies })
  const seen = draft === null ? null : { id: draft.id, revision: draft.revision }
  const saved = await publisher.drafts.save({ ...DEMO, text, seen, baseVersion })
  if (!saved.ok) throw new Error('The save was stale.')
  return { draftId: saved.id, revision: saved.revision }
}

async function publish(policies: readonly object[], more: { readonly tighten?: boolean } = {}) {
  const draft = await drafted(policies)
  return await publisher.releases.publish({ ...DEMO, ...draft, environment: 'dev', ...more })
}

async function reviewPolicies(policies: readonly object[]) {
  const subject = { kind: 'draft' as const, ...(await drafted(policies)) }
  const place = { ...DEMO, environment: 'dev', kind: 'publish' as const }
  const result = await publisher.releases.review({ ...place, subject })
  if (!result.ok) throw new Error(result.message)
  return result.review.tightening
}

async function entryFor(parts: string | null) {
  const url = new URL('/api/runtime/v1/config', server.url)
  if (parts !== null) url.searchParams.set('parts', parts)
  const response = await api.fetch(
    new Request(url, { headers: { authorization: `Bearer ${apiKey}` } }),
  )
  const { configs } = await response.json()
  return configs.find(({ key }: { readonly key: string }) => key === DEMO.key)
}

const TESTED = {
  id: 'tested',
  type: 'sequential_dependency',
  dependencies: { deploy: ['run_tests'] },
}

test('tightening is not offered for a looser version, and a request for it is refused', async () => {
  const [, ...fewer] = document.policies
  const offered = await reviewPolicies(fewer)
  expect(offered).toMatchObject({ count: 0, versions: [{ number: 1, side: 'looser', count: 2 }] })
  expect(offered.versions[0]?.notes[0]?.message).toContain('is gone')
  const before = await database().prisma.release.count()
  expect(await publish(fewer, { tighten: true })).toMatchObject({ ok: false, reason: 'looser' })
  expect(await database().prisma.release.count()).toBe(before)
})

test('a stricter version is offered to running sessions, decides their next call, and they stay verified', async () => {
  const stricter = [...document.policies, TESTED]
  expect(await reviewPolicies(stricter)).toMatchObject({
    count: 2,
    versions: [{ number: 1, side: 'stricter', count: 2, sessions: [{}, {}] }],
  })
  const made = await publish(stricter, { tighten: true })
  if (!made.ok) throw new Error(made.message)
  await vi.waitFor(
    () => expect(guardrails.status()?.applied?.revision).toBe(made.release.revision),
    { timeout: 10_000, interval: 10 },
  )
  for (const session of sessions) expect(await deploy(session)).toBe(false)
  const rows = await stored()
  const { digest } = await database().prisma.configVersion.findFirstOrThrow({
    where: { number: made.release.version },
  })
  for (const row of rows) {
    expect(row).toMatchObject({
      verification: 'verified',
      breachCount: 0,
      denied: 1,
      configVersion: 1,
      governingDigest: digest,
    })
  }
  const [first] = rows
  const head = await publisher.sessions.head({ sessionId: first?.id ?? '' })
  expect(head).toMatchObject({
    configVersion: 1,
    taken: { version: made.release.version, seq: first?.governingSeq },
  })
  const release = await publisher.releases.get({ releaseId: made.release.id })
  expect(release).toMatchObject({ tighten: true, tightened: 2 })
})

test('a runtime that does not read the mark for tightening gets the same version without it', async () => {
  expect(await entryFor(ALL)).toMatchObject({ tighten: true })
  const plain = await entryFor(null)
  expect(plain).not.toHaveProperty('tighten')
  expect(plain).toMatchObject({ version: (await entryFor(ALL)).version })
})

test('a looser version without tightening leaves running sessions unchanged', async () => {
  const made = await publish(document.policies)
  if (!made.ok) throw new Error(made.message)
  expect(await entryFor(ALL)).not.toHaveProperty('tighten')
  await vi.waitFor(
    () => expect(guardrails.status()?.applied?.revision).toBe(made.release.revision),
    { timeout: 10_000, interval: 10 },
  )
  for (const session of sessions) expect(await deploy(session)).toBe(false)
  const next = guardrails.openSession()
  expect([await deploy(next), await deploy(next)]).toEqual([true, true])
  await next.end({ reason: 'aborted' })
})

test('a share of new sessions cannot be combined with tightening', async () => {
  const draft = await drafted([...document.policies, TESTED])
  const guard = { metric: 'denials' as const, ratio: 1.5, minSessions: 20 }
  const request = { ...DEMO, ...draft, environment: 'dev', tighten: true }
  await expect(
    publisher.releases.publish({ ...request, stage: { share: 100, guard } }),
  ).rejects.toThrow('leaves running ones alone')
})
