import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type ConfigDocument, compileConfig, type SessionEvent } from '@signalbox/core'
import { verifySession } from '@signalbox/core/analysis'
import { FakeControlPlane, PROMPT, RULES } from '@signalbox/testkit'
import { computeDigest, isLinked } from '@signalbox/wire'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createGuardrails,
  type GuardedSession,
  type Guardrails,
  type OnlineOptions,
  type RecordedSession,
  type SessionJournal,
  type SessionOptions,
} from '../index.ts'
import { hashRecorded } from './recorder.ts'

const SOON = { timeout: 20_000 }
/** RULES, but `deploy` also requires `review`, and runs at most once a minute. */
const TIGHTER: ConfigDocument = {
  ...RULES,
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test', 'review'] } },
    ...(RULES.policies ?? []).slice(1),
    { id: 'rate', type: 'rate_limit', tools: ['deploy'], max_calls: 1, per_seconds: 60 },
  ],
}
const LOOSER: ConfigDocument = { ...RULES, policies: (RULES.policies ?? []).slice(1) }

let plane: FakeControlPlane
let dataDir: string
let running: Guardrails[]
let said: string[]

beforeEach(async () => {
  plane = new FakeControlPlane()
  await plane.start()
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-tighten-'))
  running = []
  said = []
})

afterEach(async () => {
  for (const guardrails of running) await guardrails.close(50)
  await plane.stop()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

class Journal implements SessionJournal {
  config: ConfigDocument | null = null
  readonly lines: string[] = []
  readonly taken: ConfigDocument[] = []
  isFull = false

  begin(config: ConfigDocument | null): void {
    this.config = config
  }

  take(config: ConfigDocument): void {
    if (this.isFull) throw new Error('ENOSPC')
    this.taken.push(config)
  }

  append(line: string): void {
    this.lines.push(line)
  }

  get recorded(): RecordedSession {
    return { events: this.lines, config: this.config, taken: this.taken }
  }

  get events(): SessionEvent[] {
    return this.lines.map((line) => JSON.parse(line))
  }
}

async function guardrailsWith(options: Partial<OnlineOptions> = {}): Promise<Guardrails> {
  const guardrails = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir,
    onDiagnostic: ({ code, message }) => {
      // A busy machine adds other diagnostics, about a slow server.
      if (code === 'not_tightened') said.push(message)
    },
    ...options,
  })
  running.push(guardrails)
  await guardrails.ready()
  return guardrails
}

async function opened(options: Partial<OnlineOptions> = {}, more: SessionOptions = {}) {
  plane.publish({ ...RULES })
  const guardrails = await guardrailsWith(options)
  const journal = new Journal()
  const session = guardrails.openSession({ workspaceRoot: dataDir, journal, ...more })
  return { guardrails, session, journal }
}

async function askFor(document: ConfigDocument, guardrails: Guardrails): Promise<number> {
  const revision = plane.publishBeside({ ...document }, { tighten: true })
  await vi.waitFor(() => expect(guardrails.status()?.applied?.revision).toBe(revision), SOON)
  return revision
}

async function call(session: GuardedSession, tool: string): Promise<boolean> {
  const { allowed, callId } = await session.beforeToolCall({ tool, args: {} })
  if (allowed) await session.afterToolCall({ tool, args: {}, callId, outcome: 'success' })
  return allowed
}

function compiled(document: ConfigDocument) {
  const result = compileConfig(document)
  if (!result.ok) throw new Error('does not compile')
  return result.config
}

function checkLog(events: readonly SessionEvent[], ...taken: readonly ConfigDocument[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  let before: string | null = null
  for (const event of events) {
    expect(isLinked(event, before)).toBe(true)
    before = hashRecorded(event)
  }
  const find = (digest: string) => {
    const document = taken.find((one) => computeDigest(one) === digest)
    return document === undefined ? null : compiled(document)
  }
  expect(verifySession({ began: compiled(RULES), find }, events).status).toBe('verified')
}

const listNoteTexts = (events: readonly SessionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'note' ? [event.data.text] : []))

test('a running session moves to a stricter version at its next call, where earlier results still count', async () => {
  const { guardrails, session, journal } = await opened()
  expect(await call(session, 'test')).toBe(true)
  const revision = await askFor(TIGHTER, guardrails)
  const refused = await session.beforeToolCall({ tool: 'deploy', args: {} })
  expect(refused.reason).toBe("Tool 'deploy' requires: review")
  expect(await call(session, 'review')).toBe(true)
  expect(await call(session, 'deploy')).toBe(true)
  expect(await call(session, 'deploy')).toBe(false)
  expect(session.config).toEqual(TIGHTER)
  await session.end({ reason: 'aborted' })
  const { events } = journal
  const [first, second] = [computeDigest(RULES), computeDigest(TIGHTER)]
  const applied = events.filter(({ type }) => type === 'config.applied')
  expect(applied.map(({ data }) => data)).toEqual([
    { digest: first, revision: revision - 1 },
    { digest: second, revision },
  ])
  const from = applied[1]?.seq ?? 0
  for (const { seq, config } of events) expect(config).toBe(seq < from ? first : second)
  checkLog(events, TIGHTER)
})

