import { canonicalJson, computeDigest, signText, verifyText } from '@signalbox/wire'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  otherProject,
  type TestProject,
} from '@/server/test/installation.ts'
import { publishBundle } from './bundles.ts'
import { bundlePublicKey } from './signing-seed.ts'

withTestDatabase()

let project: TestProject
let key: string

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
})

function request(path: string, options: { key?: string; body?: object; etag?: string } = {}) {
  const headers = new Headers({ authorization: `Bearer ${options.key ?? key}` })
  if (options.etag !== undefined) headers.set('if-none-match', options.etag)
  return new Request(`http://127.0.0.1:3000/api/runtime/v1/${path}`, {
    headers,
    ...(options.body === undefined ? {} : { method: 'POST', body: JSON.stringify(options.body) }),
  })
}

const devId = () => project.environments['dev'] ?? ''
const dev = () => ({ projectId: project.projectId, environmentId: devId() })

test('the demo config is served with its signature and digest, and as 304 when it is unchanged', async () => {
  const response = await api.fetch(request('config'))
  const body = await response.text()
  const signature = response.headers.get('signalbox-signature') ?? ''
  const publicKey = await bundlePublicKey(project.projectId)
  expect(verifyText(body, signature, publicKey)).toBe(true)
  expect(verifyText(`${body} `, signature, publicKey)).toBe(false)
  const value: unknown = JSON.parse(body)
  expect(canonicalJson(value)).toBe(body)
  expect(value).toMatchObject({ project: 'default', environment: 'dev', revision: 1 })
  const etag = response.headers.get('etag') ?? ''
  expect(etag).toBe(`"${computeDigest(value)}"`)
  const unchanged = await api.fetch(request('config', { etag }))
  expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
})

test('an environment without releases serves revision 0 without configs', async () => {
  const staging = await makeKey(project, { environment: 'staging' })
  const response = await api.fetch(request('config', { key: staging }))
  expect(response.headers.get('signalbox-revision')).toBe('0')
  expect(await response.json()).toMatchObject({ revision: 0, configs: [] })
})

test('concurrent releases get consecutive revisions, and a rolled-back transaction leaves no gap', async () => {
  const before = await database().prisma.environment.findUniqueOrThrow({ where: { id: devId() } })
  const publish = () => inTransaction((tx) => publishBundle(tx, dev()))
  const abandoned = inTransaction(async (tx) => {
    await publishBundle(tx, dev())
    throw new Error('the release failed')
  }).catch(() => null)
  const rounds = await Promise.all([publish(), publish(), abandoned, publish(), publish()])
  const revisions = rounds.flatMap((round) => (round === null ? [] : [round.revision]))
  expect(revisions.sort((a, b) => a - b)).toEqual([1, 2, 3, 4].map((n) => before.revision + n))
})

test('a config stream sends the current revision immediately, and a new one after its commit', async () => {
  const response = await api.fetch(request('config/stream'))
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const first = (await reader.read()).value ?? ''
  const revision = Number(/id: (\d+)/.exec(first)?.[1])
  await inTransaction((tx) => publishBundle(tx, dev()))
  // The notification of an earlier release of this file may still be in transit.
  let told = ''
  while (!told.includes(`id: ${revision + 1}\n`)) told += (await reader.read()).value ?? ''
  expect(told).toContain(`event: revision\nid: ${revision + 1}\n`)
  await reader.cancel()
})

test('a config stream with push sends exactly the bundle that GET config returns, with the parts that the runtime reads', async () => {
  const changePointers = (tighten: boolean) =>
    database().prisma.environmentPointer.updateMany({
      where: { environmentId: devId() },
      data: { tighten },
    })
  onTestFinished(async () => void (await changePointers(false)))
  const queries = ['', '&parts=candidate,shadow,tighten']
  const responses = await Promise.all(
    queries.map((query) => api.fetch(request(`config/stream?push=bundle${query}`))),
  )
  const readers = responses.map((one) => one.body!.pipeThrough(new TextDecoderStream()).getReader())
  for (const reader of readers) expect((await reader.read()).value).toContain('event: revision\n')
  await changePointers(true)
  const { revision } = await inTransaction((tx) => publishBundle(tx, dev()))
  const texts: string[] = []
  for (const [index, reader] of readers.entries()) {
    let told = ''
    while (!told.includes(`id: ${revision}\n`)) told += (await reader.read()).value ?? ''
    const [, data = ''] =
      new RegExp(`event: bundle\nid: ${revision}\ndata: (.*)\n\n`).exec(told) ?? []
    const answer = await api.fetch(request(`config?${queries[index]}`))
    const text = await answer.text()
    expect(JSON.parse(data)).toEqual({
      revision,
      digest: answer.headers.get('etag')?.replaceAll('"', ''),
      signature: answer.headers.get('signalbox-signature'),
      text,
    })
    texts.push(text)
    await reader.cancel()
  }
  expect(texts.map((text) => text.includes('"tighten":true'))).toEqual([false, true])
})

