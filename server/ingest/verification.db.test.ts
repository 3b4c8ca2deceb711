import { compileConfig, initialState, type SessionEvent, step } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { computeDigest, eventHash, parseConfigText } from '@signalbox/wire'
import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { freshId } from '@/server/platform/ids.ts'
import { metrics } from '@/server/platform/observability/metrics.mjs'
import { readRows } from '@/server/platform/sql/rows.ts'
import { SESSION_COLUMNS, SESSION_TABLES } from '@/server/sessions/session-columns.sql.ts'
import {
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
} from '@/server/test/installation.ts'
import { forgetLiveState } from './live-states.ts'

withTestDatabase()

const expressions = celExpressions()

let key: string
let digest: string
let text: string

beforeAll(async () => {
  key = await makeKey(await installed())
  const version = await database().prisma.configVersion.findFirstOrThrow()
  digest = version.digest
  text = version.text
})

interface Under {
  readonly digest: string
  readonly text: string
  readonly customTypes: readonly string[]
}

function recorded(
  session: string,
  drafts: readonly Draft[],
  under: Under = { digest, text, customTypes: [] },
): readonly SessionEvent[] {
  const parsed = parseConfigText(under.text)
  const { customTypes } = under
  const compiled = parsed.ok ? compileConfig(parsed.document, { customTypes, expressions }) : parsed
  if (!compiled.ok) throw new Error('The config does not compile.')
  const { config } = compiled
  const events: SessionEvent[] = []
  let state = initialState(config.promptName)
  const record = (draft: { type: string; data: object }) => {
    const previous = events.at(-1)
    const envelope = { session, seq: events.length + 1, at: 1_795_000_000_000 + events.length * 10 }
    const prev = previous === undefined ? {} : { prev: eventHash(previous) }
    const event = { ...envelope, ...draft, config: under.digest, ...prev } as SessionEvent
    events.push(event)
    const next = step(config, state, event)
    state = next.state
    for (const effect of next.effects) {
      if (effect.kind === 'anomaly') continue
      const delivery = effect.kind === 'feedback.delivered' ? { delivery: 'message' } : {}
      record({ type: effect.kind, data: { ...effect.data, ...delivery } })
    }
  }
  for (const draft of drafts) record(draft)
  return events
}

const file = { exists: true, kind: 'file', fingerprint: 'sha256:1' } as const

function calls(count: number): readonly Draft[] {
  return Array.from({ length: count }, (_, i): readonly Draft[] => [
    {
      type: 'tool.requested',
      data: {
        call_id: `c${i}`,
        tool: i % 3 === 0 ? 'write_file' : 'read_file',
        args: { path: 'CHANGELOG.md' },
        facts: { files: { 'CHANGELOG.md': file } },
      },
    },
    {
      type: 'tool.invoked',
      data: {
        call_id: `c${i}`,
        tool: i % 3 === 0 ? 'write_file' : 'read_file',
        outcome: i === 0 ? 'denied' : 'success',
        facts: { files: { 'CHANGELOG.md': file, 'AGENTS.md': file } },
      },
    },
  ]).flat()
}

const opening: Draft = {
  type: 'session.started',
  data: {
    ns: 'demo',
    key: 'release-notes',
    environment: 'dev',
    harness: { name: 'test' },
    deadline_at: 1_795_000_600_000,
  },
}

const closing: readonly Draft[] = [
  { type: 'stop.attempted', data: { via: 'turn_end', facts: { files: {} } } },
  { type: 'session.ended', data: { reason: 'completed' } },
]

async function send(events: readonly SessionEvent[]) {
  const response = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(response.status).toBe(200)
}

async function verdict(session: string) {
  return await database().prisma.session.findUniqueOrThrow({
    where: { id: session },
    select: { verification: true, divergedSeq: true, anomalies: true, contiguousSeq: true },
  })
}

test('a session whose recomputed decisions all match is verified', async () => {
  const session = newSessionId()
  const events = recorded(session, [opening, ...calls(8), ...closing])
  expect(events.some(({ type }) => type === 'feedback.delivered')).toBe(true)
  await send(events)
  expect(await verdict(session)).toEqual({
    verification: 'verified',
    divergedSeq: null,
    anomalies: 0,
    contiguousSeq: events.length,
  })
})

async function divergences(): Promise<number> {
  const { values } = await metrics.divergences.get()
  return values[0]?.value ?? 0
}

