import { FOLDED_EVENT_TYPES } from '@signalbox/core/analysis'
import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '@/server/http/api.ts'
import { findOwningProjects } from '@/server/platform/auth/owning-project.sql.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import {
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  type TestProject,
} from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { recordedSession } from '@/server/test/recorded-session.ts'
import { chooseUnits, findBacktestToRun, markRunning } from './backtests.sql.ts'
import { findBacktestForDigest } from './backtests.ts'
import { parsePiece, readReplayPage } from './replay-log.sql.ts'
import { runBacktest } from './run-backtest.ts'

withTestDatabase()

const prompt = { ns: 'lab', key: 'agent' }
type Caller = Awaited<ReturnType<typeof createProjectCaller>>

let project: TestProject
let caller: Caller
let key: string
let live: { readonly digest: string; readonly text: string }

const order = (dependencies: Record<string, readonly string[]>) => ({
  id: 'order',
  type: 'sequential_dependency',
  dependencies,
})
const buildBacktestText = (more: object): string =>
  JSON.stringify({ schema_version: 1, ...prompt, ...more })

/** Config of the sessions: a deploy needs a test, and a stop needs a finished plan. */
const LIVE = buildBacktestText({
  policies: [order({ deploy: ['test'] })],
  task_completion_checker: { id: 'planned', type: 'plan' },
})
/** A push requires a build, a deploy requires nothing, no check requires the plan, and written files must have been read. */
const DRAFT = buildBacktestText({
  policies: [
    order({ push: ['build'] }),
    { id: 'read', type: 'read_before_write', read_tools: ['read'], write_tools: ['write'] },
  ],
})

const started: Draft = {
  type: 'session.started',
  data: { ...prompt, environment: 'dev', harness: { name: 'test' } },
}
const ask = (tool: string, call_id: string = tool, args: object = {}): Draft => ({
  type: 'tool.requested',
  // Arguments of tests are plain JSON.
  data: { call_id, tool, args: args as Record<string, string> },
})
const plan = (status: 'pending' | 'done'): Draft => ({
  type: 'plan.updated',
  data: { steps: [{ title: 'Ship', status }] },
})
const stop: Draft = { type: 'stop.attempted', data: { via: 'turn_end' } }

let sent = 0

async function record(drafts: readonly Draft[], options: { readonly isUnknown?: boolean } = {}) {
  const session = newSessionId()
  sent += 1
  const at = 1_795_000_000_000 + sent * 60_000
  const release = options.isUnknown ? { ...live, digest: `sha256:${'0'.repeat(64)}` } : live
  const events = recordedSession({ session, at, release }, [started, ...drafts])
  const response = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(await response.json()).toMatchObject({ errors: [] })
  const findSeq = (type: string, nth = 0) => events.filter((event) => event.type === type)[nth]?.seq
  return { session, at, findSeq }
}

async function seen() {
  const { draft } = await caller.drafts.open(prompt)
  return { id: draft?.id ?? '', revision: draft?.revision ?? 0 }
}

async function save(text: string) {
  await caller.drafts.save({ ...prompt, text, seen: await seen(), baseVersion: 1 })
}

async function start(sample: Parameters<Caller['backtests']['start']>[0]['sample']) {
  const subject = { kind: 'draft' as const, ...(await seen()) }
  const result = await caller.backtests.start({ ...prompt, sample, subject })
  if (!result.ok) throw new Error(result.reason)
  return result.id
}

async function run(sample: Parameters<typeof start>[0] = { kind: 'last', sessions: 50 }) {
  const id = await start(sample)
  await workOffJobs()
  return await caller.backtests.get({ id })
}

type Recorded = Awaited<ReturnType<typeof record>>
const toCallDecisionId = ({ session, findSeq }: Recorded) =>
  `dec_${session.slice(5)}_${findSeq('tool.decided')}`

let sessions: Record<'pushes' | 'deploys' | 'stops' | 'writes' | 'hidden' | 'unknown', Recorded>

