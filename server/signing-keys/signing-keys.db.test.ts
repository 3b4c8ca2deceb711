import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails, type Guardrails } from '@signalbox/runtime'
import { computeKeyId, derivePublicKey, openKeyRecord, verifyText } from '@signalbox/wire'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { publishBundle } from '@/server/bundles/bundles.ts'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import { openSeed } from '@/server/platform/db/sealed-seed.mjs'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { askPlane, createHeartbeat, createRegistration } from '@/server/test/data-plane-contract.ts'
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
let admin: Awaited<ReturnType<typeof createProjectCaller>>
let apiKey: string
let folder: string
let running: Guardrails[] = []

beforeAll(async () => {
  project = await installed()
  server = await serveDataPlane()
  admin = await createProjectCaller(project, 'admin')
})

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-signing-'))
  apiKey = await makeKey(project)
})

afterEach(async () => {
  for (const guardrails of running.splice(0)) await guardrails.close(500)
  await database().prisma.runtime.deleteMany()
  running = []
  fs.rmSync(folder, { recursive: true, force: true })
})

afterAll(() => server.close())

type Online = Extract<Parameters<typeof createGuardrails>[0], { readonly url: string }>

async function started(dataDir: string, more: Partial<Online> = {}): Promise<Guardrails> {
  const guardrails = createGuardrails({
    url: server.url,
    apiKey,
    prompt: 'demo/release-notes',
    name: dataDir,
    dataDir: path.join(folder, dataDir),
    ...more,
  })
  running.push(guardrails)
  await guardrails.ready()
  return guardrails
}

/** A runtime of an older version, which follows no key records. `takes`: its pinned key signed the current bundle. */
async function oldRuntime(name: string) {
  const told = await askPlane(server.url, 'register', {
    key: apiKey,
    json: createRegistration(name),
  })
  const { runtime_id: id, public_key: pinned } = (await told.json()) as {
    runtime_id: string
    public_key: string
  }
  await askPlane(server.url, 'heartbeat', { key: apiKey, json: createHeartbeat(id) })
  const takes = async (): Promise<boolean> => {
    const answer = await askPlane(server.url, 'config', { key: apiKey })
    const signature = answer.headers.get('signalbox-signature') ?? ''
    return verifyText(await answer.text(), signature, pinned)
  }
  return { id, takes }
}

const eventually = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 10_000, interval: 20 })
const readAppliedKeyRevision = (guardrails: Guardrails) => guardrails.status()?.applied?.revision
const readRejectedKey = (guardrails: Guardrails) => guardrails.status()?.rejected
const publish = () =>
  inTransaction((tx) =>
    publishBundle(tx, {
      projectId: project.projectId,
      environmentId: project.environments['dev'] ?? '',
    }),
  )
const findDevKeys = ({ environments }: Awaited<ReturnType<typeof admin.signingKeys.list>>) =>
  environments.find(({ environment }) => environment === 'dev')
const activeNow = async () =>
  (await admin.signingKeys.list()).keys.find(({ state }) => state === 'active')
const actions = async () =>
  (await admin.auditLog.list({ filter: {} })).rows
    .filter(({ action }) => action.startsWith('signing_key.'))
    .map(({ action }) => action)

async function told(guardrails: Guardrails): Promise<void> {
  await admin.runtimes.refresh({ id: guardrails.status()?.runtimeId ?? '' })
}