test('a diverged session is counted once for monitoring', async () => {
  const session = newSessionId()
  const honest = recorded(session, [opening, ...calls(3), ...closing])
  const forged = honest.map((event) =>
    event.type === 'tool.decided'
      ? { ...event, data: { ...event.data, decision: 'allowed' as const, reason: null } }
      : event,
  )
  const before = await divergences()
  await send(honest.slice(0, 1))
  expect(await divergences()).toBe(before)
  await send(forged)
  await send(forged)
  expect(await divergences()).toBe(before + 1)
})

test('a forged decision diverges at its sequence number, and later agreement does not clear it', async () => {
  const session = newSessionId()
  const honest = recorded(session, [opening, ...calls(3), ...closing])
  const at = honest.findIndex(({ type }) => type === 'tool.decided')
  const forged = honest.map((event, index) =>
    index === at && event.type === 'tool.decided'
      ? { ...event, data: { ...event.data, decision: 'allowed' as const, reason: null } }
      : event,
  )
  await send(forged.slice(0, at + 1))
  expect(await verdict(session)).toMatchObject({ verification: 'diverged', divergedSeq: at + 1 })
  await send(forged.slice(at + 1))
  expect(await verdict(session)).toMatchObject({ verification: 'diverged', divergedSeq: at + 1 })
})

test('a decision that was never recorded diverges when its call runs', async () => {
  const session = newSessionId()
  const events = recorded(session, [opening, ...calls(1)])
  const without = events.filter(({ type }) => type !== 'tool.decided')
  const renumbered: SessionEvent[] = []
  for (const event of without) {
    const previous = renumbered.at(-1)
    const { prev: _prev, ...rest } = event
    const prev = previous === undefined ? {} : { prev: eventHash(previous) }
    renumbered.push({ ...rest, seq: renumbered.length + 1, ...prev } as SessionEvent)
  }
  await send(renumbered)
  expect(await verdict(session)).toMatchObject({ verification: 'diverged', divergedSeq: 3 })
})

test('an event with a wrong previous hash diverges at its sequence number', async () => {
  const session = newSessionId()
  const events = recorded(session, [opening, ...calls(2)])
  await send(events.map((event) => (event.seq === 4 ? { ...event, prev: 'a'.repeat(64) } : event)))
  expect(await verdict(session)).toMatchObject({ verification: 'diverged', divergedSeq: 4 })
})

test('verification continues in another process from a snapshot and later events', async () => {
  const session = newSessionId()
  const events = recorded(session, [opening, ...calls(400), ...closing])
  expect(events.length).toBeGreaterThan(1_200)
  for (let from = 0; from < events.length; from += 170) {
    forgetLiveState(session)
    await send(events.slice(from, from + 170))
  }
  expect(await verdict(session)).toMatchObject({
    verification: 'verified',
    contiguousSeq: events.length,
  })
  const snapshots = await database().prisma.sessionSnapshot.findMany({
    where: { sessionId: session },
    orderBy: { seq: 'asc' },
  })
  expect(snapshots.at(-1)?.seq).toBe(events.length)
  // Every snapshot is kept, so that no event is far from one.
  const seqs = [0, ...snapshots.map(({ seq }) => seq)]
  for (const [i, seq] of seqs.slice(1).entries()) {
    expect(seq - (seqs[i] ?? 0)).toBeLessThanOrEqual(500 + 170)
  }
})

test('snapshots are stored every 500 events, even within one batch', async () => {
  const session = newSessionId()
  const events = recorded(session, [opening, ...calls(400), ...closing])
  await send(events)
  const snapshots = await database().prisma.sessionSnapshot.findMany({
    where: { sessionId: session },
    orderBy: { seq: 'asc' },
  })
  expect(snapshots.map(({ seq }) => seq)).toEqual([500, 1_000, events.length])
})

test('events that close a gap are verified together with later events that waited', async () => {
  const session = newSessionId()
  const events = recorded(session, [opening, ...calls(6), ...closing])
  await send([...events.slice(0, 3), ...events.slice(5)])
  expect(await verdict(session)).toMatchObject({ contiguousSeq: 3 })
  await send(events.slice(3, 5))
  expect(await verdict(session)).toMatchObject({
    verification: 'verified',
    contiguousSeq: events.length,
  })
})

