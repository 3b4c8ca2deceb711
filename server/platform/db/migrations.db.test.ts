import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from './migrate.mjs'
import { emptyDatabase } from './test-database.ts'
import { copyMigrations, MIGRATIONS } from './test-upgrade.ts'

function migrationsUpTo(last: string): string {
  const folder = copyMigrations(last)
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('0002: sessions with anomalies have breaches, others are fully enforced or unknown', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  await migrate({ url, folder: migrationsUpTo('0001_init') })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO sessions (id, project_id, environment, ns, key, harness, partition_day, started_at, last_event_at,
       received_at, anomalies)
     SELECT id, 'p', 'dev', ns, 'k', '{}', now(), now(), now(), now(), anomalies
     FROM (VALUES ('clean', 'n', 0), ('odd', 'n', 3), ('headless', '?', 0)) AS old(id, ns, anomalies)`,
  )
  await migrate({ url, folder: MIGRATIONS })
  const { rows } = await client.query(
    'SELECT id, enforcement, breach_count, breaches, capabilities FROM sessions ORDER BY id',
  )
  await client.end()
  const nothing = { breaches: [], capabilities: null }
  expect(rows).toEqual([
    { id: 'clean', enforcement: 'full', breach_count: 0, ...nothing },
    { id: 'headless', enforcement: 'unknown', breach_count: 0, ...nothing },
    { id: 'odd', enforcement: 'breach', breach_count: 3, ...nothing },
  ])
})

test('0031: counted sessions that ended store their shares, and their allowed stops store the attempts', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  await migrate({ url, folder: migrationsUpTo('0030~') })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO sessions (id, project_id, environment, ns, key, harness, partition_day, started_at, last_event_at, received_at,
       rolled_seq, contiguous_seq, max_seq, ended_at, deadline_at, plan_done, plan_total)
     SELECT id, 'p', 'dev', 'n', 'k', '{}', now(), to_timestamp(0), now(), now(), rolled, 9, 9, to_timestamp(ended),
       to_timestamp(deadline), done, total
     FROM (VALUES ('sess_a', 9, 79.9, 100, 1, 4), ('sess_b', 9, 300, NULL, NULL, NULL), ('sess_later', 3, 5, 10, 1, 1),
       ('sess_wink1', 9, 5, 10, 1, 1), ('sess_runs', 9, NULL, 10, 1, 1)) AS old(id, rolled, ended, deadline, done, total)`,
  )
  await client.query(
    `INSERT INTO stops (id, project_id, environment, session_id, seq, attempted_seq, attempt, at, ns, key, via, verdict, code, reason)
     SELECT session || seq, 'p', 'dev', session, seq, seq, 1, now(), 'n', 'k', via, verdict, 'c', 'r'
     FROM (VALUES ('sess_a', 1, 'turn_end', 'blocked'), ('sess_a', 2, 'turn_end', 'error'), ('sess_a', 3, 'turn_end', 'allowed'),
       ('sess_a', 4, 'turn_end', 'blocked'), ('sess_a', 5, 'turn_end', 'bypassed'), ('sess_a', 6, 'final', 'blocked'),
       ('sess_a', 7, 'turn_end', 'allowed'), ('sess_a', 8, 'final', 'allowed'), ('sess_later', 4, 'turn_end', 'allowed'),
       ('sess_wink1', 1, 'turn_end', 'allowed')) AS old(session, seq, via, verdict)`,
  )
  await migrate({ url, folder: MIGRATIONS })
  const stops = await client.query(
    'SELECT id, until FROM stops WHERE until IS NOT NULL ORDER BY id',
  )
  const ends = await client.query(
    'SELECT id, time_used, plan_end FROM sessions WHERE plan_end IS NOT NULL ORDER BY id',
  )
  await client.end()
  expect(stops.rows).toEqual([
    { id: 'sess_a3', until: 3 },
    { id: 'sess_a7', until: 1 },
  ])
  expect(ends.rows).toEqual([
    { id: 'sess_a', time_used: 79, plan_end: 2 },
    { id: 'sess_b', time_used: null, plan_end: -1 },
  ])
})

