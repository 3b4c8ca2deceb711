import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ConfigDocument } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { FakeControlPlane, PROMPT, RULES, STRICTER } from '@signalbox/testkit'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createGuardrails, type Diagnostic, type Guardrails, type OnlineOptions } from '../index.ts'

let plane: FakeControlPlane
let dataDir: string
let running: Guardrails[]
let diagnostics: Diagnostic[]

beforeEach(async () => {
  plane = new FakeControlPlane()
  await plane.start()
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-runtime-'))
  running = []
  diagnostics = []
})

afterEach(async () => {
  for (const guardrails of running) await guardrails.close(50)
  await plane.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

function start(options: Partial<OnlineOptions> = {}): Guardrails {
  const guardrails = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  })
  running.push(guardrails)
  return guardrails
}

async function stop(guardrails: Guardrails): Promise<void> {
  await guardrails.close()
  running = running.filter((candidate) => candidate !== guardrails)
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 10 })
const codes = () => diagnostics.map(({ code }) => code)
const lint = { tool: 'lint', args: {} }
const deploy = { tool: 'deploy', args: {} }

async function judgeCall(guardrails: Guardrails, call = lint) {
  return guardrails.openSession().beforeToolCall(call)
}

describe('the config in force', () => {
  test('the config in force is fetched, verified, applied and reported', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    expect(guardrails.status()).toMatchObject({
      state: 'applied',
      environment: 'dev',
      applied: { revision: 1, source: 'server' },
      rejected: null,
    })
    expect((await judgeCall(guardrails, deploy)).reason).toBe("Tool 'deploy' requires: test")
    await eventually(() => expect(plane.heartbeats.at(-1)?.applied?.revision).toBe(1))
  })

  test('follows a notification before the next poll, while a running session keeps its config', async () => {
    plane.setPollSeconds(3600)
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    const before = guardrails.openSession()
    await eventually(() => expect(plane.requests.get('config/stream')).toBe(1))
    plane.publish(STRICTER)
    await eventually(() => expect(guardrails.status()?.applied?.revision).toBe(2))
    expect((await before.beforeToolCall(deploy)).reason).toBe("Tool 'deploy' requires: test")
    expect((await judgeCall(guardrails, deploy)).reason).toBe(
      "Tool 'deploy' requires: review, test",
    )
  })

  describe('a pushed bundle', () => {
    async function listening(): Promise<Guardrails> {
      plane.setPollSeconds(3600)
      plane.publish(RULES)
      const guardrails = start()
      await guardrails.ready()
      await eventually(() => expect(plane.requests.get('config/stream')).toBe(1))
      return guardrails
    }

    test('a pushed bundle is verified, applied and reported without a request', async () => {
      plane.pushBundles()
      const guardrails = await listening()
      plane.publish(STRICTER)
      await eventually(() => expect(plane.heartbeats.at(-1)?.applied?.revision).toBe(2))
      expect(guardrails.status()).toMatchObject({ applied: { source: 'server' }, rejected: null })
      expect((await judgeCall(guardrails, deploy)).reason).toContain('requires: review, test')
      expect(plane.bundlesSent).toBe(1)
    })

    test.each<[string, (bundle: object) => object]>([
      ['whose text was changed', (bundle) => ({ ...bundle, text: '{}' })],
      ['with another signature', (bundle) => ({ ...bundle, signature: 'AAAA' })],
      ['that lacks its text', () => ({ revision: 2 })],
    ])('%s counts only as a notification', async (_, harm) => {
      plane.pushBundles(harm)
      const guardrails = await listening()
      plane.publish(STRICTER)
      await eventually(() => expect(guardrails.status()?.applied?.revision).toBe(2))
      expect(plane.bundlesSent).toBe(2)
      expect(guardrails.status()?.rejected).toBeNull()
    })

    test("that cannot be applied is requested again, and rejected only for the server's answer", async () => {
      plane.pushBundles()
      const guardrails = await listening()
      plane.publish(broken['a rule type that this build does not know'])
      await eventually(() => expect(plane.heartbeats.at(-1)?.rejected?.revision).toBe(2))
      expect(guardrails.status()?.applied?.revision).toBe(1)
      expect(plane.bundlesSent).toBeGreaterThan(1)
    })

    test('that is older than the bundle in force is rejected, whatever revision it announces', async () => {
      plane.pushBundles()
      const guardrails = await listening()
      plane.serveRevision(5, STRICTER)
      await eventually(() => expect(guardrails.status()?.applied?.revision).toBe(5))
      plane.pushBundles((bundle) => ({ ...bundle, revision: 6 }))
      plane.serveRevision(4, RULES)
      await eventually(() => expect(guardrails.status()?.rejected?.revision).toBe(4))
      expect(guardrails.status()?.applied?.revision).toBe(5)
    })
  })

  test('the config in force is fetched by polling where notifications do not arrive', async () => {
    plane.fail('config/stream', { status: 503 })
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    plane.publish(STRICTER)
    await eventually(() => expect(guardrails.status()?.applied?.revision).toBe(2))
  })

  test('the config in force is not sent again while it is unchanged', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    await eventually(() => expect(plane.requests.get('config')).toBeGreaterThan(3))
    expect(plane.bundlesSent).toBe(1)
  })

  const broken = {
    'a rule type that this build does not know': {
      ...RULES,
      policies: [{ id: 'new', type: 'telepathy' }],
    },
    'a document that is not a config': { ns: 'team/bots', key: 'writer', schema_version: 9 },
    'a cycle': {
      ...RULES,
      policies: [
        { id: 'loop', type: 'sequential_dependency', dependencies: { a: ['b'], b: ['a'] } },
      ],
    },
  }
  test.each(Object.entries(broken))(
    'stays when a release has %s, which is rejected with the reason and reported once',
    async (_, document) => {
      plane.publish(RULES)
      const guardrails = start()
      await guardrails.ready()
      plane.publish(document)
      await eventually(() => expect(plane.heartbeats.at(-1)?.rejected?.revision).toBe(2))
      expect(plane.heartbeats.at(-1)).toMatchObject({ applied: { revision: 1 } })
      expect(plane.heartbeats.at(-1)?.rejected?.reason).toMatch(/^\//)
      expect((await judgeCall(guardrails, deploy)).reason).toBe("Tool 'deploy' requires: test")
      const polls = plane.requests.get('config') ?? 0
      await eventually(() => expect(plane.requests.get('config')).toBeGreaterThan(polls + 2))
      expect(codes().filter((code) => code === 'bundle_rejected')).toHaveLength(1)
      plane.publish(STRICTER)
      await eventually(() => expect(guardrails.status()?.rejected).toBeNull())
      expect(guardrails.status()?.applied?.revision).toBe(3)
    },
  )

  test('a bundle signed by another key is refused', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    plane.breakSignature()
    plane.publish(STRICTER)
    await eventually(() => expect(guardrails.status()?.rejected?.reason).toContain('signature'))
    expect(guardrails.status()?.applied?.revision).toBe(1)
  })

  test('the config in force stays after a restart when another key signed the next bundle', async () => {
    plane.publish(RULES)
    const first = start()
    await first.ready()
    await stop(first)
    plane.breakSignature()
    plane.publish(STRICTER)
    const second = start()
    await eventually(() => expect(second.status()?.rejected).not.toBeNull())
    expect(second.status()?.applied).toMatchObject({ revision: 1 })
  })

  test("the config in force is absent when a pinned key differs from the server's key, and calls are denied", async () => {
    plane.publish(RULES)
    const guardrails = start({ publicKey: Buffer.alloc(32, 1).toString('base64url') })
    await guardrails.ready()
    expect(guardrails.status()).toMatchObject({ applied: null })
    expect((await judgeCall(guardrails)).allowed).toBe(false)
  })

  test('a revision lower than one applied before is refused, even after a restart', async () => {
    plane.serveRevision(7, STRICTER)
    const first = start()
    await first.ready()
    await stop(first)
    plane.serveRevision(6, RULES)
    const second = start()
    await eventually(() => expect(second.status()?.rejected?.revision).toBe(6))
    expect(second.status()?.rejected?.reason).toBe(
      'Revision 6 is older than revision 7, which was applied before.',
    )
    expect(second.status()?.applied?.revision).toBe(7)
  })

  test('an environment without a version of the prompt denies every call', async () => {
    plane.publish({ ...RULES, key: 'another' })
    const guardrails = start()
    await guardrails.ready()
    expect(await judgeCall(guardrails)).toMatchObject({
      allowed: false,
      reason: 'No guardrail config is in force yet, so every tool call is denied.',
    })
  })
})