beforeAll(async () => {
  project = await installed()
  caller = await createProjectCaller(project, 'admin')
  key = await makeKey(project)
  await caller.configs.create({ ...prompt, text: LIVE })
  const target = { ...prompt, environment: 'dev', note: 'first' }
  const released = await caller.releases.publish({
    ...target,
    draftId: (await seen()).id,
    revision: (await seen()).revision,
  })
  expect(released).toMatchObject({ ok: true })
  live = await database().prisma.configVersion.findFirstOrThrow({ where: { config: prompt } })
  sessions = {
    // Two pushes without a build: the first exact, the second after the divergence; the read between them is the same.
    pushes: await record([ask('push', 'p1'), ask('read', 'r'), ask('push', 'p2')]),
    deploys: await record([ask('deploy')]),
    stops: await record([plan('pending'), stop, plan('done'), stop]),
    // The file was not looked up, because the live config did not need it.
    writes: await record([ask('write', 'w', { path: 'a' }), ask('read', 'r', { path: 'a' })]),
    hidden: await record([ask('push', 'p', { to: { $redacted: 'rule' } })]),
    unknown: await record([ask('push'), stop], { isUnknown: true }),
  }
  await save(DRAFT)
})

describe('a backtest', () => {
  it('counts every call and stop once: unchanged, changed, after the divergence, or not replayable', async () => {
    const view = await run()
    expect(view).toMatchObject({
      status: 'done',
      freshness: 'current',
      sessions: 6,
      sessionsDone: 6,
    })
    expect({
      deny: view.wouldDeny,
      allow: view.wouldAllow,
      block: view.wouldBlock,
      release: view.wouldRelease,
      unchanged: view.unchanged,
      cannot: view.cannotReplay,
      late: [view.lateChanged, view.lateUnchanged],
    }).toEqual({
      deny: 1,
      allow: 1,
      block: 0,
      release: 1,
      // The read of a written file.
      unchanged: 1,
      // The write, the push with a hidden argument, and the push and the stop under an unknown config.
      cannot: 4,
      // The second push; the read before it and the second stop.
      late: [1, 2],
    })
    expect(view.groups).toEqual([
      {
        rule: 'order',
        pointer: '/policies/0',
        class: 'would_deny',
        changes: 2,
        late: 1,
        sessions: 1,
      },
      {
        rule: 'order',
        pointer: '/policies/0',
        class: 'would_allow',
        changes: 1,
        late: 0,
        sessions: 1,
      },
      expect.objectContaining({ rule: 'planned', class: 'would_release', changes: 1, late: 0 }),
      // The stop that passes both ways, for another reason.
      expect.objectContaining({ class: 'otherwise' }),
    ])
    expect(view.unreplayedSessions).toEqual([{ reason: 'config_unknown', sessions: 1 }])
    expect(view.olderSemantics).toEqual([{ semantics: 1, sessions: 5 }])
    expect(view.unreplayedRules).toContainEqual({
      rule: 'read',
      fidelity: 'cannot_replay',
      reason: 'files_not_recorded',
      sessions: 1,
    })
    const { changes } = await caller.backtests.changes({
      id: view.id,
      filter: { class: 'would_deny' },
    })
    expect(changes.map(({ seq, isLate, tool }) => [seq, isLate, tool])).toEqual([
      [sessions.pushes.findSeq('tool.requested'), false, 'push'],
      [sessions.pushes.findSeq('tool.requested', 2), true, 'push'],
    ])
    expect(changes[0]).toMatchObject({
      sessionId: sessions.pushes.session,
      before: { verdict: 'allowed', sentence: null },
      after: { verdict: 'denied', sentence: expect.stringContaining('build') },
    })
  })

  it('a backtest is found by its id, in a search and by a link that names no project', async () => {
    const id = await start({ kind: 'last', sessions: 1 })
    expect((await caller.search.find({ q: id })).place).toEqual({ kind: 'backtest', id })
    expect(await findOwningProjects(id)).toEqual([project.projectId])
  })

  it('includes the last sessions, or the sessions of a time range', async () => {
    expect(await run({ kind: 'last', sessions: 2 })).toMatchObject({ sessions: 2, cannotReplay: 3 })
    const { at } = sessions.pushes
    const range = await run({ kind: 'range', from: at, to: at + 1 })
    expect(range).toMatchObject({ sessions: 1, sessionsFound: 1, wouldDeny: 1 })
  })

  it('a backtest is outdated after an edit of the draft, and belongs to the text that it tested', async () => {
    const view = await run({ kind: 'cases' })
    await save(`${DRAFT}\n`)
    expect(await caller.backtests.get({ id: view.id })).toMatchObject({ freshness: 'current' })
    await save(buildBacktestText({ description: 'another' }))
    expect(await caller.backtests.get({ id: view.id })).toMatchObject({ freshness: 'older' })
    const { id: configId } = await database().prisma.config.findFirstOrThrow({ where: prompt })
    const asked = { configId, digest: view.digest }
    const ran = await inTransaction((tx) => findBacktestForDigest(project, asked, tx))
    expect(ran).toMatchObject({ id: view.id, isRunning: false, digest: view.digest })
    const other = await findBacktestForDigest(project, { configId, digest: 'sha256:other' })
    expect(other?.digest).toBe(view.digest)
    await save(DRAFT)
  })

  it('includes only the sessions of a saved view that are of this prompt and were recorded here', async () => {
    const view = (filter: object) => ({ kind: 'view' as const, name: 'Denied', filter })
    const denied = await run(view({ verdict: 'denied' }))
    expect(denied).toMatchObject({ sessions: 1, sessionsFound: 1, wouldAllow: 1 })
    expect(denied.sample).toEqual(view({ verdict: 'denied' }))
    const before = sessions.stops.at
    expect(await run(view({ until: before }))).toMatchObject({ sessions: 2, sessionsFound: 2 })
    expect(await run(view({ prompt: { ns: 'lab', key: 'other' } }))).toMatchObject({ sessions: 0 })
    const mine = await run(view({ mine: true }))
    expect(mine.sample).toEqual(view({ madeBy: expect.any(String) }))

    const imported = `sess_wink${'0'.repeat(24)}`
    const { rowCount } = await database().pool.query(
      `INSERT INTO sessions SELECT (jsonb_populate_record(s, jsonb_build_object('id', $2::text))).*
       FROM sessions s WHERE s.id = $1`,
      [sessions.deploys.session, imported],
    )
    expect(rowCount).toBe(1)
    expect(await run()).toMatchObject({ sessions: 6, sessionsFound: 6 })
    await database().pool.query('DELETE FROM sessions WHERE id = $1', [imported])
  })

  it('returns for each version the newest finished run of its content, and none of a draft', async () => {
    await run()
    expect(await caller.backtests.ofVersions(prompt)).toEqual([])
    const test = async (sessions: number) => {
      const sample = { kind: 'last' as const, sessions }
      const subject = { kind: 'version' as const, number: 1 }
      const result = await caller.backtests.start({ ...prompt, sample, subject })
      return result.ok ? result.id : ''
    }
    await test(1)
    await workOffJobs()
    const newest = await test(50)
    await workOffJobs()
    const waiting = await test(2)
    expect(await caller.backtests.ofVersions(prompt)).toMatchObject([
      {
        number: 1,
        backtestId: newest,
        sessions: 6,
        wouldDeny: 0,
        wouldRelease: 0,
        // Under the version that they ran under, nothing changes except results that cannot be known.
        lateChanged: 0,
        lateUnchanged: 0,
        cannotReplay: 2,
      },
    ])
    await caller.backtests.cancel({ id: waiting })
  })

  it('refuses a draft that changed, and a draft that cannot be published', async () => {
    const { id, revision } = await seen()
    const wish = { ...prompt, sample: { kind: 'cases' as const } }
    const before = { kind: 'draft' as const, id, revision: revision - 1 }
    expect(await caller.backtests.start({ ...wish, subject: before })).toEqual({
      ok: false,
      reason: 'stale',
    })
    await save('{"schema_version": 2}')
    await expect(start({ kind: 'cases' })).rejects.toThrow('problem to fix')
    await save(DRAFT)
  })

  it('resumes where a killed worker stopped, without repeating a session', async () => {
    const id = await start({ kind: 'last', sessions: 50 })
    const row = await findBacktestToRun(id)
    if (row === null) throw new Error('gone')
    await markRunning(row)
    await chooseUnits(row)
    await database().pool.query(
      "UPDATE backtest_units SET state = 'done', would_block = 7 WHERE backtest_id = $1 AND position = 1",
      [id],
    )
    await workOffJobs()
    await runBacktest(id, new AbortController().signal)
    expect(await caller.backtests.get({ id })).toMatchObject({
      status: 'done',
      sessionsDone: 6,
      wouldBlock: 7,
      wouldDeny: 1,
    })
  })

  it('keeps its results when it is canceled, and stays canceled', async () => {
    const id = await start({ kind: 'last', sessions: 50 })
    expect(await caller.backtests.cancel({ id })).toEqual({ ok: true })
    expect(await caller.backtests.cancel({ id })).toEqual({ ok: false })
    await workOffJobs()
    await runBacktest(id, new AbortController().signal)
    expect(await caller.backtests.get({ id })).toMatchObject({
      status: 'cancelled',
      sessionsDone: 0,
      sessions: 0,
    })
  })
})

