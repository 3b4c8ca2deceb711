// The audits of stops and decisions, the state at an event and the export, over a session that really was recorded.
import type { SessionEvent } from '@signalbox/core'
import { eventHash, parseEventLine } from '@signalbox/wire'
import { beforeAll, describe, expect, test } from 'vitest'
import { withTestDatabase } from '../../db/test-database.ts'
import { handleExportSession } from '../../http/export-session.ts'
import { postEvents } from '../../http/ingest-events.ts'
import {
  callerOf,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  makePerson,
  ndjson,
  newSessionId,
  otherProject,
  signIn,
  type TestProject,
} from '../../test/installation.ts'
import { firstRelease, type Release, recordedSession } from '../../test/recorded-session.ts'

withTestDatabase()

const AT = 1_795_000_000_000
const NOTES = 'RELEASE_NOTES.md'
const there = { exists: true, kind: 'file', fingerprint: 'sha256:1' } as const

let project: TestProject
let key: string
let release: Release
let caller: Awaited<ReturnType<typeof callerOf>>

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
  release = await firstRelease()
  caller = await callerOf(project, 'viewer')
})

const opening = (more: { readonly deadline_at?: number } = {}): Draft => ({
  type: 'session.started',
  data: {
    ns: 'demo',
    key: 'release-notes',
    environment: 'dev',
    harness: { name: 'test' },
    ...more,
  },
})

const plan = (...statuses: readonly string[]): Draft => ({
  type: 'plan.updated',
  data: { steps: statuses.map((status, index) => ({ title: `Step ${index + 1}`, status })) },
})

const stop: Draft = {
  type: 'stop.attempted',
  data: { via: 'turn_end', stop_reason: 'end_turn', facts: { files: { [NOTES]: there } } },
}

const request = (call_id: string, tool: string): Draft => ({
  type: 'tool.requested',
  data: { call_id, tool, args: { path: NOTES }, facts: { files: { [NOTES]: there } } },
})

const result = (call_id: string, tool: string, outcome: 'success' | 'denied'): Draft => ({
  type: 'tool.invoked',
  data: { call_id, tool, outcome, duration_ms: 7, facts: { files: { [NOTES]: there } } },
})

async function record(drafts: readonly Draft[], named: Release | null = release) {
  const session = newSessionId()
  const recording = { session, at: AT, ...(named === null ? {} : { release: named }) }
  const events = recordedSession(recording, drafts)
  const response = await postEvents(eventsRequest(key, ndjson(events)))
  expect(response.status).toBe(200)
  return { session, events }
}

function seqOf(events: readonly SessionEvent[], type: string, nth = 0): number {
  return events.filter((event) => event.type === type)[nth]?.seq ?? 0
}

const idOf = (prefix: string, session: string, seq: number): string =>
  `${prefix}_${session.slice(5)}_${seq}`

async function stopOf(drafts: readonly Draft[], named: Release | null = release) {
  const { session, events } = await record(drafts, named)
  const stopId = idOf('stop', session, seqOf(events, 'stop.decided'))
  return { session, events, audit: await caller.stops.audit({ stopId }) }
}

describe('a stop', () => {
  test('blocked: what would unblock it, since when, and what was not evaluated', async () => {
    const drafts = [
      opening({ deadline_at: AT + 600_000 }),
      plan('done', 'in_progress', 'pending'),
      plan('done', 'in_progress', 'pending'),
      stop,
      request('c1', 'read_file'),
    ]
    const { audit, events } = await stopOf(drafts)
    expect(audit.stop).toMatchObject({
      verdict: 'blocked',
      reason: '2 of 3 plan steps are not done',
    })
    expect(audit.unblock?.map(({ text }) => text)).toEqual([
      'Finish “Step 2”',
      'Finish or remove “Step 3”',
    ])
    expect(audit.evidence?.plan?.map(({ since }) => since)).toEqual([2, 2, 2])
    expect(audit.evidence).toMatchObject({
      stopReason: 'end_turn',
      output: null,
      deadlineAt: AT + 600_000,
      files: [{ path: NOTES, exists: true }],
    })
    expect(audit.checks?.children?.map(({ checker, status }) => [checker, status])).toEqual([
      ['plan', 'incomplete'],
      ['notes', 'not_evaluated'],
    ])
    expect(audit.computedNow?.children?.map(({ status }) => status)).toEqual([
      'incomplete',
      'passed',
    ])
    expect(audit).toMatchObject({ told: null, rootMode: 'all', maxBlocks: 5 })
    expect(audit.message).toContain('You have 2 incomplete task(s) out of 3.')
    expect(audit.next.nextCall).toMatchObject({ seq: seqOf(events, 'tool.requested'), afterMs: 10 })
    expect(audit.config).toMatchObject({ number: 1, digest: release.digest })
  })

  test('the message named three of five', async () => {
    const { audit } = await stopOf([opening(), plan('a', 'b', 'c', 'd', 'e'), stop])
    expect(audit.told).toEqual({ named: 3, open: 5 })
    expect(audit.unblock).toHaveLength(5)
  })

  test.each([
    ['allowed', [opening(), plan('done'), stop], { verdict: 'allowed', bypass: null }],
    [
      'past the deadline',
      [opening({ deadline_at: AT }), plan('a'), stop],
      { verdict: 'bypassed', bypass: 'deadline' },
    ],
  ] as const)('%s', async (_name, drafts, expected) => {
    const { audit } = await stopOf(drafts)
    expect(audit.stop).toMatchObject(expected)
    expect(audit.message).toBeNull()
  })

  test('past the deadline: what the checks would have said is computed, not recorded', async () => {
    const { audit } = await stopOf([opening({ deadline_at: AT }), plan('a'), stop])
    expect(audit.checks?.children?.every(({ status }) => status === 'bypassed')).toBe(true)
    expect(audit.computedNow?.children?.map(({ status }) => status)).toEqual([
      'incomplete',
      'passed',
    ])
  })

  test('without a known config nothing is computed, and the page can say so', async () => {
    const { audit } = await stopOf([opening(), stop], null)
    expect(audit.stop.verdict).toBe('no_checker')
    expect(audit).toMatchObject({ unblock: null, checks: null, computedNow: null, config: null })
  })

  test('all attempts of its session are listed, and groups tell which were allowed later', async () => {
    const { audit } = await stopOf([opening(), plan('a'), stop, plan('done'), stop])
    expect(audit.attempts.map(({ attempt, verdict }) => [attempt, verdict])).toEqual([
      [1, 'blocked'],
      [2, 'allowed'],
    ])
    const groups = await caller.stops.groups({ filter: { verdict: 'blocked' } })
    const open = groups.find(({ code }) => code === 'plan.open_steps')
    expect(open?.allowedLater).toBe(1)
    expect(open?.stops).toBeGreaterThanOrEqual(3)
  })

  test('the list pages by key and holds every stop once', async () => {
    await record([opening(), plan('a'), stop, stop, stop])
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof caller.stops.list>> = await caller.stops.list({
        filter: {},
        cursor,
        limit: 2,
      })
      ids.push(...page.stops.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== null)
    const all = await caller.stops.list({ filter: {}, limit: 200 })
    expect(ids).toEqual(all.stops.map(({ id }) => id))
  })
})