/** An outage may have several causes, as when the server closes a connection while it starts. Each is reported once. */
function expectOneOutage(): void {
  const outage = diagnostics.filter(({ code }) => code.startsWith('control_plane_'))
  const causes = outage.slice(0, -1)
  expect(causes.map(({ code }) => code)).toEqual(causes.map(() => 'control_plane_unreachable'))
  expect(new Set(causes.map(({ message }) => message)).size).toBe(causes.length)
  expect(causes.length).toBeGreaterThan(0)
  expect(outage.at(-1)?.code).toBe('control_plane_reached')
}

describe('a runtime without the control plane', () => {
  test('denies on a first start until the server answers, then enforces without a restart', async () => {
    await plane.stop()
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready(2000)
    const session = guardrails.openSession()
    expect((await session.beforeToolCall(lint)).allowed).toBe(false)
    await plane.start()
    await eventually(() => expect(guardrails.status()?.applied?.revision).toBe(1))
    expect((await judgeCall(guardrails)).allowed).toBe(true)
    await session.end({ reason: 'aborted' })
    await guardrails.close()
    const [first = ''] = plane.events.sessions()
    const log = plane.events.events(first)
    expect(log.map(({ type }) => type)).toContain('config.rejected')
    expectOneOutage()
  })

  test('counts an answered heartbeat as the last answer of the server', async () => {
    plane.setPollSeconds(3600)
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    await eventually(() => expect(plane.heartbeats.length).toBeGreaterThan(2))
    const polls = plane.requests.get('config')
    const first = guardrails.status()?.answeredAt ?? Number.POSITIVE_INFINITY
    await eventually(() => expect(guardrails.status()?.answeredAt).toBeGreaterThan(first))
    expect(plane.requests.get('config')).toBe(polls)
  })

  test('reports an outage and its end once each, and when the server answered last', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    const answered = guardrails.status()?.answeredAt
    expect(answered).toEqual(expect.any(Number))
    expect(codes()).not.toContain('control_plane_reached')
    await plane.stop()
    await eventually(() => expect(guardrails.status()?.state).toBe('unreachable'))
    const last = guardrails.status()?.answeredAt
    await plane.start()
    await eventually(() => expect(guardrails.status()?.state).toBe('applied'))
    expect(guardrails.status()?.answeredAt).toBeGreaterThan(last ?? Number.POSITIVE_INFINITY)
    expectOneOutage()
  })

  test('applies the last good config from disk, and records that in the session', async () => {
    plane.publish(RULES)
    const first = start()
    await first.ready()
    await stop(first)
    await plane.stop()
    const second = start()
    await second.ready(2000)
    expect(second.status()?.applied).toMatchObject({ revision: 1, source: 'disk' })
    const session = second.openSession()
    expect((await session.beforeToolCall(deploy)).reason).toBe("Tool 'deploy' requires: test")
    await plane.start()
    await second.close()
    const log = plane.events.text(session.id)
    expect(log).toContain('Started with the last good config from disk')
    expect(log).toContain('"environment":"dev"')
  })

  test('enforces expression rules without further setup, from the server and from disk', async () => {
    const { ns, key } = RULES
    const rule = { id: 'no-root', type: 'expression', deny_when: "args.user == 'root'" } as const
    const config: ConfigDocument = { schema_version: 1, ns, key, policies: [rule] }
    plane.publish(config)
    const asRoot = { tool: 'login', args: { user: 'root' } }
    const asAnn = { tool: 'login', args: { user: 'ann' } }
    const verdicts = async (guardrails: Guardrails) => [
      (await judgeCall(guardrails, asRoot)).decision.decision,
      (await judgeCall(guardrails, asAnn)).decision.decision,
    ]
    const first = start()
    await first.ready()
    expect(await verdicts(first)).toEqual(['denied', 'allowed'])
    await stop(first)
    await plane.stop()
    const second = start()
    expect((await judgeCall(second, asAnn)).allowed).toBe(false)
    await second.ready(2000)
    expect(second.status()?.applied).toMatchObject({ revision: 1, source: 'disk' })
    expect(await verdicts(second)).toEqual(['denied', 'allowed'])
    const third = start({ expressions: celExpressions() })
    expect(await verdicts(third)).toEqual(['denied', 'allowed'])
    expect(() => start({ bootstrap: config })).toThrow(
      'celExpressions() from @signalbox/core/expression',
    )
  })

  test('denies calls with startup policy deny, although a config is on disk', async () => {
    plane.publish(RULES)
    const first = start()
    await first.ready()
    await stop(first)
    await plane.stop()
    const second = start({ startupPolicy: 'deny' })
    await second.ready(2000)
    expect((await judgeCall(second)).allowed).toBe(false)
  })

  test('enforces the given config with startup policy bootstrap until the server answers', async () => {
    plane.publish(STRICTER)
    await plane.stop()
    const guardrails = start({ startupPolicy: 'bootstrap', bootstrap: RULES })
    expect((await judgeCall(guardrails, deploy)).reason).toBe("Tool 'deploy' requires: test")
    await plane.start()
    await eventually(() => expect(guardrails.status()?.applied?.revision).toBe(1))
    expect((await judgeCall(guardrails, deploy)).reason).toContain('review')
  })

  const memoryFile = () => {
    const [folder = ''] = fs.readdirSync(dataDir)
    return path.join(dataDir, folder, 'team~bots~writer.json')
  }

  test('starts from the copy when the memory file is torn', async () => {
    plane.publish(RULES)
    const first = start()
    await first.ready()
    await stop(first)
    await plane.stop()
    fs.writeFileSync(memoryFile(), '{"public_key": "x')
    const second = start()
    await second.ready(2000)
    expect(second.status()).toMatchObject({ applied: { revision: 1, source: 'disk' } })
    expect(codes()).not.toContain('memory_damaged')
  })

  test('denies calls and reports it when the memory file and its copy are unreadable', async () => {
    plane.publish(RULES)
    const first = start()
    await first.ready()
    await stop(first)
    await plane.stop()
    fs.writeFileSync(memoryFile(), '{"public_key": "x')
    fs.writeFileSync(`${memoryFile()}.copy`, '')
    const second = start()
    await second.ready(2000)
    expect((await judgeCall(second)).allowed).toBe(false)
    expect(codes()).toContain('memory_damaged')
  })

  test('fetches a revision immediately when it is announced during a fetch', async () => {
    plane.setPollSeconds(3600)
    plane.publish(RULES)
    // The second version is published while the answer with the first is in transit.
    let published = false
    const guardrails = start({
      fetch: async (address, init) => {
        const answer = await fetch(address, init)
        if (published || !String(address).includes('/config?')) return answer
        published = true
        await eventually(() => expect(plane.requests.get('config/stream')).toBe(1))
        plane.publish(STRICTER)
        return answer
      },
    })
    await eventually(() => expect(guardrails.status()?.applied?.revision).toBe(2))
  })

  test('a runtime without the control plane is ready with a given key once the config has arrived, even when it cannot register', async () => {
    plane.publish(RULES)
    plane.fail('register', { status: 503 })
    plane.fail('config', { delayMs: 100 })
    const guardrails = start({ publicKey: plane.publicKey })
    await guardrails.ready()
    expect(guardrails.status()).toMatchObject({ state: 'applied', applied: { revision: 1 } })
  })

  test('a failed report of a new version is repeated long before the next heartbeat', async () => {
    const rare = new FakeControlPlane({ heartbeatSeconds: 3600 })
    await rare.start()
    onTestFinished(() => rare.stop())
    rare.publish(RULES)
    rare.fail('heartbeat', { status: 503 })
    const guardrails = start({ url: rare.url })
    await guardrails.ready()
    await eventually(() => expect(rare.requests.get('heartbeat')).toBeGreaterThan(1))
    rare.recover('heartbeat')
    await eventually(() => expect(rare.heartbeats.at(-1)?.applied?.revision).toBe(1))
    const reported = rare.heartbeats.length
    rare.publish(STRICTER)
    await eventually(() => expect(rare.heartbeats.at(-1)?.applied?.revision).toBe(2))
    expect(rare.heartbeats).toHaveLength(reported + 1)
  })

  test('registers again with a server that lost the registration', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    plane.fail('heartbeat', { status: 404 })
    await eventually(() => expect(plane.registrations).toHaveLength(2))
  })
})

