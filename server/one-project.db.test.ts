// Each statement runs twice more: as it is, and as a role whose row policies show only rows of the caller's project. Both must return and
// change the same, so nothing depends on how a statement is written (decision 67). Jobs run as a role that sees all of their cell, and
// nothing of the directory.

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { omitUndefined } from '@signalbox/core'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { TASKS } from '@/server/jobs/tasks.ts'
import { completeRowProjects } from '@/server/operations/row-projects.sql.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { PROCEDURES } from '@/server/test/access-table.ts'
import { type Call, callTrpc } from '@/server/test/callers.ts'
import { ENDPOINTS } from '@/server/test/endpoint-table.ts'
import { allEndpoints, callEndpoint } from '@/server/test/endpoints.ts'
import { makeKey, otherProject } from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { makeTenant, type Tenant } from '@/server/test/tenant.ts'
import { appRouter } from '@/server/trpc/root.ts'

withTestDatabase()

const SUFFIX = randomBytes(6).toString('hex')
/** Each sees the tables of the cell: `one` the rows of one project, `cell` all. `directory` sees the tables of the directory. */
const ROLES = { one: `one_${SUFFIX}`, cell: `cell_${SUFFIX}`, directory: `directory_${SUFFIX}` }
type RoleName = keyof typeof ROLES

/** Tables of the whole installation: people, what lets them in, and secrets. All others are kept in the cell of their project. */
const DIRECTORY_TABLES: ReadonlySet<string> = new Set([
  ...['users', 'auth_accounts', 'auth_sessions', 'auth_verifications'],
  ...['memberships', 'invitations', 'removed_addresses', 'projects', 'key_places'],
  ...['throttles', 'sealed_secrets'],
])

/** Rows of these tables are also in the cell, because its queries name authors and count approvals; with those that the project sees. */
const COPIED = new Map([
  ['users', 'true'],
  ['memberships', "project_id = current_setting('signalbox.project')"],
  ['projects', "id = current_setting('signalbox.project')"],
  // About the database itself, as every database has it.
  ['restores', 'true'],
])

interface Watch {
  readonly what: string
  readonly projectId: string
  /** A statement must have the same result as one of these. */
  readonly roles: readonly RoleName[]
}

/** Statements are watched that follow from `watching`, also later, and no others: a request may leave work behind. */
const watches = new AsyncLocalStorage<Watch>()
const compared: Promise<void>[] = []
const misfits = new Set<string>()
const fits = new Set<string>()

interface Statement {
  readonly text: string
  readonly values?: unknown[]
}

type Send = (statement: string | (Statement & { rowMode: 'array' })) => Promise<pg.QueryResult>

const CONTROL =
  /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|SHOW|LISTEN|UNLISTEN|DISCARD|DEALLOCATE)\b/i

function parseStatement(first: unknown, second: unknown): Statement | null {
  const given = Array.isArray(second) ? { values: [...second] } : {}
  if (typeof first === 'string') return { text: first, ...given }
  if (typeof first !== 'object' || first === null || !('text' in first)) return null
  const { text, values = given.values } = first as Statement
  return { text, ...omitUndefined({ values }) }
}

/** Rows in any order, because a plan under policies may return them in another where the statement leaves it open. */
function describeResult({ rows, rowCount }: pg.QueryResult): string {
  return JSON.stringify([rowCount, rows.map((row) => JSON.stringify(row)).toSorted()])
}

function describeFailure(error: unknown): string {
  return `error ${String(error instanceof Error && 'code' in error ? error.code : error)}`
}

/** Runs the statement and undoes it. Never rejects. */
async function tryOut(send: Send, statement: Statement, as: string): Promise<string> {
  const quiet = (sent: Promise<unknown>) => sent.catch(() => undefined)
  const begun = quiet(send(`SAVEPOINT tried; ${as}`))
  const result = send({ ...statement, rowMode: 'array' }).then(describeResult, describeFailure)
  const undone = quiet(send('ROLLBACK TO SAVEPOINT tried; RELEASE SAVEPOINT tried'))
  await Promise.all([begun, undone])
  return await result
}