test('a running session does not move to a looser version, and records the reason once', async () => {
  const { guardrails, session, journal } = await opened()
  await askFor(LOOSER, guardrails)
  expect(await call(session, 'deploy')).toBe(false)
  await askFor(LOOSER, guardrails)
  expect(await call(session, 'deploy')).toBe(false)
  expect(session.config).toEqual(RULES)
  expect(listNoteTexts(journal.events)).toEqual([
    'Keeps its version: v2 is looser. Policy `order` is gone.',
  ])
  expect(said).toEqual(['Keeps its version: v2 is looser. Policy `order` is gone.'])
  checkLog(journal.events)
})

test('a running session keeps its version without the tighten mark, and new sessions get the new one', async () => {
  const { guardrails, session } = await opened()
  const revision = plane.publish({ ...TIGHTER })
  await vi.waitFor(() => expect(guardrails.status()?.applied?.revision).toBe(revision), SOON)
  expect(await call(session, 'test')).toBe(true)
  expect(session.config).toEqual(RULES)
  expect(guardrails.openSession().config).toEqual(TIGHTER)
})

test('a session whose journal cannot store the stricter version keeps its own', async () => {
  const { guardrails, session, journal } = await opened()
  journal.isFull = true
  await askFor(TIGHTER, guardrails)
  expect(await call(session, 'test')).toBe(true)
  expect(session.config).toEqual(RULES)
  expect(said).toEqual(['ENOSPC'])
  checkLog(journal.events)
})

test('a waiting call is denied when a rule came into force that has not evaluated it', async () => {
  const asking: ConfigDocument = {
    ...RULES,
    policies: [{ id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 600 }],
  }
  const closed: ConfigDocument = {
    ...asking,
    policies: [
      ...(asking.policies ?? []),
      { id: 'freeze', type: 'expression', tools: ['deploy'], deny_when: '!has(args.ticket)' },
    ],
  }
  let approve: () => void = () => undefined
  let wasAsked: () => void = () => undefined
  const asked = new Promise<void>((resolve) => {
    wasAsked = resolve
  })
  const approvals = {
    decide: () => {
      wasAsked()
      return new Promise<{ decision: 'approved' }>((resolve) => {
        approve = () => resolve({ decision: 'approved' })
      })
    },
  }
  plane.publish({ ...asking })
  const guardrails = await guardrailsWith({ approvals })
  const session = guardrails.openSession()
  const verdict = session.beforeToolCall({ tool: 'deploy', args: {} })
  await asked
  await askFor(closed, guardrails)
  await session.note('A boundary between two events.')
  approve()
  expect(await verdict).toMatchObject({
    allowed: false,
    reason:
      "Rule 'freeze' came into force while this call waited, so it has not judged it. Make the call again.",
  })
})

test('a resumed session continues with the stricter version that it had moved to', async () => {
  const { guardrails, session, journal } = await opened()
  expect(await call(session, 'test')).toBe(true)
  await askFor(TIGHTER, guardrails)
  expect(await call(session, 'review')).toBe(true)
  await guardrails.close(50)
  const next = await guardrailsWith()
  const resumed = next.openSession({ workspaceRoot: dataDir, journal, resume: journal.recorded })
  expect(resumed.config).toEqual(TIGHTER)
  expect(await call(resumed, 'deploy')).toBe(true)
  expect(await call(resumed, 'deploy')).toBe(false)
  await resumed.end({ reason: 'completed' })
  checkLog(journal.events, TIGHTER)
})

test('a session moves to a stricter version when it resumes after the release', async () => {
  const { guardrails, session, journal } = await opened()
  expect(await call(session, 'test')).toBe(true)
  await guardrails.close(50)
  plane.publishBeside({ ...TIGHTER }, { tighten: true })
  const next = await guardrailsWith()
  const resumed = next.openSession({ workspaceRoot: dataDir, journal, resume: journal.recorded })
  expect(await call(resumed, 'deploy')).toBe(false)
  checkLog(journal.events, TIGHTER)
})

test('a session cannot be resumed without a version that it moved to', async () => {
  const { guardrails, session, journal } = await opened()
  await askFor(TIGHTER, guardrails)
  expect(await call(session, 'test')).toBe(true)
  const { taken: _, ...recorded } = journal.recorded
  expect(() => guardrails.openSession({ resume: recorded })).toThrow(
    'The version that the session moved to here is missing',
  )
})