test('0033: calls of the last eight days are counted for the prompt and the runtime of their session', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  await migrate({ url, folder: migrationsUpTo('0032~') })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`SELECT signalbox_ensure_event_partition(current_date)`)
  await client.query(
    `INSERT INTO sessions (id, project_id, environment, runtime_id, ns, key, harness, partition_day, started_at, last_event_at, received_at)
     SELECT id, 'p', 'dev', runtime, ns, 'k', '{}', current_date, now(), now(), now()
     FROM (VALUES ('sess_a', 'rt_1', 'n'), ('sess_b', 'rt_1', 'n'), ('sess_none', NULL, 'n'), ('sess_wink1', 'rt_1', 'n'),
       ('sess_headless', NULL, '?')) AS old(id, runtime, ns)`,
  )
  // Events of each session: two calls in one minute, one of them denied; one that a wrong clock dated tomorrow; one that is too old.
  await client.query(
    `INSERT INTO session_events (session_id, seq, partition_day, project_id, at, received_at, type, verdict, data, hash)
     SELECT s.id, e.seq, current_date, 'p', now() + e.after::interval, now(), e.type, e.verdict, '{}', 'h'
     FROM sessions s CROSS JOIN (VALUES (1, '0', 'tool.requested', NULL), (2, '0', 'tool.decided', 'allowed'),
       (3, '0', 'tool.requested', NULL), (4, '0', 'tool.decided', 'error'), (5, '1 day', 'tool.requested', NULL),
       (6, '-9 days', 'tool.requested', NULL), (7, '0', 'note', NULL)) AS e(seq, after, type, verdict)`,
  )
  await migrate({ url, folder: MIGRATIONS })
  const { rows } = await client.query(
    'SELECT runtime_id AS runtime, ns, calls, denied, minute <= now() AS past FROM call_minutes ORDER BY 1',
  )
  await client.end()
  expect(rows).toEqual([
    { runtime: '', ns: 'n', calls: 3, denied: 1, past: true },
    { runtime: 'rt_1', ns: 'n', calls: 6, denied: 2, past: true },
  ])
})

