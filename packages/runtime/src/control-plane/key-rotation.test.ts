import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {
  FAKE_PROJECT,
  FakeControlPlane,
  fakeSeed,
  PROMPT,
  RULES,
  STRICTER,
} from '@signalbox/testkit'
import { computeKeyId, derivePublicKey, signKeyRecord } from '@signalbox/wire'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { createGuardrails, type Diagnostic, type Guardrails, type OnlineOptions } from '../index.ts'
import { startAgent } from '../test/agent-process.ts'
import { ConfigMemory } from './config-memory.ts'

/** A new fake control plane signs with the first key. */
const FIRST = fakeSeed(7)
const SECOND = fakeSeed(11)
const THIRD = fakeSeed(12)
const THIEF = fakeSeed(13)
const toSeedKeyId = (seed: string) => computeKeyId(derivePublicKey(seed))

let plane: FakeControlPlane
let dataDir: string
let running: Guardrails[]
let diagnostics: Diagnostic[]

beforeEach(async () => {
  plane = new FakeControlPlane()
  await plane.start()
  plane.publish(RULES)
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-keys-'))
  running = []
  diagnostics = []
})

afterEach(async () => {
  for (const guardrails of running) await guardrails.close(50)
  await plane.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

function start(options: Partial<OnlineOptions> = {}): Guardrails {
  // A runtime that is closing may still report when the next test has begun.
  const own = diagnostics
  const guardrails = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir,
    onDiagnostic: (diagnostic) => own.push(diagnostic),
    ...options,
  })
  running.push(guardrails)
  return guardrails
}

async function started(options: Partial<OnlineOptions> = {}): Promise<Guardrails> {
  const guardrails = start(options)
  await guardrails.ready()
  return guardrails
}

async function stop(guardrails: Guardrails): Promise<void> {
  await guardrails.close()
  running = running.filter((candidate) => candidate !== guardrails)
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 10 })
const codes = () => diagnostics.map(({ code }) => code)
const applied = (guardrails: Guardrails) => guardrails.status()?.applied?.revision
const toldKeys = () => plane.heartbeats.at(-1)?.keys

async function rotate(previous: string, next: string): Promise<void> {
  plane.handOver(previous, next)
  await eventually(() => expect(toldKeys()).toEqual([toSeedKeyId(previous), toSeedKeyId(next)]))
  plane.signBy(next)
  plane.publish(RULES)
}

function memoryFile(): string {
  const [folder = ''] = fs.readdirSync(dataDir)
  return path.join(dataDir, folder, 'team~bots~writer.json')
}

describe('a key rotation', () => {
  test('a key rotation is learned and reported before it happens, then followed without a refused bundle', async () => {
    const guardrails = await started()
    plane.handOver(FIRST, SECOND)
    await eventually(() => expect(toldKeys()).toEqual([toSeedKeyId(FIRST), toSeedKeyId(SECOND)]))
    plane.publish(STRICTER)
    await eventually(() => expect(applied(guardrails)).toBe(2))
    plane.signBy(SECOND)
    plane.publish(RULES)
    await eventually(() => expect(applied(guardrails)).toBe(3))
    await eventually(() => expect(toldKeys()).toEqual([toSeedKeyId(SECOND)]))
    expect(codes()).toEqual(['signing_key_changed'])
  })

  test('a key rotation without notice is followed when the first bundle with the new key arrives', async () => {
    const guardrails = await started()
    plane.handOver(FIRST, SECOND)
    plane.handOver(SECOND, THIRD)
    plane.signBy(THIRD)
    plane.publish(RULES)
    await eventually(() => expect(applied(guardrails)).toBe(2))
    expect(codes()).toEqual(['signing_key_changed'])
  })

  test('leads a new machine from its given key over an intermediate key to the newest', async () => {
    plane.handOver(FIRST, SECOND)
    plane.handOver(SECOND, THIRD)
    plane.signBy(THIRD)
    const guardrails = await started({ publicKey: derivePublicKey(FIRST) })
    await eventually(() => expect(applied(guardrails)).toBe(1))
  })

  test('makes the old key invalid for newer bundles, even after a restart', async () => {
    const guardrails = await started()
    await rotate(FIRST, SECOND)
    await eventually(() => expect(applied(guardrails)).toBe(2))
    plane.signBy(FIRST)
    plane.publish(STRICTER)
    await eventually(() => expect(guardrails.status()?.rejected?.revision).toBe(3))
    await stop(guardrails)
    // The option holds the key of the first setup; the machine has moved to a later key since.
    const again = await started({ publicKey: derivePublicKey(FIRST) })
    await eventually(() => expect(again.status()?.rejected?.revision).toBe(3))
    expect(applied(again)).toBe(2)
    expect(guardrails.status()?.rejected?.reason).toContain(toSeedKeyId(SECOND).slice(0, 12))
  })

  test('leaves the last good bundle of the new key for a start without the server', async () => {
    const guardrails = await started()
    await rotate(FIRST, SECOND)
    await eventually(() => expect(applied(guardrails)).toBe(2))
    await stop(guardrails)
    await plane.stop()
    const again = start()
    expect(again.status()?.applied).toMatchObject({ revision: 2, source: 'disk' })
  })

  test('keeps the version in force when the first bundle with the new key cannot be enforced', async () => {
    const guardrails = await started()
    plane.handOver(FIRST, SECOND)
    plane.signBy(SECOND)
    const unknown = { ...RULES, policies: [{ id: 'new', type: 'telepathy' }] }
    plane.publish(unknown)
    await eventually(() => expect(guardrails.status()?.rejected?.revision).toBe(2))
    await stop(guardrails)
    await plane.stop()
    expect(start().status()?.applied).toMatchObject({ revision: 1, source: 'disk' })
  })
})

