// A key never grants what it lacks. endpoint-matrix.db.test.ts proves who may call what.
import { beforeAll, expect, test } from 'vitest'
import { KEY_SCOPES, type KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { freshId } from '@/server/platform/ids.ts'
import { installed, makeKey, type TestProject } from '@/server/test/installation.ts'
import { newMember } from '@/server/test/tenant.ts'
import { api } from './api.ts'

withTestDatabase()

let project: TestProject
let whole: string

beforeAll(async () => {
  project = await installed()
  whole = await makeKey(project, { scopes: KEY_SCOPES })
})

async function ask(method: string, path: string, { key = whole, body }: Sent = {}) {
  const request = new Request(`http://127.0.0.1:3000/api/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const response = await api.fetch(request)
  const text = await response.text()
  return { status: response.status, json: text === '' ? null : JSON.parse(text) }
}

interface Sent {
  readonly key?: string
  readonly body?: object
}

const newKey = (scopes: readonly KeyScopeName[], more: object = {}) => ({
  body: { name: 'made', environment: 'dev', scopes, ...more },
})

const newEmail = () => `${freshId('mail').toLowerCase()}@example.test`

test('a key makes keys with scopes that it has, in its environment, and the audit log names it', async () => {
  const made = await ask('POST', '/keys', newKey(['read', 'admin']))
  expect(made).toMatchObject({ status: 201, json: { secret: expect.stringMatching(/^sbx_/) } })
  const { json } = await ask('GET', '/keys', { key: made.json.secret })
  const row = json.rows.find(({ id }: { id: string }) => id === made.json.id)
  expect(row).toMatchObject({ name: 'made', environment: 'dev', scopes: ['read', 'admin'] })
  expect(JSON.stringify(json)).not.toContain('hash')
  const entry = await database().prisma.auditEntry.findFirst({ where: { target: made.json.id } })
  expect(entry).toMatchObject({ action: 'key.created', actor: expect.stringMatching(/^key test/) })
})

test('a key cannot grant a scope that it lacks, another environment, or a longer life', async () => {
  const admin = await makeKey(project, { scopes: ['admin', 'read'] })
  const refused = async (sent: Sent, key = admin) => {
    const { status, json } = await ask('POST', '/keys', { key, ...sent })
    return [status, json.errors?.[0]?.pointer]
  }
  expect(await refused(newKey(['publish']))).toEqual([403, '/scopes'])
  expect(await refused(newKey(['read'], { environment: 'production' }))).toEqual([
    403,
    '/environment',
  ])
  const expiresAt = Date.now() + 60_000
  const where = { prefix: admin.slice(0, 12) }
  const short = await makeKey(project, { scopes: ['admin', 'read'] })
  await database().prisma.apiKey.update({
    where: { prefix: short.slice(0, 12) },
    data: { expiresAt: new Date(expiresAt) },
  })
  expect(await refused(newKey(['read']), short)).toEqual([403, '/expires_at'])
  const later = newKey(['read'], { expires_at: expiresAt + 1 })
  expect(await refused(later, short)).toEqual([403, '/expires_at'])
  const same = newKey(['read'], { expires_at: expiresAt })
  expect((await ask('POST', '/keys', { key: short, ...same })).status).toBe(201)
  const { id } = await database().prisma.apiKey.findUniqueOrThrow({ where })
  const rotation = { body: { overlap_hours: 1, expires_at: null }, key: short }
  expect((await ask('POST', `/keys/${id}/rotate`, rotation)).status).toBe(403)
})

test('a key rotates no key with more scopes, and finds none of another environment', async () => {
  const admin = await makeKey(project, { scopes: ['admin'] })
  const findId = async (secret: string) => {
    const where = { prefix: secret.slice(0, 12) }
    return (await database().prisma.apiKey.findUniqueOrThrow({ where })).id
  }
  const more = await findId(await makeKey(project, { scopes: ['admin', 'publish'] }))
  const rotation = { key: admin, body: { overlap_hours: 0 } }
  expect((await ask('POST', `/keys/${more}/rotate`, rotation)).status).toBe(403)
  const elsewhere = await findId(
    await makeKey(project, { environment: 'staging', scopes: ['admin'] }),
  )
  expect((await ask('POST', `/keys/${elsewhere}/rotate`, rotation)).status).toBe(404)
  expect((await ask('DELETE', `/keys/${elsewhere}`)).status).toBe(404)
  expect((await ask('DELETE', `/keys/${more}`)).status).toBe(204)
})

test('a key makes viewers, editors and publishers of its environment, and never an admin', async () => {
  const { userId } = await newMember(project, 'viewer')
  const change = (body: object) => ask('PATCH', `/people/${userId}`, { body })
  expect((await change({ role: 'editor' })).status).toBe(204)
  expect((await change({ role: 'publisher', publish_in: ['dev'] })).status).toBe(204)
  for (const publish_in of [null, ['production'], ['dev', 'production']]) {
    expect(await change({ role: 'publisher', publish_in })).toMatchObject({
      status: 403,
      json: { errors: [{ pointer: '/publish_in' }] },
    })
  }
  expect(await change({ role: 'admin' })).toMatchObject({
    status: 403,
    json: { errors: [{ pointer: '/role' }] },
  })
  const invitation = { email: newEmail(), role: 'admin' }
  expect((await ask('POST', '/invitations', { body: invitation })).status).toBe(403)
  const unable = await makeKey(project, { scopes: ['admin', 'read', 'sessions:read', 'publish'] })
  const approver = { role: 'publisher', publish_in: ['dev'] }
  for (const [method, path, body] of [
    ['PATCH', `/people/${userId}`, approver],
    ['POST', '/invitations', { ...approver, email: newEmail() }],
  ] as const) {
    expect(await ask(method, path, { key: unable, body })).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('"approvals:answer"') },
    })
  }
  const only = await makeKey(project, { scopes: ['admin'] })
  const viewer = { email: newEmail(), role: 'viewer' }
  expect((await ask('POST', '/invitations', { key: only, body: viewer })).status).toBe(403)
  expect((await ask('POST', '/invitations', { body: viewer })).status).toBe(201)
})

test('a key neither demotes nor removes an admin', async () => {
  const { userId } = await newMember(project, 'admin')
  const demote = { body: { role: 'viewer' } }
  expect((await ask('PATCH', `/people/${userId}`, demote)).status).toBe(403)
  expect((await ask('DELETE', `/people/${userId}`)).status).toBe(403)
  const { json } = await ask('GET', '/people')
  expect(json.rows).toContainEqual(expect.objectContaining({ user_id: userId, role: 'admin' }))
})

test('a key changes the requirements of its own environment only', async () => {
  const body = {
    requires_note: true,
    requires_typed_name: false,
    required_approvals: 0,
    rollback_skips_approval: true,
    requires_backtest: false,
  }
  expect((await ask('PUT', '/environments/production', { body })).status).toBe(404)
  expect((await ask('PUT', '/environments/dev', { body })).status).toBe(204)
  const { json } = await ask('GET', '/environments')
  expect(json.environments[0]).toMatchObject({ name: 'dev', requires_note: true })
})

test('a refused body names each field in a sentence', async () => {
  const body = { scopes: [], expires_at: 'soon', color: 'red' }
  const { status, json } = await ask('POST', '/keys', { body })
  expect(status).toBe(422)
  expect(json.errors).toEqual([
    { pointer: '/name', detail: 'This field is required.' },
    { pointer: '/environment', detail: 'This field is required.' },
    { pointer: '/scopes', detail: 'Use at least 1 entry.' },
    { pointer: '/expires_at', detail: 'Give a number here.' },
    { pointer: '/color', detail: '"color" is not known here. Remove it.' },
  ])
})

test('a new environment takes the defaults of the product for what the request omits', async () => {
  expect((await ask('POST', '/environments', { body: { name: 'canary' } })).status).toBe(201)
  const { json } = await ask('GET', '/environments')
  expect(json.environments.at(-1)).toMatchObject({
    ...{ name: 'canary', requires_note: false, requires_confirm: false, requires_backtest: false },
    ...{ required_approvals: 0, rollback_skips_approval: true },
  })
})

test('an alert rule needs only the conditions of its signal, and keeps destinations that a change omits', async () => {
  const rule = { name: 'waits', signal: 'approval_waiting', environment: 'dev' }
  const body = { ...rule, destinations: [{ kind: 'webhook', url: 'https://hooks.invalid/w' }] }
  const made = await ask('POST', '/alert-rules', { body })
  expect(made.status).toBe(201)
  const path = `/alert-rules/${made.json.id}`
  expect((await ask('PUT', path, { body: { ...rule, name: 'waiting' } })).status).toBe(204)
  const { json } = await ask('GET', '/alert-rules')
  expect(json.rows).toContainEqual(
    expect.objectContaining({
      ...{ name: 'waiting', ns: null, key: null },
      destinations: [expect.objectContaining({ to: 'hooks.invalid' })],
    }),
  )
  for (const [signal, given, pointer] of [
    ['blocked_stops', { threshold: 1 }, '/window_minutes'],
    ['blocked_stops', { window_minutes: 5 }, '/threshold'],
    ['silent_runtimes', {}, '/window_minutes'],
  ] as const) {
    const refused = await ask('PUT', path, { body: { ...rule, signal, ...given } })
    expect([refused.status, refused.json.errors?.[0]?.pointer]).toEqual([422, pointer])
  }
  expect((await ask('DELETE', path)).status).toBe(204)
})

test('an alert rule of a key belongs to its environment; rules of others are invisible, and no answer has the path of a webhook', async () => {
  const rule = {
    ...{ name: 'r', signal: 'blocked_stops', environment: 'dev', ns: null, key: null },
    ...{ window_minutes: 60, threshold: 1 },
    destinations: [{ kind: 'email', url: 'mailto:team@example.com' }],
  }
  const secret = { kind: 'webhook', url: 'https://hooks.invalid/t0ken' }
  for (const environment of ['production', null]) {
    const refused = await ask('POST', '/alert-rules', { body: { ...rule, environment } })
    expect([refused.status, refused.json.errors?.[0]?.pointer]).toEqual([403, '/environment'])
  }
  const half = await ask('POST', '/alert-rules', { body: { ...rule, ns: 'a' } })
  expect([half.status, half.json.errors?.[0]?.pointer]).toEqual([422, '/key'])
  const body = { ...rule, destinations: [secret] }
  const made = await ask('POST', '/alert-rules', { body })
  expect(made.status).toBe(201)
  const { json } = await ask('GET', '/alert-rules')
  expect(json.rows).toMatchObject([{ id: made.json.id, destinations: [{ to: 'hooks.invalid' }] }])
  expect(JSON.stringify(json)).not.toContain('t0ken')
  const elsewhere = await makeKey(project, { environment: 'staging', scopes: ['admin'] })
  expect((await ask('GET', '/alert-rules', { key: elsewhere })).json.rows).toEqual([])
  for (const [method, path] of [
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/secret'],
    ['POST', '/test'],
  ] as const) {
    const sent = method === 'PUT' ? { body: { ...rule, environment: 'staging' } } : {}
    const answer = await ask(method, `/alert-rules/${made.json.id}${path}`, {
      key: elsewhere,
      ...sent,
    })
    expect(answer.status).toBe(404)
  }
})