function countListened(): number {
  const { signalboxBus: bus } = globalThis as {
    signalboxBus?: { readonly subscribers: ReadonlyMap<string, unknown> }
  }
  return bus?.subscribers.size ?? 0
}

test('HEAD on a config stream is answered without a body and leaves no subscription', async () => {
  const open = await api.fetch(request('config/stream'))
  const reader = open.body!.getReader()
  await reader.read()
  expect(countListened()).toBe(1)
  await reader.cancel()
  expect(countListened()).toBe(0)
  const head = await api.fetch(new Request(request('config/stream'), { method: 'HEAD' }))
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    '',
  ])
  await vi.waitFor(async () => {
    // A stream that is still opening listens only later.
    await api.fetch(request('config'))
    expect(countListened()).toBe(0)
  })
})

async function goBackTo(revision: number): Promise<void> {
  await database().prisma.bundle.deleteMany({
    where: { environmentId: devId(), revision: { gt: revision } },
  })
  await database().prisma.environment.update({ where: { id: devId() }, data: { revision } })
}

async function heldBundle(apiKey = key): Promise<{ text: string; signature: string }> {
  const response = await api.fetch(request('config', { key: apiKey }))
  const signature = response.headers.get('signalbox-signature') ?? ''
  return { text: await response.text(), signature }
}

const present = (body: object) => api.fetch(request('revision', { body }))

const revisionNow = async () =>
  (await database().prisma.environment.findUniqueOrThrow({ where: { id: devId() } })).revision

test('a restored server publishes above the newest revision presented to it, once, with an audit log entry', async () => {
  const before = await revisionNow()
  for (let i = 0; i < 3; i++) await inTransaction((tx) => publishBundle(tx, dev()))
  const held = await heldBundle()
  await goBackTo(before)
  const answers = await Promise.all([present(held), present(held), present(held)])
  for (const answer of answers)
    expect(await answer.json()).toEqual({ desired_revision: before + 4 })
  const served = await api.fetch(request('config'))
  expect(served.headers.get('signalbox-revision')).toBe(String(before + 4))
  const { configs } = JSON.parse(held.text)
  expect(await served.json()).toMatchObject({ revision: before + 4, configs })
  const entries = await database().prisma.auditEntry.findMany({
    where: { action: 'bundle.surpassed' },
  })
  expect(entries).toMatchObject([
    { before: { revision: before }, after: { revision: before + 4 }, target: devId() },
  ])
  expect(await (await present(held)).json()).toEqual({ desired_revision: before + 4 })
})

test('a presented bundle with a wrong text, signature, key or environment is refused and raises no revision', async () => {
  const before = await revisionNow()
  const { text, signature } = await heldBundle()
  const newer = text.replace(`"revision":${before}`, `"revision":${before + 5}`)
  const staging = await makeKey(project, { environment: 'staging' })
  const own = Buffer.alloc(32, 9).toString('base64url')
  const bodies = [
    { text: newer, signature },
    { text: newer, signature: signText(newer, own) },
    { text: 'no json', signature: signText('no json', own) },
    await heldBundle(staging),
  ]
  for (const body of bodies) expect((await present(body)).status).toBe(422)
  expect(await revisionNow()).toBe(before)
  expect((await present({ text: newer })).status).toBe(422)
})

const registration = {
  name: 'worker-1',
  sdk_version: '0.1.0',
  harness: { name: 'ai-sdk' },
  prompts: ['demo/release-notes'],
  capabilities: { policies: ['sequential_dependency'], feedback_providers: [], checkers: [] },
  posture: 'deny',
  now: 1_795_000_000_000,
}

test('a runtime registers and reports its applied revision, and the console shows both', async () => {
  const registered = await api.fetch(request('register', { body: registration }))
  const { runtime_id: id, public_key: publicKey } = (await registered.json()) as {
    runtime_id: string
    public_key: string
  }
  expect(publicKey).toBe(await bundlePublicKey(project.projectId))
  const viewer = await createProjectCaller(project, 'viewer')
  const shown = async () => (await viewer.runtimes.list({})).find((row) => row.id === id)
  expect(await shown()).toMatchObject({ connection: 'connected', sync: 'nothing_applied' })

  const report = { runtime_id: id, now: Date.now(), live_sessions: 1, spooled_events: 0 }
  const digest = `sha256:${'0'.repeat(64)}`
  const expected = (await shown())?.expectedRevision ?? 0
  const apply = (revision: number, rejected: object | null = null) =>
    api.fetch(
      request('heartbeat', {
        body: { ...report, applied: { revision, digest, source: 'server' }, rejected },
      }),
    )
  expect(await (await apply(expected)).json()).toMatchObject({ desired_revision: expected })
  expect(await shown()).toMatchObject({ sync: 'in_sync', appliedRevision: expected })
  await apply(expected - 1, { revision: expected, reason: 'unknown rule type' })
  expect(await shown()).toMatchObject({ sync: 'rejected', rejectedReason: 'unknown rule type' })
  await apply(expected - 1)
  expect(await shown()).toMatchObject({ sync: 'behind' })
  const again = await api.fetch(request('register', { body: { ...registration, runtime_id: id } }))
  expect(await again.json()).toMatchObject({ runtime_id: id })
})

