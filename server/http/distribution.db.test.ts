import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails, type Diagnostic, type Guardrails } from '@signalbox/runtime'
import { derivePublicKey, signText } from '@signalbox/wire'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { publishBundle } from '@/server/bundles/bundles.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  otherProject,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

const PROMPT = 'demo/release-notes'
const DAY_MS = 86_400_000
const STRANGER = Buffer.alloc(32, 9).toString('base64url')

type Options = Parameters<typeof createGuardrails>[0]
type Online = Extract<Options, { readonly url: string }>
type Fetch = typeof globalThis.fetch

let project: TestProject
let server: DataPlaneServer
let apiKey: string
let dataDir: string
let running: Guardrails[] = []
let diagnostics: Diagnostic[] = []

beforeAll(async () => {
  project = await installed()
  apiKey = await makeKey(project)
  server = await serveDataPlane()
})

afterEach(async () => {
  for (const guardrails of running) await guardrails.close(50)
  running = []
  diagnostics = []
  if (dataDir) fs.rmSync(dataDir, { recursive: true, force: true })
  dataDir = ''
})

afterAll(() => server.close())

function start(options: Partial<Online> = {}): Guardrails {
  dataDir ||= fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-distribution-'))
  const guardrails = createGuardrails({
    url: server.url,
    apiKey,
    prompt: PROMPT,
    dataDir,
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    ...options,
  })
  running.push(guardrails)
  return guardrails
}

async function startedWith(options: Partial<Online> = {}): Promise<Guardrails> {
  const guardrails = start(options)
  await guardrails.ready()
  return guardrails
}

async function stop(guardrails: Guardrails): Promise<void> {
  running = running.filter((other) => other !== guardrails)
  await guardrails.close()
}

const eventually = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 10_000, interval: 10 })
const readAppliedRevision = (guardrails: Guardrails) =>
  guardrails.status()?.applied?.revision ?? null
const readRejectedBundle = (guardrails: Guardrails) => guardrails.status()?.rejected ?? null

async function publishIn(
  { projectId, environments }: TestProject,
  environment: string,
): Promise<number> {
  const place = { projectId, environmentId: environments[environment] ?? '' }
  return (await inTransaction((tx) => publishBundle(tx, place))).revision
}

async function publish(environment = 'dev'): Promise<number> {
  return await publishIn(project, environment)
}

/** True when rules decide a call; without any config it is denied for that reason. */
async function isGoverned(guardrails: Guardrails): Promise<boolean> {
  const session = guardrails.openSession()
  const { reason } = await session.beforeToolCall({ tool: 'publish_notes', args: {} })
  await session.end({ reason: 'aborted' })
  return reason !== null && !/No guardrail config|gave no config|no released|rejected/.test(reason)
}

interface Served {
  readonly text: string
  readonly signature: string
}

