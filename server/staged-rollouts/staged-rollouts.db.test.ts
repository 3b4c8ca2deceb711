import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails, type Guardrails } from '@signalbox/runtime'
import { BundleV1, isInShare, verifyText } from '@signalbox/wire'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bundlePublicKey } from '@/server/bundles/signing-seed.ts'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { freshId } from '@/server/platform/ids.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import {
  createProjectCaller,
  eventsRequest,
  installed,
  makeKey,
  makePerson,
  signedIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { judgeRollouts } from './judge.ts'

withTestDatabase()

type Caller = Awaited<ReturnType<typeof createProjectCaller>>
const GUARD = { metric: 'denials', ratio: 1.25, minSessions: 5 } as const
/** Cohorts are random, and the test learns only when the cohort changes: with half as many sessions one run in ten stays undecided. */
const ENOUGH = 80
const DEV = { environment: 'dev', note: null, typedName: null, acknowledged: [] }

let project: TestProject
let server: DataPlaneServer
let apiKey: string
let publisher: Caller
const open: Guardrails[] = []
const folders: string[] = []

beforeAll(async () => {
  project = await installed()
  apiKey = await makeKey(project)
  server = await serveDataPlane()
  publisher = await createProjectCaller(project, 'publisher')
})

afterAll(async () => {
  for (const guardrails of open) await guardrails.close(100)
  await server.close()
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
})

const LOOSE = { description: 'allows all' }
const STRICT = { policies: [{ id: 'no-calls', type: 'expression', deny_when: 'true' }] }

let made = 0

async function configWith(first: object, next: object) {
  const prompt = { ns: 'cohorts', key: `config-${++made}` }
  const buildRolloutText = (change: object) =>
    JSON.stringify({ schema_version: 1, ...prompt, ...change })
  await publisher.configs.create({ ...prompt, text: buildRolloutText(first) })
  const draft = await loadOpenDraft(prompt)
  const live = await publisher.releases.publish({ ...DEV, ...prompt, ...draft })
  if (!live.ok) throw new Error(live.message)
  const { draft: now } = await publisher.drafts.open(prompt)
  const seen = { id: now?.id ?? '', revision: now?.revision ?? 0 }
  const saved = await publisher.drafts.save({
    ...prompt,
    text: buildRolloutText(next),
    seen,
    baseVersion: 1,
  })
  if (!saved.ok) throw new Error('The draft moved.')
  return { prompt, draft: { draftId: saved.id, revision: saved.revision } }
}

async function loadOpenDraft(prompt: { readonly ns: string; readonly key: string }) {
  const { draft } = await publisher.drafts.open(prompt)
  return { draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
}

async function staged(first: object, next: object, share: number) {
  const { prompt, draft } = await configWith(first, next)
  const result = await publisher.releases.publish({
    ...DEV,
    ...prompt,
    ...draft,
    stage: { share, guard: GUARD },
  })
  if (!result.ok) throw new Error(result.message)
  expect(result.release.rolloutId).toBe(result.release.id)
  return { prompt, id: result.release.id, revision: result.release.revision }
}

async function startCohortRuntime({ ns, key }: { readonly ns: string; readonly key: string }) {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-cohorts-'))
  folders.push(dataDir)
  const prompt = `${ns}/${key}`
  const guardrails = createGuardrails({ url: server.url, apiKey, prompt, dataDir })
  open.push(guardrails)
  await guardrails.ready()
  return guardrails
}

async function runSessions(guardrails: Guardrails, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const session = guardrails.openSession()
    const { allowed } = await session.beforeToolCall({ tool: 'look', args: {}, callId: 'a' })
    if (allowed)
      await session.afterToolCall({ tool: 'look', args: {}, callId: 'a', outcome: 'success' })
    await session.end({ reason: 'completed' })
    ids.push(session.id)
  }
  return ids
}

async function stored(ids: readonly string[]) {
  const found = () =>
    database().prisma.session.findMany({ where: { id: { in: [...ids] }, endedAt: { not: null } } })
  await vi.waitFor(async () => expect(await found()).toHaveLength(ids.length), { timeout: 20_000 })
  return found()
}

