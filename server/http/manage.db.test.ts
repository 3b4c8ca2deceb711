// endpoint-matrix.db.test.ts proves who may call which endpoint, scripts/entry-points.boot.test.ts that each answers over HTTP.
import { beforeAll, describe, expect, test } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { allEndpoints, callEndpoint, type Endpoint } from '@/server/test/endpoints.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  otherProject,
  type TestProject,
} from '@/server/test/installation.ts'
import { configText } from '@/server/test/tenant.ts'
import { MOST_REQUESTS } from './manage-gate.ts'

withTestDatabase()

let endpoints: readonly Endpoint[]
let project: TestProject
const keys: Record<string, string> = {}

beforeAll(async () => {
  project = await installed()
  for (const environment of ['dev', 'staging', 'production']) {
    keys[environment] = await makeKey(project, { environment, scopes: ['read', 'publish'] })
  }
  endpoints = await allEndpoints()
})

interface Prompt {
  readonly ns: string
  readonly key: string
}

const ORDER = { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }

interface Sent {
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const ROOT = '/api/manage/v1'

function endpointAt(method: string, pathname: string) {
  for (const endpoint of endpoints) {
    const form = endpoint.name.replaceAll(/\[(\w+)\]/g, '(?<$1>[^/]+)')
    const found = new RegExp(`^${form}$`).exec(`${method} ${pathname}`)
    if (found !== null) return { endpoint, params: { ...found.groups } }
  }
  throw new Error(`There is no endpoint ${method} ${pathname}.`)
}

async function ask(method: string, path: string, { key = 'dev', body, headers }: Sent = {}) {
  const url = new URL(`http://127.0.0.1:3000${ROOT}${path}`)
  const { endpoint, params } = endpointAt(method, url.pathname)
  const request = new Request(url, {
    method,
    headers: { authorization: `Bearer ${keys[key] ?? key}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const response = await callEndpoint(endpoint, request, params)
  const text = await response.text()
  const json = text === '' ? null : JSON.parse(text)
  return { status: response.status, json, etag: response.headers.get('etag') ?? '' }
}

let made = 0

const buildManagedText = ({ ns, key }: { ns: string; key: string }, words: string) =>
  configText({ ns, key }, words)

async function newConfig(words = 'one') {
  const prompt = { ns: 'team/agents', key: `config-${++made}` }
  const path = `/configs/team~agents/${prompt.key}`
  const created = await ask('POST', '/configs', {
    body: { ...prompt, text: configText(prompt, words) },
  })
  expect(created.status).toBe(201)
  const { etag } = await ask('GET', `${path}/draft`)
  return { ...prompt, path, etag }
}

type Config = Awaited<ReturnType<typeof newConfig>>

async function publish({ path, etag }: Config, more: Sent & { readonly to?: string } = {}) {
  const { to = 'dev', body = {}, ...sent } = more
  const headers = { 'if-match': etag, ...sent.headers }
  const asked = { environment: to, ...(body as object) }
  return await ask('POST', `${path}/publish`, { ...sent, body: asked, headers })
}

async function edited(config: Config, words: string, base = 1): Promise<Config> {
  const { path, etag, ...prompt } = config
  const body = { text: configText(prompt, words), base_version: base }
  const saved = await ask('PUT', `${path}/draft`, { body, headers: { 'if-match': etag } })
  expect(saved.status).toBe(200)
  return { ...config, etag: saved.etag }
}

describe('drafts in the management API', () => {
  test('drafts in the management API are changed only by a write that names the draft it saw; a stale write changes nothing', async () => {
    const config = await newConfig()
    const { path, etag } = config
    expect((await ask('PUT', `${path}/draft`, { body: { text: 'x' } })).status).toBe(428)
    const first = await ask('PUT', `${path}/draft`, {
      body: { text: 'x' },
      headers: { 'if-match': etag },
    })
    expect(first).toMatchObject({ status: 200, json: { revision: 2 } })
    for (const headers of [{ 'if-match': etag }, { 'if-none-match': '*' }, { 'if-match': 'x' }]) {
      const late = await ask('PUT', `${path}/draft`, { body: { text: 'late' }, headers })
      expect(late.status).toBe(412)
      expect(late.json.detail).toContain('key test (sbx_')
    }
    const { json } = await ask('GET', `${path}/draft`)
    expect(json).toMatchObject({ text: 'x', revision: 2 })
  })

  test('accept exactly one of several concurrent writes of a revision', async () => {
    const { path, etag } = await newConfig()
    const write = (text: string) =>
      ask('PUT', `${path}/draft`, { body: { text }, headers: { 'if-match': etag } })
    const all = await Promise.all(['a', 'b', 'c', 'd'].map(write))
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412])
  })
})

describe('releases in the management API', () => {
  test('releases in the management API are refused with every missing gate named, and one request can satisfy all of them', async () => {
    const config = await newConfig()
    const bare = await publish(config, { key: 'production', to: 'production' })
    expect(bare).toMatchObject({ status: 409, json: { code: 'note_required' } })
    const gates = bare.json.gates.map(({ gate }: { gate: string }) => gate)
    expect(gates).toEqual(expect.arrayContaining(['note_required', 'name_required']))
    const body = { note: 'first', confirm: 'production' }
    const released = await publish(config, { key: 'production', to: 'production', body })
    expect(released).toMatchObject({ status: 201, json: { version: 1, previous_version: null } })
  })

  test('releases in the management API are refused for a draft with errors, whose problems are returned', async () => {
    const config = await newConfig()
    const body = { text: '{"schema_version": 1}' }
    const { etag } = await ask('PUT', `${config.path}/draft`, {
      body,
      headers: { 'if-match': config.etag },
    })
    const refused = await publish({ ...config, etag })
    expect(refused).toMatchObject({ status: 409, json: { code: 'problems' } })
    expect(refused.json.problems[0]).toMatchObject({ severity: 'error' })
    expect((await ask('GET', config.path)).json).toMatchObject({ newest_version: null, live: [] })
  })

  test('releases in the management API are made once for repeated and concurrent requests with the same idempotency key', async () => {
    const config = await newConfig()
    const headers = { 'idempotency-key': 'build-1' }
    const all = await Promise.all([1, 2, 3].map(() => publish(config, { headers })))
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(all.map(({ json }) => json.id)).size).toBe(1)
    const { json } = await ask('GET', `/releases?ns=team/agents&key=${config.key}`)
    expect(json.releases).toHaveLength(1)
    const other = await publish(await newConfig(), { headers })
    expect(other).toMatchObject({ status: 409 })
    expect(other.json.detail).toContain('Idempotency-Key')
    expect((await publish(config)).json).toMatchObject({ code: 'unchanged' })
  })

  test('releases in the management API are refused for a rollback that uses the idempotency key of a publish', async () => {
    const config = await newConfig()
    await publish(config)
    const headers = { 'idempotency-key': 'run-7' }
    await publish(await edited(config, 'two'), { headers })
    const path = `${config.path}/rollback`
    const body = { environment: 'dev', to: 1 }
    expect(await ask('POST', path, { body, headers })).toMatchObject({ status: 409 })
    const other = { 'idempotency-key': 'run-8' }
    expect(await ask('POST', path, { body, headers: other })).toMatchObject({ status: 201 })
  })

  test('releases in the management API can be staged once or watched, but not both', async () => {
    const config = await newConfig()
    await publish(config)
    const changed = await edited(config, 'two')
    const stage = { share: 50 }
    const both = await publish(changed, { body: { stage, watch: { hours: 6 } } })
    expect(both).toMatchObject({ status: 422 })
    const staged = await publish(changed, { body: { stage } })
    expect(staged).toMatchObject({ status: 201, json: { version: 2, previous_version: 1 } })
    expect(staged.json.rollout_id).toBe(staged.json.id)
    expect(await publish(changed, { body: { stage } })).toMatchObject({
      status: 409,
      json: { code: 'unchanged' },
    })
    const guard = { metric: 'blocks', ratio: 2, min_sessions: 5 }
    const watched = await publish(changed, { body: { watch: { hours: 6, guard } } })
    expect(watched).toMatchObject({ status: 201, json: { version: 2, rollout_id: null } })
    const { ns, key } = config
    const reader = await createProjectCaller(project, 'viewer')
    expect((await reader.stagedRollouts.of({ ns, key })).rollouts).toMatchObject([
      { kind: 'watch', state: 'running', guard: { metric: 'blocks', ratio: 2, minSessions: 5 } },
      { kind: 'staged', state: 'completed', share: 50, guard: { metric: 'denials', ratio: 1.5 } },
    ])
  })

  test('tighten running sessions on request, but never together with a share', async () => {
    const config = await newConfig()
    await publish(config)
    const stage = { share: 50 }
    const changed = await edited(config, 'two')
    const both = await publish(changed, { body: { stage, tighten: true } })
    expect(both.status).toBe(422)
    const made = await publish(changed, { body: { tighten: true } })
    expect(made).toMatchObject({ status: 201, json: { version: 2 } })
    const release = await database().prisma.release.findUniqueOrThrow({
      where: { id: made.json.id },
    })
    expect(release.tighten).toBe(true)
  })

  test('releases in the management API have their requirements listed with the environments', async () => {
    const { json } = await ask('GET', '/environments')
    expect(json.environments[2]).toMatchObject({
      name: 'production',
      requires_note: true,
      requires_confirm: true,
      requires_backtest: false,
      required_approvals: 0,
    })
  })

  test('promote the version of dev and roll back to the previous version, and both are listed', async () => {
    const first = await newConfig()
    await publish(first)
    const second = await edited(first, 'two')
    await publish(second)
    const { path } = first
    const move = (version: number) =>
      ask('POST', `${path}/promote`, { key: 'staging', body: { version, to: 'staging' } })
    await move(1)
    const promoted = await ask('POST', `${path}/promote`, {
      key: 'staging',
      body: { from: 'dev', to: 'staging', expected_live: 1, note: 'as in dev' },
    })
    expect(promoted).toMatchObject({ status: 201, json: { version: 2, previous_version: 1 } })
    const stale = await ask('POST', `${path}/promote`, {
      key: 'staging',
      body: { version: 1, to: 'staging', expected_live: 1 },
    })
    expect(stale).toMatchObject({ status: 409, json: { code: 'moved' } })
    const back = await ask('POST', `${path}/rollback`, {
      key: 'staging',
      body: { environment: 'staging' },
    })
    expect(back).toMatchObject({ status: 201, json: { version: 1, previous_version: 2 } })
    const nothing = await ask('POST', `${path}/rollback`, {
      key: 'staging',
      body: { environment: 'staging' },
    })
    expect(nothing).toMatchObject({ status: 422 })
    const { json } = await ask(
      'GET',
      `/releases?environment=staging&ns=team/agents&key=${first.key}`,
    )
    expect(json.releases.map(({ kind }: { kind: string }) => kind)).toEqual([
      ...['rollback', 'promote', 'promote'],
    ])
    expect(json.releases[1]).toMatchObject({ note: 'as in dev', author: /^key test \(sbx_/ })
    const adoption = await ask('GET', `/releases/${json.releases[0].id}`)
    expect(adoption.json).toMatchObject({ status: 'waiting', version: 1 })
  })
})

describe('reading the management API', () => {
  test('returns every row once and in order over all pages', async () => {
    for (let index = 0; index < 5; index++) await newConfig()
    const names: string[] = []
    for (let after = ''; ; ) {
      const { json } = await ask('GET', `/configs?limit=2${after}`)
      names.push(...json.configs.map(({ ns, key }: Config) => `${ns}/${key}`))
      if (json.next === null) break
      after = `&after=${encodeURIComponent(json.next)}`
    }
    expect(names).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBe(
      await database().prisma.config.count({ where: { projectId: project.projectId } }),
    )
  })

  test('returns the published text of a version, and 304 for its entity tag', async () => {
    const config = await newConfig()
    await publish(config)
    const { json, etag } = await ask('GET', `${config.path}/versions/1`)
    expect(json.text).toBe(buildManagedText(config, 'one'))
    const again = await ask('GET', `${config.path}/versions/1`, {
      headers: { 'if-none-match': etag },
    })
    expect(again.status).toBe(304)
    expect((await ask('GET', `${config.path}/versions`)).json.versions).toHaveLength(1)
  })

  test('describes a difference in words, including that of a first version', async () => {
    const config = await newConfig()
    const text = JSON.stringify({
      ...JSON.parse(buildManagedText(config, 'one')),
      task_completion_checker: { id: 'planned', type: 'files_exist', files: ['A'] },
    })
    const compare = (from: object, to: object) =>
      ask('POST', `${config.path}/diff`, { body: { from, to } })
    const all = await compare({ environment: 'dev' }, { text })
    expect(all.json).toMatchObject({ same: false, from: { label: 'nothing live in dev' } })
    await publish(config)
    const one = await compare({ environment: 'dev' }, { text })
    expect(one.json.changes).toEqual([
      {
        kind: 'changed',
        subject: 'Check `planned`',
        detail: 'Every plan step is done → `A` exists',
      },
    ])
    const spaced = JSON.stringify(JSON.parse(buildManagedText(config, 'one')), null, 4)
    expect((await compare({ version: 1 }, { text: spaced })).json).toMatchObject({ same: true })
    expect((await compare({ version: 1 }, { text: '{' })).status).toBe(422)
  })

  test('validates a text as a publish does', async () => {
    const prompt = { ns: 'a', key: 'b' }
    const judge = (body: object) => ask('POST', '/lint', { body })
    const good = await judge({ text: configText(prompt, 'x') })
    expect(good.json).toMatchObject({ publishable: true })
    const elsewhere = await judge({ text: configText(prompt, 'x'), ns: 'other', key: 'b' })
    expect(elsewhere.json).toMatchObject({
      publishable: false,
      problems: [{ code: 'other_prompt' }],
    })
    expect((await judge({ text: '{' })).json).toMatchObject({ publishable: false, digest: null })
  })

  test('a validated text names refusals by the mandatory base, a claim and the archive', async () => {
    const admin = await createProjectCaller(project, 'admin')
    const judge = async (prompt: Prompt, more = {}) => {
      const text = JSON.stringify({ ...JSON.parse(configText(prompt, 'x')), ...more })
      const { publishable, problems } = (await ask('POST', '/lint', { body: { text } })).json
      return { publishable, codes: problems.map(({ code }: { code: string }) => code) }
    }
    const [base, child] = ['base', 'child'].map((key) => ({ ns: 'checked', key })) as [
      Prompt,
      Prompt,
    ]
    for (const prompt of [base, child]) {
      await admin.configs.create({ ...prompt, text: configText(prompt, 'x') })
    }
    const { draft } = await admin.drafts.open(base)
    const { id: draftId = '', revision = 0 } = draft ?? {}
    await admin.releases.publish({ ...base, draftId, revision, environment: 'dev' })
    await admin.configs.setMandatoryBase({ base })
    expect(await judge(child)).toEqual({ publishable: false, codes: ['base_required'] })
    expect(await judge({ ...child, key: 'new' })).toMatchObject({ codes: ['base_required'] })
    expect(await judge(base)).toEqual({ publishable: true, codes: [] })
    await admin.configs.setMandatoryBase({ base: null })
    const question = { ask: 'run_without', tool: 'deploy', needs: 'test' } as const
    const { id } = await admin.claims.add({ ...child, question, expect: 'never' })
    const other = { policies: [{ ...ORDER, dependencies: { deploy: ['build'] } }] }
    expect(await judge(child, other)).toEqual({ publishable: false, codes: ['claim_broken'] })
    expect(await judge(child, { policies: [ORDER] })).toEqual({ publishable: true, codes: [] })
    await admin.claims.remove({ id })
    await admin.configs.setArchived({ ...child, archived: true })
    expect(await judge(child)).toEqual({ publishable: false, codes: ['archived'] })
  })

  test('refuses an unknown field of a body or a query by name', async () => {
    const body = await ask('POST', '/lint', { body: { text: '{}', txt: '' } })
    expect(body).toMatchObject({ status: 422 })
    expect(JSON.stringify(body.json)).toContain('txt')
    expect((await ask('GET', '/configs?limit=0')).status).toBe(422)
    expect((await ask('GET', '/configs?page=2')).json.errors).toEqual([
      { pointer: '/page', detail: '"page" is not known here. Remove it.' },
    ])
    expect((await ask('GET', '/configs?after=x')).status).toBe(422)
  })

  test('answers a key over its limit with 429, without refusing other keys', async () => {
    const key = await makeKey(project, { scopes: ['read'] })
    const statuses = new Set<number>()
    for (let count = 0; count <= MOST_REQUESTS; count += 50) {
      // Refused for its query, so that it costs little.
      const some = Array.from({ length: 50 }, () => ask('GET', '/configs?limit=0', { key }))
      for (const { status } of await Promise.all(some)) statuses.add(status)
    }
    expect(statuses).toEqual(new Set([422, 429]))
    expect((await ask('GET', '/environments')).status).toBe(200)
  })
})

describe('export and import', () => {
  test('copy all versions of a project once, and list the releases that are missing', async () => {
    const config = await newConfig()
    await publish(config)
    await publish(await edited(config, 'two'))
    const { json: document } = await ask('GET', '/export')
    const other = await otherProject()
    const key = await makeKey(other, { scopes: ['read', 'publish'] })
    const take = (body: object) => ask('POST', '/import', { key, body: { document, ...body } })

    const plan = await take({})
    expect(plan.json).toMatchObject({ applied: false })
    expect((await ask('GET', '/configs', { key })).json.configs).toEqual([])
    const done = await take({ dry_run: false })
    expect(done.json).toEqual({ ...plan.json, applied: true })
    const again = await take({ dry_run: false })
    const actions = again.json.configs.map(({ action }: { action: string }) => action)
    expect(new Set(actions)).toEqual(new Set(['unchanged']))

    const { json: copy } = await ask('GET', '/export', { key })
    const content = (file: typeof document) =>
      file.configs.map(
        ({ ns, key: name, versions }: { ns: string; key: string; versions: [] }) => ({
          ns,
          name,
          versions: versions.map(({ number, digest, text, note }) => ({
            number,
            digest,
            text,
            note,
          })),
        }),
      )
    expect(content(copy)).toEqual(content(document))
    const missing = again.json.releases_missing.find((row: Config) => row.key === config.key)
    expect(missing).toMatchObject({ environment: 'dev', version: 2, live: null })
  })

  test('include recorded events only for a key that may publish', async () => {
    const reader = await makeKey(project, { scopes: ['read'] })
    expect((await ask('GET', '/export', { key: reader })).status).toBe(200)
    expect(await ask('GET', '/export?cases=true', { key: reader })).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('scope publish') },
    })
    expect((await ask('GET', '/export?cases=true')).json).toMatchObject({ logs: [] })
  })

  test('refuse a whole file for one conflicting config', async () => {
    const one = await newConfig()
    await publish(one)
    const { json: document } = await ask('GET', '/export')
    const other = await otherProject()
    const key = await makeKey(other, { scopes: ['read', 'publish'] })
    const prompt = { ns: one.ns, key: one.key }
    await ask('POST', '/configs', { key, body: { ...prompt, text: configText(prompt, 'mine') } })
    const { etag } = await ask('GET', `${one.path}/draft`, { key })
    await publish({ ...one, etag }, { key })
    const refused = await ask('POST', '/import', { key, body: { document, dry_run: false } })
    expect(refused).toMatchObject({ status: 409, json: { code: 'conflict' } })
    expect(refused.json.detail).toContain(`team/agents/${one.key}`)
    expect((await ask('GET', '/configs', { key })).json.configs).toHaveLength(1)
  })

  test('refuse a manually changed file with the position', async () => {
    const config = await newConfig()
    await publish(config)
    const { json: document } = await ask('GET', '/export')
    const index = document.configs.findIndex(({ key }: Config) => key === config.key)
    document.configs[index].versions[0].text = buildManagedText(config, 'changed by hand')
    const refused = await ask('POST', '/import', { body: { document, dry_run: false } })
    expect(refused).toMatchObject({
      status: 422,
      json: { errors: [{ pointer: `/document/configs/${index}/versions/0` }] },
    })
  })
})
