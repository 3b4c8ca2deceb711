// A claim gates every publication and promotion. access-matrix.db.test.ts proves who may call what.
import { beforeAll, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  type TestProject,
} from '@/server/test/installation.ts'
import { MOST_CLAIMS } from './claims.ts'

withTestDatabase()

type Caller = Awaited<ReturnType<typeof createProjectCaller>>

let project: TestProject
let editor: Caller
let publisher: Caller
let key: string

beforeAll(async () => {
  project = await installed()
  editor = await createProjectCaller(project, 'editor')
  publisher = await createProjectCaller(project, 'publisher')
  key = await makeKey(project, { scopes: ['publish', 'read'] })
})

const rule = (dependencies: object) => ({
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies }],
})
const ORDERED = rule({ deploy: ['test'] })
const UNORDERED = rule({ deploy: ['build'] })
const UNTESTED = { ask: 'run_without', tool: 'deploy', needs: 'test' } as const

let made = 0

async function newConfig(change: object = ORDERED) {
  const prompt = { ns: 'claims', key: `config-${++made}` }
  const text = JSON.stringify({ schema_version: 1, ...prompt, ...change })
  await editor.configs.create({ ...prompt, text })
  const { draft } = await editor.drafts.open(prompt)
  return { prompt, draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
}

type Config = Awaited<ReturnType<typeof newConfig>>

async function edit(config: Config, change: object): Promise<Config> {
  const { prompt, draftId: id, revision } = config
  const text = JSON.stringify({ schema_version: 1, ...prompt, ...change })
  const seen = { id, revision }
  const saved = await editor.drafts.save({ ...prompt, text, seen, baseVersion: null })
  if (!saved.ok) throw new Error('The draft moved.')
  return { ...config, revision: saved.revision }
}

const publish = ({ prompt, draftId, revision }: Config, more: object = {}) =>
  publisher.releases.publish({ ...prompt, environment: 'dev', draftId, revision, ...more })

async function findGates({ prompt, draftId, revision }: Config) {
  const subject = { kind: 'draft' as const, draftId, revision }
  const place = { ...prompt, environment: 'dev', kind: 'publish' as const }
  const reviewed = await publisher.releases.review({ ...place, subject })
  const gates = reviewed.ok ? reviewed.review.gates : reviewed.gates
  return gates.filter(({ id }) => id.startsWith('claim_'))
}

const claim = ({ prompt }: Config, question: object = UNTESTED, expected = 'never') =>
  publisher.claims.add({ ...prompt, question, expect: expected } as Parameters<
    Caller['claims']['add']
  >[0])

describe('a claim at a release', () => {
  test('is listed with its sentence, and a version for which it holds is published', async () => {
    const config = await newConfig()
    const { id } = await claim(config)
    expect(await claim(config)).toEqual({ id })
    expect(await editor.claims.of(config.prompt)).toMatchObject([
      { id, expect: 'never', sentence: 'Can `deploy` run without `test`?', author: 'A publisher' },
    ])
    expect(await findGates(config)).toMatchObject([
      { id: 'claim_broken', state: 'passed', sentence: 'The claim holds' },
    ])
    expect(await publish(config)).toMatchObject({ ok: true })
  })

  test('that a draft breaks holds the release, with the shortest session, and cannot be acknowledged', async () => {
    const config = await newConfig()
    const { id } = await claim(config)
    const broken = await edit(config, UNORDERED)
    const [gate, ...others] = await findGates(broken)
    expect(others).toEqual([])
    expect(gate).toMatchObject({
      id: 'claim_broken',
      state: 'missing',
      question: null,
      claims: [{ id, question: 'Can `deploy` run without `test`?', expect: 'never' }],
    })
    const events = gate?.claims?.[0]?.example?.events.map(({ type, data }) => [type, data])
    expect(events).toEqual([
      ['session.started', expect.anything()],
      ['tool.requested', expect.objectContaining({ tool: 'build' })],
      ['tool.invoked', expect.objectContaining({ tool: 'build', outcome: 'success' })],
      ['tool.requested', expect.objectContaining({ tool: 'deploy' })],
    ])
    const refused = await publish(broken, { acknowledged: ['claim_unknown'] })
    expect(refused).toMatchObject({ ok: false, reason: 'claim_broken' })
    expect(refused).toMatchObject({ message: `${gate?.sentence}.` })
    await publisher.claims.remove({ id })
    expect(await findGates(broken)).toEqual([])
    expect(await publish(broken)).toMatchObject({ ok: true })
  })

  test('that expects a possible run is broken by a version that allows none', async () => {
    const config = await newConfig(UNORDERED)
    await claim(config, UNTESTED, 'possible')
    expect(await publish(config)).toMatchObject({ ok: true })
    const never = await edit(config, ORDERED)
    expect(await findGates(never)).toMatchObject([
      { state: 'missing', claims: [{ example: null }] },
    ])
    expect(await publish(never)).toMatchObject({ reason: 'claim_broken' })
  })

  test('that is not known asks, with the reason, and is released when that is acknowledged', async () => {
    const config = await newConfig()
    await claim(config, { ask: 'decisive', rule: 'order' }, 'possible')
    const renamed = await edit(config, {
      policies: [{ ...ORDERED.policies[0], id: 'sequence' }],
    })
    const gates = await findGates(renamed)
    expect(gates).toMatchObject([
      {
        id: 'claim_unknown',
        state: 'ask',
        question: 'Release although it is not known',
        claims: [{ answer: 'Not known: The config has no policy "order".' }],
      },
    ])
    expect(await publish(renamed)).toMatchObject({ reason: 'claim_unknown' })
    expect(await publish(renamed, { acknowledged: ['claim_unknown'] })).toMatchObject({ ok: true })
  })

  test('also gates a promotion, and no rollback', async () => {
    const config = await newConfig(UNORDERED)
    await publish(config)
    const second = await edit(config, ORDERED)
    await publish(second)
    await claim(config)
    const move = { ...config.prompt, version: 1 }
    const promoted = { ...move, environment: 'staging', expectedLive: null }
    expect(await publisher.releases.promote(promoted)).toMatchObject({ reason: 'claim_broken' })
    const back = { ...move, environment: 'dev', expectedLive: 2 }
    expect(await publisher.releases.rollBack(back)).toMatchObject({ ok: true })
  })

  test('lets the server answer during a long search, whose end is not known', async () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((tool) => ({
      id: `limit-${tool}`,
      type: 'expression',
      tools: ['deploy'],
      require: `calls.${tool}.succeeded >= 4 && calls.${tool}.failed < 3 && args.size > 3`,
    }))
    const config = await newConfig({ policies: many })
    await claim(config)
    let isJudged = false
    const gates = findGates(config).finally(() => {
      isJudged = true
    })
    // A search in this thread begins after fewer requests than these, and ends before the last of them.
    for (let i = 0; i < 30; i++) await editor.claims.of(config.prompt)
    expect(isJudged).toBe(false)
    expect(await gates).toMatchObject([
      { id: 'claim_unknown', claims: [{ answer: 'Not known, because the time was up.' }] },
    ])
  })
})

