// The relay is the packaged command in a separate process (specs/relay.md).
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails, type Guardrails } from '@signalbox/runtime'
import { verifyText } from '@signalbox/wire'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { builtCli, startCli } from '@/packages/cli/src/test/cli-process.ts'
import { publishBundle } from '@/server/bundles/bundles.ts'
import { bundlePublicKey } from '@/server/bundles/signing-seed.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import {
  askPlane,
  createHeartbeat,
  createRegistration,
  describeDataPlane,
  sessionLines,
} from '@/server/test/data-plane-contract.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

let project: TestProject
let server: DataPlaneServer
let folder: string
let cli: string
let relay: RelayProcess
let lower: RelayProcess
const open: Guardrails[] = []

interface RelayProcess {
  readonly process: ChildProcess
  readonly url: string
  readonly err: () => string
}

beforeAll(async () => {
  project = await installed()
  server = await serveDataPlane()
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-relay-'))
  cli = await builtCli(folder)
  relay = await startRelayIn('main')
  lower = await startRelayIn('lower', [], relay.url)
}, 120_000)

afterEach(async () => {
  for (const guardrails of open.splice(0)) await guardrails.close(50)
})

afterAll(async () => {
  relay.process.kill('SIGKILL')
  lower.process.kill('SIGKILL')
  await server.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const eventually = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 20_000, interval: 20 })

async function startRelayIn(
  name: string,
  more: readonly string[] = [],
  upstream = server.url,
): Promise<RelayProcess> {
  const data = path.join(folder, name)
  const words = ['relay', '--upstream', upstream, '--data', data, '--port', '0', ...more]
  const started = startCli(cli, words)
  let url = ''
  await eventually(() => {
    url = /(http:\/\/127\.0\.0\.1:\d+) for/.exec(started.err())?.[1] ?? ''
    expect(url, started.err()).not.toBe('')
  })
  return { ...started, url }
}

async function kill({ process }: RelayProcess): Promise<void> {
  const ended = once(process, 'exit')
  process.kill('SIGKILL')
  await ended
}

async function comeBack(): Promise<void> {
  server = await serveDataPlane(server.port)
}

const health = async ({ url }: RelayProcess) =>
  (await (await fetch(`${url}/api/health`)).json()) as {
    control_plane: string
    spooled_batches: number
  }

const readStoredEvents = (sessionId: string) =>
  database().prisma.sessionEvent.count({ where: { sessionId } })

describeDataPlane('the server', () => ({ url: server.url, project }))
describeDataPlane('a relay', () => ({ url: relay.url, project }))
describeDataPlane('a relay behind a relay', () => ({ url: lower.url, project }))

test('runtimes behind two relays apply a release and report it', async () => {
  const apiKey = await makeKey(project)
  const runtimes = ['a', 'b', 'c', 'd'].map((name) => {
    const place = { url: lower.url, apiKey, prompt: 'demo/release-notes', name }
    return createGuardrails({ ...place, dataDir: path.join(folder, `below-${name}`) })
  })
  open.push(...runtimes)
  for (const runtime of runtimes) await runtime.ready()
  const { projectId, environments } = project
  const place = { projectId, environmentId: environments['dev'] ?? '' }
  const { revision } = await inTransaction((tx) => publishBundle(tx, place))
  await eventually(async () => {
    const ids = runtimes.map((runtime) => runtime.status()?.runtimeId ?? '')
    const rows = await database().prisma.runtime.findMany({ where: { id: { in: ids } } })
    expect(rows.map((row) => row.appliedRevision)).toEqual(runtimes.map(() => revision))
  })
})

test('a relay whose upper relay has lost the control plane goes on using that relay', async () => {
  const key = await makeKey(project)
  await askPlane(lower.url, 'config', { key })
  await askPlane(lower.url, 'events', { key, body: sessionLines().lines })
  await server.close()
  const fresh = { key, json: createRegistration('fresh') }
  const refused = await askPlane(lower.url, 'register', fresh)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await health(relay)).toMatchObject({ control_plane: 'away' })
  expect(await health(lower)).toMatchObject({ control_plane: 'there' })
  expect((await askPlane(lower.url, 'config', { key })).status).toBe(200)
  const { session, lines } = sessionLines()
  const answer = await askPlane(lower.url, 'events', { key, body: lines })
  expect(await answer.json()).toMatchObject({ stored: 3, relayed: true })
  expect(await health(lower)).toMatchObject({ spooled_batches: 0 })
  await comeBack()
  await eventually(async () => expect(await readStoredEvents(session)).toBe(3))
})

