import { beforeAll, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  chained,
  createProjectCaller,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
  type TestProject,
} from '@/server/test/installation.ts'
import { nextRelease } from '@/server/test/recorded-session.ts'

withTestDatabase()

type Caller = Awaited<ReturnType<typeof createProjectCaller>>

const session = newSessionId()
let project: TestProject
let ana: Caller
let ben: Caller
let viewer: Caller
let admin: Caller
let stranger: Caller

beforeAll(async () => {
  project = await installed()
  ana = await createProjectCaller(project, 'editor')
  ben = await createProjectCaller(project, 'editor')
  viewer = await createProjectCaller(project, 'viewer')
  admin = await createProjectCaller(project, 'admin')
  stranger = await createProjectCaller(await otherProject(), 'admin')
  const events = chained(session, [
    started({ ns: 'Upkeep', key: 'bot' }),
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    {
      type: 'stop.decided',
      data: {
        attempt: 1,
        verdict: 'blocked',
        prior_blocks: 0,
        code: 'plan.open_steps',
        params: { open: 1, total: 2 },
        message: null,
        check: null,
      },
    },
  ])
  const sent = await api.fetch(eventsRequest(await makeKey(project), ndjson(events)))
  expect(sent.status).toBe(200)
})

const refusal = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'done',
    (error: { code: unknown }) => error.code,
  )

describe('an annotation', () => {
  test('an annotation is read by every member, changed by its author, and deleted by its author or an admin', async () => {
    const { id } = await ana.annotations.write({
      sessionId: session,
      seq: 3,
      text: ' Flaky test. ',
    })
    const seen = (by: Caller) => by.annotations.list({ sessionId: session })
    expect(await seen(ana)).toMatchObject([{ seq: 3, text: 'Flaky test.', isMine: true }])
    expect(await seen(viewer)).toMatchObject([{ isMine: false, mayRemove: false, editedAt: null }])
    expect(await refusal(ben.annotations.edit({ id, text: 'No.' }))).toBe('FORBIDDEN')
    expect(await refusal(ben.annotations.remove({ id }))).toBe('FORBIDDEN')
    await ana.annotations.edit({ id, text: 'Flaky test, see #12.' })
    const [changed] = await seen(admin)
    expect(changed).toMatchObject({ text: 'Flaky test, see #12.', isMine: false, mayRemove: true })
    expect(changed?.editedAt).not.toBeNull()
    await admin.annotations.removeAny({ id })
    expect(await seen(ana)).toEqual([])
  })

  test('an annotation is refused for an event that does not exist, and for a blank text', async () => {
    const write = (seq: number) =>
      refusal(ana.annotations.write({ sessionId: session, seq, text: 'x' }))
    expect(await write(99)).toBe('NOT_FOUND')
    expect(await refusal(ana.annotations.write({ sessionId: session, seq: null, text: ' ' }))).toBe(
      'BAD_REQUEST',
    )
  })

  test('leaves the session log unchanged, and its text out of the audit log', async () => {
    const { prisma } = database()
    const hashes = () => prisma.sessionEvent.findMany({ select: { hash: true } })
    const before = await hashes()
    const { id } = await ana.annotations.write({ sessionId: session, seq: null, text: 'A secret' })
    await ana.annotations.remove({ id })
    expect(await hashes()).toEqual(before)
    const entries = await prisma.auditEntry.findMany({ where: { target: id } })
    // Both may have happened within one millisecond.
    expect(entries.map(({ action }) => action).toSorted()).toEqual([
      'annotation.removed',
      'annotation.written',
    ])
    expect(JSON.stringify(entries)).not.toContain('A secret')
  })
})

const STOPS = { list: 'stops', name: 'Open plans', query: 'code=plan.open_steps' } as const