describe('a claim with invalid input', () => {
  test.each([
    [{ ...UNTESTED, tool: 'deplyo' }, 'question.tool'],
    [{ ...UNTESTED, needs: 'tset' }, 'question.needs'],
    [{ ...UNTESTED, after: ['build', 'wirte'] }, 'question.after.1'],
    [{ ask: 'decisive', rule: 'none' }, 'question.rule'],
    [{ ask: 'run_where', tool: 'deploy', when: 'args.' }, 'question.when'],
  ])('%j is refused with the field %s', async (question, field) => {
    const tools = ['deploy', 'test', 'build']
    const { prompt } = await newConfig({ sections: [{ id: 'all', tools }], ...ORDERED })
    const pointer = `/${field.replaceAll('.', '/')}`
    const response = await ask('POST', `${toPath(prompt)}/claims`, { question, expect: 'never' })
    expect(response).toMatchObject({ status: 422, json: { errors: [{ pointer }] } })
    expect(response.json.code).toMatch(/^question_/)
  })

  test('the other answer to the same question is refused', async () => {
    const config = await newConfig()
    await claim(config)
    await expect(claim(config, UNTESTED, 'possible')).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  test('more than the most is refused', async () => {
    const config = await newConfig()
    for (let i = 0; i < MOST_CLAIMS; i++) await claim(config, { ...UNTESTED, needs: `test-${i}` })
    await expect(claim(config)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  })
})

const toPath = ({ ns, key }: Config['prompt']) => `/configs/${ns}/${key}`

async function ask(method: string, path: string, body?: object) {
  const request = new Request(`http://127.0.0.1:3000/api/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const response = await api.fetch(request)
  const text = await response.text()
  return { status: response.status, json: text === '' ? null : JSON.parse(text) }
}

describe('a claim and a key', () => {
  test('a key adds and lists claims, and removes none of a config that is live elsewhere, too', async () => {
    const config = await newConfig()
    const path = `${toPath(config.prompt)}/claims`
    const added = await ask('POST', path, { question: UNTESTED, expect: 'never' })
    expect(added.status).toBe(201)
    const { id } = added.json
    expect(await ask('GET', path)).toMatchObject({
      status: 200,
      json: { rows: [{ id, question: UNTESTED, expect: 'never' }], next: null },
    })
    expect(await database().prisma.auditEntry.findFirst({ where: { target: id } })).toMatchObject({
      action: 'claim.added',
      actor: expect.stringMatching(/^key /),
    })
    await publish(config)
    await publisher.releases.promote({
      ...config.prompt,
      version: 1,
      environment: 'staging',
      expectedLive: null,
    })
    const refused = await ask('DELETE', `/claims/${id}`)
    expect(refused).toMatchObject({ status: 403 })
    expect(refused.json.detail).toContain('live in staging, too')
    await publisher.claims.remove({ id })
    expect(await ask('DELETE', `/claims/${id}`)).toMatchObject({ status: 404 })
  })
})