describe('a relay without the control plane', () => {
  afterEach(async () => {
    await server.close()
    await comeBack()
  })

  test('serves the signed bundle from disk, even after it was killed', async () => {
    let mine = await startRelayIn('bundle')
    const key = await makeKey(project)
    const before = await askPlane(mine.url, 'config', { key })
    const revision = before.headers.get('signalbox-revision')
    await server.close()
    await kill(mine)
    mine = await startRelayIn('bundle')
    const answer = await askPlane(mine.url, 'config', { key })
    expect(answer.headers.get('signalbox-revision')).toBe(revision)
    const publicKey = await bundlePublicKey(project.projectId)
    const signature = answer.headers.get('signalbox-signature') ?? ''
    expect(verifyText(await answer.text(), signature, publicKey)).toBe(true)
    const etag = answer.headers.get('etag') ?? ''
    const again = await askPlane(mine.url, 'config', { key, headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(fs.readFileSync(path.join(folder, 'bundle/keys.json'), 'utf8')).not.toContain(key)
    await kill(mine)
  })

  test('refuses an unknown key, and a known key for requests beyond its scopes', async () => {
    const known = await makeKey(project, { scopes: ['read'] })
    await eventually(async () =>
      expect((await askPlane(relay.url, 'config', { key: known })).status).toBe(200),
    )
    const unknown = await makeKey(project)
    await server.close()
    expect((await askPlane(relay.url, 'config', { key: known })).status).toBe(200)
    expect((await askPlane(relay.url, 'config', { key: unknown })).status).toBe(503)
    const registration = { key: known, json: createRegistration('x') }
    expect((await askPlane(relay.url, 'register', registration)).status).toBe(503)
  })

  test('allows a known runtime to register again, makes a new one wait, and invents no report for either', async () => {
    const key = await makeKey(project)
    await eventually(async () =>
      expect((await askPlane(relay.url, 'config', { key })).status).toBe(200),
    )
    const first = await askPlane(relay.url, 'register', { key, json: createRegistration('known') })
    const { runtime_id: id } = (await first.json()) as { runtime_id: string }
    await server.close()
    const json = { ...createRegistration('renamed'), runtime_id: id }
    const again = await askPlane(relay.url, 'register', { key, json })
    expect(await again.json()).toMatchObject({ runtime_id: id, environment: 'dev' })
    const fresh = await askPlane(relay.url, 'register', { key, json: createRegistration('fresh') })
    expect([fresh.status, fresh.headers.get('retry-after')]).toEqual([503, '5'])
    const bundle = await askPlane(relay.url, 'config', { key })
    const revision = Number(bundle.headers.get('signalbox-revision'))
    const beat = await askPlane(relay.url, 'heartbeat', { key, json: createHeartbeat(id) })
    expect(await beat.json()).toMatchObject({ desired_revision: revision })
    await comeBack()
    // Reports made meanwhile are forwarded; no runtime reported an application.
    await eventually(async () => {
      const row = await database().prisma.runtime.findUniqueOrThrow({ where: { id } })
      expect(row).toMatchObject({ name: 'renamed', appliedRevision: null })
    })
  })

  test('keeps acknowledged events when it is killed, and forwards them once and in order', async () => {
    let mine = await startRelayIn('events')
    const key = await makeKey(project)
    const before = sessionLines()
    await askPlane(mine.url, 'events', { key, body: before.lines })
    await server.close()
    const { session, lines } = sessionLines()
    for (const line of lines.trimEnd().split('\n')) {
      const answer = await askPlane(mine.url, 'events', { key, body: `${line}\n` })
      expect(await answer.json()).toMatchObject({ stored: 1, relayed: true })
    }
    await kill(mine)
    mine = await startRelayIn('events')
    expect(await health(mine)).toMatchObject({ spooled_batches: 3 })
    await comeBack()
    // The key itself is not on disk: the events wait for a request that has it.
    await askPlane(mine.url, 'events', { key, body: sessionLines().lines })
    await eventually(async () => expect(await readStoredEvents(session)).toBe(3))
    await eventually(async () => expect(await health(mine)).toMatchObject({ spooled_batches: 0 }))
    const row = await database().prisma.session.findUniqueOrThrow({ where: { id: session } })
    expect(row).toMatchObject({ contiguousSeq: 3, maxSeq: 3 })
    await kill(mine)
  })

  test('answers 429 when its disk is full, and drops nothing acknowledged', async () => {
    const mine = await startRelayIn('full', ['--max-spool-mib', '1'])
    const key = await makeKey(project)
    await askPlane(mine.url, 'events', { key, body: sessionLines().lines })
    await server.close()
    const acknowledged: string[] = []
    let refused: Response | null = null
    while (refused === null) {
      const { session, lines } = sessionLines()
      // Random text, so that gzip cannot make it small.
      const filler = JSON.stringify({
        ...JSON.parse(lines.split('\n')[1] ?? '{}'),
        data: { text: Buffer.from(crypto.getRandomValues(new Uint8Array(45_000))).toString('hex') },
      })
      const body = `${lines.split('\n')[0]}\n${filler}\n`
      const answer = await askPlane(mine.url, 'events', { key, body })
      if (answer.status === 200) acknowledged.push(session)
      else refused = answer
    }
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect(acknowledged.length).toBeGreaterThan(5)
    await comeBack()
    for (const session of acknowledged)
      await eventually(async () => expect(await readStoredEvents(session)).toBe(2))
    await kill(mine)
  })
})

test('an agent behind a relay works while relay and control plane are down, and its session is stored completely', async () => {
  let mine = await startRelayIn('agent')
  const apiKey = await makeKey(project)
  const dataDir = path.join(folder, 'agent-state')
  const options = { url: mine.url, apiKey, prompt: 'demo/release-notes', dataDir }
  const guardrails = createGuardrails(options)
  open.push(guardrails)
  await guardrails.ready()
  const session = guardrails.openSession()
  const work = async (id: string): Promise<void> => {
    const call = { tool: 'read_changes', args: {}, callId: id }
    const verdict = await session.beforeToolCall(call)
    if (verdict.allowed) await session.afterToolCall({ ...call, outcome: 'success' })
  }
  await work('c1')
  await server.close()
  await work('c2')
  await kill(mine)
  await work('c3')
  const port = new URL(mine.url).port
  mine = await startRelayIn('agent', ['--port', port])
  await work('c4')
  await comeBack()
  await session.end({ reason: 'completed' })
  await eventually(async () => {
    const row = await database().prisma.session.findUnique({ where: { id: session.id } })
    expect(row).toMatchObject({ endReason: 'completed', verification: 'verified' })
    expect(row?.contiguousSeq).toBe(row?.maxSeq)
  })
  await kill(mine)
}, 60_000)

test('runtimes behind a relay follow a new signing key, including one that starts while the control plane is down', async () => {
  const mine = await startRelayIn('rotation')
  const admin = await createProjectCaller(project, 'admin')
  const apiKey = await makeKey(project)
  const first = (await admin.signingKeys.list()).keys.find(({ state }) => state === 'active')
  const behind = (dataDir: string, more: { publicKey?: string } = {}): Guardrails => {
    const place = { url: mine.url, apiKey, prompt: 'demo/release-notes', name: dataDir }
    const guardrails = createGuardrails({ ...place, dataDir: path.join(folder, dataDir), ...more })
    open.push(guardrails)
    return guardrails
  }
  const warm = behind('warm')
  await warm.ready()
  const before = warm.status()?.applied?.revision ?? 0
  const { id } = await admin.signingKeys.prepare()
  await eventually(async () => {
    await admin.runtimes.refresh({ id: warm.status()?.runtimeId ?? '' })
    const { environments } = await admin.signingKeys.list()
    expect(environments.find(({ environment }) => environment === 'dev')?.knows).toBe(1)
  })
  await admin.signingKeys.activate({ id, typedName: project.slug })
  await eventually(() => expect(warm.status()?.applied?.revision).toBe(before + 1))
  expect(warm.status()?.rejected).toBeNull()
  await server.close()
  const cold = behind('cold', { publicKey: first?.publicKey ?? '' })
  await eventually(() =>
    expect(cold.status()?.applied).toMatchObject({ revision: before + 1, source: 'server' }),
  )
  await kill(mine)
  await comeBack()
}, 60_000)

test('a stopping relay ends its streams and exits', async () => {
  const mine = await startRelayIn('stop')
  const key = await makeKey(project)
  const stream = await askPlane(mine.url, 'config/stream', { key })
  const reader = stream.body?.getReader()
  await reader?.read()
  const ended = once(mine.process, 'exit')
  mine.process.kill('SIGTERM')
  expect(await ended, mine.err()).toEqual([0, null])
  for (let done = false; !done; ) done = (await reader?.read())?.done ?? true
  expect(fs.existsSync(path.join(folder, 'stop/relay.pid'))).toBe(false)
})
