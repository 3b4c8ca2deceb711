import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Io, run, Unusable } from '@signalbox/cli'
import { importedLog, readDebugBundle, toSessionId } from '@signalbox/cli/wink'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { winkArchive } from '@/packages/cli/src/test/wink-archive.ts'
import { api } from '@/server/http/api.ts'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  type TestProject,
} from '@/server/test/installation.ts'
import { newPerson } from '@/server/test/tenant.ts'

withTestDatabase()

const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-wink-'))
const file = path.join(folder, 'bundle.zip')
let project: TestProject
let key: string
let plane: DataPlaneServer

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project)
  plane = await serveDataPlane()
  writeFileSync(file, winkArchive())
})

afterAll(async () => {
  await plane.close()
  rmSync(folder, { recursive: true })
})

async function countStored() {
  const { prisma } = database()
  return [await prisma.session.count(), await prisma.sessionEvent.count()]
}

async function importing(apiKey: string) {
  const out: string[] = []
  const io: Io = {
    out: (line) => void out.push(line),
    err: (line) => void out.push(line),
    readText: () => Promise.reject(new Unusable('not here')),
    readLines: () => {
      throw new Unusable('not here')
    },
  }
  const around = {
    cwd: folder,
    home: folder,
    node: process.execPath,
    entry: '',
    env: { SIGNALBOX_API_KEY: apiKey },
    stopSignal: () => new AbortController().signal,
    readInput: () => Promise.resolve(''),
  }
  const code = await run(['import-wink', file, '--url', plane.url], io, around)
  return { code, out }
}

test('an imported session is listed once, not verified and not fully enforced', async () => {
  const first = await importing(key)
  expect(first).toMatchObject({
    code: 0,
    out: [
      expect.stringMatching(/5 events, not enforced/),
      expect.stringMatching(/\/sessions\/sess_wink/),
    ],
  })
  expect((await importing(key)).code).toBe(0)
  const caller = await createProjectCaller(project, 'viewer')
  const { rows: sessions } = await caller.sessions.list({ filter: {} })
  expect(sessions).toHaveLength(1)
  expect(sessions[0]).toMatchObject({
    ns: 'examples/code-review',
    key: 'main',
    status: 'ended',
    calls: 1,
    stopAttempts: 0,
    harness: { name: 'wink' },
    configDigest: null,
    verification: 'pending',
    enforcement: 'breach',
    anomalies: 0,
  })
  const head = await caller.sessions.head({ sessionId: sessions[0]?.id ?? '' })
  expect(head.shortfalls.map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(/imported from a WINK debug bundle.*enforced nothing/),
  ])
})

test('no figure counts an imported session, and the session needs no attention', async () => {
  const { rows } = await database().pool.query(
    `SELECT (SELECT count(*)::int FROM all_minute_counts) AS minutes, (SELECT count(*)::int FROM rollup_series) AS series,
       (SELECT count(*)::int FROM all_activity_days) AS activity`,
  )
  expect(rows).toEqual([{ minutes: 0, series: 0, activity: 0 }])
  const caller = await createProjectCaller(project, 'viewer')
  const since = await database().pool.query(
    `UPDATE sessions SET started_at = now() - interval '1 hour'`,
  )
  expect(since.rowCount).toBe(1)
  expect(JSON.stringify(await caller.overview.attention({}))).not.toContain('sess_wink')
})

