import { canonicalJson, computeDigest, eventHash, parseEventLine } from '@signalbox/wire'
import { beforeAll, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  type Draft,
  installed,
  makeKey,
  makePerson,
  otherProject,
  signedIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { firstRelease, nextRelease, type Release } from '@/server/test/recorded-session.ts'
import { AT, NOTES, NOTES_EXIST, plan, storeSession } from '@/server/test/stored-session.ts'

withTestDatabase()

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

const stop: Draft = {
  type: 'stop.attempted',
  data: { via: 'turn_end', stop_reason: 'end_turn', facts: NOTES_EXIST },
}

const request = (call_id: string, tool: string): Draft => ({
  type: 'tool.requested',
  data: { call_id, tool, args: { path: NOTES }, facts: NOTES_EXIST },
})

const result = (call_id: string, tool: string, outcome: 'success' | 'denied'): Draft => ({
  type: 'tool.invoked',
  data: { call_id, tool, outcome, duration_ms: 7, facts: NOTES_EXIST },
})

async function exportReport(kind: 'stops' | 'decisions', id: string, format: string) {
  const headers = await signedIn(await makePerson(project, 'viewer'))
  const url = `http://127.0.0.1:3000/api/export/${kind}/${id}?format=${format}`
  return await api.fetch(new Request(url, { headers }))
}

const record = (drafts: readonly Draft[], named: Release | null = release) =>
  storeSession(key, drafts, named === null ? {} : { release: named })

async function storeStop(drafts: readonly Draft[], named: Release | null = release) {
  const stored = await record(drafts, named)
  return {
    ...stored,
    explanation: await caller.stops.explanation({ stopId: stored.stops[0] ?? '' }),
  }
}

describe('the explanation of a stop', () => {
  test('lists the steps that would unblock it, since when each is open, and the checks not evaluated', async () => {
    const drafts = [
      opening({ deadline_at: AT + 600_000 }),
      plan('done', 'in_progress', 'pending'),
      plan('done', 'in_progress', 'pending'),
      stop,
      request('c1', 'read_file'),
    ]
    const { explanation, findSeq } = await storeStop(drafts)
    expect(explanation.stop).toMatchObject({
      verdict: 'blocked',
      reason: '2 of 3 plan steps are not done',
    })
    expect(explanation.computed?.unblock.steps.map(({ text }) => text)).toEqual([
      'Finish “Step 2”',
      'Finish or remove “Step 3”',
    ])
    expect(explanation.evidence?.plan?.map(({ since }) => since)).toEqual([2, 2, 2])
    expect(explanation.evidence).toMatchObject({
      stopReason: 'end_turn',
      output: null,
      deadlineAt: AT + 600_000,
      files: [{ path: NOTES, exists: true }],
    })
    expect(
      explanation.record?.checks?.children?.map(({ checker, status }) => [checker, status]),
    ).toEqual([
      ['plan', 'incomplete'],
      ['notes', 'not_evaluated'],
    ])
    expect(explanation.computed?.rest?.root.children?.map(({ status }) => status)).toEqual([
      'incomplete',
      'passed',
    ])
    expect(explanation.record?.told).toBeNull()
    expect(explanation.computed).toMatchObject({
      rootMode: 'all',
      maxBlocks: 5,
      releasing: ['plan'],
    })
    expect(explanation.record?.isIntact).toBe(true)
    expect(explanation.record?.message).toContain('You have 2 incomplete task(s) out of 3.')
    expect(explanation.next?.nextCall).toMatchObject({
      seq: findSeq('tool.requested'),
      afterMs: 10,
    })
    expect(explanation.config).toMatchObject({ number: 1, digest: release.digest })
  })

  test('lists all five open items when the message named only three', async () => {
    const { explanation } = await storeStop([opening(), plan('a', 'b', 'c', 'd', 'e'), stop])
    const items = ['Step 1', 'Step 2', 'Step 3', 'Step 4', 'Step 5']
    expect(explanation.record?.told).toEqual({ named: 3, open: 5, items })
    expect(explanation.computed?.unblock.steps).toHaveLength(5)
  })

  test.each([
    ['allowed', [opening(), plan('done'), stop], { verdict: 'allowed', bypass: null }],
    [
      'past the deadline',
      [opening({ deadline_at: AT }), plan('a'), stop],
      { verdict: 'bypassed', bypass: 'deadline' },
    ],
  ] as const)(
    'states the verdict and no message for a stop that is %s',
    async (_name, drafts, expected) => {
      const { explanation } = await storeStop(drafts)
      expect(explanation.stop).toMatchObject(expected)
      expect(explanation.record?.message).toBeNull()
    },
  )

  test('computes the results that the checks would have had when the deadline has passed', async () => {
    const { explanation } = await storeStop([opening({ deadline_at: AT }), plan('a'), stop])
    expect(explanation.record?.checks?.children?.every(({ status }) => status === 'bypassed')).toBe(
      true,
    )
    expect(explanation.computed?.rest?.root.children?.map(({ status }) => status)).toEqual([
      'incomplete',
      'passed',
    ])
  })

  test('computes nothing and names no config when the config is unknown', async () => {
    const { explanation } = await storeStop([opening(), stop], null)
    expect(explanation.stop.verdict).toBe('no_checker')
    expect(explanation).toMatchObject({ computed: null, record: { checks: null }, config: null })
  })

  test('lists all attempts of the session with their changes, and its group counts it as allowed later', async () => {
    const { explanation } = await storeStop([opening(), plan('a'), stop, plan('done'), stop])
    expect(
      explanation.attempts.map(({ stop: { attempt, verdict } }) => [attempt, verdict]),
    ).toEqual([
      [1, 'blocked'],
      [2, 'allowed'],
    ])
    expect(explanation.attempts[1]?.since?.changes).toEqual([
      '`plan`: incomplete, now passed',
      '`notes`: not evaluated, now passed',
    ])
    const groups = await caller.stops.groups({ filter: { verdict: 'blocked' } })
    const open = groups.find(({ code }) => code === 'plan.open_steps')
    expect(open?.allowedLater).toBe(1)
    expect(open?.stops).toBeGreaterThanOrEqual(3)
    const byConfig = await caller.stops.groups({ filter: { verdict: 'blocked' }, by: 'config' })
    const same = byConfig.find(({ code, ns }) => code === 'plan.open_steps' && ns === 'demo')
    expect(same).toMatchObject({ ns: 'demo', key: 'release-notes', stops: open?.stops })
    const { rows: stops } = await caller.stops.list({
      filter: { code: 'plan.open_steps', prompt: { ns: 'demo', key: 'release-notes' } },
      limit: 200,
    })
    expect(stops).toHaveLength(open?.stops ?? -1)
  })

  test('reports a livelock when nothing happens between attempts, and none after a successful call', async () => {
    const stuck = await record([opening(), plan('a', 'b'), stop, stop, stop])
    const ids = stuck.stops
    const progress = await caller.stops.progress({ stopIds: [...ids] })
    expect(progress.map(({ state, repeats }) => [state, repeats])).toEqual([
      ['progressing', 1],
      ['livelock', 2],
      // `cap_near` begins with the fourth of five blocks.
      ['livelock', 3],
    ])
    const worked = await record([
      ...[opening(), plan('a', 'b'), stop, request('c1', 'read_file')],
      ...[result('c1', 'read_file', 'success'), request('c2', 'write_file'), stop],
    ])
    const [, second] = worked.stops
    const [state] = await caller.stops.progress({ stopIds: [second ?? ''] })
    expect(state?.state).toBe('waiting')
    const explanation = await caller.stops.explanation({ stopId: second ?? '' })
    expect(explanation.attempts[1]?.since).toEqual({
      changes: [],
      configChanged: false,
      calls: [{ tool: 'read_file', succeeded: 1, calls: 1 }],
    })
    expect(explanation.evidence?.openCalls.map(({ callId }) => callId)).toEqual(['c2'])
  })

  test('computes the verdict of the live version on the same events', async () => {
    const { explanation } = await storeStop([opening(), plan('a'), stop])
    const same = await caller.stops.underLive({ stopId: explanation.stop.id })
    expect(same).toEqual({ kind: 'not_computed', why: 'The live version made this decision.' })
    const older = await nextRelease({
      task_completion_checker: { id: 'read', type: 'tool_succeeded', tool: 'read_file' },
    })
    const under = await storeStop([opening(), plan('done'), stop], older)
    const verdict = await caller.stops.underLive({ stopId: under.explanation.stop.id })
    expect(verdict).toMatchObject({
      kind: 'computed',
      version: 1,
      outcome: 'released',
      fidelity: 'exact',
      partedAt: null,
    })
  })

  test('marks a check that was not evaluated as not replayable instead of failing', async () => {
    const judged = await nextRelease({
      task_completion_checker: {
        id: 'all',
        type: 'composite',
        all_must_pass: true,
        checkers: [
          { id: 'plan', type: 'plan' },
          { id: 'good', type: 'llm_judge', criteria: 'Good?' },
        ],
      },
    })
    const { explanation } = await storeStop([opening(), plan('a'), stop], judged)
    expect(explanation.computed?.rest).toMatchObject({ replayed: 0 })
    expect(explanation.computed?.rest?.obstacle).toContain('model was not asked at the time')
    const statuses = explanation.computed?.rest?.root.children?.map(({ status }) => status)
    expect(statuses).toEqual(['incomplete', 'not_evaluated'])
  })

  test('links to the blocked stops immediately before and after it', async () => {
    await record([opening(), plan('a'), stop, plan('done'), stop, plan('b'), stop])
    const { rows: stops } = await caller.stops.list({ filter: { verdict: 'blocked' }, limit: 200 })
    const at = (index: number): string | null => stops[index]?.id ?? null
    for (const index of [0, 1, stops.length - 1]) {
      const { beside } = await caller.stops.explanation({ stopId: at(index) ?? '' })
      expect(beside).toEqual({ newer: at(index - 1), older: at(index + 1) })
    }
  })

  test('keeps verdict and reason when the events were removed, and computes nothing else', async () => {
    const { explanation, session } = await storeStop([opening(), plan('a'), stop])
    const { pool } = database()
    await pool.query(
      'UPDATE sessions SET events_removed_at = now(), events_removed_days = 45 WHERE id = $1',
      [session],
    )
    await pool.query('DELETE FROM session_events WHERE session_id = $1', [session])
    const kept = await caller.stops.explanation({ stopId: explanation.stop.id })
    expect(kept.stop).toMatchObject({
      verdict: 'blocked',
      reason: '1 of 1 plan steps is not done',
    })
    expect(kept).toMatchObject({ record: null, computed: null, evidence: null, next: null })
    expect(kept.removed?.days).toBe(45)
    expect(kept.attempts[0]).toMatchObject({ progress: null, since: null })
  })

  test('belongs to a list whose pages contain every stop once, in order', async () => {
    await record([opening(), plan('a'), stop, stop, stop])
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof caller.stops.list>> = await caller.stops.list({
        filter: {},
        cursor,
        limit: 2,
      })
      ids.push(...page.rows.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== null)
    const all = await caller.stops.list({ filter: {}, limit: 200 })
    expect(ids).toEqual(all.rows.map(({ id }) => id))
  })
})

describe('the explanation of a decision', () => {
  test('names the rule that denied, the step that would allow the call, and the rules that do not apply', async () => {
    const { calls } = await record([
      opening(),
      request('c1', 'write_file'),
      result('c1', 'write_file', 'denied'),
      request('c2', 'read_file'),
    ])
    const decisionId = calls[0] ?? ''
    const explanation = await caller.decisions.explanation({ decisionId })
    expect(explanation.sentence).toBe(`${NOTES} exists and was not read`)
    expect(explanation.allow).toEqual([
      {
        rule: 'read-before-write',
        owner: 'agent',
        call: `read_file ${NOTES}`,
        text: `Read \`${NOTES}\` with \`read_file\``,
      },
    ])
    expect(explanation.reasonClasses).toEqual(['prerequisite_missing'])
    expect(explanation.rules[0]?.facts).toEqual([
      `\`${NOTES}\` existed`,
      'it is not among the files that were read',
    ])
    expect(explanation.rules.map(({ rule, result: said }) => [rule, said])).toEqual([
      ['read-before-write', 'deny'],
      ['tests-before-publish', 'not_applicable'],
    ])
    expect(explanation.request).toMatchObject({ tool: 'write_file', args: { path: NOTES } })
    expect(explanation.result).toMatchObject({ outcome: 'denied', durationMs: 7 })
    expect(explanation.next?.nextCall?.tool).toBe('read_file')
  })

  test('lists the previous and the next identical call with their decisions', async () => {
    const { findSeq, calls } = await record([
      ...[opening(), request('c1', 'write_file'), result('c1', 'write_file', 'denied')],
      ...[request('c2', 'read_file'), result('c2', 'read_file', 'success')],
      ...[request('c3', 'write_file'), result('c3', 'write_file', 'success')],
    ])
    const sameAs = async (decisionId = '') =>
      (await caller.decisions.explanation({ decisionId })).same
    const [denied, allowed] = [findSeq('tool.decided', 0), findSeq('tool.decided', 2)]
    expect(await sameAs(calls[0])).toMatchObject([
      { seq: allowed, decision: 'allowed', reason: null },
    ])
    expect(await sameAs(calls[2])).toMatchObject([
      { seq: denied, decision: 'denied', reason: expect.stringContaining(NOTES) },
    ])
  })

  test('the explanation of a decision is not found for an id of another type, or for an event without a decision', async () => {
    const { session } = await record([opening()])
    for (const id of [`dec_${session.slice(5)}_1`, `evt_${session.slice(5)}_1`, 'dec_nonsense']) {
      await expect(caller.decisions.explanation({ decisionId: id })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    }
  })
})

describe('the explanation of a decision about content', () => {
  const found = (rule: string, ...tags: readonly string[]) => ({
    content: {
      detectors: [{ name: 'secretlint', version: '11' }],
      checked: ['keys', 'watched'],
      found: tags.map((tag, index) => ({
        ...{ rule, kind: 'secrets', pointer: `/${index}`, offset: 4, length: 20, tag },
      })),
    },
  })

  async function storeContent() {
    const named = await nextRelease({
      content: [
        { id: 'keys', kind: 'secrets', on: 'result', action: 'mask' },
        { id: 'watched', kind: 'secrets', on: 'arguments', action: 'warn' },
      ],
    })
    const call = (call_id: string, facts: object): Draft => ({
      type: 'tool.requested',
      data: { call_id, tool: 'fetch', args: { url: 'http://x' }, facts },
    })
    const answer = (call_id: string, facts: object): Draft => ({
      type: 'tool.invoked',
      data: { call_id, tool: 'fetch', outcome: 'success', output: ['[secrets]'], facts },
    })
    const stored = await record(
      [
        ...[opening(), call('c1', found('watched')), answer('c1', found('keys', 'a', 'a', 'b'))],
        ...[call('c2', found('watched', 'b')), answer('c2', found('keys'))],
      ],
      named,
    )
    const seq = stored.findSeq('content.decided')
    return { ...stored, seq, id: `dec_${stored.session.slice(5)}_${seq}` }
  }

  test('names the kind, place and detector of each finding, and where the same value was found again', async () => {
    const { id, findSeq } = await storeContent()
    const explanation = await caller.decisions.explanation({ decisionId: id })
    expect(explanation).toMatchObject({
      kind: 'content',
      verdict: 'masked',
      sentence: 'Masked 3 secrets',
      message: null,
      result: { seq: findSeq('tool.invoked'), outcome: 'success' },
    })
    expect(explanation.rules.map(({ rule, code }) => [rule, code])).toEqual([
      ['keys', 'content.masked'],
    ])
    const place = { rule: 'keys', kind: 'secrets', offset: 4, length: 20, property: null }
    const again = findSeq('tool.requested', 1)
    expect(explanation.content).toEqual({
      on: 'result',
      detectors: [{ name: 'secretlint', version: '11' }],
      places: [
        { ...place, pointer: '/0', sameAs: null, alsoAt: [] },
        { ...place, pointer: '/1', sameAs: 0, alsoAt: [] },
        { ...place, pointer: '/2', sameAs: null, alsoAt: [again] },
      ],
    })
    expect(JSON.stringify(explanation)).not.toContain('"tag"')
  })

  test('the explanation of a call has the findings in its arguments, and no rule that inspects results', async () => {
    const { calls, findSeq } = await storeContent()
    const { content, rules } = await caller.decisions.explanation({ decisionId: calls[1] ?? '' })
    expect(content?.places).toMatchObject([{ rule: 'watched', alsoAt: [findSeq('tool.invoked')] }])
    const names = ['read-before-write', 'tests-before-publish', 'watched']
    expect(rules.map(({ rule }) => rule).toSorted()).toEqual(names)
  })

  test('is exported as JSON and Markdown with the event of the result, and not as a portable bundle', async () => {
    const { id, seq } = await storeContent()
    const text = await (await exportReport('decisions', id, 'md')).text()
    expect(text).toContain('# Masked 3 secrets')
    expect(text).toContain('## Found in the result (captured)')
    const { report } = await (await exportReport('decisions', id, 'json')).json()
    expect(report.captured.events.map(({ event }: { event: object }) => event)).toMatchObject([
      { type: 'tool.requested' },
      { type: 'tool.invoked' },
      { type: 'content.decided', seq },
    ])
    expect((await exportReport('decisions', id, 'bundle')).status).toBe(404)
  })
})

describe('the report of an explanation', () => {
  test('contains the stored events of a stop with their hashes, and a reproducible digest', async () => {
    const { explanation, events } = await storeStop([opening(), plan('a', 'b', 'c', 'd'), stop])
    const text = await (await exportReport('stops', explanation.stop.id, 'json')).text()
    const { digest, report } = JSON.parse(text)
    expect(computeDigest(report)).toBe(digest)
    expect(text).toBe(`${canonicalJson(JSON.parse(text))}\n`)
    expect(report.captured.events).toHaveLength(2)
    for (const { hash, event } of report.captured.events) {
      expect(hash).toBe(`sha256:${eventHash(event)}`)
      expect(events.map(eventHash)).toContain(eventHash(event))
    }
    expect(report.verification).toContain('matches the stored record')
    expect(report.computed.told).toMatchObject({ named: 3, open: 4 })
  })

  test('states the reason, all open items, the message, the digest and the time zone in Markdown, and labels captured and computed facts', async () => {
    const { explanation } = await storeStop([opening(), plan('a', 'b', 'c', 'd'), stop])
    const response = await exportReport('stops', explanation.stop.id, 'md')
    expect(response.headers.get('content-type')).toContain('text/markdown')
    const text = await response.text()
    expect(text).toContain('# 4 of 4 plan steps are not done')
    expect(text.match(/^## .*$/gm)).toEqual([
      '## What would unblock it (computed)',
      '## Checks (captured)',
      '## The rest (computed now)',
      '## Message the agent received (captured)',
      '## Evidence (captured)',
      '## Attempts',
    ])
    expect(text).toContain('Named 3 of 4:')
    expect(text).toContain('- Step 4')
    expect(text).toContain(explanation.record?.message ?? 'no message')
    expect(text).toMatch(/Digest sha256:[0-9a-f]{64} matches the stored record/)
    expect(text).toContain('times in UTC')
  })

  test('states the reason and the facts of a denied call, and is refused for an unknown id or format', async () => {
    const { calls } = await record([opening(), request('c1', 'write_file')])
    const id = calls[0] ?? ''
    const text = await (await exportReport('decisions', id, 'md')).text()
    expect(text).toContain(`# ${NOTES} exists and was not read`)
    expect(text).toContain('it is not among the files that were read')
    const { report } = await (await exportReport('decisions', id, 'json')).json()
    expect(report.captured.events).toHaveLength(2)
    expect((await exportReport('decisions', 'dec_nonsense', 'md')).status).toBe(404)
    expect((await exportReport('decisions', id, 'pdf')).status).toBe(422)
  })
})

describe('the export of a session', () => {
  async function download(session: string, headers: Headers): Promise<Response> {
    const url = `http://127.0.0.1:3000/api/export/sessions/${session}`
    return await api.fetch(new Request(url, { headers }))
  }

  test('contains the log as sent, line by line, with the same hashes', async () => {
    const { session, events } = await record([opening(), plan('done'), stop])
    const response = await download(session, await signedIn(await makePerson(project, 'viewer')))
    expect(response.headers.get('content-type')).toContain('application/x-ndjson')
    const lines = (await response.text()).trimEnd().split('\n')
    const hashes = lines.map((line) => {
      const parsed = parseEventLine(line)
      if (!parsed.ok) throw new Error(parsed.problem.message)
      return eventHash(parsed.event)
    })
    expect(hashes).toEqual(events.map(eventHash))
  })

  test('requires a login, and returns nothing to another project', async () => {
    const { session, stops } = await record([opening(), plan('a'), stop])
    const other = await otherProject()
    expect((await download(session, new Headers())).status).toBe(401)
    const headers = await signedIn(await makePerson(other, 'admin'))
    expect((await download(session, headers)).status).toBe(404)
    const stranger = await createProjectCaller(other, 'admin')
    const stopId = stops[0] ?? ''
    await expect(stranger.stops.explanation({ stopId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await stranger.stops.groups({ filter: {} })).toEqual([])
    expect((await stranger.stops.list({ filter: {} })).rows).toEqual([])
  })
})
