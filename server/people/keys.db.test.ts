import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createProjectCaller, otherProject } from '@/server/test/installation.ts'

withTestDatabase()

const HOUR = 3_600_000
let admin: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  admin = await createProjectCaller(await otherProject(), 'admin')
})

async function ask(secret: string): Promise<{ readonly status: number; readonly detail?: string }> {
  const headers = { authorization: `Bearer ${secret}` }
  const response = await api.fetch(
    new Request('http://127.0.0.1:3000/api/runtime/v1/config', { headers }),
  )
  const body = await response.json()
  return { status: response.status, detail: body.detail }
}

const input = { name: 'nightly', environment: 'dev', scopes: ['read' as const] }

test('a rotated key and the new one both work until the overlap ends', async () => {
  const old = await admin.keys.create(input)
  const made = await admin.keys.rotate({ id: old.id, overlapHours: 24 })
  expect((await ask(old.secret)).status).toBe(200)
  expect((await ask(made.secret)).status).toBe(200)
  const keys = await admin.keys.list()
  const listed = keys.find(({ id }) => id === old.id)
  expect(listed).toMatchObject({ replacedBy: made.id, name: 'nightly', createdByName: 'A admin' })
  const left = (listed?.expiresAt ?? 0) - Date.now()
  expect(left).toBeGreaterThan(23 * HOUR)
  expect(left).toBeLessThanOrEqual(24 * HOUR)
  expect(keys.find(({ id }) => id === made.id)).toMatchObject({
    environment: 'dev',
    scopes: ['read'],
  })
})

test("rotation never extends a key's lifetime", async () => {
  const expiresAt = Date.now() + HOUR
  const old = await admin.keys.create({ ...input, expiresAt })
  expect((await admin.keys.rotate({ id: old.id, overlapHours: 24 })).oldExpiresAt).toBe(expiresAt)
})

test('a key rotated without overlap is refused, with the time of its expiry', async () => {
  const old = await admin.keys.create(input)
  const { oldExpiresAt } = await admin.keys.rotate({ id: old.id, overlapHours: 0 })
  expect(await ask(old.secret)).toEqual({
    status: 401,
    detail: `This API key expired at ${new Date(oldExpiresAt).toISOString()}. Rotate or create one in Settings.`,
  })
})

test('one of two concurrent rotations succeeds, and a revoked key cannot be rotated', async () => {
  const old = await admin.keys.create(input)
  const both = [1, 2].map(() => admin.keys.rotate({ id: old.id, overlapHours: 1 }))
  const rounds = await Promise.allSettled(both)
  expect(rounds.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const revoked = await admin.keys.create(input)
  await admin.keys.revoke({ id: revoked.id })
  const call = admin.keys.rotate({ id: revoked.id, overlapHours: 1 })
  await expect(call).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('an expired key cannot be rotated', async () => {
  const { id } = await admin.keys.create({ ...input, expiresAt: Date.now() + HOUR })
  const { prisma } = database()
  const before = await prisma.apiKey.count()
  await prisma.apiKey.updateMany({ where: { id }, data: { expiresAt: new Date(Date.now() - 1) } })
  await expect(admin.keys.rotate({ id, overlapHours: 1 })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'This key no longer works. Create a new one instead.',
  })
  expect(await prisma.apiKey.count()).toBe(before)
})

test('a key with an expiry in the past is not created', async () => {
  const call = admin.keys.create({ ...input, expiresAt: Date.now() - 1 })
  await expect(call).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

test('a key that expires within a week needs attention until it is rotated', async () => {
  const expiresAt = Date.now() + 3 * 24 * HOUR
  const { id } = await admin.keys.create({ ...input, name: 'soon', expiresAt })
  const expiring = async () =>
    (await admin.overview.attention({})).items.filter(({ kind }) => kind === 'key_expiring')
  expect(await expiring()).toEqual([
    { kind: 'key_expiring', keyId: id, name: 'soon', at: expiresAt },
  ])
  await admin.keys.rotate({ id, overlapHours: 1 })
  expect(await expiring()).toEqual([])
  expect(await database().prisma.apiKey.count({ where: { name: 'soon' } })).toBe(2)
})