async function served(key = apiKey): Promise<Served> {
  const answer = await fetch(`${server.url}/api/runtime/v1/config`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return { text: await answer.text(), signature: answer.headers.get('signalbox-signature') ?? '' }
}

/** A man in the middle that answers GET config in the server's place, as `instead` specifies, and blocks pushed bundles. */
function middleman(instead: (honest: Served) => Served | null): Fetch {
  return async (address, init) => {
    const asked = new URL(String(address))
    asked.searchParams.delete('push')
    if (!asked.pathname.endsWith('/config')) return fetch(asked, init)
    const headers = new Headers(init?.headers)
    headers.delete('if-none-match')
    const answer = await fetch(address, { ...init, headers })
    if (!answer.ok) return answer
    const text = await answer.text()
    const signature = answer.headers.get('signalbox-signature') ?? ''
    const told = instead({ text, signature }) ?? { text, signature }
    return new Response(told.text, { headers: { 'signalbox-signature': told.signature } })
  }
}

async function shown(guardrails: Guardrails) {
  const viewer = await createProjectCaller(project, 'viewer')
  const id = guardrails.status()?.runtimeId
  return (await viewer.runtimes.list({})).find((row) => row.id === id)
}

describe('a runtime refuses', () => {
  test('a bundle with a changed text, keeps its version, and the console shows the reason', async () => {
    let harmed = false
    const harm = ({ text, signature }: Served): Served => ({
      text: text.replace('"configs":[', '"configs": ['),
      signature,
    })
    const guardrails = await startedWith({ fetch: middleman((one) => (harmed ? harm(one) : null)) })
    const before = readAppliedRevision(guardrails)
    harmed = true
    await publish()
    await eventually(() => expect(readRejectedBundle(guardrails)?.reason).toContain('signature'))
    expect(readAppliedRevision(guardrails)).toBe(before)
    expect(await isGoverned(guardrails)).toBe(true)
    await eventually(async () =>
      expect(await shown(guardrails)).toMatchObject({
        sync: 'rejected',
        rejectedReason: expect.stringContaining('signature'),
      }),
    )
    harmed = false
    const healed = await publish()
    await eventually(() => expect(readAppliedRevision(guardrails)).toBe(healed))
    expect(readRejectedBundle(guardrails)).toBeNull()
  })

  test('a bundle signed by an unknown key', async () => {
    let strange = false
    const resign = ({ text }: Served): Served => ({ text, signature: signText(text, STRANGER) })
    const guardrails = await startedWith({
      fetch: middleman((one) => (strange ? resign(one) : null)),
    })
    const before = readAppliedRevision(guardrails)
    strange = true
    await publish()
    await eventually(() =>
      expect(readRejectedBundle(guardrails)?.reason).toContain(
        'no valid signature by a key that this runtime trusts',
      ),
    )
    expect(readAppliedRevision(guardrails)).toBe(before)
  })

  test('a server whose key is not the given key, from the first contact on', async () => {
    const guardrails = await startedWith({ publicKey: derivePublicKey(STRANGER) })
    expect(readAppliedRevision(guardrails)).toBeNull()
    expect(await isGoverned(guardrails)).toBe(false)
  })

  test('a replayed old bundle with a valid signature', async () => {
    const old = await served()
    let forged: Served | null = null
    const guardrails = await startedWith({ fetch: middleman(() => forged) })
    const newer = await publish()
    await eventually(() => expect(readAppliedRevision(guardrails)).toBe(newer))
    forged = old
    await publish()
    await eventually(() =>
      expect(readRejectedBundle(guardrails)?.reason).toContain('older than revision'),
    )
    expect(readAppliedRevision(guardrails)).toBe(newer)
  })

  test('a replayed old bundle after a restart, because the highest revision is stored on disk', async () => {
    const old = await served()
    const newer = await publish()
    const first = await startedWith()
    expect(readAppliedRevision(first)).toBe(newer)
    await stop(first)
    const second = await startedWith({ fetch: middleman(() => old), startupPolicy: 'deny' })
    expect(readRejectedBundle(second)?.reason).toContain('older than revision')
    expect(readAppliedRevision(second)).toBeNull()
    expect(await isGoverned(second)).toBe(false)
  })

  test('a valid bundle of another environment, with any revision', async () => {
    let forged: Served | null = null
    const guardrails = await startedWith({ fetch: middleman(() => forged) })
    const before = readAppliedRevision(guardrails)
    const staging = await makeKey(project, { environment: 'staging' })
    for (let revision = 0; revision <= (before ?? 0); ) revision = await publish('staging')
    forged = await served(staging)
    await publish()
    await eventually(() =>
      expect(readRejectedBundle(guardrails)?.reason).toContain('default/staging'),
    )
    expect(readAppliedRevision(guardrails)).toBe(before)
  })

  test('a valid bundle of another project with the same key, even after a restart', async () => {
    const first = await startedWith()
    const before = readAppliedRevision(first) ?? 0
    await stop(first)
    const stranger = await otherProject()
    for (let revision = 0; revision <= before; ) revision = await publishIn(stranger, 'dev')
    const foreign = await served(await makeKey(stranger))
    const second = await startedWith({ fetch: middleman(() => foreign) })
    expect(readRejectedBundle(second)?.reason).toContain('belongs to default/dev')
    expect(readAppliedRevision(second)).toBe(before)
  })
})

describe('a runtime without a server', () => {
  async function awayAfter(first: Guardrails): Promise<void> {
    await stop(first)
    await server.close()
  }
  afterEach(async () => {
    server = await serveDataPlane(server.port)
  })

  test('applies the last good config from disk, and gets the current one when the server returns', async () => {
    const first = await startedWith()
    const revision = readAppliedRevision(first)
    await awayAfter(first)
    const second = await startedWith()
    expect(second.status()).toMatchObject({
      state: 'unreachable',
      applied: { revision, source: 'disk' },
    })
    expect(await isGoverned(second)).toBe(true)
    server = await serveDataPlane(server.port)
    await eventually(() =>
      expect(second.status()).toMatchObject({ state: 'applied', applied: { source: 'server' } }),
    )
    await eventually(async () =>
      expect(await shown(second)).toMatchObject({ sync: 'in_sync', appliedSource: 'server' }),
    )
    await server.close()
  })

  test('applies the built-in config, and later the released one', async () => {
    const file = path.join(
      import.meta.dirname,
      '../../examples/demo-agent/configs/release-notes.json',
    )
    const bootstrap = JSON.parse(fs.readFileSync(file, 'utf8'))
    await server.close()
    const guardrails = await startedWith({ startupPolicy: 'bootstrap', bootstrap })
    expect(readAppliedRevision(guardrails)).toBeNull()
    expect(await isGoverned(guardrails)).toBe(true)
    server = await serveDataPlane(server.port)
    await eventually(() => expect(readAppliedRevision(guardrails)).not.toBeNull())
    await server.close()
  })

  test('denies calls with startup policy deny even with a config on disk', async () => {
    const first = await startedWith()
    await awayAfter(first)
    const second = await startedWith({ startupPolicy: 'deny' })
    expect(await isGoverned(second)).toBe(false)
  })

  test('denies calls on its first start', async () => {
    await server.close()
    expect(await isGoverned(await startedWith())).toBe(false)
  })

  test('recovers from a truncated state file, and denies calls and reports when both copies are damaged', async () => {
    const first = await startedWith()
    const revision = readAppliedRevision(first)
    await awayAfter(first)
    const [folder = ''] = fs.readdirSync(dataDir)
    const memory = path.join(dataDir, folder, `${PROMPT.replace('/', '~')}.json`)
    fs.truncateSync(memory, 100)
    const second = await startedWith()
    expect(readAppliedRevision(second)).toBe(revision)
    await stop(second)
    for (const file of [memory, `${memory}.copy`]) fs.writeFileSync(file, '{"public_key":"x')
    expect(await isGoverned(await startedWith())).toBe(false)
    expect(diagnostics.map(({ code }) => code)).toContain('memory_damaged')
  })
})

describe('a running runtime', () => {
  test('keeps its version while the server is unreachable, and applies missed releases afterwards', async () => {
    const guardrails = await startedWith()
    const before = readAppliedRevision(guardrails)
    await server.close()
    const meanwhile = await publish()
    expect(readAppliedRevision(guardrails)).toBe(before)
    expect(await isGoverned(guardrails)).toBe(true)
    server = await serveDataPlane(server.port)
    await eventually(() => expect(readAppliedRevision(guardrails)).toBe(meanwhile))
  })

  test('registers again with a reinstalled server', async () => {
    const guardrails = await startedWith()
    const forgotten = guardrails.status()?.runtimeId ?? ''
    await database().prisma.runtime.delete({ where: { id: forgotten } })
    await publish()
    await eventually(() => expect(guardrails.status()?.runtimeId).not.toBe(forgotten))
    await publish()
    await eventually(async () => expect(await shown(guardrails)).toMatchObject({ sync: 'in_sync' }))
  })

  test.each([
    ['a day ahead', DAY_MS],
    ['a day behind', -DAY_MS],
  ])(
    'applies releases with a clock that is %s, and the console shows the difference',
    async (_, skew) => {
      const guardrails = await startedWith({ now: () => Date.now() + skew })
      const revision = await publish()
      await eventually(() => expect(readAppliedRevision(guardrails)).toBe(revision))
      await eventually(async () => {
        const row = await shown(guardrails)
        expect(row).toMatchObject({ connection: 'connected', sync: 'in_sync' })
        expect(Math.abs((row?.clockSkewMs ?? 0) - skew)).toBeLessThan(60_000)
      })
      await stop(guardrails)
      await server.close()
      const offline = await startedWith({ now: () => Date.now() + skew })
      expect(readAppliedRevision(offline)).toBe(revision)
      server = await serveDataPlane(server.port)
    },
  )
})