test('0032: only counted sessions with feedback are left to the job that lists deliveries', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  await migrate({ url, folder: migrationsUpTo('0031~') })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO sessions (id, project_id, environment, ns, key, harness, partition_day, started_at, last_event_at, received_at,
       rolled_seq, contiguous_seq, max_seq, feedback)
     SELECT id, 'p', 'dev', 'n', 'k', '{}', now(), now(), now(), now(), rolled, 9, 9, feedback
     FROM (VALUES ('sess_told', 9, 2), ('sess_untold', 9, 0), ('sess_uncounted', 0, 3), ('sess_wink1', 9, 1))
       AS old(id, rolled, feedback)`,
  )
  await migrate({ url, folder: MIGRATIONS })
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM sessions WHERE listed_seq < rolled_seq',
  )
  await client.end()
  expect(rows).toEqual([{ id: 'sess_told' }])
})

/** The folder of an older build with a database that a newer one migrated: `text` is the unknown migration. */
async function newerDatabase(
  text: string,
): Promise<{ readonly url: string; readonly older: string }> {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const [older, newer] = [migrationsUpTo('0001_init'), migrationsUpTo('0001_init')]
  fs.mkdirSync(path.join(newer, '0002_newer'))
  fs.writeFileSync(path.join(newer, '0002_newer/migration.sql'), text)
  await migrate({ url, folder: newer })
  return { url, older }
}

test('a build works with a database that a newer build only expanded', async () => {
  const { url, older } = await newerDatabase('-- expand: a new table.\nCREATE TABLE newer ();')
  expect(await migrate({ url, folder: older })).toEqual([])
})

test('a build refuses a database that a newer build contracted, with one sentence', async () => {
  const { url, older } = await newerDatabase('-- contract: takes it away.\nDROP TABLE runtimes;')
  await expect(migrate({ url, folder: older })).rejects.toThrow(
    /^The database was migrated by a newer build \(0002_newer\), which this one cannot work with\. /,
  )
})

test('a start that waits too long for other migrations reports it', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query('SELECT pg_advisory_lock(72707369)')
  await expect(migrate({ url, folder: MIGRATIONS, lockWithinMs: 50 })).rejects.toThrow(
    /^Another process has held the lock for migrations for more than 0\.05 s\./,
  )
})

/** The last migration from before the rule of specs/decisions/0057. */
const BEFORE_THE_RULE = '0033_call_minutes'
const LARGE =
  'session_events|sessions|stops|denials|deliveries|session_snapshots|call_minutes|call_minute_shards|minute_counts|minute_count_shards|rollup_hours|audit_entries|audit_links|bundles'
const REMOVES =
  /\bDROP (TABLE|COLUMN|VIEW|FUNCTION|TYPE|CONSTRAINT)\b|\bRENAME\b|\bALTER COLUMN \S+ (TYPE|SET DATA TYPE|SET NOT NULL)\b|\bADD COLUMN (?:IF NOT EXISTS )?\S+ [^,;]*\bNOT NULL\b(?![^,;]*\bDEFAULT\b)/i
const REWRITES = new RegExp(
  `\\b(UPDATE|DELETE FROM|FROM|JOIN|CREATE (UNIQUE )?INDEX[^;]* ON) (ONLY )?"?(${LARGE})"?\\b|\\bALTER TABLE "?(${LARGE})"?[^;]*\\b(TYPE|CHECK(?![^;]*\\bNOT VALID)|SET NOT NULL|GENERATED)\\b`,
  'i',
)

const REPLACED_CHECK =
  /ALTER TABLE "\w+" DROP CONSTRAINT "(\w+_check)";\s*ALTER TABLE "\w+" ADD CONSTRAINT "\1" CHECK \(("\w+" IN \([^)]*\))\);/g

const findLiterals = (check: string): readonly string[] =>
  [...check.matchAll(/'([^']*)'/g)].map(([, literal = '']) => literal)

/** Without checks that allow at least what their last definition in `earlier` allows. Older builds write nothing that these refuse. */
function withoutWiderChecks(sql: string, earlier: string): string {
  return sql.replace(REPLACED_CHECK, (statements, name: string, check: string) => {
    const old = [
      ...earlier.matchAll(new RegExp(`"${name}"\\s+CHECK \\(("\\w+" IN \\([^)]*\\))`, 'g')),
    ]
    const values = findLiterals(old.at(-1)?.[1] ?? '')
    const isWider = values.length > 0 && values.every((one) => findLiterals(check).includes(one))
    return isWider ? '' : statements
  })
}

function listMigrationFaults(sql: string): readonly string[] {
  const [, kind] = /^-- (expand|contract): \S.*\.$/m.exec(sql.split('\n')[0] ?? '') ?? []
  // A view and a function read nothing when they are created.
  const statements = sql
    .replace(/^--.*$/gm, '')
    .replace(/\bCREATE VIEW [^;]*;/g, '')
    .replace(/\bCREATE FUNCTION [^$]*\$\$.*?\$\$/gs, '')
  return [
    ...(kind === undefined
      ? ['begins with neither "-- expand: reason." nor "-- contract: reason."']
      : []),
    ...(kind === 'expand' && REMOVES.test(statements) ? ['takes away what older builds use'] : []),
    ...(REWRITES.test(statements) ? ['reads or rewrites a large table at the start'] : []),
  ]
}

test('each migration states whether it expands or contracts, and does only that', () => {
  const migrations = fs
    .readdirSync(MIGRATIONS)
    .filter((name) => /^\d/.test(name))
    .toSorted()
    .map((name) => ({
      name,
      sql: fs.readFileSync(path.join(MIGRATIONS, name, 'migration.sql'), 'utf8'),
    }))
  const faults = migrations
    .filter(({ name }) => name > BEFORE_THE_RULE)
    .flatMap(({ name, sql }) => {
      const earlier = migrations.filter((one) => one.name < name).map((one) => one.sql)
      return listMigrationFaults(withoutWiderChecks(sql, earlier.join('\n'))).map(
        (fault) => `${name} ${fault}`,
      )
    })
  expect(faults).toEqual([])
})

test.each([
  ["'a', 'b', 'c'", 0],
  ["'a', 'c'", 1],
])('a check that allows %s where two values were allowed is taken as it is', (values, faults) => {
  const add = (allowed: string) =>
    `ALTER TABLE "t" ADD CONSTRAINT "t_kind_check" CHECK ("kind" IN (${allowed}));`
  const sql = `-- expand: a check.\nALTER TABLE "t" DROP CONSTRAINT "t_kind_check";\n${add(values)}`
  expect(listMigrationFaults(withoutWiderChecks(sql, add("'a', 'b'")))).toHaveLength(faults)
})

test.each([
  ['CREATE TABLE t ();', 1],
  [
    '-- expand: a column.\nALTER TABLE sessions ADD COLUMN a INT NOT NULL DEFAULT 0, ADD COLUMN b TEXT;',
    0,
  ],
  ['-- expand: a column.\nALTER TABLE projects ADD COLUMN a INT NOT NULL;', 1],
  ['-- expand: a column.\nALTER TABLE projects DROP COLUMN a;', 1],
  ['-- contract: nothing reads it.\nALTER TABLE sessions DROP COLUMN a;', 0],
  ['-- contract: fills it.\nUPDATE sessions SET a = 1;', 1],
  ['-- expand: an index.\nCREATE INDEX i ON "session_events" (a);', 1],
  ['-- expand: a view.\nCREATE VIEW v AS SELECT a FROM sessions;', 0],
  ['-- expand: a view.\nCREATE VIEW v AS SELECT 1; UPDATE sessions SET a = 1;', 1],
  [
    '-- expand: a function.\nCREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT count(*) FROM sessions $$;',
    0,
  ],
  ['-- expand: a limit.\nALTER TABLE sessions ADD CONSTRAINT c CHECK (a > 0) NOT VALID;', 0],
  ['-- expand: a limit.\nALTER TABLE sessions ADD CONSTRAINT c CHECK (a > 0);', 1],
  ['-- expand: a copy.\nCREATE MATERIALIZED VIEW v AS SELECT a FROM sessions;', 1],
])('the problems of the migration %j are counted as %d', (sql, count) => {
  expect(listMigrationFaults(sql)).toHaveLength(count)
})