const findRolloutRow = async (prompt: { readonly ns: string; readonly key: string }) =>
  (await publisher.stagedRollouts.of(prompt)).rollouts[0]

/** The counts of a version include a bypassed stop and a failed call of its session, during the rollout and after it. */
async function checkFailureCounts(
  prompt: { readonly ns: string; readonly key: string },
  id: string,
  session: Awaited<ReturnType<typeof stored>>[number],
): Promise<void> {
  const { prisma } = database()
  const { projectId, environment, id: sessionId } = session
  const place = { ...prompt, projectId, environment, sessionId, at: new Date(), code: 'x' }
  const stop = { attemptedSeq: 90, attempt: 1, via: 'turn_end', verdict: 'bypassed' }
  await prisma.stop.create({ data: { ...place, ...stop, id: 'stop_x', seq: 91, reason: 'x' } })
  const denial = { tool: 'look', decision: 'error', rule: 'x', reason: 'x' }
  await prisma.denial.create({ data: { ...place, ...denial, id: 'dec_x', seq: 92 } })
  const counted = { stopAttempts: 1, denied: session.denied + 1 }
  await prisma.session.update({ where: { id: sessionId }, data: counted })
  const [own, other] =
    session.configVersion === 2
      ? (['candidate', 'base'] as const)
      : (['base', 'candidate'] as const)
  for (const state of ['running', 'completed'] as const) {
    await prisma.rollout.update({ where: { id }, data: { state } })
    const counts = await findRolloutRow(prompt)
    expect(counts?.[own]).toMatchObject({ bypassed: 1, errors: 1 })
    expect(counts?.[other]).toMatchObject({ bypassed: 0, errors: 0 })
  }
}