async function compare(
  send: Send,
  statement: Statement,
  { what, projectId, roles }: Watch,
): Promise<void> {
  const asRole = (name: RoleName): string =>
    `SET LOCAL ROLE ${ROLES[name]}; SELECT set_config('signalbox.project', '${projectId}', true)`
  // All are sent before the first is answered, so that the statement itself comes right after them.
  const plain = tryOut(send, statement, 'SELECT 1')
  const others = roles.map((name) => tryOut(send, statement, asRole(name)))
  const [expected, ...results] = await Promise.all([plain, ...others])
  const text = toLine(statement.text)
  if (results.includes(expected)) {
    fits.add(text)
    return
  }
  const told = roles.map((name, at) => `${name}: ${results[at]?.slice(0, 200)}`)
  misfits.add([`${what}: ${text}`, `as it is: ${expected.slice(0, 200)}`, ...told].join('\n  '))
}

const toLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** A soak compares each statement with all of its values, `npm test` with the first. */
const isNew = ({ text }: Statement): boolean => IS_SOAK || !fits.has(toLine(text))

function watchConnection(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...values: unknown[]) => unknown
  // pg returns a promise for a statement without a callback.
  const send = query as unknown as Send
  let isOpen = false
  const follow = (text: string): void => {
    if (/^\s*BEGIN/i.test(text)) isOpen = true
    else if (/^\s*(COMMIT|ROLLBACK)(?!\s+TO)/i.test(text)) isOpen = false
  }
  const check = (statement: Statement, active: Watch): void => {
    const own = (text: string): void => {
      if (!isOpen) void send(text).catch(() => undefined)
    }
    own('BEGIN')
    compared.push(compare(send, statement, active))
    own('ROLLBACK')
  }
  const watched = (...values: unknown[]): unknown => {
    const statement = parseStatement(values[0], values[1])
    if (statement === null) return query(...values)
    const active = watches.getStore()
    if (CONTROL.test(statement.text)) follow(statement.text)
    else if (active !== undefined && isNew(statement)) check(statement, active)
    return query(...values)
  }
  client.query = watched as typeof client.query
}

async function watching<T>(watched: Watch, work: () => Promise<T>): Promise<T> {
  try {
    return await watches.run(watched, work)
  } finally {
    await Promise.all(compared.splice(0))
  }
}

const run = (text: string, values: readonly unknown[] = []) =>
  database().pool.query<Record<string, unknown>>(text, [...values])