describe('a bundle of an unknown key', () => {
  test('makes the runtime request the key records once, and is refused', async () => {
    plane.serveKeys([])
    const guardrails = await started()
    await eventually(() => expect(toldKeys()).toEqual([toSeedKeyId(FIRST)]))
    const asked = plane.requests.get('keys') ?? 0
    plane.signBy(THIEF)
    plane.publish(STRICTER)
    await eventually(() => expect(guardrails.status()?.rejected?.revision).toBe(2))
    const polls = plane.requests.get('config') ?? 0
    await eventually(() => expect(plane.requests.get('config')).toBeGreaterThan(polls + 3))
    expect(plane.requests.get('keys')).toBe(asked + 1)
    expect(applied(guardrails)).toBe(1)
    expect(codes()).toEqual(['bundle_rejected'])
  })

  test('a bundle of an unknown key is refused even when records signed by another key lead to its key', async () => {
    const place = { project: FAKE_PROJECT, createdAt: 1 }
    plane.serveKeys([signKeyRecord(place, { previous: SECOND, next: THIEF })])
    const guardrails = await started()
    plane.signBy(THIEF)
    plane.publish(STRICTER)
    await eventually(() => expect(guardrails.status()?.rejected?.revision).toBe(2))
    expect(applied(guardrails)).toBe(1)
  })

  test('a bundle of an unknown key is refused and reported when a second record of the old key leads to it', async () => {
    const guardrails = await started()
    plane.handOver(FIRST, SECOND)
    await eventually(() => expect(toldKeys()).toHaveLength(2))
    plane.handOver(FIRST, THIEF)
    plane.signBy(THIEF)
    plane.publish(STRICTER)
    await eventually(() => expect(guardrails.status()?.rejected?.revision).toBe(2))
    expect(codes()).toContain('signing_key_disputed')
    plane.signBy(SECOND)
    plane.publish(STRICTER)
    await eventually(() => expect(applied(guardrails)).toBe(3))
  })

  test('a bundle of an unknown key is accepted once the key records that lead to it are available', async () => {
    const guardrails = await started()
    plane.handOver(FIRST, SECOND)
    plane.fail('keys', { status: 503 })
    plane.signBy(SECOND)
    plane.publish(STRICTER)
    await eventually(() => expect(guardrails.status()?.rejected?.revision).toBe(2))
    plane.recover('keys')
    await eventually(() => expect(applied(guardrails)).toBe(2))
  })
})

describe('a compromised key', () => {
  test('a compromised key is replaced by the given key, and revisions of the attacker no longer count', async () => {
    const first = await started()
    plane.signBy(FIRST)
    plane.serveRevision(900_000, STRICTER)
    await eventually(() => expect(applied(first)).toBe(900_000))
    await stop(first)
    plane.signBy(SECOND)
    plane.serveRevision(2, RULES)
    const still = await started()
    await eventually(() => expect(still.status()?.rejected?.revision).toBe(2))
    await stop(still)
    const given = await started({ publicKey: derivePublicKey(SECOND) })
    await eventually(() => expect(applied(given)).toBe(2))
    await stop(given)
    // The key is stored: the variable may be removed again, and the compromised key stays rejected.
    plane.signBy(FIRST)
    plane.serveRevision(900_001, STRICTER)
    const later = await started()
    await eventually(() => expect(later.status()?.rejected?.revision).toBe(900_001))
    expect(applied(later)).toBe(2)
  })
})