describe('a decision', () => {
  test('denied: which rule, what would allow it, and the rules that do not apply', async () => {
    const { session, events } = await record([
      opening(),
      request('c1', 'write_file'),
      result('c1', 'write_file', 'denied'),
      request('c2', 'read_file'),
    ])
    const decisionId = idOf('dec', session, seqOf(events, 'tool.decided'))
    const audit = await caller.decisions.audit({ decisionId })
    expect(audit.sentence).toBe(`${NOTES} exists and was not read`)
    expect(audit.allow).toEqual([
      { rule: 'read-before-write', text: `Read \`${NOTES}\` with \`read_file\``, owner: 'agent' },
    ])
    expect(audit.rules.map(({ rule, result: said }) => [rule, said])).toEqual([
      ['read-before-write', 'deny'],
      ['tests-before-publish', 'not_applicable'],
    ])
    expect(audit.request).toMatchObject({ tool: 'write_file', args: { path: NOTES } })
    expect(audit.result).toMatchObject({ outcome: 'denied', durationMs: 7 })
    expect(audit.next.nextCall?.tool).toBe('read_file')
  })

  test('an id of another kind, or of an event that decided nothing, is not found', async () => {
    const { session } = await record([opening()])
    for (const id of [idOf('dec', session, 1), idOf('evt', session, 1), 'dec_nonsense']) {
      await expect(caller.decisions.audit({ decisionId: id })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    }
  })
})

describe('the state at an event', () => {
  test('is that of core, before and after, also beyond many pages', async () => {
    const reads = Array.from({ length: 600 }, (_, i): readonly Draft[] => [
      request(`c${i}`, 'read_file'),
      result(`c${i}`, 'read_file', 'success'),
    ]).flat()
    const { session, events } = await record([opening(), ...reads])
    const first = seqOf(events, 'tool.invoked')
    const state = await caller.sessions.state({ sessionId: session, seq: first })
    expect(state.before.reads).toEqual([])
    expect(state.after.reads).toEqual([{ rule: 'read-before-write', path: NOTES, seq: first }])
    const end = await caller.sessions.state({ sessionId: session, seq: events.length })
    expect(end.after.calls).toBe(600)
    const back = await caller.sessions.state({ sessionId: session, seq: first })
    expect(back).toEqual(state)
  })
})

describe('the export', () => {
  async function download(session: string, headers: Headers): Promise<Response> {
    const url = `http://127.0.0.1:3000/api/export/sessions/${session}`
    return await handleExportSession(new Request(url, { headers }), session)
  }

  test('is the log line by line: what was sent, with the same hashes', async () => {
    const { session, events } = await record([opening(), plan('done'), stop])
    const response = await download(session, await signIn(await makePerson(project, 'viewer')))
    expect(response.headers.get('content-type')).toContain('application/x-ndjson')
    const lines = (await response.text()).trimEnd().split('\n')
    const hashes = lines.map((line) => {
      const parsed = parseEventLine(line)
      if (!parsed.ok) throw new Error(parsed.problem.message)
      return eventHash(parsed.event)
    })
    expect(hashes).toEqual(events.map(eventHash))
  })

  test('needs a login, and another project gets nothing', async () => {
    const { session, events } = await record([opening(), plan('a'), stop])
    const other = await otherProject()
    expect((await download(session, new Headers())).status).toBe(401)
    const headers = await signIn(await makePerson(other, 'admin'))
    expect((await download(session, headers)).status).toBe(404)
    const stranger = await callerOf(other, 'admin')
    const stopId = idOf('stop', session, seqOf(events, 'stop.decided'))
    await expect(stranger.stops.audit({ stopId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await stranger.stops.groups({ filter: {} })).toEqual([])
    expect((await stranger.stops.list({ filter: {} })).stops).toEqual([])
  })
})
