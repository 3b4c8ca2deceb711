import { beforeAll, describe, expect, test } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createContext } from '@/server/platform/trpc/context.ts'
import {
  createProjectCaller,
  otherProject,
  signedIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { configText, newPerson } from '@/server/test/tenant.ts'
import { createCaller } from '@/server/trpc/root.ts'

withTestDatabase()

let project: TestProject
let admin: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  project = await otherProject()
  admin = await createProjectCaller(project, 'admin')
})

async function createPublisher(...environments: string[]) {
  const person = await newPerson(project, 'publisher', environments)
  return { ...person, caller: createCaller(createContext(person.headers)) }
}

const FREE = {
  requiresNote: false,
  requiresTypedName: false,
  requiresBacktest: false,
  requiredApprovals: 0,
  rollbackSkipsApproval: true,
}

async function drafted(key: string) {
  const prompt = { ns: 'right', key }
  await admin.configs.create({ ...prompt, text: configText(prompt, key) })
  const { draft } = await admin.drafts.open(prompt)
  const seen = { draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
  return { ...prompt, ...seen, note: 'tried' }
}

describe('a publisher of dev and staging', () => {
  test('publishes to dev and promotes to staging', async () => {
    const { caller } = await createPublisher('dev', 'staging')
    const draft = await drafted('both')
    expect(await caller.releases.publish({ ...draft, environment: 'dev' })).toMatchObject({
      ok: true,
    })
    const { ns, key, note } = draft
    const move = { ns, key, note, environment: 'staging', version: 1, expectedLive: null }
    expect(await caller.releases.promote(move)).toMatchObject({ ok: true })
  })

  test('a publisher of dev and staging is refused for production, with the users who may release there', async () => {
    const { caller } = await createPublisher('dev', 'staging')
    const draft = await drafted('refused')
    const to = { ...draft, environment: 'production', typedName: 'production' }
    await expect(caller.releases.publish(to)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'You need the publisher role in production. A admin has it.',
    })
    const rows = await database().prisma.release.count({ where: { config: { key: 'refused' } } })
    expect(rows).toBe(0)
    expect(await caller.releases.rights()).toEqual([
      { environment: 'dev', refusal: null },
      { environment: 'staging', refusal: null },
      {
        environment: 'production',
        refusal: 'You need the publisher role in production. A admin has it.',
      },
    ])
    expect((await caller.callApprovals.rights()).at(2)?.refusal).toBe(
      'You need the publisher role in production. A admin has it.',
    )
  })

  test('a publisher of dev and staging cannot roll production back either, although a rollback has no other requirement', async () => {
    const { caller } = await createPublisher('dev', 'staging')
    const draft = await drafted('back')
    const { ns, key, note } = draft
    const to = { ...draft, environment: 'production', typedName: 'production' }
    expect(await admin.releases.publish(to)).toMatchObject({ ok: true })
    const back = { ns, key, note, environment: 'production', version: 1, expectedLive: 1 }
    await expect(caller.releases.rollBack(back)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('a publisher of dev and staging cannot use staging at the next request after an admin removed the right', async () => {
    const person = await createPublisher('dev', 'staging')
    const { userId, email } = person
    await admin.members.setRole({ userId, role: 'publisher', publishIn: ['dev'] })
    const caller = createCaller(createContext(await signedIn(email)))
    expect(await caller.members.me()).toMatchObject({ role: 'publisher', publishIn: ['dev'] })
    const { ns, key, note } = await drafted('taken')
    const move = { ns, key, note, environment: 'staging', version: 1, expectedLive: null }
    await expect(caller.releases.promote(move)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const entry = await database().prisma.auditEntry.findFirstOrThrow({
      where: { target: userId, action: 'member.role_changed' },
    })
    expect([entry.before, entry.after]).toEqual([
      { role: 'publisher', publish_in: ['dev', 'staging'] },
      { role: 'publisher', publish_in: ['dev'] },
    ])
  })
})

describe('the right to a removed environment', () => {
  test('the right to a removed environment is removed with the environment: a new environment of the same name has no publishers', async () => {
    const canary = { ...FREE, name: 'canary' }
    await admin.environments.create(canary)
    const { caller } = await createPublisher('dev', 'canary')
    await admin.invitations.create({
      email: 'later@example.com',
      role: 'publisher',
      publishIn: ['dev', 'canary'],
    })
    await admin.environments.remove({ name: 'canary', typedName: 'canary' })
    await admin.environments.create(canary)
    expect(await caller.members.me()).toMatchObject({ publishIn: ['dev'] })
    const to = { ...(await drafted('again')), environment: 'canary' }
    await expect(caller.releases.publish(to)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const invitation = await database().prisma.invitation.findFirstOrThrow({
      where: { email: 'later@example.com' },
    })
    expect(invitation.publishIn).toEqual(['dev'])
    await admin.environments.remove({ name: 'canary', typedName: 'canary' })
  })
})

describe('a release grant', () => {
  test.each([
    ['of no environment', []],
    ['of an unknown environment', ['dev', 'moon']],
  ])('%s is refused with the field named', async (_, publishIn) => {
    const { userId } = await newPerson(project, 'viewer')
    const call = admin.members.setRole({ userId, role: 'publisher', publishIn })
    await expect(call).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      cause: { field: 'publishIn' },
    })
  })

  test('a release grant with environments gives a viewer no right', async () => {
    const { userId, headers } = await newPerson(project, 'viewer')
    await admin.members.setRole({ userId, role: 'viewer', publishIn: ['dev'] })
    const caller = createCaller(createContext(headers))
    expect(await caller.members.me()).toMatchObject({ role: 'viewer', publishIn: null })
  })

  test('a release grant with a list that was emptied in the database allows no environment, instead of all', async () => {
    const { caller, userId } = await createPublisher('dev')
    await database().prisma.membership.updateMany({ where: { userId }, data: { publishIn: [] } })
    const to = { ...(await drafted('emptied')), environment: 'dev' }
    await expect(caller.releases.publish(to)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('You need the publisher role in dev.'),
    })
  })
})

test('removing a member first shows the drafts and keys that remain, and requires the typed address', async () => {
  const { userId, email, headers } = await newPerson(project, 'admin')
  const caller = createCaller(createContext(headers))
  await caller.configs.create({ ns: 'theirs', key: 'draft' })
  await caller.keys.create({ name: 'theirs', environment: 'dev', scopes: ['read'] })
  expect(await admin.members.removal({ userId })).toMatchObject({
    drafts: 1,
    versions: 0,
    logins: 1,
    isLastProject: true,
    isLastAdmin: false,
    keys: [{ name: 'theirs', environment: 'dev' }],
  })
  const wrong = admin.members.remove({ userId, typedEmail: email.toUpperCase() })
  await expect(wrong).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' })
  await admin.members.remove({ userId, typedEmail: email })
  expect(await database().prisma.draft.count({ where: { authorId: userId } })).toBe(1)
  expect(await database().prisma.apiKey.count({ where: { createdBy: userId } })).toBe(1)
})
