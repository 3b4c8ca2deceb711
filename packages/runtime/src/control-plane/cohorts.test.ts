import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { SessionEvent } from '@signalbox/core'
import { FakeControlPlane, PROMPT, RULES, STRICTER } from '@signalbox/testkit'
import { computeDigest, isInShare } from '@signalbox/wire'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createGuardrails,
  type Diagnostic,
  type GuardedSession,
  type Guardrails,
  type SessionOptions,
} from '../index.ts'

let plane: FakeControlPlane
let dataDir: string
let running: Guardrails[]
let diagnostics: Diagnostic[]

beforeEach(async () => {
  plane = new FakeControlPlane()
  await plane.start()
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-cohorts-'))
  running = []
  diagnostics = []
})

afterEach(async () => {
  for (const guardrails of running) await guardrails.close(50)
  await plane.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

async function start(): Promise<Guardrails> {
  const guardrails = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  })
  running.push(guardrails)
  await guardrails.ready()
  return guardrails
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 10 })
const deploy = { tool: 'deploy', args: {} }
const salt = 'roll_1'

function candidate(document: object, share: number) {
  return { version: 2, digest: computeDigest(document), document: { ...document }, share, salt }
}

function open(guardrails: Guardrails, options: SessionOptions = {}) {
  const events: SessionEvent[] = []
  const onEvent = (line: string) => void events.push(JSON.parse(line))
  const session = guardrails.openSession({ ...options, onEvent })
  return { session, events }
}

async function asksFor(session: GuardedSession): Promise<string | null> {
  return (await session.beforeToolCall(deploy)).reason
}

test('sessions in the share run the candidate, others the live version, and each session records its version', async () => {
  plane.publishBeside(RULES, { candidate: candidate(STRICTER, 500) })
  const guardrails = await start()
  const seen = new Set<boolean>()
  for (let i = 0; i < 40; i++) {
    const { session, events } = open(guardrails)
    const chosen = isInShare({ salt, share: 500 }, session.id)
    seen.add(chosen)
    const [started, applied, note] = events
    expect(started?.config).toBe(computeDigest(chosen ? STRICTER : RULES))
    expect(started?.data).toMatchObject({ config_version: chosen ? 2 : 1 })
    expect(applied?.data).toEqual({ digest: started?.config, revision: 1 })
    if (chosen) {
      expect(note?.data).toEqual({ text: 'One of the 50% of new sessions that run v2.' })
    }
    const missing = chosen ? 'review, test' : 'test'
    expect(await asksFor(session)).toBe(`Tool 'deploy' requires: ${missing}`)
  }
  expect(seen).toEqual(new Set([true, false]))
})

test('a session keeps the candidate after it is withdrawn, and new sessions get the live version', async () => {
  plane.publishBeside(RULES, { candidate: candidate(STRICTER, 1000) })
  const guardrails = await start()
  const { session } = open(guardrails)
  plane.publish(RULES)
  await eventually(() => expect(guardrails.status()?.applied?.revision).toBe(2))
  expect(await asksFor(session)).toBe("Tool 'deploy' requires: review, test")
  expect(await asksFor(open(guardrails).session)).toBe("Tool 'deploy' requires: test")
})

test('a runtime without the control plane takes the candidate from the bundle on disk', async () => {
  plane.publishBeside(RULES, { candidate: candidate(STRICTER, 1000) })
  const first = await start()
  await first.close()
  running = []
  plane.fail('config', { status: 503 })
  plane.fail('register', { status: 503 })
  const { session, events } = open(await start())
  expect(await asksFor(session)).toBe("Tool 'deploy' requires: review, test")
  expect(events[2]?.data).toEqual({
    text: 'Started with the last good config from disk, because the control plane has not answered yet. One of the 100% of new sessions that run v2.',
  })
})

test('a candidate that does not compile is reported as rejected, and sessions get the live version', async () => {
  const broken = { ...RULES, policies: [{ id: 'new', type: 'telepathy' }] }
  plane.publishBeside(RULES, { candidate: candidate(broken, 1000) })
  const guardrails = await start()
  expect(await asksFor(open(guardrails).session)).toBe("Tool 'deploy' requires: test")
  await eventually(() =>
    expect(plane.heartbeats.at(-1)).toMatchObject({
      applied: { revision: 1 },
      rejected: null,
      parts: [
        {
          part: 'candidate',
          prompt: PROMPT,
          version: 2,
          digest: computeDigest(broken),
          state: 'rejected',
          reason: expect.stringContaining('telepathy'),
        },
      ],
    }),
  )
  expect(diagnostics.filter(({ code }) => code === 'part_rejected')).toHaveLength(1)
})

test('heartbeats report a usable candidate as ready, and nothing after it is withdrawn', async () => {
  plane.publishBeside(RULES, { candidate: candidate(STRICTER, 0) })
  await start()
  await eventually(() =>
    expect(plane.heartbeats.at(-1)?.parts).toMatchObject([{ part: 'candidate', state: 'ready' }]),
  )
  plane.publish(RULES)
  await eventually(() => expect(plane.heartbeats.at(-1)?.applied?.revision).toBe(2))
  expect(plane.heartbeats.at(-1)?.parts).toBeUndefined()
})

test('a resumed session keeps the candidate after it is withdrawn', async () => {
  plane.publishBeside(RULES, { candidate: candidate(STRICTER, 1000) })
  const guardrails = await start()
  const lines: string[] = []
  const journal = {
    begin: () => undefined,
    take: () => undefined,
    append: (line: string) => void lines.push(line),
  }
  const first = guardrails.openSession({ journal })
  await first.beforeToolCall({ tool: 'lint', args: {} })
  plane.publish(RULES)
  await eventually(() => expect(guardrails.status()?.applied?.revision).toBe(2))
  const resumed = guardrails.openSession({ resume: { events: lines, config: STRICTER } })
  expect(resumed.id).toBe(first.id)
  expect(await asksFor(resumed)).toBe("Tool 'deploy' requires: review, test")
})
