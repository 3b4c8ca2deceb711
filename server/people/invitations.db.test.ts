import { beforeAll, describe, expect, test } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createContext } from '@/server/platform/trpc/context.ts'
import {
  createProjectCaller,
  otherProject,
  signIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { newPerson } from '@/server/test/tenant.ts'
import { createCaller } from '@/server/trpc/root.ts'

withTestDatabase()

let project: TestProject
let admin: Awaited<ReturnType<typeof createProjectCaller>>
let count = 0

const PASSWORD = 'correct horse battery'
const person = { name: 'Ana', password: PASSWORD }
const nobody = () => createCaller(createContext(new Headers()))

beforeAll(async () => {
  project = await otherProject()
  admin = await createProjectCaller(project, 'admin')
})

const freshEmail = (): string => `ana${++count}@example.test`

async function invited(email = freshEmail()) {
  const made = await admin.invitations.create({ email, role: 'publisher', publishIn: ['dev'] })
  const token = new URL(made.link).searchParams.get('token') ?? ''
  return { ...made, email, token }
}

async function findInvitationState(id: string) {
  return (await admin.invitations.list()).find((one) => one.id === id)?.state
}

describe('an invitation link', () => {
  test('makes a new user a member with its role and environments, once', async () => {
    const { id, email, token } = await invited('New.Person@example.test')
    expect(await nobody().invitations.preview({ token })).toMatchObject({
      email: 'new.person@example.test',
      projectName: 'Other',
      role: 'publisher',
      publishIn: ['dev'],
      invitedBy: 'A admin',
      signedInAs: null,
    })
    await nobody().invitations.accept({ token, ...person })
    const caller = createCaller(createContext(await signIn(email, PASSWORD)))
    expect(await caller.members.me()).toMatchObject({ role: 'publisher', publishIn: ['dev'] })
    expect(await findInvitationState(id)).toBe('accepted')
    const again = nobody().invitations.accept({ token, name: 'Mallory', password: PASSWORD })
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  test('an invitation link is shown once, and neither the database nor the audit log contains it', async () => {
    const { id, token } = await invited()
    const { prisma } = database()
    const stored = JSON.stringify(await prisma.invitation.findMany())
    const log = JSON.stringify(await prisma.auditEntry.findMany({ where: { target: id } }))
    expect(stored + log).not.toContain(token.slice(4))
    expect(JSON.stringify(await admin.invitations.list())).not.toContain(token.slice(4))
  })

  test('creates exactly one user under many concurrent acceptances', async () => {
    const { email, token } = await invited()
    const tries = Array.from({ length: 6 }, () => nobody().invitations.accept({ token, ...person }))
    const rounds = await Promise.allSettled(tries)
    expect(rounds.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await database().prisma.user.count({ where: { email } })).toBe(1)
  })

  test.each([
    ['revoked', async (id: string) => admin.invitations.revoke({ id })],
    [
      'expired',
      async (id: string) => {
        const expiresAt = new Date(Date.now() - 1)
        await database().prisma.invitation.update({ where: { id }, data: { expiresAt } })
      },
    ],
  ])('that was %s admits no one and reports that state', async (state, end) => {
    const { id, token } = await invited()
    await end(id)
    expect(await findInvitationState(id)).toBe(state)
    for (const call of [
      () => nobody().invitations.preview({ token }),
      () => nobody().invitations.accept({ token, ...person }),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(state),
      })
    }
  })

  test('an invitation link is revoked when a newer one is created for the same address', async () => {
    const first = await invited()
    await invited(first.email)
    expect(await findInvitationState(first.id)).toBe('revoked')
  })

  test('an invitation link does not reveal whether the address has an account', async () => {
    const { email } = await newPerson(await otherProject(), 'viewer')
    const known = await nobody().invitations.preview({ token: (await invited(email)).token })
    const unknown = await nobody().invitations.preview({ token: (await invited()).token })
    const shape = (one: typeof known) => ({ ...one, email: '', expiresAt: 0 })
    expect(shape(known)).toEqual(shape(unknown))
  })

  test('an invitation link does not give access to an existing account, whose owner signs in and joins', async () => {
    const owner = await newPerson(await otherProject(), 'viewer')
    const { token } = await invited(owner.email)
    const steal = nobody().invitations.accept({ token, name: 'Mallory', password: PASSWORD })
    await expect(steal).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await createCaller(createContext(owner.headers)).invitations.join({ token })).toEqual({
      email: owner.email,
      projectSlug: project.projectId.toLowerCase(),
    })
    const mine = await createCaller(createContext(owner.headers)).projects.mine()
    expect(mine.map(({ role }) => role).toSorted()).toEqual(['publisher', 'viewer'])
  })

  test('an invitation link is refused to a user signed in under another address', async () => {
    const other = await newPerson(await otherProject(), 'admin')
    const { id, token } = await invited()
    const call = createCaller(createContext(other.headers)).invitations.join({ token })
    await expect(call).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await findInvitationState(id)).toBe('pending')
  })

  test('an invitation link is rate-limited after many attempts, before a password is hashed', async () => {
    const owner = await newPerson(await otherProject(), 'viewer')
    const { token } = await invited(owner.email)
    const tries = Array.from({ length: 11 }, () =>
      nobody().invitations.accept({ token, ...person }),
    )
    const codes = (await Promise.allSettled(tries)).map((round) =>
      round.status === 'rejected' ? String(round.reason.code) : 'let in',
    )
    expect(new Set(codes)).toEqual(new Set(['CONFLICT', 'TOO_MANY_REQUESTS']))
  })

  test('an invitation link is rate-limited when guessed', async () => {
    const headers = new Headers({ 'x-forwarded-for': '10.9.9.9' })
    const token = `inv_${'A'.repeat(43)}`
    const codes = new Set<string>()
    for (let tries = 0; tries < 31; tries++) {
      const call = createCaller(createContext(headers)).invitations.preview({ token })
      codes.add(await call.then(() => 'let in').catch(({ code }) => String(code)))
    }
    expect(codes).toEqual(new Set(['NOT_FOUND', 'TOO_MANY_REQUESTS']))
    const elsewhere = nobody().invitations.preview({ token: (await invited()).token })
    await expect(elsewhere).resolves.toMatchObject({ role: 'publisher' })
  })
})

test('an invitation for a member is refused, and one for a user of another project does not reveal that user', async () => {
  const member = await newPerson(project, 'viewer')
  const again = admin.invitations.create({ email: member.email.toUpperCase(), role: 'admin' })
  await expect(again).rejects.toMatchObject({ code: 'CONFLICT' })
  const stranger = await newPerson(await otherProject(), 'viewer')
  const made = await admin.invitations.create({ email: stranger.email, role: 'viewer' })
  expect(made.link).toMatch(/^http:\/\/127\.0\.0\.1:3000\/invite\?token=inv_[\w-]{43}$/)
})