function configRequest(query: string): Request {
  return new Request(`http://127.0.0.1/api/runtime/v1/config${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
}

describe('a bundle with a candidate', () => {
  test('contains the candidate for runtimes that read it, and has the same revision without it for others', async () => {
    const { prompt, id, revision } = await staged(LOOSE, STRICT, 100)
    const bodies = await Promise.all(
      ['?parts=candidate,shadow', '', '?parts=shadow'].map(async (query) => {
        const answer = await api.fetch(configRequest(query))
        const text = await answer.text()
        const signature = answer.headers.get('signalbox-signature') ?? ''
        expect(verifyText(text, signature, await bundlePublicKey(project.projectId))).toBe(true)
        expect(answer.headers.get('signalbox-revision')).toBe(String(revision))
        return { bundle: BundleV1.parse(JSON.parse(text)), etag: answer.headers.get('etag') }
      }),
    )
    const entries = bodies.map(({ bundle }) => bundle.configs.find(({ key }) => key === prompt.key))
    expect(entries[0]).toMatchObject({
      version: 1,
      candidate: { version: 2, share: 100, salt: id },
    })
    expect(entries[1]).not.toHaveProperty('candidate')
    expect(entries[2]).toEqual(entries[1])
    expect(bodies[1]?.etag).not.toBe(bodies[0]?.etag)
    const { candidate: _, ...plain } = entries[0] ?? {}
    expect(entries[1]).toEqual(plain)
  })
})

describe('a staged rollout', () => {
  test('gives the candidate to the sessions of its share, counted separately and verified', async () => {
    const { prompt, id } = await staged(LOOSE, STRICT, 500)
    const ids = await runSessions(await startCohortRuntime(prompt), 12)
    const sessions = await stored(ids)
    for (const session of sessions) {
      const chosen = isInShare({ salt: id, share: 500 }, session.id)
      expect(session).toMatchObject({ configVersion: chosen ? 2 : 1, verification: 'verified' })
      expect(session.denied).toBe(chosen ? 1 : 0)
    }
    const chosen = ids.filter((each) => isInShare({ salt: id, share: 500 }, each)).length
    expect(await findRolloutRow(prompt)).toMatchObject({
      state: 'running',
      version: 2,
      baseVersion: 1,
      candidate: { sessions: chosen, denied: chosen },
      base: { sessions: 12 - chosen, denied: 0 },
    })
    const [first] = sessions
    if (first === undefined) throw new Error('no session')
    await checkFailureCounts(prompt, id, first)
  }, 60_000)

  test('a staged rollout can be raised, and is completed by an ordinary release', async () => {
    const { prompt, id } = await staged(LOOSE, STRICT, 100)
    const note = 'looks good'
    expect(
      await publisher.stagedRollouts.share({ rolloutId: id, share: 500, note, typedName: null }),
    ).toEqual({ ok: true })
    const again = await publisher.stagedRollouts.share({
      rolloutId: id,
      share: 500,
      note,
      typedName: null,
    })
    expect(again).toMatchObject({ ok: false, reason: 'unchanged' })
    const done = await publisher.releases.promote({
      ...DEV,
      ...prompt,
      version: 2,
      expectedLive: 1,
    })
    expect(done).toMatchObject({ ok: true, release: { version: 2, rolloutId: null } })
    const rollout = await findRolloutRow(prompt)
    expect(rollout).toMatchObject({ state: 'completed', share: 500, liveVersion: 2 })
    expect(rollout?.changes.map(({ kind, share }) => [kind, share])).toEqual([
      ['started', 100],
      ['share', 500],
      ['completed', 500],
    ])
    const over = await publisher.stagedRollouts.stop({ rolloutId: id, note: null })
    expect(over).toMatchObject({ ok: false, reason: 'moved' })
  })

  test('a staged rollout can be stopped, and the next bundle contains only the live version', async () => {
    const { prompt, id } = await staged(LOOSE, STRICT, 100)
    const listed = async () =>
      (await publisher.configs.list({ filter: { q: `${prompt.ns}/${prompt.key}` } })).rows[0]
        ?.staged
    const coming = [{ environment: 'dev', version: 2, share: 100 }]
    expect(await listed()).toEqual(coming)
    expect(await publisher.configs.get(prompt)).toMatchObject({ staged: coming, waiting: [] })
    expect((await publisher.stagedRollouts.ended()).map(({ id: ended }) => ended)).not.toContain(id)
    const digest = (
      await database().prisma.configVersion.findFirstOrThrow({
        where: { number: 2, config: { key: prompt.key } },
      })
    ).digest
    const { projectId } = project
    const session = { ...prompt, projectId, environment: 'dev', harness: {}, configDigest: digest }
    const at = new Date()
    await database().prisma.session.create({
      data: {
        ...{ ...session, id: freshId('sess'), partitionDay: at },
        ...{ startedAt: at, lastEventAt: at, receivedAt: at, endedAt: at },
      },
    })
    expect(await publisher.stagedRollouts.stop({ rolloutId: id, note: 'not yet' })).toEqual({
      ok: true,
    })
    expect(await listed()).toEqual([])
    const [ended] = await publisher.stagedRollouts.ended()
    expect(ended).toMatchObject({
      ...{ id, ...prompt, environment: 'dev', version: 2, baseVersion: 1, state: 'stopped' },
      // Its guard compared none.
      ...{ candidate: { sessions: 1 }, guard: { candidate: 0 } },
      changes: [{ kind: 'started' }, { kind: 'stopped', note: 'not yet' }],
    })
    const answer = await api.fetch(configRequest('?parts=candidate,shadow'))
    const bundle = BundleV1.parse(await answer.json())
    expect(bundle.configs.find(({ key }) => key === prompt.key)).not.toHaveProperty('candidate')
    expect(await findRolloutRow(prompt)).toMatchObject({ state: 'stopped', liveVersion: 1 })
  })

  test('requires the note and the typed name of production to begin and to grow, but not to shrink', async () => {
    const { prompt } = await configWith(LOOSE, STRICT)
    const to = { ...prompt, environment: 'production', acknowledged: [] }
    const confirmed = { note: 'go', typedName: 'production' }
    await publisher.releases.promote({ ...to, ...confirmed, version: 1, expectedLive: null })
    const { draft } = await publisher.drafts.open(prompt)
    const seen = { draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
    const stage = { share: 100, guard: GUARD }
    const unnamed = await publisher.releases.publish({ ...to, ...seen, note: 'go', stage })
    expect(unnamed).toMatchObject({ ok: false, reason: 'name_required' })
    const begun = await publisher.releases.publish({ ...to, ...seen, ...confirmed, stage })
    if (!begun.ok) throw new Error(begun.message)
    const rolloutId = begun.release.id
    const raised = { rolloutId, share: 200, note: null, typedName: 'production' }
    expect(await publisher.stagedRollouts.share(raised)).toMatchObject({ reason: 'note_required' })
    const lowered = { rolloutId, share: 50, note: null, typedName: null }
    expect(await publisher.stagedRollouts.share(lowered)).toEqual({ ok: true })
  })

  test('a staged rollout cannot begin in an environment without a live version', async () => {
    const prompt = { ns: 'cohorts', key: `config-${++made}` }
    await publisher.configs.create({
      ...prompt,
      text: JSON.stringify({ schema_version: 1, ...prompt }),
    })
    const stage = { share: 100, guard: GUARD }
    const result = await publisher.releases.publish({
      ...DEV,
      ...prompt,
      ...(await loadOpenDraft(prompt)),
      stage,
    })
    expect(result).toMatchObject({ ok: false, reason: 'nothing_before' })
    const versions = database().prisma.configVersion.count({ where: { config: prompt } })
    expect(await versions).toBe(0)
  })
})

describe('automatic rollback', () => {
  test('rolls back a bad candidate with the numbers, and keeps a good one running', async () => {
    const bad = await staged(LOOSE, STRICT, 500)
    const good = await staged(LOOSE, { description: 'allows all, too' }, 500)
    for (const { prompt } of [bad, good])
      await stored(await runSessions(await startCohortRuntime(prompt), ENOUGH))
    await judgeRollouts(Date.now())
    await judgeRollouts(Date.now())
    const rolledBack = await findRolloutRow(bad.prompt)
    expect(rolledBack).toMatchObject({
      state: 'rolled_back',
      liveVersion: 1,
      guard: { verdict: 'worse' },
    })
    expect(rolledBack?.reason).toMatch(
      /^1\.00 denied calls per session in \d+ sessions; earlier version: 0\.00 in \d+ sessions; limit: 1\.25 times the earlier version\.$/,
    )
    expect(rolledBack?.changes.at(-1)).toMatchObject({ kind: 'rolled_back', author: 'Signalbox' })
    expect(await findRolloutRow(good.prompt)).toMatchObject({
      state: 'running',
      guard: { verdict: 'no_worse' },
    })
    const judged = await database().prisma.rolloutSession.count({ where: { rolloutId: bad.id } })
    expect(judged).toBe(ENOUGH)
    const audit = await database().prisma.auditEntry.findFirst({
      where: { target: bad.id, action: 'rollout.rolled_back' },
    })
    expect(audit).toMatchObject({ actor: 'Signalbox' })
    const bundle = BundleV1.parse(
      await (await api.fetch(configRequest('?parts=candidate,shadow'))).json(),
    )
    expect(bundle.configs.find(({ key }) => key === bad.prompt.key)).not.toHaveProperty('candidate')
  }, 120_000)

  test('decides nothing with fewer sessions than the minimum', async () => {
    const { prompt } = await staged(LOOSE, STRICT, 500)
    await stored(await runSessions(await startCohortRuntime(prompt), 4))
    await judgeRollouts(Date.now())
    expect(await findRolloutRow(prompt)).toMatchObject({
      state: 'running',
      guard: { verdict: 'too_few' },
    })
  }, 60_000)

  test('rolls a watched release to all sessions back to the previous version', async () => {
    const { prompt, draft } = await configWith(LOOSE, STRICT)
    const guardrails = await startCohortRuntime(prompt)
    await stored(await runSessions(guardrails, 40))
    const watch = { hours: 24, guard: GUARD }
    const released = await publisher.releases.publish({ ...DEV, ...prompt, ...draft, watch })
    if (!released.ok) throw new Error(released.message)
    const revision = () => guardrails.status()?.applied?.revision ?? 0
    await vi.waitFor(() => expect(revision()).toBe(released.release.revision), { timeout: 20_000 })
    await stored(await runSessions(guardrails, 25))
    const demand = (requiredApprovals: number, rollbackSkipsApproval: boolean) =>
      database().prisma.environment.updateMany({
        where: { name: 'dev' },
        data: { requiredApprovals, rollbackSkipsApproval },
      })
    const listed = async () => {
      const { items } = await publisher.overview.attention({})
      return items.filter((item) => item.kind === 'rollout_rolled_back' && item.key === prompt.key)
    }
    await demand(1, false)
    const foundWorse = Date.now() + 60_000
    await judgeRollouts(foundWorse)
    await judgeRollouts(foundWorse + 60_000)
    const refused = await findRolloutRow(prompt)
    expect(refused).toMatchObject({ state: 'running', liveVersion: 2, guard: { verdict: 'worse' } })
    expect(refused?.reason).toMatch(/the earlier version\. It was not rolled back: .+/)
    expect(await listed()).toMatchObject([{ isDone: false, at: foundWorse }])
    await demand(0, true)
    await judgeRollouts(Date.now())
    expect(await listed()).toMatchObject([{ isDone: true }])
    expect(await findRolloutRow(prompt)).toMatchObject({
      kind: 'watch',
      state: 'rolled_back',
      liveVersion: 1,
    })
    const last = await database().prisma.release.findFirst({
      where: { config: prompt },
      orderBy: { revision: 'desc' },
    })
    expect(last).toMatchObject({ kind: 'rollback', authorId: 'signalbox' })
    expect(last?.note).toContain('Rolled back by Signalbox')
  }, 120_000)
})

describe('a watched release', () => {
  test('a watched release can begin with the release', async () => {
    const { prompt, draft } = await configWith(LOOSE, STRICT)
    const watch = { hours: 6, guard: GUARD }
    const released = await publisher.releases.publish({ ...DEV, ...prompt, ...draft, watch })
    if (!released.ok) throw new Error(released.message)
    expect(await findRolloutRow(prompt)).toMatchObject({
      kind: 'watch',
      state: 'running',
      version: 2,
      baseVersion: 1,
      share: 1000,
    })
  })

  test('a watched release can begin after the release, but only for the live release that replaced another', async () => {
    const { prompt, draft } = await configWith(LOOSE, STRICT)
    const watch = { hours: 6, guard: GUARD }
    const [first] = (await publisher.configs.get(prompt)).releases
    const begin = (releaseId = '') =>
      publisher.stagedRollouts.watch({ releaseId, watch, note: null })
    expect(await begin(first?.id)).toMatchObject({ ok: false, reason: 'nothing_before' })
    const released = await publisher.releases.publish({ ...DEV, ...prompt, ...draft })
    if (!released.ok) throw new Error(released.message)
    expect(await begin(first?.id)).toMatchObject({ ok: false, reason: 'moved' })
    expect(await begin(released.release.id)).toEqual({ ok: true })
    expect(await findRolloutRow(prompt)).toMatchObject({
      kind: 'watch',
      state: 'running',
      version: 2,
      baseVersion: 1,
      share: 1000,
    })
    expect(await begin(released.release.id)).toMatchObject({ ok: false, reason: 'unchanged' })
  })

  test('a watched release is refused without a previous version, and nothing is released', async () => {
    const prompt = { ns: 'cohorts', key: `config-${++made}` }
    await publisher.configs.create({
      ...prompt,
      text: JSON.stringify({ schema_version: 1, ...prompt }),
    })
    const watch = { hours: 6, guard: GUARD }
    const asked = { ...DEV, ...prompt, ...(await loadOpenDraft(prompt)), watch }
    const refused = await publisher.releases.publish(asked)
    expect(refused).toMatchObject({ ok: false, reason: 'nothing_before' })
    expect((await publisher.configs.get(prompt)).pointers).toEqual([])
  })
})

describe('a shadow version', () => {
  test('a shadow version is compared with the live version, and the console counts the sessions that differ, even after a repeated batch', async () => {
    const { prompt, draft } = await configWith(LOOSE, STRICT)
    // Version 2 exists once it was released somewhere.
    const there = await publisher.releases.publish({
      ...DEV,
      ...prompt,
      ...draft,
      environment: 'staging',
    })
    if (!there.ok) throw new Error(there.message)
    const shadow = { ...prompt, environment: 'dev', version: 2 }
    expect(await publisher.stagedRollouts.shadow(shadow)).toEqual({ ok: true })
    const ids = await runSessions(await startCohortRuntime(prompt), 3)
    const sessions = await stored(ids)
    expect(
      sessions.every(({ denied, verification }) => denied === 0 && verification === 'verified'),
    ).toBe(true)
    const { shadows } = await publisher.stagedRollouts.of(prompt)
    expect(shadows).toMatchObject([
      {
        environment: 'dev',
        version: 2,
        liveVersion: 1,
        sessions: 3,
        differing: 3,
        stopped: 0,
        groups: [
          {
            rule: 'no-calls',
            subject: 'call',
            live: 'allowed',
            shadow: 'refused',
            sessions: 3,
            exact: 3,
          },
        ],
      },
    ])
    expect(shadows[0]?.differences[0]).toMatchObject({
      tool: 'look',
      isExact: true,
      ownFacts: false,
    })
    const headers = await signedIn(await makePerson(project, 'viewer'))
    const log = new Request(`http://127.0.0.1/api/export/sessions/${ids[0]}`, { headers })
    const batch = await (await api.fetch(log)).text()
    const repeated = await (await api.fetch(eventsRequest(apiKey, batch))).json()
    expect(repeated).toMatchObject({ stored: 0, duplicates: batch.trimEnd().split('\n').length })
    expect((await publisher.stagedRollouts.of(prompt)).shadows).toEqual(shadows)
    expect(await publisher.stagedRollouts.shadow({ ...shadow, version: null })).toEqual({
      ok: true,
    })
    expect((await publisher.stagedRollouts.of(prompt)).shadows).toEqual([])
  }, 60_000)

  test('a shadow version is reported for a runtime that cannot use it', async () => {
    const { prompt, draft } = await configWith(LOOSE, STRICT)
    const elsewhere = { ...DEV, ...prompt, ...draft, environment: 'staging' }
    const there = await publisher.releases.publish(elsewhere)
    if (!there.ok) throw new Error(there.message)
    await publisher.stagedRollouts.shadow({ ...prompt, environment: 'dev', version: 2 })
    const { digest } = await database().prisma.configVersion.findFirstOrThrow({
      where: { config: prompt, number: 2 },
    })
    const part = { part: 'shadow', prompt: `${prompt.ns}/${prompt.key}`, version: 2, digest }
    await database().prisma.runtime.create({
      data: {
        id: freshId('rt'),
        projectId: project.projectId,
        environment: 'dev',
        apiKeyId: 'k',
        name: 'odd',
        sdkVersion: '1',
        harness: {},
        capabilities: {},
        posture: 'deny',
        parts: [{ ...part, state: 'rejected', reason: 'no such type: \0 \ud800' }],
      },
    })
    const { rejections } = await publisher.stagedRollouts.of(prompt)
    expect(rejections).toMatchObject([
      { runtime: 'odd', version: 2, reason: 'no such type: \u{FFFD} \u{FFFD}' },
    ])
  })

  test('a shadow version cannot be the live version', async () => {
    const { prompt } = await configWith(LOOSE, STRICT)
    const result = await publisher.stagedRollouts.shadow({
      ...prompt,
      environment: 'dev',
      version: 1,
    })
    expect(result).toMatchObject({ ok: false, reason: 'unchanged' })
  })
})
