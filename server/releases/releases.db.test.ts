import { parseConfigText, withSchemaAddress } from '@signalbox/wire'
import { beforeAll, describe, expect, test } from 'vitest'
import { TEMPLATE_NAMES, templateText } from '@/server/configs/config-templates.ts'
import { checkConfigText } from '@/server/configs/config-text.ts'
import { api } from '@/server/http/api.ts'
import type { Role } from '@/server/platform/auth/permissions.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { freshId } from '@/server/platform/ids.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  otherProject,
  type TestProject,
} from '@/server/test/installation.ts'
import type { RELEASES } from './releases.list.ts'

withTestDatabase()

type Caller = Awaited<ReturnType<typeof createProjectCaller>>

let project: TestProject
const people = {} as Record<Role, Caller>

beforeAll(async () => {
  project = await installed()
  for (const role of ['viewer', 'editor', 'publisher', 'admin'] as const) {
    people[role] = await createProjectCaller(project, role)
  }
})

let made = 0

async function newConfig(change: object = {}) {
  const prompt = { ns: 'tests', key: `config-${++made}` }
  await people.editor.configs.create({ ...prompt, text: buildReleaseText(prompt, change) })
  const { draft } = await people.editor.drafts.open(prompt)
  return { ...prompt, draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
}

function buildReleaseText(prompt: { ns: string; key: string }, change: object = {}): string {
  const { ns, key } = prompt
  return JSON.stringify({ schema_version: 1, ns, key, ...change }, null, 2)
}

type Config = Awaited<ReturnType<typeof newConfig>>

const release = ({ ns, key, draftId, revision }: Config, environment = 'dev') => ({
  ns,
  key,
  draftId,
  revision,
  environment,
})

async function edit(config: Config, change: object): Promise<Config> {
  const { ns, key, draftId: id, revision } = config
  const text = buildReleaseText(config, change)
  const seen = { id, revision }
  const saved = await people.editor.drafts.save({ ns, key, text, seen, baseVersion: null })
  if (!saved.ok) throw new Error('The save was stale.')
  return { ...config, revision: saved.revision }
}

async function published(config: Config, environment = 'dev') {
  const result = await people.publisher.releases.publish(release(config, environment))
  if (!result.ok) throw new Error(result.message)
  return result.release
}

async function register(custom_types: readonly object[]): Promise<Response> {
  const apiKey = await makeKey(project, { environment: 'staging' })
  const body = JSON.stringify({
    name: 'x',
    sdk_version: '0.1.0',
    harness: { name: 'test' },
    prompts: [],
    capabilities: { policies: [], feedback_providers: [], checkers: [], custom_types },
    posture: 'deny',
    now: Date.now(),
  })
  const headers = { authorization: `Bearer ${apiKey}` }
  const url = 'http://127.0.0.1/api/runtime/v1/register'
  return await api.fetch(new Request(url, { method: 'POST', headers, body }))
}

const live = async ({ ns, key }: Config, environment = 'dev') =>
  (await people.viewer.configs.get({ ns, key })).pointers.find(
    (pointer) => pointer.environment === environment,
  )

describe('drafts of a config', () => {
  test('drafts of a config are stored as typed, valid or not', async () => {
    const config = await newConfig()
    const text = '{ "schema_version": 1,\n\t"ns": oops ☂'
    const { ns, key, draftId: id, revision } = config
    const seen = { id, revision }
    await people.editor.drafts.save({ ns, key, text, seen, baseVersion: null })
    const { draft } = await people.viewer.drafts.open({ ns, key })
    expect(draft).toMatchObject({ text, revision: 2, updatedByName: 'A editor' })
    const listed = await people.viewer.configs.list({ filter: {} })
    expect(listed.rows.find((row) => row.key === key)?.draft).toMatchObject({ state: 'invalid' })
  })

  test('a draft that names its schema is stored and published without it', async () => {
    const { ns, key, draftId: id, revision } = await newConfig()
    const text = buildReleaseText({ ns, key }, { description: 'with a schema' })
    const seen = { id, revision }
    const named = withSchemaAddress(text, 'https://example.test/schemas/config-v1.json')
    await people.editor.drafts.save({ ns, key, text: named, seen, baseVersion: null })
    expect((await people.editor.drafts.open({ ns, key })).draft).toMatchObject({ text })
    const other = { ns, key: `${key}-named` }
    const created = withSchemaAddress(buildReleaseText(other, {}), './a.json')
    await people.editor.configs.create({ ...other, text: created })
    const { draft } = await people.editor.drafts.open(other)
    expect(draft).toMatchObject({ text: buildReleaseText(other, {}) })
  })

  test('accept one of several concurrent saves of a revision, and return the stored text to the others', async () => {
    const config = await newConfig()
    const { ns, key, draftId: id, revision } = config
    const seen = { id, revision }
    const save = (text: string) =>
      people.editor.drafts.save({ ns, key, text, seen, baseVersion: null })
    const results = await Promise.all([save('one'), save('two'), save('three')])
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    const { draft } = await people.editor.drafts.open({ ns, key })
    for (const result of results) {
      if (!result.ok) expect(result.current).toMatchObject({ text: draft?.text, revision: 2 })
    }
  })

  test('drafts of a config are created once by two concurrent first saves', async () => {
    const config = await newConfig()
    const { ns, key, draftId: id, revision } = config
    await people.editor.drafts.discard({ ns, key, id, revision })
    const save = (text: string) =>
      people.editor.drafts.save({ ns, key, text, seen: null, baseVersion: null })
    const results = await Promise.all([save('one'), save('two')])
    expect(results.map(({ ok }) => ok).sort()).toEqual([false, true])
    const { configId } = await people.editor.drafts.open({ ns, key })
    expect(await database().prisma.draft.count({ where: { configId, discardedAt: null } })).toBe(1)
  })

  test('drafts of a config can be discarded and restored, and a stale discard does nothing', async () => {
    const config = await newConfig()
    const { ns, key, draftId: id, revision } = config
    const stale = await people.editor.drafts.discard({ ns, key, id, revision: revision + 5 })
    expect(stale).toEqual({ ok: false })
    expect(await people.editor.drafts.discard({ ns, key, id, revision })).toEqual({ ok: true })
    expect((await people.editor.drafts.open({ ns, key })).draft).toBeNull()
    expect(await people.editor.drafts.restore({ ns, key, id })).toEqual({ ok: true })
    expect((await people.editor.drafts.open({ ns, key })).draft).toMatchObject({ id, revision })
    expect(await people.editor.drafts.restore({ ns, key, id })).toEqual({ ok: false })
  })

  test('refuse a NUL character with a message instead of changing it', async () => {
    const { ns, key, draftId: id, revision } = await newConfig()
    const seen = { id, revision }
    const save = people.editor.drafts.save({ ns, key, text: 'a\0b', seen, baseVersion: null })
    await expect(save).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' })
  })
})

describe('publishing a draft', () => {
  test('creates version, pointer, bundle, release and audit entry, and bases the draft on the version', async () => {
    const config = await newConfig({ description: 'first' })
    const made = await published(config)
    expect(made).toMatchObject({ environment: 'dev', version: 1, previousVersion: null })
    expect(await live(config)).toMatchObject({ version: 1, releaseId: made.id })
    const bundle = await api.fetch(
      new Request('http://127.0.0.1/api/runtime/v1/config', {
        headers: { authorization: `Bearer ${await makeKey(project)}` },
      }),
    )
    const served = (await bundle.json()) as { revision: number; configs: { key: string }[] }
    expect(served.revision).toBe(made.revision)
    expect(served.configs.find(({ key }) => key === config.key)).toMatchObject({ version: 1 })
    const entry = await database().prisma.auditEntry.findFirst({ where: { target: made.id } })
    expect(entry).toMatchObject({ action: 'release.published', actor: 'A publisher' })
    const { draft } = await people.editor.drafts.open(config)
    expect(draft).toMatchObject({ baseVersion: 1, revision: config.revision })
    const version = await people.viewer.configs.version({ ...config, number: 1 })
    expect(version.text).toBe(buildReleaseText(config, { description: 'first' }))
  })

  test('releases one of several concurrent publishes, and refuses the others as unchanged', async () => {
    const config = await newConfig()
    const publish = () => people.publisher.releases.publish(release(config))
    const results = await Promise.all([publish(), publish(), publish()])
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    for (const result of results) {
      if (!result.ok) expect(result.reason).toBe('unchanged')
    }
    expect((await people.viewer.configs.get(config)).versions).toHaveLength(1)
  })

  test('gives each of four concurrent releases to one environment its own revision', async () => {
    const configs = await Promise.all([newConfig(), newConfig(), newConfig(), newConfig()])
    const releases = await Promise.all(configs.map((config) => published(config)))
    expect(new Set(releases.map(({ revision }) => revision)).size).toBe(4)
  })

  test('refuses the same content in another form, such as key order and spaces', async () => {
    const config = await newConfig({ name: 'n', description: 'd' })
    await published(config)
    const { ns, key, draftId: id, revision } = config
    const text = `{"description":"d",  "name":"n","key":"${key}","ns":"${ns}","schema_version":1}`
    await people.editor.drafts.save({ ns, key, text, seen: { id, revision }, baseVersion: null })
    const again = await people.publisher.releases.publish(release({ ...config, revision: 2 }))
    expect(again).toMatchObject({ ok: false, reason: 'unchanged' })
    expect(again.ok ? '' : again.message).toBe(
      'dev runs exactly this content already, as v1. There is nothing to publish.',
    )
  })

  test('releases the content of an earlier version as that version', async () => {
    const config = await newConfig({ description: 'a' })
    await published(config)
    const second = await edit(config, { description: 'b' })
    await published(second)
    const third = await edit(second, { description: 'a' })
    // The review states it in advance: `Publish v1 to dev`.
    const reviewed = async ({ draftId, revision }: Config) => {
      const subject = { kind: 'draft', draftId, revision } as const
      const { ns, key } = config
      const asked = { ns, key, environment: 'dev', kind: 'publish', subject } as const
      const result = await people.viewer.releases.review(asked)
      return result.ok ? result.review.version : null
    }
    expect(await reviewed(third)).toBe(1)
    expect(await published(third)).toMatchObject({ version: 1, previousVersion: 2 })
    expect(await reviewed(await edit(third, { description: 'c' }))).toBe(3)
    expect((await people.viewer.configs.get(config)).versions).toHaveLength(2)
  })

  test('refuses a draft that was saved after it was viewed', async () => {
    const config = await newConfig()
    await edit(config, { description: 'later' })
    const result = await people.publisher.releases.publish(release(config))
    expect(result).toMatchObject({ ok: false, reason: 'stale' })
    expect(await live(config)).toBeUndefined()
  })

  test('refuses a draft based on a version older than the live one until it is updated', async () => {
    const config = await newConfig({ description: 'a' })
    await published(config)
    const { ns, key } = config
    const newer = await published(await edit(config, { description: 'b' }))
    expect(newer.version).toBe(2)
    await database().prisma.draft.update({
      where: { id: config.draftId },
      data: { baseVersion: 1 },
    })
    const third = await edit({ ...config, revision: 2 }, { description: 'c' })
    const refused = await people.publisher.releases.publish(release(third))
    expect(refused).toMatchObject({ ok: false, reason: 'behind' })
    const { draftId: id, revision } = third
    await people.editor.drafts.rebase({ ns, key, id, revision, baseVersion: 2 })
    expect(await published(third)).toMatchObject({ version: 3 })
  })

  const rule = { id: 'r', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }
  test.each([
    [
      'not JSON',
      '{"schema_version": 1,',
      { pointer: '', message: /not valid JSON: line 1, column \d+, / },
    ],
    [
      'an unknown version',
      { schema_version: 2 },
      { pointer: '/schema_version', message: /version 2 is not supported/ },
    ],
    [
      'an unknown type',
      { policies: [{ id: 'x', type: 'magic' }] },
      { pointer: '/policies/0/type', message: /magic/ },
    ],
    [
      'one id twice',
      { policies: [rule, rule] },
      { pointer: '/policies/1/id', message: /"r" is already used/ },
    ],
    [
      'a cycle',
      { policies: [{ ...rule, dependencies: { a: ['b'], b: ['a'] } }] },
      { pointer: '/policies/0/dependencies/a/0', message: /require each other/ },
    ],
    [
      'another prompt',
      { key: 'other' },
      { pointer: '/key', message: /names the prompt "tests\/other"/ },
    ],
    ['a NUL in a text', { description: 'a\0b' }, { pointer: '', message: /cannot be stored/ }],
    [
      'more than 1 MiB',
      { metadata: { long: 'x'.repeat(1_100_000) } },
      { pointer: '', message: /larger than 1 MiB/ },
    ],
  ])('is refused with a pointer, and keeps the text: %s', async (_name, change, expected) => {
    const config = await newConfig()
    const { ns, key, draftId: id, revision } = config
    const text = typeof change === 'string' ? change : buildReleaseText(config, change)
    await people.editor.drafts.save({ ns, key, text, seen: { id, revision }, baseVersion: null })
    const result = await people.publisher.releases.publish(release({ ...config, revision: 2 }))
    expect(result).toMatchObject({ ok: false, reason: 'problems' })
    const problems = result.ok ? [] : result.problems
    expect(problems[0]?.message).toMatch(expected.message)
    expect(problems[0]?.pointer).toBe(expected.pointer)
    expect((await people.viewer.drafts.open({ ns, key })).draft?.text).toBe(text)
    expect(await live(config)).toBeUndefined()
  })

  test('requires a note and the exact name for production', async () => {
    const config = await newConfig()
    const ask = (more: { note?: string; typedName?: string }) =>
      people.publisher.releases.publish({ ...release(config, 'production'), ...more })
    expect(await ask({ typedName: 'production' })).toMatchObject({ reason: 'note_required' })
    expect(await ask({ note: '  ', typedName: 'production' })).toMatchObject({
      reason: 'note_required',
    })
    for (const typedName of ['', 'Production', 'production ', 'prod']) {
      expect(await ask({ note: 'why', typedName })).toMatchObject({ reason: 'name_required' })
    }
    expect(await live(config, 'production')).toBeUndefined()
    expect(await ask({ note: 'why', typedName: 'production' })).toMatchObject({ ok: true })
  })
})

describe('promoting and rolling back', () => {
  async function twoVersions() {
    const config = await newConfig({ description: 'a' })
    await published(config)
    const second = await edit(config, { description: 'b' })
    await published(second)
    const { ns, key } = config
    return { config: second, prompt: { ns, key } }
  }

  test('promotes a version under the requirements of its target', async () => {
    const { config, prompt } = await twoVersions()
    const move = { ...prompt, version: 2, environment: 'production', expectedLive: null }
    const bare = await people.publisher.releases.promote(move)
    expect(bare).toMatchObject({ ok: false, reason: 'note_required' })
    const result = await people.publisher.releases.promote({
      ...move,
      note: 'ready',
      typedName: 'production',
    })
    expect(result).toMatchObject({ ok: true, release: { version: 2 } })
    expect(await live(config, 'production')).toMatchObject({ version: 2 })
  })

  test('rolls back without note or typed name, as a release with a higher revision', async () => {
    const { config, prompt } = await twoVersions()
    const before = await live(config)
    const back = { ...prompt, environment: 'dev', version: 1, expectedLive: 2 }
    const result = await people.publisher.releases.rollBack(back)
    expect(result).toMatchObject({ ok: true, release: { version: 1, previousVersion: 2 } })
    expect(await live(config)).toMatchObject({ version: 1 })
    expect(result.ok && result.release.revision).toBeGreaterThan(before?.revision ?? 0)
    const { releases } = await people.viewer.configs.get(prompt)
    expect(releases[0]).toMatchObject({ kind: 'rollback', version: 1, previousVersion: 2 })
    const adoption = await people.viewer.releases.adoption({ releaseId: before?.releaseId ?? '' })
    expect(adoption.status).toBe('rolled_back')
  })

  test('makes one of two concurrent rollbacks, and reports the change to the other', async () => {
    const { prompt } = await twoVersions()
    const back = { ...prompt, environment: 'dev', version: 1, expectedLive: 2 }
    const roll = () => people.publisher.releases.rollBack(back)
    const results = await Promise.all([roll(), roll()])
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    expect(results.find(({ ok }) => !ok)).toMatchObject({ reason: 'moved' })
  })

  test('refuses a rollback to a version that was never live in production', async () => {
    const { config, prompt } = await twoVersions()
    const promote = { ...prompt, version: 1, environment: 'production', expectedLive: null }
    await people.publisher.releases.promote({ ...promote, note: 'n', typedName: 'production' })
    const sneak = people.publisher.releases.rollBack({ ...promote, version: 2, expectedLive: 1 })
    await expect(sneak).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' })
    expect(await live(config, 'production')).toMatchObject({ version: 1 })
  })
})

describe('adoption of a release', () => {
  test('makes a release live only when every connected runtime reports that it applied it', async () => {
    const key = await makeKey(project, { environment: 'staging' })
    const config = await newConfig()
    const hosted = `${config.ns}/${config.key}`
    const post = (path: string, body: object) =>
      new Request(`http://127.0.0.1/api/runtime/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      })
    const register = async (name: string, prompt = hosted) => {
      const body = {
        name,
        sdk_version: '0.1.0',
        harness: { name: 'test' },
        prompts: [prompt],
        posture: 'deny',
        capabilities: { policies: [], feedback_providers: [], checkers: [] },
        now: Date.now(),
      }
      const answer = (await (await api.fetch(post('register', body))).json()) as {
        runtime_id: string
      }
      return answer.runtime_id
    }
    const report = (id: string, revision: number, more: object = {}) => {
      const applied = { revision, digest: `sha256:${'0'.repeat(64)}`, source: 'server' }
      const counts = { live_sessions: 0, spooled_events: 0, rejected: null, now: Date.now() }
      return api.fetch(post('heartbeat', { runtime_id: id, applied, ...counts, ...more }))
    }
    const { id: releaseId, revision } = await published(config, 'staging')
    const adoption = () => people.viewer.releases.adoption({ releaseId })
    const { ns, key: name } = config
    const standing = async () => {
      const { rows: releases } = await people.viewer.releases.list({
        filter: { environment: 'staging' },
      })
      const timeline = await people.viewer.releases.timeline({ ns, key: name })
      const rows = [
        await people.viewer.releases.get({ releaseId }),
        releases.find(({ id }) => id === releaseId),
        (await people.viewer.configs.get({ ns, key: name })).releases[0],
        timeline.environments.find((lane) => lane.name === 'staging')?.releases[0],
        await adoption(),
      ]
      const [said, ...others] = rows.map((row) => {
        const { status, applied, rejected, total, rejection, successor, lastApplied } = row ?? {}
        return { status, applied, rejected, total, rejection, successor, lastApplied }
      })
      for (const other of others) expect(other).toEqual(said)
      return said
    }
    expect(await standing()).toMatchObject({ status: 'waiting', applied: 0, total: 0 })
    // A runtime of another prompt does not count for this release, for any applied revision.
    await report(await register('elsewhere', 'other/prompt'), revision)
    expect(await standing()).toMatchObject({ status: 'waiting', applied: 0, total: 0 })
    expect(await people.viewer.releases.get({ releaseId })).toMatchObject({ appliedCount: 0 })
    const [one, two] = [await register('one'), await register('two')]
    await report(one, revision)
    await report(two, revision - 1)
    expect(await standing()).toMatchObject({ status: 'publishing', applied: 1, total: 2 })
    const reason = 'unknown checker type TestPassing'
    await report(two, revision - 1, { rejected: { revision, reason } })
    expect(await standing()).toMatchObject({
      status: 'partial',
      applied: 1,
      rejected: 1,
      total: 2,
      successor: null,
      rejection: { runtime: 'two', reason },
    })
    expect((await adoption()).runtimes.find(({ id }) => id === two)).toMatchObject({
      state: 'rejected',
      reason,
    })
    // A runtime that is silent for a while is shown but not counted, unless it runs the release.
    const silent = (id: string, seconds: number) =>
      database().pool.query(
        `UPDATE runtimes SET last_seen_at = now() - make_interval(secs => $2) WHERE id = $1`,
        [id, seconds],
      )
    await Promise.all([silent(one, 60), silent(two, 60)])
    expect(await standing()).toMatchObject({ status: 'live', applied: 1, rejected: 0, total: 1 })
    await silent(one, 600)
    // It ran the release and has left: the release stays live, and states since when nothing runs it.
    expect(await standing()).toMatchObject({
      status: 'live',
      applied: 0,
      total: 0,
      lastApplied: { runtime: 'one', at: expect.any(Number) },
    })
    await report(one, revision)
    await report(two, revision)
    expect(await standing()).toMatchObject({
      status: 'live',
      applied: 2,
      total: 2,
      lastApplied: null,
    })
    expect(await people.viewer.releases.get({ releaseId })).toMatchObject({ appliedCount: 2 })
    // A heartbeat that the next one of its runtime has overtaken is answered and changes nothing.
    const overtaken = { now: Date.now() - 1_000 }
    expect((await report(two, revision - 1, overtaken)).status).toBe(200)
    expect(await standing()).toMatchObject({ status: 'live', applied: 2, total: 2 })
    for (const id of [one, two]) await report(id, revision, { stopping: true })
    for (const id of [one, two]) await report(id, revision - 1, overtaken)
    expect(await standing()).toMatchObject({
      status: 'live',
      total: 0,
      lastApplied: { runtime: expect.stringMatching(/^(one|two)$/) },
    })
    // A clock that was set back is believed.
    await report(two, revision - 1, { now: Date.now() - 60_000 })
    expect(await standing()).toMatchObject({ status: 'publishing', applied: 0, total: 1 })
    // So is one of which nothing is known.
    await database().prisma.runtime.update({ where: { id: two }, data: { clockSkewMs: null } })
    await report(two, revision)
    expect(await standing()).toMatchObject({ status: 'live', applied: 1, total: 1 })
    await report(two, revision - 1)
    const { rows: applying } = await people.viewer.releases.list({
      filter: { environment: 'staging', status: 'publishing' },
    })
    expect(applying.map(({ id }) => id)).toEqual([releaseId])
    await published(await edit(config, { description: 'newer' }), 'staging')
    expect(await adoption()).toMatchObject({
      status: 'superseded',
      successor: { kind: 'publish', version: 2 },
    })
  })

  test('names the release that replaced another, and reports "rolled back" only for a rollback', async () => {
    const config = await newConfig()
    const first = await published(config)
    const second = await published(await edit(config, { description: 'second' }))
    // A release of another config in between changes nothing.
    await published(await newConfig())
    const third = await published(
      await edit({ ...config, revision: config.revision + 1 }, { description: 'third' }),
    )
    const { ns, key } = config
    const back = { ns, key, environment: 'dev', version: 1, expectedLive: 3 }
    const made = await people.publisher.releases.rollBack(back)
    if (!made.ok) throw new Error(made.message)
    const { rows: releases } = await people.viewer.releases.list({
      filter: { environment: 'dev' },
    })
    const said = (id: string) => releases.find((release) => release.id === id)
    expect(said(first.id)).toMatchObject({ status: 'superseded', successor: { version: 2 } })
    expect(said(second.id)).toMatchObject({ status: 'superseded', successor: { version: 3 } })
    expect(said(third.id)).toMatchObject({
      status: 'rolled_back',
      successor: { kind: 'rollback', version: 1, author: 'A publisher' },
    })
    expect(said(made.release.id)).toMatchObject({
      kind: 'rollback',
      version: 1,
      previousVersion: 3,
      author: 'A publisher',
      status: 'waiting',
      successor: null,
    })
    const ofConfig = async (status: (typeof RELEASES.params.status.values)[number]) => {
      const { rows } = await people.viewer.releases.list({
        filter: { environment: 'dev', status },
      })
      return rows.filter((row) => row.prompt === `${ns}/${key}`).map(({ id }) => id)
    }
    expect(await ofConfig('superseded')).toEqual([second.id, first.id])
    expect(await ofConfig('rolled_back')).toEqual([third.id])
    expect(await ofConfig('waiting')).toEqual([made.release.id])
    expect(await ofConfig('live')).toEqual([])
  })
})

describe('access to releases', () => {
  const FORBIDDEN = { code: 'FORBIDDEN' }

  test.each([
    ['viewer', false, false],
    ['editor', true, false],
    ['publisher', true, true],
    ['admin', true, true],
  ] as const)(
    'for the role %s: editing drafts %s, releasing %s',
    async (role, mayEdit, mayPublish) => {
      const config = await newConfig({ description: role })
      const { ns, key, draftId: id, revision } = config
      const caller = people[role]
      const save = caller.drafts.save({
        ns,
        key,
        baseVersion: null,
        seen: { id, revision },
        text: buildReleaseText(config, { description: `by ${role}` }),
      })
      if (mayEdit) await expect(save).resolves.toMatchObject({ ok: true })
      else await expect(save).rejects.toMatchObject(FORBIDDEN)
      const create = caller.configs.create({ ns: 'tests', key: `made-by-${role}` })
      if (mayEdit) await create
      else await expect(create).rejects.toMatchObject(FORBIDDEN)
      const seen = mayEdit ? revision + 1 : revision
      const publish = caller.releases.publish(release({ ...config, revision: seen }))
      const move = { ns, key, environment: 'dev', version: 1, expectedLive: null }
      if (mayPublish) await expect(publish).resolves.toMatchObject({ ok: true })
      else {
        await expect(publish).rejects.toMatchObject(FORBIDDEN)
        await expect(caller.releases.promote(move)).rejects.toMatchObject(FORBIDDEN)
        await expect(caller.releases.rollBack(move)).rejects.toMatchObject(FORBIDDEN)
        await expect(caller.configs.setArchived({ ns, key, archived: true })).rejects.toMatchObject(
          FORBIDDEN,
        )
      }
    },
  )

  test('access to releases is refused to another project, which sees nothing of a config', async () => {
    const stranger = await createProjectCaller(await otherProject(), 'admin')
    const config = await newConfig()
    const { ns, key, draftId: id, revision } = config
    const { id: releaseId } = await published(config)
    const NOT_FOUND = { code: 'NOT_FOUND' }
    expect((await stranger.configs.list({ filter: {} })).rows).toEqual([])
    const prompt = { ns, key }
    const move = { ...prompt, environment: 'dev', version: 1, expectedLive: null }
    await expect(stranger.configs.get(prompt)).rejects.toMatchObject(NOT_FOUND)
    await expect(stranger.configs.version({ ...prompt, number: 1 })).rejects.toMatchObject(
      NOT_FOUND,
    )
    await expect(stranger.drafts.open(prompt)).rejects.toMatchObject(NOT_FOUND)
    await expect(stranger.releases.adoption({ releaseId })).rejects.toMatchObject(NOT_FOUND)
    await expect(stranger.releases.publish(release(config))).rejects.toMatchObject(NOT_FOUND)
    await expect(stranger.releases.promote(move)).rejects.toMatchObject(NOT_FOUND)
    const seen = { id, revision }
    const save = stranger.drafts.save({ ...prompt, text: 'x', seen, baseVersion: null })
    await expect(save).rejects.toMatchObject(NOT_FOUND)
    // The same name in the other project is another config: neither draft id nor pointer applies to it.
    await stranger.configs.create(prompt)
    const stolen = await stranger.drafts.save({ ...prompt, text: 'x', seen, baseVersion: null })
    expect(stolen).toMatchObject({ ok: false, reason: 'stale' })
    const taken = await stranger.releases.publish(release(config))
    expect(taken).toMatchObject({ ok: false, reason: 'stale' })
    expect(await people.viewer.drafts.open(prompt)).toMatchObject({ draft: { id, revision } })
  })
})

describe('configs of a project', () => {
  test('configs of a project have unique names, even in concurrent requests', async () => {
    const create = () => people.editor.configs.create({ ns: 'tests', key: 'twice' })
    const results = await Promise.allSettled([create(), create()])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(create()).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  test('configs of a project with a rule of a custom type can be published once a runtime has registered its code', async () => {
    const config = await newConfig({ policies: [{ id: 'freeze', type: 'acme/freeze' }] })
    const { ns, key } = config
    const refused = await people.publisher.releases.publish(release(config))
    expect(refused).toMatchObject({
      ok: false,
      reason: 'problems',
      problems: [{ pointer: '/policies/0/type', code: 'unknown_type' }],
    })
    const custom = [{ kind: 'policy', type: 'acme/freeze', schema: { type: 'object' } }]
    expect((await register(custom)).status).toBe(200)
    expect(await people.editor.drafts.open({ ns, key })).toMatchObject({
      customTypes: ['acme/freeze'],
      customRules: custom,
    })
    await published(config)
    expect(await live(config)).toMatchObject({ version: 1 })
  })

  test.each([
    ['type', { kind: 'policy', type: 'acme/\0' }],
    ['schema', { kind: 'policy', type: 'acme/half', schema: { title: '\ud800' } }],
  ])(
    'refuse a custom %s that cannot be stored, and work with one stored before',
    async (_, odd) => {
      expect(await (await register([odd])).json()).toMatchObject({
        status: 422,
        detail: expect.stringMatching(/cannot be stored/),
      })
      await database().prisma.runtime.create({
        data: {
          id: freshId('rt'),
          projectId: project.projectId,
          environment: 'dev',
          apiKeyId: 'k',
          name: 'old',
          sdkVersion: '1',
          harness: {},
          posture: 'deny',
          capabilities: { custom_types: [odd] },
        },
      })
      const config = await newConfig()
      const { ns, key } = config
      const { customTypes } = await people.editor.drafts.open({ ns, key })
      expect(customTypes).toContain(odd.type.replace('\0', '\u{FFFD}'))
      await published(config)
      await people.viewer.configs.get({ ns, key })
      expect((await people.viewer.configs.list({ filter: {} })).rows).not.toEqual([])
    },
  )

  test('created from any template can be published unchanged', () => {
    for (const name of TEMPLATE_NAMES) {
      const prompt = { ns: 'a/b', key: 'c' }
      const checked = checkConfigText(templateText(prompt, name, 'shadow'), {
        ...prompt,
        customTypes: [],
      })
      expect(checked.ok ? checked.problems : checked).toEqual([])
    }
  })

  test('configs of a project cannot be archived while live; others can be archived and restored', async () => {
    const config = await newConfig()
    const { ns, key } = config
    const archive = (archived: boolean) => people.admin.configs.setArchived({ ns, key, archived })
    await archive(true)
    const listed = async (archived: boolean) =>
      (await people.viewer.configs.list({ filter: { archived } })).rows.some(
        (row) => row.key === key,
      )
    expect([await listed(false), await listed(true)]).toEqual([false, true])
    const refused = await people.publisher.releases.publish(release(config))
    expect(refused).toMatchObject({ ok: false, reason: 'archived' })
    await archive(false)
    await published(config)
    await expect(archive(true)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  test('configs of a project are listed with live versions, the last release, the draft and the number of rules', async () => {
    const config = await newConfig({ description: 'a' })
    await published(config)
    await edit(config, { description: 'b' })
    const { rows: configs } = await people.viewer.configs.list({ filter: {} })
    const row = configs.find(({ key }) => key === config.key)
    expect(row).toMatchObject({
      newestVersion: 1,
      pointers: [{ environment: 'dev', version: 1, hasEarlier: false }],
      lastRelease: { environment: 'dev', version: 1, author: 'A publisher' },
      draft: { state: 'changed', author: 'A editor' },
      rules: { policies: 0, providers: 0, checks: 0 },
    })
    const demo = configs.find(({ key }) => key === 'release-notes')
    const text = await people.viewer.configs.version({
      ns: 'demo',
      key: 'release-notes',
      number: 1,
    })
    expect(parseConfigText(text.text).ok).toBe(true)
    expect(demo?.rules).toEqual({
      policies: 2,
      content: 0,
      providers: 2,
      checks: 2,
      isShadow: false,
    })
  })
})
