// The standby here is a database with the schema and no rows, so that an answer shows where it came from.
import path from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { api } from './http/api.ts'
import { resetAll } from './platform/base/process-memory.ts'
import { database } from './platform/db/client.ts'
import { migrate } from './platform/db/migrate.mjs'
import { emptyDatabase, setTestEnvironment, withTestDatabase } from './platform/db/test-database.ts'
import { readStandbyRows } from './platform/sql/rows.ts'
import {
  chained,
  createProjectCaller,
  ingestEvents,
  installed,
  makePerson,
  newSessionId,
  signedIn,
  started,
  type TestProject,
} from './test/installation.ts'

withTestDatabase()

let project: TestProject
let standby: Awaited<ReturnType<typeof emptyDatabase>>

beforeAll(async () => {
  standby = await emptyDatabase()
  await migrate({ url: standby.url, folder: path.resolve('prisma/migrations') })
  setTestEnvironment({ DATABASE_READ_URL: standby.url })
  // While the schema was made, work that another file left behind may have read the environment without the standby.
  await resetAll()
  project = await installed()
  const opening = started({ ns: 'team', key: 'agent' })
  await ingestEvents(project, chained(newSessionId(), [opening], { at: Date.now() }))
})

async function countInChart(): Promise<number> {
  const { analytics } = await createProjectCaller(project, 'viewer')
  const filter = { from: Date.now() - 3_600_000, until: Date.now() + 3_600_000 }
  return (await analytics.chart({ chart: 'sessions', filter })).total
}

async function saveSessions(): Promise<string> {
  const headers = await signedIn(await makePerson(project, 'viewer'))
  return await (
    await api.fetch(new Request('http://127.0.0.1:3000/api/export/sessions', { headers }))
  ).text()
}

test('charts and saved lists are read from the standby, the list on the page from the primary', async () => {
  expect(await countInChart()).toBe(0)
  expect(await saveSessions()).toBe('')
  const { sessions } = await createProjectCaller(project, 'viewer')
  expect((await sessions.list({ filter: {} })).rows).toHaveLength(1)
})

test('the primary answers what the standby fails at, and everything for the next ten seconds', async () => {
  await database().pool.query('CREATE TABLE only_here AS SELECT 1 AS one')
  expect(await readStandbyRows('SELECT one FROM only_here', [])).toEqual([{ one: 1 }])
  expect(await countInChart()).toBe(1)
  const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000)
  expect(await countInChart()).toBe(0)
  later.mockRestore()
})

test('charts and saved lists are read from the primary while the standby is away', async () => {
  await standby.drop()
  expect(await countInChart()).toBe(1)
  expect(await saveSessions()).toContain('"session"')
})