async function listCellTables(): Promise<readonly string[]> {
  const { rows } = await run(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition AND c.relname NOT LIKE '\\_%' ORDER BY 1`,
  )
  return rows
    .map(({ name }) => String(name))
    .filter((name) => !DIRECTORY_TABLES.has(name) && !COPIED.has(name))
}

/** Row policies, which bind these roles only: the product's own role owns the tables. */
async function makeRoles(tables: readonly string[]): Promise<void> {
  const every = Object.values(ROLES).join(', ')
  const inCell = [...tables, ...COPIED.keys()].join(', ')
  const show = (table: string, where: string): string =>
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
     CREATE POLICY one ON ${table} TO ${ROLES.one} USING (${where});
     CREATE POLICY every ON ${table} TO ${ROLES.cell}, ${ROLES.directory} USING (true);`
  await run(`
    ${Object.values(ROLES)
      .map((role) => `CREATE ROLE ${role};`)
      .join('\n')}
    GRANT USAGE ON SCHEMA public, graphile_worker TO ${every};
    GRANT ALL ON ${inCell} TO ${ROLES.one}, ${ROLES.cell};
    GRANT ALL ON ${[...DIRECTORY_TABLES].join(', ')} TO ${ROLES.directory};
    ${tables.map((table) => show(table, "project_id = current_setting('signalbox.project')")).join('\n')}
    ${[...COPIED].map(([table, where]) => show(table, where)).join('\n')}`)
  const { rows: views } = await run(
    "SELECT viewname AS name FROM pg_views WHERE schemaname = 'public'",
  )
  for (const { name } of views) {
    await run(
      `ALTER VIEW ${name} SET (security_invoker = true); GRANT SELECT ON ${name} TO ${ROLES.one}, ${ROLES.cell}`,
    )
  }
  // The queue is the cell's.
  const { rows: queue } = await run(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'graphile_worker'",
  )
  for (const { name } of queue) {
    await run(`CREATE POLICY every ON graphile_worker.${name} USING (true)`)
  }
  await run(`
    GRANT ALL ON ALL TABLES IN SCHEMA graphile_worker TO ${every};
    GRANT ALL ON ALL SEQUENCES IN SCHEMA graphile_worker TO ${every};
    ALTER FUNCTION signalbox_ensure_event_partition SECURITY DEFINER`)
}

// The record holds each procedure by its path; its type only hides the definition.
const procedures = appRouter._def.procedures as unknown as Readonly<
  Record<string, { readonly _def: { readonly type: Call['type'] } }>
>
const endpoints = await allEndpoints()

let cellTables: readonly string[]
let watched: Tenant
let other: Tenant
let key: string

async function callProcedure(tenant: Tenant, path: string): Promise<number> {
  const type = procedures[path]?._def.type ?? 'query'
  const input = await PROCEDURES[path]?.input?.(tenant)
  return (await callTrpc(tenant.people.admin.headers, { path, type, input })).status
}

/** Procedures that write, they or the inputs that the table makes for them, to tables that a new project leaves empty. */
const FILLING = [
  ...['alerts.acknowledge', 'annotations.write', 'claims.add', 'backtests.pin', 'backtests.start'],
  ...['callApprovals.decide', 'drafts.sayPresence', 'releaseApprovals.decide', 'retention.change'],
  ...['savedViews.setDefault', 'schedules.create', 'sessionOrders.give', 'signingKeys.prepare'],
  ...['labels.set', 'prevention.cancel', 'suggestions.cancel', 'stagedRollouts.share'],
]

/** Rows that only long sessions, staged rollouts, shadow versions and jobs make. */
async function fillRare({ project: { projectId } }: Tenant): Promise<void> {
  const from = (table: string): string => `FROM ${table} t WHERE t.project_id = '${projectId}'`
  await run(`
    INSERT INTO learn_counts (project_id, ns, key, environment, day, label, basis, tools, members, counts)
      SELECT project_id, ns, key, environment, partition_day, 'good', 'b', 't', '{}', '' ${from('sessions')} ON CONFLICT DO NOTHING;
    INSERT INTO dismissed_rules (project_id, ns, key, rule, sentence, reason, dismissed_by, dismissed_name)
      SELECT project_id, ns, key, 'r2', 's', 'r', 'b', 'b' ${from('sessions')} ON CONFLICT DO NOTHING;
    INSERT INTO session_snapshots (session_id, project_id, seq, hash, state)
      SELECT id, project_id, 1, 'h', '{}' ${from('sessions')} ON CONFLICT DO NOTHING;
    INSERT INTO shadow_sessions (session_id, project_id, environment, digest, at)
      SELECT id, project_id, environment, 'sha256:0', now() ${from('sessions')};
    INSERT INTO shadow_differences (session_id, seq, project_id, environment, digest, at, of_seq, subject, tool, rule, live, shadow, is_exact, own_facts)
      SELECT id, 1, project_id, environment, 'sha256:0', now(), 1, 'call', '', '', 'allowed', 'denied', true, false ${from('sessions')};
    INSERT INTO deliveries (id, project_id, environment, session_id, seq, at, ns, key, provider, name, severity, says)
      SELECT 'evt_' || id, project_id, environment, id, 1, now(), ns, key, 'p', 'p', 'info', 's' ${from('sessions')} ON CONFLICT DO NOTHING;
    INSERT INTO minute_counts (project_id, environment, minute)
      SELECT DISTINCT project_id, environment, minute ${from('minute_count_shards')} ON CONFLICT DO NOTHING;
    INSERT INTO call_minutes (project_id, runtime_id, ns, key, environment, minute, calls, denied)
      SELECT DISTINCT project_id, runtime_id, ns, key, environment, minute, 1, 1 ${from('call_minute_shards')} ON CONFLICT DO NOTHING;
    INSERT INTO activity_days (project_id, ns, key, day, kind, name, environment, last_at)
      SELECT DISTINCT project_id, ns, key, day, kind, name, environment, now() ${from('activity_day_shards')} ON CONFLICT DO NOTHING;
    INSERT INTO runtime_applications (runtime_id, revision, project_id, environment, applied_at)
      SELECT id, 1, project_id, environment, now() ${from('runtimes')} ON CONFLICT DO NOTHING;
    INSERT INTO rollout_sessions (rollout_id, session_id, project_id, cohort, value)
      SELECT id, 'sess_x', project_id, 'base', 1 ${from('rollouts')};
    INSERT INTO backtest_units (backtest_id, position, project_id, session_id)
      SELECT id, 1, project_id, 'sess_x' ${from('backtests')} ON CONFLICT DO NOTHING;
    INSERT INTO backtest_changes (backtest_id, position, seq, subject, project_id, session_id, class, is_late, before, after)
      SELECT id, 1, 1, 'call', project_id, 'sess_x', 'would_deny', false, '{}', '{}' ${from('backtests')} ON CONFLICT DO NOTHING;
    INSERT INTO alert_deliveries (id, project_id, alert_id, event, kind, url)
      SELECT 'dlv_' || id, project_id, id, 'firing', 'webhook', 'https://hooks.invalid/' ${from('alerts')};
    INSERT INTO webhook_streams (id, project_id, name, url, audit, decisions, audit_position, claimed_audit_position, created_by)
      VALUES ('whs_' || '${projectId}', '${projectId}', 'rare', 'https://hooks.invalid/', true, true, 0, 0, 'u');
    INSERT INTO webhook_stream_items (stream_id, project_id, record_id)
      SELECT id, project_id, 'dec_x' ${from('webhook_streams')};
    INSERT INTO mandatory_bases (project_id, config_id)
      SELECT project_id, min(id) ${from('configs')} GROUP BY project_id;
    INSERT INTO retention_removals (id, project_id, kind, days, sessions)
      VALUES ('rem_' || '${projectId}', '${projectId}', 'events', 1, 1);
    INSERT INTO archive_segments (project_id, digest, sessions, written_at)
      VALUES ('${projectId}', 'd', 1, now());
    INSERT INTO archived_sessions (session_id, project_id, segment, start, bytes, digest, events, max_seq, received_at)
      SELECT id, project_id, 'd', 0, 1, 'd', 1, 1, now() ${from('sessions')};
    INSERT INTO dead_letters (project_id, id, environment, key_id, reason, detail, events, accepted_at)
      VALUES ('${projectId}', 'dl_1', 'production', 'key_1', 'key_revoked', 'd', 1, now())`)
}

/** Tables of the cell without rows of the project, in which a statement that reads them, too, would go unnoticed. */
async function listEmpty({ project: { projectId } }: Tenant): Promise<readonly string[]> {
  const counts = cellTables.map(
    (name) =>
      `SELECT '${name}' AS name, EXISTS (SELECT 1 FROM ${name} WHERE project_id = '${projectId}') AS held`,
  )
  const { rows } = await run(counts.join(' UNION ALL '))
  return rows.filter(({ held }) => held !== true).map(({ name }) => String(name))
}

beforeAll(async () => {
  database().pool.on('connect', watchConnection)
  cellTables = await listCellTables()
  await makeRoles(cellTables)
  await completeRowProjects(new AbortController().signal)
  other = await makeTenant(await otherProject(), 'plover')
  for (const path of FILLING) await callProcedure(other, path)
  await fillRare(other)
  const project = await otherProject()
  const made: Watch = {
    what: 'a new project',
    projectId: project.projectId,
    roles: ['one', 'directory'],
  }
  watched = await watching(made, () => makeTenant(project, 'kestrel'))
  key = await makeKey(project, { scopes: ['ingest', 'read', 'publish'] })
}, 120_000)

afterAll(async () => {
  const every = Object.values(ROLES).join(', ')
  await run(`DROP OWNED BY ${every}; DROP ROLE ${every}`)
})

const asWatched = (what: string): Watch => ({
  what,
  projectId: watched.project.projectId,
  roles: ['one', 'directory'],
})

function takeMisfits(): readonly string[] {
  const found = [...misfits]
  misfits.clear()
  return found
}

describe('a statement that reads two projects or joins cell and directory is found:', () => {
  test.each([
    ['a count over all projects', 'SELECT count(*) FROM sessions'],
    ['the newest row of any project', 'SELECT id FROM releases ORDER BY created_at, id LIMIT 1'],
    ['a join over another column', 'SELECT a.id FROM stops a JOIN stops b ON b.code = a.code'],
    ['an update of all projects', 'UPDATE environments SET position = position'],
    [
      'a join with logins',
      'SELECT d.id FROM drafts d JOIN auth_sessions s ON s.user_id = d.author_id',
    ],
  ])('%s', async (what, text) => {
    await watching(asWatched(what), async () => void (await run(text).catch(() => undefined)))
    expect(takeMisfits()).toHaveLength(1)
  })
})

test('every table of the cell names the project of each row', async () => {
  const { rows } = await run(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'project_id'`,
  )
  const named = new Set(rows.map(({ name }) => name))
  expect(cellTables.filter((table) => !named.has(table))).toEqual([])
})

test('creating and filling a project reads no other project', () => {
  expect(takeMisfits()).toEqual([])
})

test('no procedure of the console reads another project', async () => {
  for (const path of Object.keys(PROCEDURES)) {
    // The input is made unwatched: its statements are those of a test.
    const input = await PROCEDURES[path]?.input?.(watched)
    const type = procedures[path]?._def.type ?? 'query'
    // The rows that it writes are those of a project whose id is known only afterwards.
    const isOther = path === 'projects.create'
    await watching(
      isOther ? { ...asWatched(path), roles: ['cell', 'directory'] } : asWatched(path),
      async () => void (await callTrpc(watched.people.admin.headers, { path, type, input })),
    )
  }
  expect(takeMisfits()).toEqual([])
}, 120_000)

test('each table of the cell has rows of the other project, so that no statement that reads them goes unnoticed', async () => {
  expect(await listEmpty(other)).toEqual([])
  expect(fits.size).toBeGreaterThan(300)
})

test('no endpoint for programs reads another project', async () => {
  for (const endpoint of endpoints) {
    const row = ENDPOINTS[endpoint.name]
    if (row?.auth !== 'key' && row?.auth !== 'login') continue
    const input = (await row.input?.(watched)) ?? {}
    const { params = {}, headers = {}, body } = input
    const caller =
      row.auth === 'key'
        ? { authorization: `Bearer ${key}` }
        : Object.fromEntries(watched.people.admin.headers)
    await watching(asWatched(endpoint.name), async () => {
      const response = await callEndpoint(
        endpoint,
        new Request('http://127.0.0.1:3000/api', {
          method: endpoint.method,
          headers: { ...caller, ...headers },
          ...omitUndefined({ body }),
        }),
        params,
      )
      // The first part of a stream that stays open.
      const reader = response.body?.getReader()
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (isStream === true) await reader?.read()
      else while ((await reader?.read())?.done === false);
      await reader?.cancel()
    })
  }
  expect(takeMisfits()).toEqual([])
}, 120_000)

test('no job reads the directory', async () => {
  const ran = Object.entries(TASKS).filter(([, { recurs }]) => recurs !== null)
  const once = { signal: new AbortController().signal, attempt: 1, isLastAttempt: false }
  for (const [name, task] of ran) {
    await watching({ ...asWatched(name), roles: ['cell'] }, () => task.run({} as never, once))
  }
  await watching({ ...asWatched('a job'), roles: ['cell', 'directory'] }, workOffJobs)
  expect(takeMisfits()).toEqual([])
}, 60_000)
