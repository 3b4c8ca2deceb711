import { createHash } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { recordAudit } from '@/server/platform/auth/audit.sql.ts'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readFilterText } from '@/server/platform/list/filter-grammar.ts'
import {
  createProjectCaller,
  installed,
  makePerson,
  otherProject,
  signedIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { AUDIT_LOG } from './audit-log.list.ts'

withTestDatabase()

let project: TestProject
let admin: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  project = await installed()
  admin = await createProjectCaller(project, 'admin')
})

const query = (sql: string, values: readonly unknown[] = []) =>
  database().pool.query(sql, [...values])

function write(projectId: AuthorizedProjectId, action: string, after = {}): Promise<void> {
  const who = { actorId: 'user_a', actor: 'Ana', origin: '10.0.0.1' }
  return inTransaction((tx) => recordAudit(tx, { projectId, ...who, action, target: 'x_1', after }))
}

async function newLog(entries: number) {
  const made = await otherProject()
  for (let i = 1; i <= entries; i++) await write(made.projectId, `thing.n${i}`, { i })
  const theirs = await createProjectCaller(made, 'admin')
  return { ...made, admin: theirs }
}

async function checked(log: { readonly admin: typeof admin }) {
  await log.admin.auditLog.check()
  await workOffJobs()
  return await log.admin.auditLog.chain()
}

async function tamper(sql: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: env().DATABASE_URL })
  await client.connect()
  try {
    await client.query("SET session_replication_role = 'replica'")
    await client.query(sql, [...values])
  } finally {
    await client.end()
  }
}

