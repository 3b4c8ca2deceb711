import { beforeAll, expect, test } from 'vitest'
import { createConfig } from '@/server/configs/configs.ts'
import { discardDraft, openWorkbench, saveDraft } from '@/server/configs/drafts.ts'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import type { KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { promoteVersion, publishDraft, rollBack } from '@/server/releases/releases.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  type TestProject,
} from '@/server/test/installation.ts'
import { configText } from '@/server/test/tenant.ts'

withTestDatabase()

let project: TestProject
let viewer: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  project = await installed()
  viewer = await createProjectCaller(project, 'viewer')
})

async function createKeyRequest(environment: string, scopes: readonly KeyScopeName[]) {
  const secret = await makeKey(project, { environment, scopes })
  const headers = { authorization: `Bearer ${secret}` }
  const name = `key test (${secret.slice(0, 12)})`
  return { name, request: new Request('http://127.0.0.1:3000/api', { headers }) }
}

async function createKeyPublisher(environment: string) {
  const { name, request } = await createKeyRequest(environment, ['publish'])
  return { name, actor: await requireKeyScope(request, 'publish') }
}

async function configByKey(key: string) {
  const { name, actor } = await createKeyPublisher('dev')
  const prompt = { ns: 'keys', key }
  await createConfig(actor, { ...prompt, template: 'blank', text: configText(prompt, 'one') })
  const { draft } = await openWorkbench(actor, prompt)
  const seen = { draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
  return { name, actor, prompt, seen }
}

const asked = { note: 'by a key', typedName: null }

test('configs, drafts and releases made with a key carry the name of the key', async () => {
  const { name, actor, prompt, seen } = await configByKey('named')
  const where = { id: seen.draftId, revision: seen.revision }
  const text = configText(prompt, 'two')
  const saved = await saveDraft(actor, { ...prompt, text, seen: where, baseVersion: null })
  expect(saved).toMatchObject({ ok: true, revision: 2 })
  const to = { ...prompt, ...asked, environment: 'dev', ...seen, revision: 2 }
  expect(await publishDraft(actor, to)).toMatchObject({ ok: true })
  expect((await viewer.drafts.open(prompt)).draft).toMatchObject({ updatedByName: name })
  expect(await viewer.configs.get(prompt)).toMatchObject({
    pointers: [{ environment: 'dev', author: name }],
    versions: [{ number: 1, author: name }],
    releases: [{ kind: 'publish', author: name }],
  })
  const { rows: configs } = await viewer.configs.list({ filter: {} })
  expect(configs.find(({ key }) => key === prompt.key)?.draft).toMatchObject({ author: name })
  const entries = await database().prisma.auditEntry.findMany({ where: { actorId: actor.keyId } })
  const told = entries.map(({ action, actor: who }) => `${action} by ${who}`).toSorted()
  expect(told).toEqual([`config.created by ${name}`, `release.published by ${name}`])
})

test('a discarded draft last saved by a key is listed under its name', async () => {
  const { name, actor, prompt, seen } = await configByKey('discarded')
  const { draftId: id, revision } = seen
  expect(await discardDraft(actor, { ...prompt, id, revision })).toEqual({ ok: true })
  const editor = await createProjectCaller(project, 'editor')
  expect(await editor.drafts.trash(prompt)).toMatchObject([{ updatedByName: name }])
})

test('a key releases only to its own environment: by publish, promotion and rollback', async () => {
  const { actor, prompt, seen } = await configByKey('bound')
  const staging = { ...prompt, ...asked, environment: 'staging' }
  const refusal = { code: 'forbidden', field: 'environment' }
  await expect(publishDraft(actor, { ...staging, ...seen })).rejects.toMatchObject(refusal)
  await publishDraft(actor, { ...staging, ...seen, environment: 'dev' })
  const move = { ...staging, version: 1, expectedLive: null }
  await expect(promoteVersion(actor, move)).rejects.toMatchObject(refusal)
  await expect(rollBack(actor, move)).rejects.toMatchObject(refusal)
  expect((await viewer.configs.get(prompt)).releases).toHaveLength(1)
  const other = await createKeyPublisher('staging')
  expect(await promoteVersion(other.actor, move)).toMatchObject({ ok: true })
})

test('the requirements of an environment apply to a key as they do to a user', async () => {
  const { prompt, seen, actor } = await configByKey('demands')
  await publishDraft(actor, { ...prompt, ...asked, ...seen, environment: 'dev' })
  const production = await createKeyPublisher('production')
  const move = { ...prompt, environment: 'production', version: 1, expectedLive: null }
  const tries = [
    [{ note: null, typedName: 'production' }, 'note_required'],
    [{ note: 'why', typedName: null }, 'name_required'],
  ] as const
  for (const [given, reason] of tries)
    expect(await promoteVersion(production.actor, { ...move, ...given })).toMatchObject({ reason })
  const whole = { ...move, note: 'why', typedName: 'production' }
  expect(await promoteVersion(production.actor, whole)).toMatchObject({ ok: true })
})

test.each(['ingest', 'read'] as const)(
  'a key with only the scope %s is refused where the scope publish is required',
  async (scope) => {
    const { request } = await createKeyRequest('dev', [scope])
    await expect(requireKeyScope(request, 'publish')).rejects.toMatchObject({ code: 'forbidden' })
  },
)
