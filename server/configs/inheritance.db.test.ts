// Real PostgreSQL: from a draft with `extends` to releases, bundles and the audit log.
import { parseConfigText } from '@signalbox/wire'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '@/server/platform/auth/permissions.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createProjectCaller, installed, type TestProject } from '@/server/test/installation.ts'

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

const RATE = { id: 'rate', type: 'rate_limit', tools: ['deploy'], max_calls: 3, per_seconds: 60 }
const ORDER = { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }

interface Prompt {
  readonly ns: string
  readonly key: string
}

let made = 0

const freshPrompt = (name: string): Prompt => ({ ns: 'acme', key: `${name}-${++made}` })

const nameOf = ({ ns, key }: Prompt, version: number): string => `${ns}/${key}@${version}`

/** Saves the fields as the config's draft, which it creates if there is none. */
async function write(prompt: Prompt, fields: object): Promise<void> {
  const text = JSON.stringify({ schema_version: 1, ...prompt, ...fields }, null, 2)
  const exists = (await people.viewer.configs.list({ filter: { archived: false } })).rows.some(
    ({ ns, key }) => ns === prompt.ns && key === prompt.key,
  )
  if (!exists) {
    await people.editor.configs.create({ ...prompt, text })
    return
  }
  const { draft, base } = await people.editor.drafts.open(prompt)
  const seen = draft === null ? null : { id: draft.id, revision: draft.revision }
  await people.editor.drafts.save({ ...prompt, text, seen, baseVersion: base?.number ?? null })
}

async function publish(prompt: Prompt, environment = 'dev') {
  const { draft } = await people.editor.drafts.open(prompt)
  const { id: draftId = '', revision = 0 } = draft ?? {}
  return await people.publisher.releases.publish({ ...prompt, draftId, revision, environment })
}

async function release(prompt: Prompt, fields: object): Promise<number> {
  await write(prompt, fields)
  const result = await publish(prompt)
  if (!result.ok) throw new Error(`${result.message} ${JSON.stringify(result.problems)}`)
  return result.release.version
}

const flatDocument = async (prompt: Prompt, number: number) => {
  const { text } = await people.viewer.configs.version({ ...prompt, number })
  const parsed = parseConfigText(text)
  if (!parsed.ok) throw new Error('A runtime could not read the version.')
  return parsed.document
}