describe('a saved view', () => {
  test('a saved view is visible only to its owner unless it is shared', async () => {
    const { id } = await ana.savedViews.save({ ...STOPS, shared: false })
    const seen = async (by: Caller) => (await by.savedViews.list()).filter((view) => view.id === id)
    expect(await seen(ana)).toMatchObject([{ query: 'code=plan.open_steps', isDefault: false }])
    expect(await seen(ben)).toEqual([])
    expect(await refusal(ben.savedViews.setDefault({ list: 'stops', id }))).toBe('NOT_FOUND')
    await ana.savedViews.change({ id, shared: true })
    await ben.savedViews.setDefault({ list: 'stops', id })
    expect(await seen(ben)).toMatchObject([{ isDefault: true, isMine: false }])
    expect(await refusal(ben.savedViews.change({ id, name: 'Mine' }))).toBe('FORBIDDEN')
    expect(await seen(stranger)).toEqual([])
    await ana.savedViews.remove({ id })
    expect(await seen(ben)).toEqual([])
    await ana.savedViews.restore({ id })
    expect(await seen(ben)).toMatchObject([{ isDefault: true }])
    await admin.savedViews.unshare({ id })
    expect([await seen(ben), (await seen(ana)).length]).toEqual([[], 1])
  })

  test('a saved view has a unique name, which a deleted view frees', async () => {
    const view = { ...STOPS, name: 'Twice', shared: false }
    const { id } = await ana.savedViews.save(view)
    expect(await refusal(ana.savedViews.save(view))).toBe('CONFLICT')
    await ana.savedViews.remove({ id })
    await ana.savedViews.save(view)
    expect(await refusal(ana.savedViews.restore({ id }))).toBe('NOT_FOUND')
  })

  test('a saved view is shared only by users with the right', async () => {
    const view = { ...STOPS, name: 'For all' }
    expect(await refusal(viewer.savedViews.save({ ...view, shared: true }))).toBe('FORBIDDEN')
    await viewer.savedViews.save({ ...view, shared: false })
  })
})

describe('the search', () => {
  test('finds a content rule by its id and by its kind', async () => {
    await nextRelease({
      content: [{ id: 'no-keys', kind: 'secrets', on: 'result', action: 'mask' }],
      redaction: [{ id: 'hosts', literals: ['db.internal'] }],
    })
    const rule = { kind: 'rule', rule: 'no-keys', type: 'content: secrets' }
    for (const q of ['no-keys', 'content secrets'])
      expect((await viewer.search.find({ q })).kinds).toMatchObject([
        { kind: 'rule', hits: [rule] },
      ])
    expect((await viewer.search.find({ q: 'hosts' })).kinds).toEqual([])
  })

  const searchKinds = async (by: Caller, q: string) =>
    (await by.search.find({ q })).kinds.map(({ kind }) => kind)

  test('finds annotations, sessions and stops of the own project only, ignoring case', async () => {
    await ana.annotations.write({ sessionId: session, seq: 3, text: 'Prüfung ÜBERSPRUNGEN' })
    expect(await searchKinds(viewer, 'prüfung übersprungen')).toEqual(['annotation'])
    expect(await searchKinds(viewer, 'UPKEEP')).toEqual(['session'])
    expect(await searchKinds(viewer, '2 plan steps')).toEqual(['stop'])
    for (const q of ['prüfung', 'upkeep', 'plan steps', session]) {
      expect(await stranger.search.find({ q })).toEqual({ place: null, kinds: [] })
    }
  })

  test('opens a full id, and lists matches of a partial id', async () => {
    const found = await viewer.search.find({ q: session })
    expect(found.place).toEqual({ kind: 'session', id: session })
    const event = `evt_${session.slice(5)}_3`
    expect((await viewer.search.find({ q: event })).place).toMatchObject({ kind: 'event', seq: 3 })
    const beyond = await viewer.search.find({ q: `evt_${session.slice(5)}_9999999999` })
    expect(beyond.place).toBeNull()
    const begun = await viewer.search.find({ q: session.slice(0, 20).toLowerCase() })
    expect(begun.kinds).toMatchObject([{ kind: 'session', hits: [{ id: session }], isCut: false }])
  })

  test('the search of the sessions list ignores case as well', async () => {
    const { rows: sessions } = await viewer.sessions.list({ filter: { q: 'upKEEP/BOT' } })
    expect(sessions.map(({ id }) => id)).toEqual([session])
  })
})