describe('a pinned case', () => {
  const toRecordedStopId = ({ session, findSeq }: Recorded) =>
    `stop_${session.slice(5)}_${findSeq('stop.decided')}`

  it('expects the recorded or the chosen verdict, and each run reports the match', async () => {
    const blocked = await caller.backtests.pin({
      id: toRecordedStopId(sessions.stops),
      note: 'keep',
    })
    expect(blocked).toMatchObject({ kind: 'stop', recorded: 'blocked', expected: 'blocked' })
    const again = await caller.backtests.pin({ id: toRecordedStopId(sessions.stops) })
    expect(again.id).toBe(blocked.id)
    const denied = await caller.backtests.pin({
      id: toCallDecisionId(sessions.deploys),
      expected: 'allowed',
    })
    const written = await caller.backtests.pin({ id: toCallDecisionId(sessions.writes) })
    const { caseResults, wouldRelease, id } = await run({ kind: 'cases' })
    expect(wouldRelease).toBe(0)
    expect(caseResults.map(({ caseId, verdict }) => [caseId, verdict])).toEqual([
      [blocked.id, 'allowed'],
      [written.id, 'unknown'],
      [denied.id, 'allowed'],
    ])
    const { digest, configId } = await caller.backtests.get({ id })
    expect(await findBacktestForDigest(project, { configId, digest })).toMatchObject({
      failingCases: [{ id: blocked.id, name: blocked.name }],
    })
    await caller.backtests.changeCase({ id: blocked.id, expected: 'allowed', note: null })
    expect((await findBacktestForDigest(project, { configId, digest }))?.failingCases).toEqual([])
    await expect(
      caller.backtests.changeCase({ id: blocked.id, expected: 'denied', note: null }),
    ).rejects.toThrow('A stop should be')
  })

  it('outlives its session, and its removal removes the copied events', async () => {
    const { session } = sessions.stops
    const copied = () =>
      database().prisma.pinnedEvent.count({
        where: { sessionId: session, projectId: project.projectId },
      })
    expect(await copied()).toBeGreaterThan(0)
    await database().pool.query('DELETE FROM session_events WHERE session_id = $1', [session])
    await database().pool.query('DELETE FROM sessions WHERE id = $1', [session])
    const { caseResults } = await run({ kind: 'cases' })
    const own = caseResults.find(({ sessionId }) => sessionId === session)
    expect(own?.verdict).toBe('allowed')
    await caller.backtests.unpin({ id: own?.caseId ?? '' })
    expect(await copied()).toBe(0)
  })
})