describe('events of a runtime', () => {
  async function work(guardrails: Guardrails, calls: number): Promise<string> {
    const session = guardrails.openSession()
    for (let i = 0; i < calls; i++) {
      const call = { ...lint, callId: `c${i}` }
      await session.beforeToolCall(call)
      await session.afterToolCall({ ...call, outcome: 'success' })
    }
    await session.end({ reason: 'aborted' })
    return session.id
  }

  const complete = (session: string) => {
    const log = plane.events.events(session)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1))
    expect(log.at(-1)?.type).toBe('session.ended')
    return log
  }

  test('events of a runtime never contain the API key, even when tags do', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    const tags = { team: 'a', pasted: `Bearer ${plane.apiKey}`, [plane.apiKey]: 'name' }
    const session = guardrails.openSession({ tags })
    await session.end({ reason: 'aborted' })
    await guardrails.close()
    const [first = ''] = plane.events.text(session.id).split('\n')
    expect(JSON.parse(first)).toMatchObject({
      data: { tags: { team: 'a', pasted: '[redacted]', '[redacted]': 'name' } },
    })
    expect(plane.events.text(session.id)).not.toContain(plane.apiKey)
  })

  test('arrive once each, in order, and the disk is empty afterwards', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    const session = await work(guardrails, 40)
    await guardrails.close()
    complete(session)
    expect(plane.events.duplicates).toBe(0)
    const [folder = ''] = fs.readdirSync(dataDir)
    expect(fs.readdirSync(path.join(dataDir, folder, 'spool'))).toEqual([])
  })

  test('wait on disk while the server is unreachable, without delaying the agent', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    await plane.stop()
    const session = await work(guardrails, 20)
    expect(codes()).not.toContain('call_not_decided')
    await plane.start()
    await eventually(() => complete(session))
  })

  test('events of a runtime do not delay the agent on a slow server', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    plane.fail('events', { delayMs: 3000 })
    const began = performance.now()
    await work(guardrails, 50)
    expect(performance.now() - began).toBeLessThan(2000)
  })

  test('wait for the Retry-After of a 429, then all arrive', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    plane.fail('events', { status: 429, retryAfter: 1 })
    const session = await work(guardrails, 3)
    await eventually(() => expect(codes()).toContain('events_waiting'))
    const asked = plane.requests.get('events')
    plane.recover('events')
    expect(plane.requests.get('events')).toBe(asked)
    await eventually(() => complete(session))
  })

  test('survive a revoked key: they stay on disk until another process may send them', async () => {
    plane.publish(RULES)
    const first = start()
    await first.ready()
    plane.revokeKey()
    const session = await work(first, 5)
    await eventually(() => expect(codes()).toContain('events_denied'))
    await first.close(300)
    expect(diagnostics.at(-1)).toMatchObject({
      code: 'events_left',
      message: expect.stringMatching(/^Events that wait on this machine: \d+\. The next process/),
    })
    plane.restoreKey()
    const second = start()
    await second.ready()
    // Both runtimes have the identity of this process, and only segments of a dead process are sent.
    const [folder = ''] = fs.readdirSync(dataDir)
    const spool = path.join(dataDir, folder, 'spool')
    const [left = ''] = fs.readdirSync(spool)
    fs.renameSync(path.join(spool, left), path.join(spool, left.replace(/^\d+/, '999999999')))
    await second.close()
    complete(session)
  })

  test('events of a runtime are refused by a full spool, which denies calls with that reason', async () => {
    plane.publish(RULES)
    const guardrails = start({ maxSpoolBytes: 3000 })
    await guardrails.ready()
    await plane.stop()
    const session = guardrails.openSession()
    const verdicts: boolean[] = []
    for (let i = 0; i < 20; i++) verdicts.push((await session.beforeToolCall(lint)).allowed)
    expect(verdicts[0]).toBe(true)
    expect(verdicts.at(-1)).toBe(false)
    expect(diagnostics.at(-1)?.message).toContain('spool is full')
    await plane.start()
    await eventually(() => expect(plane.events.events(session.id).length).toBeGreaterThan(5))
    // Space is free once the acknowledgment has arrived here, which is later than the events arrive there.
    await expect
      .poll(async () => (await session.beforeToolCall(lint)).allowed, { timeout: 10_000 })
      .toBe(true)
  })

  test.runIf(fs.existsSync('/dev/full'))(
    'are refused when the spool folder cannot be written, which denies calls',
    async () => {
      plane.publish(RULES)
      const guardrails = start()
      await guardrails.ready()
      const session = guardrails.openSession()
      const [folder = ''] = fs.readdirSync(dataDir)
      await eventually(() => expect(plane.events.events(session.id)).toHaveLength(2))
      const spool = path.join(dataDir, folder, 'spool')
      fs.rmSync(spool, { recursive: true })
      fs.writeFileSync(spool, 'not a folder')
      expect(await session.beforeToolCall(lint)).toMatchObject({ allowed: false })
      expect(codes()).toContain('call_not_decided')
      fs.rmSync(spool)
      expect((await session.beforeToolCall(lint)).allowed).toBe(true)
      await guardrails.close()
      const log = plane.events.events(session.id)
      expect(log.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    },
  )

  test('events of a runtime are set aside and reported when the server refuses them', async () => {
    plane.publish(RULES)
    const guardrails = start()
    await guardrails.ready()
    const session = guardrails.openSession()
    await eventually(() => expect(plane.events.events(session.id)).toHaveLength(2))
    const forged = { session: session.id, seq: 3, at: 1, type: 'note', data: { text: 'other' } }
    plane.events.take(JSON.stringify(forged))
    await session.note('mine')
    await guardrails.close()
    expect(codes()).toContain('event_refused')
    const [folder = ''] = fs.readdirSync(dataDir)
    const aside = fs.readFileSync(path.join(dataDir, folder, 'spool', 'rejected.ndjson'), 'utf8')
    expect(aside).toContain('"text":"mine"')
  })
})

test('an API key with characters that no key has is refused before any request', () => {
  const options = { url: 'http://127.0.0.1:1', prompt: 'team/coder' }
  expect(() => createGuardrails({ ...options, apiKey: 'sbx_…' })).toThrow('Copy the whole key')
})