describe('a config that extends a base', () => {
  test('is published as one flat document, keeps its text, and names where each rule comes from', async () => {
    const [base, child] = [freshPrompt('base'), freshPrompt('child')]
    await release(base, { policies: [RATE] })
    const fields = { extends: nameOf(base, 1), policies: [{ ...RATE, max_calls: 2 }, ORDER] }
    await release(child, fields)
    expect(await flatDocument(child, 1)).toEqual({
      schema_version: 1,
      ...child,
      policies: [{ ...RATE, max_calls: 2 }, ORDER],
    })
    const { base: start, targets } = await people.viewer.drafts.open(child)
    expect(JSON.parse(start?.text ?? '')).toMatchObject({ extends: nameOf(base, 1) })
    expect(targets[0]?.live?.text).not.toContain('extends')
    const origins = { rate: 'stricter', order: 'own' }
    expect(await people.viewer.configs.inheritance(child)).toMatchObject({
      version: 1,
      base: { extends: nameOf(base, 1), newest: 1, isArchived: false, origins },
    })
    const { rows } = await people.admin.auditLog.list({ filter: { action: 'release.published' } })
    expect(rows[0]?.after).toMatchObject({ extends: nameOf(base, 1), rules: origins })
    const listed = await people.viewer.configs.list({ filter: { q: child.key } })
    expect(listed.rows[0]?.draft).toMatchObject({ state: 'clean' })
  })

  test('is sent to runtimes without `extends`', async () => {
    const [base, child] = [freshPrompt('base'), freshPrompt('child')]
    await release(base, { policies: [RATE] })
    await release(child, { extends: nameOf(base, 1) })
    const { rows } = await database().pool.query<{ body: string }>(
      'SELECT body FROM bundles WHERE project_id = $1 ORDER BY revision DESC LIMIT 1',
      [project.projectId],
    )
    expect(rows[0]?.body).toContain(child.key)
    expect(rows[0]?.body).not.toContain('"extends"')
  })

  test.each([
    ['loosens a rule', { ...RATE, max_calls: 9 }, '/policies/0/max_calls'],
    ['switches a rule off', { ...RATE, mode: 'off' }, '/policies/0/mode'],
  ])('is refused with the rule named when it %s', async (_, rule, pointer) => {
    const [base, child] = [freshPrompt('base'), freshPrompt('child')]
    await release(base, { policies: [RATE] })
    await write(child, { extends: nameOf(base, 1), policies: [rule] })
    const result = await publish(child)
    expect(result).toMatchObject({ ok: false, reason: 'problems', problems: [{ pointer }] })
    expect(JSON.stringify(result)).toContain('Policy `rate`')
    expect(await people.viewer.configs.inheritance(child)).toMatchObject({ version: null })
    const listed = await people.viewer.configs.list({ filter: { q: child.key } })
    expect(listed.rows[0]?.draft).toMatchObject({ state: 'invalid' })
  })

  test.each([
    ['a version that does not exist', (base: Prompt) => nameOf(base, 7), 'base_missing'],
    ['itself', (_: Prompt, child: Prompt) => nameOf(child, 1), 'extends_itself'],
  ])('is refused when it extends %s', async (_, reference, code) => {
    const [base, child] = [freshPrompt('base'), freshPrompt('child')]
    await release(base, { policies: [RATE] })
    await release(child, {})
    await write(child, { extends: reference(base, child) })
    expect(await publish(child)).toMatchObject({ ok: false, problems: [{ code }] })
  })

  test('is refused when its base extends another config itself', async () => {
    const [base, middle, child] = ['base', 'middle', 'child'].map(freshPrompt) as [
      Prompt,
      Prompt,
      Prompt,
    ]
    await release(base, { policies: [RATE] })
    await release(middle, { extends: nameOf(base, 1) })
    await write(child, { extends: nameOf(middle, 1) })
    expect(await publish(child)).toMatchObject({ ok: false, problems: [{ code: 'base_extends' }] })
  })

  test('is another version under a newer base, even with the same content', async () => {
    const [base, child] = [freshPrompt('base'), freshPrompt('child')]
    await release(base, { policies: [RATE] })
    await release(child, { extends: nameOf(base, 1) })
    await release(base, { description: 'now with words', policies: [RATE] })
    expect(await people.viewer.configs.inheritance(child)).toMatchObject({ base: { newest: 2 } })
    expect(await release(child, { extends: nameOf(base, 2) })).toBe(2)
    expect(await people.viewer.configs.inheritance(base)).toMatchObject({
      extenders: [{ key: child.key, version: 2, base: 2, environments: ['dev'] }],
    })
  })

  test('can be backtested as a draft, and the run belongs to its flat content', async () => {
    const [base, child] = [freshPrompt('base'), freshPrompt('child')]
    await release(base, { policies: [RATE] })
    await write(child, { extends: nameOf(base, 1) })
    const { draft } = await people.editor.drafts.open(child)
    const subject = { kind: 'draft', id: draft?.id ?? '', revision: draft?.revision ?? 0 } as const
    const sample = { kind: 'last', sessions: 10 } as const
    const started = await people.editor.backtests.start({ ...child, subject, sample })
    if (!started.ok) throw new Error('The draft changed.')
    expect(await people.viewer.backtests.get({ id: started.id })).toMatchObject({
      freshness: 'current',
    })
  })

  test('keeps its base from being archived', async () => {
    const [base, child] = [freshPrompt('base'), freshPrompt('child')]
    await write(base, { policies: [RATE] })
    await release(base, { policies: [RATE] })
    await release(child, { extends: nameOf(base, 1) })
    await database().pool.query(
      'DELETE FROM environment_pointers WHERE config_id = (SELECT id FROM configs WHERE key = $1)',
      [base.key],
    )
    await expect(people.publisher.configs.setArchived({ ...base, archived: true })).rejects.toThrow(
      `${child.ns}/${child.key} extend`,
    )
  })
})

describe('a mandatory base', () => {
  test('refuses publishes of configs that do not extend it, while their releases go on and are listed', async () => {
    const [base, older, child] = ['base', 'older', 'child'].map(freshPrompt) as [
      Prompt,
      Prompt,
      Prompt,
    ]
    await release(base, { policies: [RATE] })
    await release(older, {})
    await people.admin.configs.setMandatoryBase({ base })
    const { without } = await people.viewer.configs.mandatoryBase()
    expect(without).toContainEqual({ ...older, version: 1, environments: ['dev'] })
    await write(older, { description: 'more' })
    expect(await publish(older)).toMatchObject({ ok: false, reason: 'base_required' })
    await write(child, { extends: nameOf(base, 1) })
    expect(await publish(child)).toMatchObject({ ok: true })
    await write(base, { policies: [RATE, ORDER] })
    expect(await publish(base)).toMatchObject({ ok: true })
    await expect(people.admin.configs.setMandatoryBase({ base: child })).rejects.toThrow(
      'extends another config itself',
    )
    await people.admin.configs.setMandatoryBase({ base: null })
    expect(await publish(older)).toMatchObject({ ok: true })
  })
})