describe('the audit log', () => {
  test('lists every entry once over its pages, with actor and action, to admins only', async () => {
    for (let i = 0; i < 101; i++) {
      await admin.keys.create({ name: `key ${i}`, environment: 'dev', scopes: ['read'] })
    }
    const first = await admin.auditLog.list({ filter: {} })
    expect(first.rows).toHaveLength(100)
    expect(first.rows[0]).toMatchObject({ action: 'key.created', actor: 'A admin' })
    const second = await admin.auditLog.list({ filter: {}, cursor: first.nextCursor })
    const ids = [...first.rows, ...second.rows].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(second.nextCursor).toBeNull()
    const viewer = await createProjectCaller(project, 'viewer')
    await expect(viewer.auditLog.list({ filter: {} })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('the audit log is filtered by actor, action, target and time, and lists the possible values', async () => {
    const log = await newLog(3)
    const all = (await log.admin.auditLog.list({ filter: {} })).rows
    expect(all.map(({ action }) => action)).toEqual(['thing.n3', 'thing.n2', 'thing.n1'])
    const seen = async (filter: Parameters<typeof log.admin.auditLog.list>[0]['filter']) =>
      (await log.admin.auditLog.list({ filter })).rows.map(({ action }) => action)
    expect(await seen({ action: 'thing.n2' })).toEqual(['thing.n2'])
    expect(await seen({ actor: 'user_a', target: 'x_1' })).toHaveLength(3)
    expect(await seen({ actor: 'user_b' })).toEqual([])
    const middle = all[1]?.at ?? 0
    expect(await seen({ since: middle })).not.toContain('thing.n1')
    expect(await seen({ until: middle })).not.toContain('thing.n2')
    expect(await log.admin.auditLog.choices()).toEqual({
      actors: [{ id: 'user_a', name: 'Ana' }],
      actions: ['thing.n1', 'thing.n2', 'thing.n3'],
    })
  })

  test('the audit log is filtered by text, oldest first on request', async () => {
    const log = await newLog(3)
    const seen = async (text: string, order?: 'oldest') => {
      const { terms, problem } = readFilterText(text, AUDIT_LOG.grammar)
      expect(problem, text).toBeNull()
      const { rows } = await log.admin.auditLog.list({ filter: { terms }, order })
      return rows.map(({ action }) => action)
    }
    expect(await seen('who:ana to:x_1 from:10.0.0.1', 'oldest')).toEqual([
      'thing.n1',
      'thing.n2',
      'thing.n3',
    ])
    expect(await seen('-did:n2')).toEqual(['thing.n3', 'thing.n1'])
    expect(await seen('thing.n2')).toEqual(['thing.n2'])
    expect(await seen('at:>2100-01-01')).toEqual([])
    expect(await seen('-at:>2100-01-01 from:nowhere')).toEqual([])
  })

  test('the audit log is filtered by actor, action and target with an index each', async () => {
    const { projectId } = await newLog(1)
    const plan = (where: string) =>
      inTransaction(async (tx) => {
        await tx.$executeRaw`SET LOCAL enable_seqscan = off`
        const rows = await tx.$queryRawUnsafe(
          `EXPLAIN SELECT 1 FROM audit_entries e WHERE e.project_id = '${projectId}' AND ${where}
           ORDER BY e.at DESC, e.id DESC LIMIT 9`,
        )
        return JSON.stringify(rows)
      })
    for (const column of ['actor_id', 'action', 'target']) {
      expect(await plan(`e.${column} = 'x'`)).toContain(`project_id_${column}_at_id_idx`)
    }
  })

  test('refuses UPDATE, DELETE and TRUNCATE on its tables', async () => {
    for (const table of ['audit_entries', 'audit_links']) {
      await expect(query(`DELETE FROM ${table}`)).rejects.toThrow(/append-only/)
      await expect(query(`UPDATE ${table} SET project_id = 'x'`)).rejects.toThrow(/append-only/)
      await expect(query(`TRUNCATE ${table}`)).rejects.toThrow(/append-only/)
    }
  })
})

describe('the chain of the audit log', () => {
  test('gives every entry a position in commit order, even for concurrent commits', async () => {
    const { projectId } = await newLog(0)
    await Promise.all(Array.from({ length: 30 }, (_, i) => write(projectId, `thing.p${i}`)))
    const { rows } = await query(
      'SELECT position, prev, hash FROM audit_links WHERE project_id = $1 ORDER BY position',
      [projectId],
    )
    expect(rows.map(({ position }) => position)).toEqual(
      Array.from({ length: 30 }, (_, i) => i + 1),
    )
    for (const [i, { prev }] of rows.entries()) expect(prev).toBe(rows[i - 1]?.hash ?? '')
  })

  test('the chain of the audit log is not blocked by a running transaction that has written its entry', async () => {
    const { projectId } = await newLog(0)
    await inTransaction(async (tx) => {
      const who = { actorId: 'user_b', actor: 'Bo', target: 'x_2' }
      await recordAudit(tx, { projectId, ...who, action: 'thing.slow' })
      await write(projectId, 'thing.quick')
    })
    const { rows } = await query(
      'SELECT e.action FROM audit_links l JOIN audit_entries e ON e.id = l.entry_id WHERE l.project_id = $1 ORDER BY position',
      [projectId],
    )
    expect(rows.map(({ action }) => action)).toEqual(['thing.quick', 'thing.slow'])
  })

  test('verifies an unchanged log, and reports the last verified position and the time', async () => {
    const log = await newLog(3)
    expect(await log.admin.auditLog.chain()).toMatchObject({ head: 3, checkedAt: null })
    const state = await checked(log)
    expect(state).toMatchObject({ head: 3, checkedPosition: 3, broken: null })
    expect(state?.checkedAt).not.toBeNull()
  })

  const entryAt = (projectId: string, position: number) =>
    query('SELECT entry_id AS id FROM audit_links WHERE project_id = $1 AND position = $2', [
      projectId,
      position,
    ]).then(({ rows }) => String(rows[0]?.id))

  test.each([
    {
      what: 'a changed entry',
      sql: `UPDATE audit_entries SET actor = 'Bo' WHERE id = $1`,
      at: 2,
      reason: 'changed',
    },
    {
      what: 'a removed entry',
      sql: 'DELETE FROM audit_entries WHERE id = $1',
      at: 2,
      reason: 'removed',
    },
    {
      what: 'a removed link',
      sql: 'DELETE FROM audit_links WHERE entry_id = $1',
      at: 3,
      reason: 'gap',
    },
    {
      what: 'a changed hash',
      sql: `UPDATE audit_links SET hash = repeat('0', 64) WHERE entry_id = $1`,
      at: 2,
      reason: 'changed',
    },
  ])('breaks after $what', async ({ sql, at, reason }) => {
    const log = await newLog(3)
    await checked(log)
    await tamper(sql, [await entryAt(log.projectId, 2)])
    expect((await checked(log))?.broken).toMatchObject({ position: at, reason })
  })

  test('breaks when the end was removed or rewritten, or an entry was inserted', async () => {
    const cut = await newLog(3)
    await checked(cut)
    const last = await entryAt(cut.projectId, 3)
    await tamper('DELETE FROM audit_entries WHERE id = $1', [last])
    await tamper('DELETE FROM audit_links WHERE entry_id = $1', [last])
    await tamper(
      `UPDATE audit_chains c SET head_position = 2, head_hash = l.hash FROM audit_links l
       WHERE l.project_id = c.project_id AND l.position = 2 AND c.project_id = $1`,
      [cut.projectId],
    )
    expect((await checked(cut))?.broken).toEqual({ position: 3, entryId: null, reason: 'cut' })

    const anew = await newLog(3)
    await checked(anew)
    await tamper(`UPDATE audit_entries SET actor = 'Bo' WHERE project_id = $1`, [anew.projectId])
    await tamper('DELETE FROM audit_links WHERE project_id = $1', [anew.projectId])
    await tamper(
      `UPDATE audit_chains SET head_position = 0, head_hash = '' WHERE project_id = $1`,
      [anew.projectId],
    )
    await tamper(
      'SELECT signalbox_chain_audit_entry(e) FROM audit_entries e WHERE project_id = $1 ORDER BY at, id',
      [anew.projectId],
    )
    expect((await checked(anew))?.broken).toMatchObject({ position: 3, reason: 'cut' })

    const slipped = await newLog(1)
    await tamper(
      `INSERT INTO audit_entries (id, project_id, actor_id, actor, action, target) VALUES ('aud_in', $1, 'a', 'a', 'a.b', 'x')`,
      [slipped.projectId],
    )
    expect((await checked(slipped))?.broken).toMatchObject({
      entryId: 'aud_in',
      reason: 'unchained',
    })
  })
})

describe('the export of the audit log', () => {
  async function file(toSlug: TestProject, parameters: string): Promise<Response> {
    const headers = await signedIn(await makePerson(toSlug, 'admin'))
    return await api.fetch(
      new Request(`http://127.0.0.1:3000/api/export/audit?${parameters}`, { headers }),
    )
  }

  test('contains the hashed text of each entry as JSONL, so that anyone can verify the chain', async () => {
    const log = await newLog(3)
    const lines = (await (await file(log, 'format=jsonl')).text()).trim().split('\n')
    const entries = lines.map((line) => {
      const [, hash = '', text = ''] =
        /^\{"hash": "([0-9a-f]{64})", "entry": (.*)\}$/.exec(line) ?? []
      expect(createHash('sha256').update(text).digest('hex')).toBe(hash)
      return { hash, ...JSON.parse(text) }
    })
    expect(entries.map(({ action, origin }) => [action, origin])).toEqual([
      ['thing.n3', '10.0.0.1'],
      ['thing.n2', '10.0.0.1'],
      ['thing.n1', '10.0.0.1'],
    ])
    expect(entries.map(({ prev }) => prev)).toEqual([entries[1]?.hash, entries[2]?.hash, ''])
  })

  test('contains every page of the filter as CSV, without spreadsheet formulas', async () => {
    const log = await newLog(2)
    await write(log.projectId, 'thing.last', { name: 'a "b", c' })
    const who = { actorId: 'user_c', actor: '=1+1', target: 'x_9', action: 'thing.formula' }
    await inTransaction((tx) => recordAudit(tx, { projectId: log.projectId, ...who }))
    const text = await (await file(log, 'format=csv&target=x_1')).text()
    const rows = text.trimEnd().split('\r\n')
    expect(rows[0]).toBe('at,actor,actor_id,action,target,origin,before,after,id,position,hash')
    expect(rows).toHaveLength(4)
    expect(rows[1]).toContain(
      ',Ana,user_a,thing.last,x_1,10.0.0.1,,"{""name"":""a \\""b\\"", c""}",aud_',
    )
    expect(await (await file(log, 'format=csv&target=x_9')).text()).toContain(`,'=1+1,user_c,`)
  })

  test('applies the filter and order of the console together with its query parameters', async () => {
    const log = await newLog(3)
    const filter = encodeURIComponent(JSON.stringify({ target: 'x_1' }))
    const text = await (await file(log, `filter=${filter}&order=oldest&action=thing.n2`)).text()
    expect(text.match(/thing\.n\d/g)).toEqual(['thing.n2'])
    const all = await (await file(log, `filter=${filter}&order=oldest`)).text()
    expect(all.match(/thing\.n\d/g)).toEqual(['thing.n1', 'thing.n2', 'thing.n3'])
    expect((await file(log, 'filter={')).status).toBe(422)
  })

  test('the export of the audit log is refused for an unknown format or an invalid time', async () => {
    const log = await newLog(0)
    expect((await file(log, 'format=xml')).status).toBe(422)
    expect((await file(log, 'since=yesterday')).status).toBe(422)
  })
})