test('a call that ran despite a denial is one anomaly, even when its events are sent twice', async () => {
  const session = newSessionId()
  const drafts = calls(1).map((draft) =>
    draft.type === 'tool.invoked'
      ? { ...draft, data: { ...draft.data, outcome: 'success' as const } }
      : draft,
  )
  const events = recorded(session, [opening, ...drafts])
  await send(events)
  forgetLiveState(session)
  await send(events)
  expect(await verdict(session)).toMatchObject({ anomalies: 1 })
})

async function versionWith(policies: readonly object[]) {
  const {
    id: _id,
    createdAt: _createdAt,
    ...version
  } = await database().prisma.configVersion.findFirstOrThrow({ orderBy: { number: 'desc' } })
  const document = { ...JSON.parse(version.text), policies }
  const own = { digest: computeDigest(document), text: JSON.stringify(document), document }
  const id = freshId('ver')
  const number = version.number + 1
  await database().prisma.configVersion.create({ data: { ...version, ...own, id, number } })
  return own
}

test('other requests run between the steps of a slow recomputation', async () => {
  const deny_when =
    '!args.l.all(a, args.l.all(b, args.l.all(c, args.l.all(d, args.l.all(e, true)))))'
  const slow = { id: 'slow', type: 'expression', deny_when }
  const own = await versionWith([slow])
  const l = Array.from({ length: 10 }, (_, i) => i)
  const requests = Array.from({ length: 8 }, (_, i): Draft => {
    const data = { call_id: `c${i}`, tool: 'write_file', args: { l }, facts: { files: {} } }
    return { type: 'tool.requested', data }
  })
  const events = recorded(newSessionId(), [opening, ...requests], { ...own, customTypes: [] })
  const turns: number[] = []
  let isDone = false
  let last = performance.now()
  const takeTurn = () => {
    turns.push(performance.now() - last)
    last = performance.now()
    if (!isDone) setImmediate(takeTurn)
  }
  takeTurn()
  await send(events)
  isDone = true
  const long = turns.filter((ms) => ms > 15)
  const sum = long.reduce((total, ms) => total + ms, 0)
  // Compares shares of one run: the slow decisions take many turns instead of one.
  expect(Math.max(...long)).toBeLessThan(0.7 * sum)
})

test('an optional custom rule is verified exactly in sessions whose runtime had its code', async () => {
  const own = await versionWith([{ id: 'freeze', type: 'acme/freeze', optional: true }])
  const request: Draft = {
    type: 'tool.requested',
    data: { call_id: 'c', tool: 'read_file', args: {}, facts: { files: {} } },
  }
  const verified = async (custom_types: readonly string[], compiledWith: readonly string[]) => {
    const session = newSessionId()
    const started = { ...opening, data: { ...opening.data, custom_types } } as Draft
    await send(recorded(session, [started, request], { ...own, customTypes: compiledWith }))
    return (await verdict(session)).verification
  }
  expect(await verified([], [])).toBe('verified')
  expect(await verified(['acme/freeze'], ['acme/freeze'])).toBe('verified')
  expect(await verified([], ['acme/freeze'])).toBe('diverged')
  expect(await verified(['acme/freeze'], [])).toBe('diverged')
})

test('a log with a gap is verified up to it, and fully once the missing event arrives', async () => {
  const session = newSessionId()
  const log = recorded(session, [opening, ...calls(4), ...closing])
  const missing = log.filter(({ seq }) => seq === 3)
  await send(log.filter(({ seq }) => seq !== 3))
  const head = async () => {
    const rows = await readRows<{ verification: string; contiguousSeq: number; maxSeq: number }>(
      `SELECT ${SESSION_COLUMNS} FROM ${SESSION_TABLES} WHERE s.id = $1`,
      [session],
    )
    return rows[0]
  }
  expect(await head()).toMatchObject({
    verification: 'verified_to',
    contiguousSeq: 2,
    maxSeq: log.length,
  })
  await send(missing)
  expect(await head()).toMatchObject({ verification: 'verified', contiguousSeq: log.length })
})

test('a broken chain diverges even when the config is unknown', async () => {
  const session = newSessionId()
  const log = recorded(session, [opening, ...calls(1), ...closing], {
    digest: `sha256:${'0'.repeat(64)}`,
    text,
    customTypes: [],
  })
  const [first] = log
  const prev = eventHash(first as SessionEvent)
  await send(log.map((event) => (event.seq === 4 ? { ...event, prev } : event)))
  expect(await verdict(session)).toMatchObject({ verification: 'diverged', divergedSeq: 4 })
})
