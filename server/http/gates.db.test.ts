import { beforeAll, describe, expect, test } from 'vitest'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import { auth } from '@/server/platform/auth/auth.ts'
import { isSameOrigin } from '@/server/platform/auth/origins.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createContext } from '@/server/platform/trpc/context.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  signIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { createCaller } from '@/server/trpc/root.ts'

withTestDatabase()

let project: TestProject

beforeAll(async () => {
  project = await installed()
})

const nobody = () => createCaller(createContext(new Headers()))
const token = 'test-setup-token'
const person = { name: 'Ada', password: 'correct horse battery' }

describe('the first run', () => {
  test('a wrong setup token creates no admin', async () => {
    const call = nobody().members.setup({ ...person, email: 'a@example.test', token: 'wrong' })
    await expect(call).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await nobody().members.setupState()).toEqual({ open: true })
  })

  test('exactly one of many concurrent setups succeeds, and its admin can sign in', async () => {
    const emails = Array.from({ length: 6 }, (_, i) => `admin${i}@example.test`)
    const rounds = await Promise.allSettled(
      emails.map((email) => nobody().members.setup({ ...person, email, token })),
    )
    const winners = rounds.flatMap((round) => (round.status === 'fulfilled' ? [round.value] : []))
    expect(winners).toHaveLength(1)
    expect(await database().prisma.user.count()).toBe(1)
    expect(await nobody().members.setupState()).toEqual({ open: false })
    const caller = createCaller(createContext(await signIn(winners[0]?.email ?? '')))
    expect(await caller.members.me()).toMatchObject({ name: 'Ada', role: 'admin' })
  })
})

describe('access of users', () => {
  test('self-registration is refused', async () => {
    const response = await auth().handler(
      new Request('http://127.0.0.1:3000/api/auth/sign-up/email', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'http://127.0.0.1:3000' },
        body: JSON.stringify({ ...person, email: 'mallory@example.test' }),
      }),
    )
    expect(response.ok).toBe(false)
    expect(await database().prisma.user.count({ where: { email: 'mallory@example.test' } })).toBe(0)
  })

  test('project procedures are refused without a login', async () => {
    await expect(nobody().members.list()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await expect(nobody().overview.figures({})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('a viewer is refused API keys and invitations', async () => {
    const viewer = await createProjectCaller(project, 'viewer')
    await expect(viewer.keys.list()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const invite = viewer.invitations.create({ email: 'x@example.test', role: 'admin' })
    await expect(invite).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('the last admin keeps the role, even when all admins are demoted concurrently', async () => {
    const admins = await database().prisma.membership.findMany({
      where: { projectId: project.projectId, role: 'admin' },
    })
    const admin = await createProjectCaller(project, 'admin')
    const rounds = await Promise.allSettled([
      ...admins.map(({ userId }) => admin.members.setRole({ userId, role: 'viewer' })),
      admin.members.setRole({ userId: (await admin.members.me()).userId, role: 'viewer' }),
    ])
    expect(rounds.some(({ status }) => status === 'rejected')).toBe(true)
    const left = await database().prisma.membership.count({
      where: { projectId: project.projectId, role: 'admin' },
    })
    expect(left).toBe(1)
  })
})

describe('API keys', () => {
  const request = (key: string) =>
    new Request('http://127.0.0.1:3000/x', { headers: { authorization: `Bearer ${key}` } })

  test('the secret of a new key works, and the database and the audit log do not contain it', async () => {
    const admin = await createProjectCaller(project, 'admin')
    const made = await admin.keys.create({ name: 'ci', environment: 'dev', scopes: ['read'] })
    expect(made.secret).toMatch(/^sbx_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/)
    const stored = JSON.stringify(await database().prisma.apiKey.findMany())
    const log = JSON.stringify(await database().prisma.auditEntry.findMany())
    expect(stored + log).not.toContain(made.secret.slice(13))
    expect(await requireKeyScope(request(made.secret), 'read')).toMatchObject({
      projectId: project.projectId,
      environment: 'dev',
      scopes: ['read'],
    })
    await expect(requireKeyScope(request(made.secret), 'ingest')).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('a revoked key is refused within two seconds of its last use', async () => {
    const admin = await createProjectCaller(project, 'admin')
    const made = await admin.keys.create({ name: 'ci', environment: 'dev', scopes: ['read'] })
    await requireKeyScope(request(made.secret), 'read')
    await admin.keys.revoke({ id: made.id })
    await expect
      .poll(() => requireKeyScope(request(made.secret), 'read').catch(({ code }) => code), {
        timeout: 2_500,
      })
      .toBe('unauthenticated')
  })

  test('an expired key and a key with a wrong secret are refused', async () => {
    const secret = await makeKey(project)
    const wrong = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`
    await expect(requireKeyScope(request(wrong), 'read')).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    const expired = await makeKey(project)
    await database().prisma.apiKey.updateMany({
      where: { prefix: expired.slice(0, 12) },
      data: { expiresAt: new Date(Date.now() - 1) },
    })
    await expect(requireKeyScope(request(expired), 'read')).rejects.toMatchObject({
      code: 'unauthenticated',
    })
  })

  test('a key for an unknown environment is refused with the field named', async () => {
    const admin = await createProjectCaller(project, 'admin')
    const call = admin.keys.create({ name: 'x', environment: 'nowhere', scopes: ['read'] })
    await expect(call).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      cause: { field: 'environment' },
    })
  })
})

describe('the Origin check', () => {
  test.each([
    ['the public origin passes', { origin: 'http://127.0.0.1:3000' }, true],
    ['localhost with the same port passes', { origin: 'http://localhost:3000' }, true],
    ['another port is refused', { origin: 'http://127.0.0.1:3001' }, false],
    ['another host is refused', { origin: 'https://evil.example' }, false],
    ['no origin is refused', {}, false],
    [
      'a cross-site fetch is refused',
      { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'cross-site' },
      false,
    ],
  ])('judges a request by its headers: %s', (...[, headers, expected]) => {
    expect(isSameOrigin(new Headers(headers as Record<string, string>))).toBe(expected)
  })
})
