// A key sees runs and cases of its environment only. endpoint-matrix.db.test.ts proves who may call what.
import { beforeAll, expect, test } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { staged } from '@/server/test/access-table.ts'
import { makeKey, otherProject } from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { createAdmin, makeTenant, type Tenant } from '@/server/test/tenant.ts'
import { api } from './api.ts'

withTestDatabase()

let tenant: Tenant
let config: string
let dev: string
let staging: string

beforeAll(async () => {
  tenant = await makeTenant(await otherProject(), 'kestrel')
  const { ns, key } = tenant.prompt
  config = `/configs/${ns.replaceAll('/', '~')}/${key}`
  dev = await makeKey(tenant.project, { scopes: ['publish', 'read'] })
  staging = await makeKey(tenant.project, { scopes: ['publish', 'read'], environment: 'staging' })
})

/** `what`: method and path. */
async function ask(key: string, what: string, body?: object) {
  const [method = '', path = ''] = what.split(' ')
  const request = new Request(`http://127.0.0.1:3000/api/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const response = await api.fetch(request)
  const text = await response.text()
  return { status: response.status, json: text === '' ? null : JSON.parse(text) }
}

const findEntry = (target: string) =>
  database().prisma.auditEntry.findFirst({ where: { target }, orderBy: { at: 'desc' } })

const newestRun = async (key: string) => {
  const body = { sample: { kind: 'last', sessions: 50 }, version: 1 }
  const { json } = await ask(key, `POST ${config}/backtests`, body)
  await workOffJobs()
  return (await ask(key, `GET /backtests/${json.id}`)).json
}

test('a run of a key replays sessions of its environment only, is seen there only, and names the key', async () => {
  const own = await newestRun(dev)
  expect(own).toMatchObject({ status: 'done', sample: { environment: 'dev' } })
  expect(own.sessions).toBeGreaterThan(0)
  const other = await newestRun(staging)
  expect(other).toMatchObject({ status: 'done', sessions: 0, sample: { environment: 'staging' } })
  expect((await ask(staging, `GET /backtests/${own.id}`)).status).toBe(404)
  expect((await ask(staging, `POST /backtests/${own.id}/cancel`)).status).toBe(404)
  const { json } = await ask(staging, `GET ${config}/backtests`)
  expect(json.rows.map(({ id }: { id: string }) => id)).toEqual([other.id])
  expect(await findEntry(own.id)).toMatchObject({
    action: 'backtest.started',
    actor: expect.stringMatching(/^key test/),
  })
})

test('a run that a user started, over every environment, is not shown to a key', async () => {
  const { ns, key } = tenant.prompt
  const started = await createAdmin(tenant).backtests.start({
    ...{ ns, key, sample: { kind: 'last', sessions: 5 } },
    subject: { kind: 'version', number: 1 },
  })
  const id = started.ok ? started.id : ''
  expect((await ask(dev, `GET /backtests/${id}`)).status).toBe(404)
})

test('the twenty-first backtest that waits or runs is refused until one is canceled', async () => {
  const body = { sample: { kind: 'last', sessions: 1 }, version: 1 }
  const start = () => ask(dev, `POST ${config}/backtests`, body)
  const started = []
  for (let i = 0; i < 20; i++) started.push((await start()).json.id)
  expect(await start()).toMatchObject({
    status: 429,
    json: { detail: expect.stringContaining('20 backtests') },
  })
  await ask(dev, `POST /backtests/${started[0]}/cancel`)
  expect((await start()).status).toBe(201)
  await workOffJobs()
})

test('a case is listed, changed and unpinned by a key of its environment; a wrong verdict names its field', async () => {
  const { id } = await createAdmin(tenant).backtests.pin({ id: tenant.decisionId, note: 'keep' })
  const list = async (by: string) =>
    (await ask(by, `GET ${config}/cases`)).json.rows.map((row: { id: string }) => row.id)
  expect([await list(dev), await list(staging)]).toEqual([[id], []])
  const run = await newestRun(staging)
  expect([run.cases, run.results]).toEqual([1, []])

  const wrong = await ask(dev, `PATCH /cases/${id}`, { expected: 'blocked' })
  expect([wrong.status, wrong.json.errors[0].pointer]).toEqual([422, '/expected'])
  expect((await ask(dev, `PATCH /cases/${id}`, { expected: 'allowed' })).status).toBe(204)
  const changed = await findEntry(id)
  expect(changed).toMatchObject({
    action: 'case.changed',
    actor: expect.stringMatching(/^key test/),
    after: { expected: 'allowed', note: 'keep' },
  })
  expect((await ask(staging, `DELETE /cases/${id}`)).status).toBe(404)
  expect((await ask(dev, `DELETE /cases/${id}`)).status).toBe(204)
  expect(await list(dev)).toEqual([])
})

test('a larger share needs the note that the environment requires, and the refusal names its field', async () => {
  const demands = {
    ...{ name: 'dev', requiresNote: true, requiresTypedName: true, requiredApprovals: 0 },
    ...{ rollbackSkipsApproval: true, requiresBacktest: false },
  }
  const id = await staged(tenant)
  await createAdmin(tenant).environments.change(demands)
  const share = (body: object) => ask(dev, `PATCH /rollouts/${id}`, { share: 200, ...body })
  const first = await share({})
  expect([first.status, first.json.errors[0].pointer]).toEqual([409, '/note'])
  const second = await share({ note: 'as good' })
  expect([second.status, second.json.errors[0].pointer]).toEqual([409, '/confirm'])
  expect((await share({ note: 'as good', confirm: 'dev' })).status).toBe(204)
  expect((await ask(dev, `PATCH /rollouts/${id}`, { share: 10 })).status).toBe(204)
  expect(await findEntry(id)).toMatchObject({ actor: expect.stringMatching(/^key test/) })
})