describe('a release after a backtest', () => {
  const standing = async () => {
    const { id: draftId, revision } = await seen()
    const subject = { kind: 'draft' as const, draftId, revision }
    const asked = { ...prompt, environment: 'dev', kind: 'publish' as const, subject }
    const result = await caller.releases.review(asked)
    if (!result.ok) throw new Error(result.message)
    return new Map(result.review.gates.map(({ id, ...gate }) => [id, gate]))
  }
  const publish = async (acknowledged: readonly ('backtest' | 'cases')[]) => {
    const { id: draftId, revision } = await seen()
    const words = { note: 'tested', acknowledged: [...acknowledged] }
    return await caller.releases.publish({
      ...prompt,
      ...words,
      environment: 'dev',
      draftId,
      revision,
    })
  }

  it('needs an acknowledgment of new violations, of failing cases, and of a text newer than the backtest', async () => {
    await save(DRAFT)
    await caller.backtests.pin({ id: toCallDecisionId(sessions.pushes), note: 'pushes must pass' })
    await run()
    const tested = await standing()
    expect(tested.get('backtest')).toMatchObject({
      state: 'ask',
      sentence: expect.stringContaining('would deny 1 call'),
    })
    expect(tested.get('cases')).toMatchObject({
      state: 'ask',
      sentence: '1 pinned case not as expected: “push was allowed”',
    })
    expect(await publish([])).toMatchObject({ ok: false, reason: 'backtest' })
    expect(await publish(['backtest'])).toMatchObject({ ok: false, reason: 'cases' })

    await save(
      buildBacktestText({ policies: [order({ push: ['build'] })], description: 'edited since' }),
    )
    const edited = await standing()
    expect(edited.get('backtest')).toMatchObject({
      state: 'ask',
      sentence: 'The last backtest is older than this text',
    })
    expect(edited.has('cases')).toBe(false)
    expect(await publish([])).toMatchObject({ ok: false, reason: 'backtest' })

    await save(DRAFT)
    const back = await standing()
    expect(back.get('backtest')).toEqual(tested.get('backtest'))
    const made = await publish(['backtest', 'cases'])
    if (!made.ok) throw new Error(made.message)
    const row = await database().prisma.release.findUniqueOrThrow({
      where: { id: made.release.id },
    })
    expect(row.acknowledged).toEqual(['backtest', 'cases'])
  })

  it('passes the backtest gate when no recorded call or stop would be denied or blocked', async () => {
    await save(buildBacktestText({ description: 'no rule at all' }))
    await run()
    expect((await standing()).get('backtest')).toMatchObject({ state: 'passed' })
  })
})

it('a session log of several pieces and pages is replayed completely, in order, and as stored', async () => {
  const texts = Array.from({ length: 520 }, (_, i) => `"${i}\\ \n é`)
  const long = await record(texts.map((text, i) => ask('read', `r${i}`, { text })))
  const stored = await database().prisma.sessionEvent.findMany({
    where: { sessionId: long.session, type: { in: [...FOLDED_EVENT_TYPES] } },
    orderBy: { seq: 'asc' },
  })
  const [{ partitionDay } = { partitionDay: new Date(0) }] = stored
  const place = {
    sessionId: long.session,
    upTo: 1_000_000,
    partitionDay: partitionDay.toISOString().slice(0, 10),
  }
  const read = async (after: number) => {
    const page = { types: FOLDED_EVENT_TYPES, after, limit: 510 }
    return await readReplayPage(project.projectId, [place], page)
  }
  const first = await read(0)
  expect(first.map(({ count }) => count)).toEqual([500, 10])
  const second = await read(first.at(-1)?.last ?? 0)
  expect([...first, ...second].flatMap(parsePiece)).toEqual(
    stored.map(({ seq, at, type, data }) => ({
      session: long.session,
      seq,
      at: at.getTime(),
      type,
      data,
    })),
  )
})