describe('a key given by the host', () => {
  test('a key given by the host is read from SIGNALBOX_PUBLIC_KEY, and an invalid one throws before anything starts', async () => {
    vi.stubEnv('SIGNALBOX_PUBLIC_KEY', derivePublicKey(THIEF))
    const guardrails = await started()
    await eventually(() => expect(guardrails.status()?.rejected?.revision).toBe(1))
    vi.stubEnv('SIGNALBOX_PUBLIC_KEY', 'sbx_not_a_key')
    expect(() => start()).toThrow('SIGNALBOX_PUBLIC_KEY')
    vi.unstubAllEnvs()
  })
})

describe('a server without key records', () => {
  test('receives no key ids, which an older server could not read', async () => {
    await started()
    await eventually(() => expect(plane.heartbeats.length).toBeGreaterThan(1))
    expect(plane.heartbeats.some(({ keys }) => keys !== undefined)).toBe(false)
    expect(plane.requests.get('keys')).toBeUndefined()
  })
})

describe('the key memory', () => {
  test('the key memory of an earlier version is read, with its key pinned', async () => {
    await stop(await started())
    for (const file of [memoryFile(), `${memoryFile()}.copy`]) {
      const {
        next_keys: _next,
        past_keys: _past,
        ...earlier
      } = JSON.parse(fs.readFileSync(file, 'utf8'))
      fs.writeFileSync(file, JSON.stringify(earlier))
    }
    const again = await started()
    plane.signBy(THIEF)
    plane.publish(STRICTER)
    await eventually(() => expect(again.status()?.rejected?.revision).toBe(2))
  })

  test('the key memory is recovered from its copy, with the new key, when it was torn after a rotation', async () => {
    const guardrails = await started()
    await rotate(FIRST, SECOND)
    await eventually(() => expect(applied(guardrails)).toBe(2))
    await stop(guardrails)
    fs.writeFileSync(memoryFile(), fs.readFileSync(memoryFile(), 'utf8').slice(0, 300))
    plane.signBy(FIRST)
    plane.publish(STRICTER)
    const again = await started()
    await eventually(() => expect(again.status()?.rejected?.revision).toBe(3))
    expect(applied(again)).toBe(2)
  })

  test('the key memory is complete and not older than reported after its process was killed', async () => {
    const file = path.join(dataDir, 'memory.json')
    const worker = await startAgent('remembering-agent', { folder: dataDir, args: [file] })
    let told = ''
    worker.stdout?.on('data', (chunk: Buffer) => {
      told += chunk.toString()
    })
    await vi.waitFor(() => expect(told.split('\n').length).toBeGreaterThan(30), { timeout: 20_000 })
    worker.kill('SIGKILL')
    await once(worker, 'exit')
    const last = Number(told.slice(0, told.lastIndexOf('\n')).split('\n').at(-1))
    const damage: Diagnostic[] = []
    const { held } = new ConfigMemory(file, { root: null, report: (one) => damage.push(one) })
    expect(damage).toEqual([])
    expect(held.highest_revision).toBeGreaterThanOrEqual(last)
    expect(held.public_key).toBe(`key${held.highest_revision}`)
    expect(held.bundle?.signature).toBe(held.public_key)
    expect(held.past_keys).toHaveLength(held.highest_revision)
  }, 60_000)

  test('keeps a rotation that one of two processes of an installation missed', async () => {
    const file = path.join(dataDir, 'shared.json')
    const report = () => undefined
    const [ours, theirs] = [0, 1].map(() => new ConfigMemory(file, { root: null, report }))
    ours?.remember({ public_key: 'a', highest_revision: 5 })
    theirs?.remember({ public_key: 'a', highest_revision: 5 })
    ours?.remember({ public_key: 'b', past_keys: ['a'], highest_revision: 6 })
    theirs?.remember({ runtime_id: 'rt_1' })
    const { held } = new ConfigMemory(file, { root: null, report })
    expect(held).toMatchObject({ public_key: 'b', past_keys: ['a'], highest_revision: 6 })
  })

  test('loses nothing that either of two concurrent processes wrote', async () => {
    const file = path.join(dataDir, 'crowded.json')
    const end = IS_SOAK ? '300' : '100'
    const both = ['0', '1'].map((first) =>
      startAgent('sharing-agent', { folder: path.join(dataDir, first), args: [file, first, end] }),
    )
    const ends = (await Promise.all(both)).map((agent) => once(agent, 'exit'))
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0])
    expect(fs.existsSync(`${file}.lock`)).toBe(false)
  }, 60_000)
})
