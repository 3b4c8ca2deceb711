import { eventHash } from '@signalbox/wire'
import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  type Draft,
  installed,
  makeKey,
  makePerson,
  signedIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { firstRelease, type Release } from '@/server/test/recorded-session.ts'
import { NOTES, NOTES_EXIST, storeSession } from '@/server/test/stored-session.ts'

withTestDatabase()

const AT = Date.parse('2026-11-20T14:03:01.400Z')

let project: TestProject
let key: string
let release: Release
let caller: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
  release = await firstRelease()
  caller = await createProjectCaller(project, 'viewer')
})

const STORY: readonly Draft[] = [
  {
    type: 'session.started',
    data: {
      ns: 'demo',
      key: 'release-notes',
      environment: 'dev',
      config_version: 1,
      harness: { name: 'test', version: '1.2' },
    },
  },
  {
    type: 'plan.updated',
    data: {
      steps: [{ title: 'Read', status: 'done' }, { title: '# Not a heading | nor a cell' }],
    },
  },
  {
    type: 'tool.requested',
    data: {
      call_id: 'c1',
      tool: 'write_file',
      args: {
        path: NOTES,
        token: { $redacted: 'builtin.secrets' },
        key: { $redacted: 'builtin.secrets' },
        said: '{"$redacted":"a text"}',
        body: { $truncated: { bytes: 40_000, sha256: 'ab' } },
      },
      facts: NOTES_EXIST,
    },
  },
  {
    type: 'feedback.delivered',
    data: {
      provider: 'deadline',
      name: 'Deadline',
      pointer: '/feedback_providers/0',
      mode: 'enforce',
      conditions: ['every_n_calls'],
      severity: 'warning',
      summary: 'Little time',
      observations: [],
      suggestions: [],
      call_index: 1,
      prompt: 'demo/release-notes',
      call_id: 'c1',
      delivery: 'message',
    },
  },
  {
    type: 'stop.attempted',
    data: { via: 'turn_end', stop_reason: 'end_turn', facts: NOTES_EXIST },
  },
]

const told = () => storeSession(key, STORY, { at: AT, release })

async function exportMarkdown(session: string): Promise<string> {
  const headers = await signedIn(await makePerson(project, 'viewer'))
  const url = `http://127.0.0.1:3000/api/export/sessions/${session}?format=md`
  const response = await api.fetch(new Request(url, { headers }))
  expect(response.headers.get('content-type')).toContain('text/markdown')
  expect(response.headers.get('content-disposition')).toContain(`"${session}.md"`)
  return await response.text()
}

test('a session report lists denials and blocked stops, and counts feedback, plan steps and redactions', async () => {
  const { session, events, findSeq, calls, stops } = await told()
  const report = await caller.reports.session({ sessionId: session })
  const seq = findSeq('tool.decided')
  expect(report.verdicts).toMatchObject([
    { kind: 'call', id: calls[0], seq, verdict: 'denied', version: 1 },
    { kind: 'stop', id: stops[0], verdict: 'blocked', via: 'turn_end' },
  ])
  expect(report.verdictTotal).toBe(2)
  expect(report.feedback).toMatchObject([{ name: 'deadline', severity: 'warning', count: 1 }])
  expect(report.plan?.steps).toHaveLength(2)
  // A text that looks like a mark is not one.
  expect(report.takenOut).toEqual([
    { kind: 'redacted', rule: 'builtin.secrets', values: 2, events: 1 },
    { kind: 'truncated', rule: null, values: 1, events: 1 },
  ])
  const last = events.at(-1)
  expect(report.record).toEqual({
    seq: last?.seq,
    hash: last === undefined ? '' : eventHash(last),
    isIntact: true,
  })
})

test('a session report in Markdown states denials, stops, redactions, the time zone and the digest', async () => {
  const { session, findSeq, calls } = await told()
  const text = await exportMarkdown(session)
  expect(text).toContain(`# Session ${session} of demo/release-notes`)
  expect(text).toContain('- Started: 2026-11-20 14:03:01.400 UTC')
  expect(text).toContain(`\`demo/release-notes@v1\`, digest ${release.digest}`)
  expect(text).toMatch(
    new RegExp(
      `\\| \\[#${findSeq('tool.decided')}\\]\\(http.*/decisions/${calls[0]}\\) \\| 2026-11-20 14:03:01.* UTC \\| denied \\| write_file, rule .* \\| ${NOTES} exists and was not read`,
    ),
  )
  expect(text).toContain('- Stops: 1 blocked')
  expect(text).toContain('2. \\# Not a heading \\| nor a cell · no status')
  expect(text).toContain(
    'Redactions, before recording: 2 values in 1 event by `builtin.secrets`; 1 value in 1 event left out as too long.',
  )
  expect(text).toMatch(/generated \S+Z · times in UTC/)
  expect(text).toMatch(
    /Digest sha256:[0-9a-f]{64} of event #\d+, which .* matches the stored record/,
  )
})

test('a session report counts the final verification separately from stop attempts', async () => {
  const { session } = await told()
  await database().pool.query(
    `INSERT INTO stops (id, project_id, environment, session_id, seq, attempted_seq, attempt, at, ns, key, via, verdict, code, reason)
     SELECT id || '_final', project_id, environment, session_id, seq + 1000, attempted_seq, attempt, at, ns, key, 'final', verdict, code, reason
     FROM stops WHERE session_id = $1`,
    [session],
  )
  const { counts, verdictTotal } = await caller.reports.session({ sessionId: session })
  expect(counts.filter(({ kind }) => kind !== 'call')).toEqual([
    { kind: 'final', verdict: 'blocked', count: 1 },
    { kind: 'stop', verdict: 'blocked', count: 1 },
  ])
  expect(verdictTotal).toBe(3)
  expect(await exportMarkdown(session)).toContain('- Stops: 1 blocked; final verification blocked')
})

test('a session report lists the first 500 verdicts and states the total', async () => {
  const { session } = await told()
  await database().pool.query(
    `INSERT INTO denials (id, project_id, environment, session_id, seq, at, ns, key, tool, decision, rule, code, reason)
     SELECT 'dec_more_' || n, project_id, environment, session_id, 1000 + n, at, ns, key, tool, 'error', rule, code, reason
     FROM denials, generate_series(1, 1202) n WHERE session_id = $1`,
    [session],
  )
  const report = await caller.reports.session({ sessionId: session })
  expect(report.verdicts).toHaveLength(500)
  expect(report.verdictTotal).toBe(1_204)
  const text = await exportMarkdown(session)
  expect(text).toContain('First 500 of 1,204.')
  expect(text.match(/^\| \[#/gm)).toHaveLength(500)
})

test('a session report keeps the verdicts of removed events, and states the removal', async () => {
  const { session } = await told()
  await database().pool.query('DELETE FROM session_events WHERE session_id = $1', [session])
  await database().pool.query(
    'UPDATE sessions SET events_removed_at = now(), events_removed_days = 30 WHERE id = $1',
    [session],
  )
  const report = await caller.reports.session({ sessionId: session })
  expect(report.verdicts).toHaveLength(2)
  expect(report).toMatchObject({ record: null, plan: null, feedback: [] })
  expect(await exportMarkdown(session)).toContain('The events are no longer stored')
})