describe('a rotation of the signing key', () => {
  test('a rotation of the signing key is known to a runtime before the new key signs, so that it refuses no bundle', async () => {
    const runtime = await started('worker')
    const before = await activeNow()
    expect(before).toMatchObject({ fromEnvironment: true, isLinked: false })
    const { id } = await admin.signingKeys.prepare()
    // Its heartbeat fetches the new record; the next one reports that it knows the key.
    await told(runtime)
    await eventually(async () => {
      await told(runtime)
      expect(findDevKeys(await admin.signingKeys.list())).toMatchObject({ total: 1, knows: 1 })
    })
    const { revision } = await publish()
    await eventually(() => expect(readAppliedKeyRevision(runtime)).toBe(revision))
    await admin.signingKeys.activate({ id })
    await eventually(() => expect(readAppliedKeyRevision(runtime)).toBe(revision + 1))
    expect(readRejectedKey(runtime)).toBeNull()
    expect(await activeNow()).toMatchObject({ id, isLinked: true, fromEnvironment: false })
    await publish()
    await eventually(() => expect(readAppliedKeyRevision(runtime)).toBe(revision + 2))
    expect((await actions()).slice(0, 2)).toEqual(['signing_key.activated', 'signing_key.prepared'])
  })

  test('gives every environment a bundle of the new key, including environments without a release', async () => {
    const { id } = await admin.signingKeys.prepare()
    await admin.signingKeys.activate({ id })
    const { publicKey = '' } = (await activeNow()) ?? {}
    for (const environment of ['dev', 'staging', 'production']) {
      const key = await makeKey(project, { environment })
      const answer = await askPlane(server.url, 'config', { key })
      const signature = answer.headers.get('signalbox-signature') ?? ''
      expect(verifyText(await answer.text(), signature, publicKey)).toBe(true)
    }
  })

  test('reaches a runtime that is configured with the first key', async () => {
    const first = derivePublicKey(env().SIGNALBOX_SIGNING_KEY)
    const runtime = await started('cold', { publicKey: first })
    await eventually(() => expect(readAppliedKeyRevision(runtime)).toBeGreaterThan(0))
    expect((await activeNow())?.publicKey).not.toBe(first)
  })

  test('names runtimes that do not know the key, and requires the typed name', async () => {
    const old = await oldRuntime('old worker')
    const { id } = await admin.signingKeys.prepare()
    const list = await admin.signingKeys.list()
    expect(findDevKeys(list)).toMatchObject({ total: 1, knows: 0, silent: 1 })
    expect(list.unaware).toMatchObject([{ name: 'old worker', isSilent: true }])
    await publish()
    expect(await old.takes()).toBe(true)
    await expect(admin.signingKeys.activate({ id })).rejects.toThrow(/1 runtimes.*Type "default"/)
    expect(await old.takes()).toBe(true)
    await admin.signingKeys.activate({ id, typedName: 'default' })
    expect(await old.takes()).toBe(false)
  })

  test('happens once under concurrency: one key is prepared and activated', async () => {
    const twice = await Promise.all([admin.signingKeys.prepare(), admin.signingKeys.prepare()])
    expect(twice[0]).toEqual(twice[1])
    const { keys } = await admin.signingKeys.list()
    const retired = keys.find(({ state }) => state === 'retired')?.id ?? ''
    await expect(admin.signingKeys.activate({ id: retired })).rejects.toThrow(
      'no longer the prepared one',
    )
    const next = keys.find(({ state }) => state === 'next')?.id ?? ''
    const both = await Promise.allSettled([
      admin.signingKeys.activate({ id: next }),
      admin.signingKeys.activate({ id: next }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('leaves the newest bundle signed by the new key, even under concurrent releases', async () => {
    const { id } = await admin.signingKeys.prepare()
    const releases = Array.from({ length: 6 }, () => publish())
    await Promise.all([...releases, admin.signingKeys.activate({ id })])
    const { publicKey = '' } = (await activeNow()) ?? {}
    const answer = await askPlane(server.url, 'config', { key: apiKey })
    const signature = answer.headers.get('signalbox-signature') ?? ''
    expect(verifyText(await answer.text(), signature, publicKey)).toBe(true)
  })
})

describe('key records', () => {
  test('key records are chained, signed by both keys, and not sent again to a runtime that has them', async () => {
    const answer = await askPlane(server.url, 'keys', { key: apiKey })
    const { records } = (await answer.json()) as {
      records: { text: string; by_previous: string; by_next: string }[]
    }
    const opened = records.map((record) => openKeyRecord(record))
    expect(opened.length).toBeGreaterThan(1)
    for (const [at, record] of opened.entries())
      if (at > 0) expect(record?.previous).toBe(opened[at - 1]?.next)
    const etag = answer.headers.get('etag') ?? ''
    const again = await askPlane(server.url, 'keys', {
      key: apiKey,
      headers: { 'if-none-match': etag },
    })
    expect(again.status).toBe(304)
  })

  test('contain no private key: it is only stored sealed, is not in the list, and is erased when it is replaced', async () => {
    await admin.signingKeys.prepare()
    const rows = await database().prisma.signingKey.findMany()
    const next = rows.find(({ standing }) => standing === 'next')
    expect(next?.sealedSeed).toMatch(/^[\w-]{90,}$/)
    const list = JSON.stringify(await admin.signingKeys.list())
    expect(list).not.toContain(next?.sealedSeed)
    const records = await (await askPlane(server.url, 'keys', { key: apiKey })).text()
    expect(records).toContain(next?.publicKey)
    const seeds = rows.flatMap((row) =>
      row.sealedSeed === null ? [] : [openSeed(env().SIGNALBOX_AUTH_SECRET, row.sealedSeed, row)],
    )
    expect(seeds.length).toBeGreaterThan(1)
    for (const seed of [...seeds, env().SIGNALBOX_SIGNING_KEY]) {
      expect(seed).toMatch(/^[\w-]{43}$/)
      expect(`${records} ${list} ${JSON.stringify(rows)}`).not.toContain(seed)
    }
    // Replaced keys are erased.
    expect(rows.filter(({ standing, sealedSeed }) => standing === null && sealedSeed)).toEqual([])
  })
})

describe('a compromised key', () => {
  test('that was only prepared is in no key record after it is revoked', async () => {
    const { keys, word } = await admin.signingKeys.list()
    const next = keys.find(({ state }) => state === 'next')
    await admin.signingKeys.revoke({ id: next?.id ?? '', typedName: word })
    const text = await (await askPlane(server.url, 'keys', { key: apiKey })).text()
    expect(text).not.toContain(next?.publicKey)
    expect((await activeNow())?.id).not.toBe(next?.id)
  })

  test('a compromised key is replaced by the prepared key, which runtimes that know it trust immediately', async () => {
    const { id } = await admin.signingKeys.prepare()
    const runtime = await started('ready')
    await eventually(async () => {
      await told(runtime)
      expect(findDevKeys(await admin.signingKeys.list())).toMatchObject({ total: 1, knows: 1 })
    })
    const stolen = await activeNow()
    await expect(
      admin.signingKeys.revoke({ id: stolen?.id ?? '', typedName: 'no' }),
    ).rejects.toThrow('Type "default"')
    const before = readAppliedKeyRevision(runtime) ?? 0
    await admin.signingKeys.revoke({ id: stolen?.id ?? '', typedName: 'default' })
    await eventually(() => expect(readAppliedKeyRevision(runtime)).toBe(before + 1))
    expect(await activeNow()).toMatchObject({ id })
  })

  test('a compromised key without a prepared key names the runtimes that need the new key until they get it', async () => {
    const runtime = await started('pinned')
    const before = readAppliedKeyRevision(runtime)
    const stolen = await activeNow()
    await admin.signingKeys.revoke({ id: stolen?.id ?? '', typedName: 'default' })
    const fresh = await activeNow()
    expect(fresh).toMatchObject({ isLinked: false, fromEnvironment: false })
    await eventually(() =>
      expect(readRejectedKey(runtime)?.reason).toContain('no key record leads'),
    )
    expect(readAppliedKeyRevision(runtime)).toBe(before)
    expect(await admin.signingKeys.list()).toMatchObject({
      about: fresh?.id,
      unaware: [{ name: 'pinned', isSilent: false }],
    })
    await runtime.close()
    const given = await started('pinned', { publicKey: fresh?.publicKey ?? '' })
    await eventually(() => expect(readAppliedKeyRevision(given)).toBe((before ?? 0) + 1))
    await told(given)
    await eventually(async () => expect((await admin.signingKeys.list()).unaware).toEqual([]))
    expect(computeKeyId(fresh?.publicKey ?? '')).toBe(fresh?.id)
  })
})

describe('access to signing keys', () => {
  test('allows every member to read and only admins to prepare keys, and gives a new project its own key', async () => {
    const publisher = await createProjectCaller(project, 'publisher')
    expect((await publisher.signingKeys.list()).keys.length).toBeGreaterThan(0)
    await expect(publisher.signingKeys.prepare()).rejects.toThrow()
    const { id: other } = await admin.projects.create({ name: 'Other' })
    const keys = await database().prisma.signingKey.findMany({ where: { projectId: other } })
    expect(keys).toMatchObject([{ standing: 'active', fromEnvironment: false }])
  })

  test('fails with the name of the secret when a stored key cannot be opened with it', async () => {
    const sealed = await database().prisma.signingKey.findFirstOrThrow({
      where: { projectId: project.projectId, standing: 'active' },
    })
    const whole = sealed.sealedSeed ?? ''
    const damaged = `${whole.startsWith('A') ? 'B' : 'A'}${whole.slice(1)}`
    const where = { projectId_id: { projectId: project.projectId, id: sealed.id } }
    await database().prisma.signingKey.update({ where, data: { sealedSeed: damaged } })
    await expect(publish()).rejects.toThrow('SIGNALBOX_AUTH_SECRET')
    await database().prisma.signingKey.update({
      where,
      data: { sealedSeed: sealed.sealedSeed },
    })
    await publish()
  })
})