test('a heartbeat of an unknown runtime is answered with 404, and an invalid body with 422 and pointers', async () => {
  const body = {
    runtime_id: 'rt_UNKNOWN',
    now: 1,
    applied: null,
    rejected: null,
    live_sessions: 0,
    spooled_events: 0,
  }
  expect((await api.fetch(request('heartbeat', { body }))).status).toBe(404)
  const broken = await api.fetch(request('heartbeat', { body: { ...body, now: 'noon' } }))
  expect(broken.status).toBe(422)
  expect(await broken.json()).toMatchObject({ errors: [{ pointer: '/now' }] })
})

test('heartbeats that a relay gathered are recorded together, with null for an unknown runtime', async () => {
  const register = async () => {
    const answer = await api.fetch(request('register', { body: registration }))
    return ((await answer.json()) as { runtime_id: string }).runtime_id
  }
  const ids = [await register(), await register()]
  const applied = { revision: 7, digest: `sha256:${'0'.repeat(64)}`, source: 'server' }
  const heartbeats = ['rt_UNKNOWN', ...ids].map((id) => ({
    runtime_id: id,
    now: Date.now(),
    applied,
    rejected: null,
    live_sessions: 0,
    spooled_events: 0,
  }))
  const answer = await api.fetch(request('heartbeats', { body: { heartbeats } }))
  const known = { desired_revision: expect.any(Number), keys: expect.any(String) }
  expect(await answer.json()).toMatchObject({ answers: [null, known, known] })
  const rows = await database().prisma.runtime.findMany({ where: { id: { in: ids } } })
  expect(rows.map(({ appliedRevision }) => appliedRevision)).toEqual([7, 7])
  const broken = { heartbeats: [...heartbeats, { ...heartbeats[0], now: 'noon' }] }
  const refused = await api.fetch(request('heartbeats', { body: broken }))
  expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/heartbeats/3/now' }] })
})

test('a registration with a custom schema of 5,000 nested levels is refused', async () => {
  const levels = 5000
  const deep = `${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`
  const type = { kind: 'policy', type: 'deep', schema: 'DEEP' }
  const capabilities = { ...registration.capabilities, custom_types: [type] }
  const body = JSON.stringify({ ...registration, capabilities })
  const sent = request('register', { body: {} })
  const refused = await api.fetch(
    new Request(sent, { body: body.replace('"DEEP"', deep), method: 'POST' }),
  )
  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('nested deeper') })
})

test('a project sees nothing of another: runtimes, keys, members, overview, bundles', async () => {
  const stranger = await otherProject()
  const theirs = await createProjectCaller(stranger, 'admin')
  const ours = await createProjectCaller(project, 'admin')
  const made = await ours.keys.create({ name: 'ours', environment: 'dev', scopes: ['read'] })
  const { userId } = await ours.members.me()

  expect(await theirs.runtimes.list({})).toEqual([])
  expect(await theirs.keys.list()).toEqual([])
  expect((await theirs.members.list()).map((member) => member.userId)).not.toContain(userId)
  expect((await theirs.releases.list({ filter: {} })).rows).toEqual([])
  expect((await theirs.overview.attention({})).items).toEqual([])
  expect(await theirs.overview.steps()).toEqual({
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
  })
  await expect(theirs.keys.revoke({ id: made.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(theirs.members.remove({ userId, typedEmail: 'x' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  const setRole = theirs.members.setRole({ userId, role: 'viewer' })
  await expect(setRole).rejects.toMatchObject({ code: 'NOT_FOUND' })

  const theirKey = await makeKey(stranger)
  const bundle = await api.fetch(request('config', { key: theirKey }))
  expect(await bundle.json()).toMatchObject({ revision: 0, configs: [] })
  const registered = await api.fetch(request('register', { body: registration }))
  const { runtime_id: id } = (await registered.json()) as { runtime_id: string }
  const stolen = await api.fetch(
    request('register', { key: theirKey, body: { ...registration, runtime_id: id } }),
  )
  expect(await stolen.json()).not.toMatchObject({ runtime_id: id })
})

test('a repeated start creates nothing twice, even when several starts are concurrent', async () => {
  const count = async () => {
    const { prisma } = database()
    return [
      await prisma.project.count(),
      await prisma.environment.count(),
      await prisma.config.count(),
      await prisma.release.count(),
      await prisma.bundle.count(),
    ]
  }
  const before = await count()
  await Promise.all([installed(), installed(), installed()])
  expect(await count()).toEqual(before)
})