describe('import by a user', () => {
  const bundle = readDebugBundle(winkArchive('b-2'))
  const log = importedLog(bundle, 'dev')

  async function imports(role: 'viewer' | 'editor', lines: readonly string[], environment = 'dev') {
    const { headers, userId } = await newPerson(project, role)
    const origin = env().SIGNALBOX_URL
    const response = await api.fetch(
      new Request(`http://127.0.0.1:3000/api/import/sessions/${environment}`, {
        method: 'POST',
        headers: new Headers([...headers, ['origin', origin]]),
        body: lines.join('\n'),
      }),
    )
    return { status: response.status, answer: await response.json(), userId }
  }

  test('stores the same session once for a user with the right, whom the audit log names', async () => {
    expect((await imports('viewer', log)).status).toBe(403)
    const first = await imports('editor', log)
    expect(first).toMatchObject({ status: 200, answer: { stored: log.length, errors: [] } })
    const again = await imports('editor', log)
    expect(again).toMatchObject({ status: 200, answer: { stored: 0, duplicates: log.length } })
    const caller = await createProjectCaller(project, 'admin')
    const head = await caller.sessions.head({ sessionId: toSessionId(bundle) })
    expect(head).toMatchObject({ environment: 'dev', enforcement: 'breach' })
    const { rows } = await caller.auditLog.list({ filter: {} })
    expect(rows.filter(({ action }) => action === 'session.imported')).toMatchObject([
      { target: head.id, actor: 'A editor', actorId: first.userId, after: { environment: 'dev' } },
    ])
  })

  test('import by a user is in the audit log, even when another session of the request is refused', async () => {
    const next = readDebugBundle(winkArchive('b-3'))
    const lines = [...importedLog(next, 'staging'), ...log]
    const refused = await imports('editor', lines, 'staging')
    expect(refused.status).toBe(409)
    const caller = await createProjectCaller(project, 'admin')
    const head = await caller.sessions.head({ sessionId: toSessionId(next) })
    const { rows } = await caller.auditLog.list({ filter: { target: head.id } })
    expect(rows).toMatchObject([{ action: 'session.imported', actorId: refused.userId }])
  })

  test('import by a user is in the audit log once, even when the first event of the session is sent last', async () => {
    const next = readDebugBundle(winkArchive('b-6'))
    const [first = '', ...others] = importedLog(next, 'dev')
    const sent = await imports('editor', others)
    expect(sent.answer).toMatchObject({ stored: others.length, errors: [] })
    const caller = await createProjectCaller(project, 'admin')
    const entries = async () =>
      (await caller.auditLog.list({ filter: { target: toSessionId(next) } })).rows
    const expected = [{ action: 'session.imported', actorId: sent.userId }]
    expect(await entries()).toMatchObject(expected)
    expect((await imports('editor', [first])).answer).toMatchObject({ stored: 1 })
    expect(await entries()).toMatchObject(expected)
  })

  test('stores nothing when its entry of the audit log cannot be written', async () => {
    const before = await countStored()
    const { pool } = database()
    await pool.query(
      `ALTER TABLE audit_entries ADD CONSTRAINT no_import CHECK (action <> 'session.imported') NOT VALID`,
    )
    const next = importedLog(readDebugBundle(winkArchive('b-7')), 'dev')
    const { status } = await imports('editor', next).finally(() =>
      pool.query('ALTER TABLE audit_entries DROP CONSTRAINT no_import'),
    )
    expect(status).toBe(500)
    expect(await countStored()).toEqual(before)
    expect((await imports('editor', next)).answer).toMatchObject({ stored: next.length })
  })

  test('import by a user cannot write a decision, change another session, or use another environment than before, and then stores nothing', async () => {
    const before = await countStored()
    const stop = { type: 'stop.attempted', data: { via: 'turn_end', facts: { files: {} } } }
    const decided = JSON.stringify({ session: toSessionId(bundle), seq: 3, at: 1, ...stop })
    expect(await imports('editor', [decided])).toMatchObject({
      status: 422,
      answer: { detail: expect.stringMatching(/stop\.attempted/) },
    })
    const own = log.map((line) => line.replaceAll('sess_wink', 'sess_live'))
    expect((await imports('editor', own)).status).toBe(422)
    expect(await imports('editor', log, 'staging')).toMatchObject({
      status: 409,
      answer: { detail: expect.stringMatching(/imported before/) },
    })
    expect((await imports('editor', log, 'nowhere')).status).toBe(404)
    const next = importedLog(readDebugBundle(winkArchive('b-4')), 'dev')
    expect((await imports('editor', [...next, decided])).status).toBe(422)
    expect(await countStored()).toEqual(before)
  })
})

test('the import command exits with 2 and stores nothing when its key is rejected or only reads', async () => {
  const before = await countStored()
  writeFileSync(file, winkArchive('b-5'))
  for (const apiKey of ['sb_wrong', await makeKey(project, { scopes: ['read'] })]) {
    const refused = await importing(apiKey)
    expect(refused.code).toBe(2)
    expect(refused.out.join('\n')).toMatch(/rejected the events/)
  }
  expect(await countStored()).toEqual(before)
})
