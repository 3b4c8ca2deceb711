import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { beginSnapshot } from '@/server/platform/db/table-copy.mjs'
import { emptyDatabase } from '@/server/platform/db/test-database.ts'
import { restoreEarlier } from '@/server/platform/db/test-upgrade.ts'
import { withClient } from './installation.mjs'
import { type Outcome, runToEnd } from './product-process.ts'

const PASSPHRASE = 'correct horse battery'
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-backup-'))
const dataDir = path.join(folder, 'data')
const backup = path.join(folder, 'whole.backup')
const source = await emptyDatabase()

interface Options {
  readonly url: string
  readonly file: string
  readonly dataDir?: string
  /** Empty: none. */
  readonly passphrase?: string
}

const run = (program: 'backup' | 'restore', options: Options): Promise<Outcome> =>
  runToEnd([`scripts/${program}.mjs`, options.file], {
    DATABASE_URL: options.url,
    SIGNALBOX_DATA_DIR: options.dataDir ?? dataDir,
    SIGNALBOX_BACKUP_PASSPHRASE: options.passphrase ?? PASSPHRASE,
  })

async function target(): Promise<string> {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  return url
}

const query = <Row extends Record<string, unknown>>(url: string, sql: string): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(sql)).rows)

const TABLES = `SELECT format('%I.%I', c.table_schema, c.table_name) AS name,
    string_agg(quote_ident(c.column_name), ', ' ORDER BY c.ordinal_position) AS columns
  FROM information_schema.columns c JOIN pg_tables t ON (t.schemaname, t.tablename) = (c.table_schema, c.table_name)
  WHERE t.schemaname IN ('public', 'graphile_worker') AND t.tablename NOT IN ('_prisma_migrations', 'migrations')
  GROUP BY 1 ORDER BY 1`

/** Every row of the tables that the source has, as text. Migrations after the restore add columns, which are left out. */
async function dumpTables(url: string): Promise<ReadonlyMap<string, string>> {
  const tables = await query<{ name: string; columns: string }>(source.url, TABLES)
  return await withClient(url, async (client) => {
    const contents = new Map<string, string>()
    for (const { name, columns } of tables) {
      const sql = `SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS rows FROM (SELECT ${columns} FROM ${name}) AS t`
      contents.set(name, (await client.query<{ rows: string }>(sql)).rows[0]?.rows ?? '')
    }
    return contents
  })
}

async function expectRefused(
  outcome: Promise<Outcome>,
  code: number,
  sentence: RegExp,
): Promise<void> {
  const { code: exit, said } = await outcome
  expect(said).toMatch(sentence)
  expect(said.split('\n')).toHaveLength(1)
  expect(exit).toBe(code)
}

function harmed(harm: (bytes: Buffer) => Buffer): string {
  const file = path.join(fs.mkdtempSync(path.join(folder, 'harmed-')), 'file')
  fs.writeFileSync(file, harm(fs.readFileSync(backup)))
  return file
}

beforeAll(async () => {
  fs.mkdirSync(dataDir)
  fs.writeFileSync(path.join(dataDir, 'secrets.json'), '{"authSecret":"kept"}')
  await restoreEarlier(source.url)
  await query(
    source.url,
    `SELECT graphile_worker.add_job('jobs.tidy', '{"a":1}', job_key => 'one')`,
  )
  expect(await run('backup', { url: source.url, file: backup })).toMatchObject({ code: 0 })
})
afterAll(async () => {
  fs.rmSync(folder, { recursive: true })
  await source.drop()
})

test('a restored database has every row of the backup, its jobs and its secrets, and continues the job ids', async () => {
  const url = await target()
  const empty = path.join(folder, 'restored')
  const { code, said } = await run('restore', { url, file: backup, dataDir: empty })
  expect(said).toMatch(
    /^The backup of .* is restored: 3 sessions, 192 events\. Start Signalbox now\.$/,
  )
  expect(code).toBe(0)
  const [before, after] = await Promise.all([dumpTables(source.url), dumpTables(url)])
  for (const [name, rows] of before) expect([name, after.get(name)]).toEqual([name, rows])
  const secrets = path.join(empty, 'secrets.json')
  expect(fs.readFileSync(secrets, 'utf8')).toBe('{"authSecret":"kept"}')
  expect(fs.statSync(secrets).mode & 0o777).toBe(0o600)
  await query(url, `SELECT graphile_worker.add_job('jobs.tidy', job_key => 'two')`)
  await query(
    url,
    `INSERT INTO audit_entries (id, project_id, actor_id, actor, action, target)
    SELECT 'aud_new', id, 'system', 'Signalbox', 'test', 'test' FROM projects`,
  )
  const [linked] = await query(
    url,
    `SELECT entry_id FROM audit_links ORDER BY position DESC LIMIT 1`,
  )
  expect(linked).toEqual({ entry_id: 'aud_new' })
})

test('a backup reveals nothing without its passphrase, and others cannot read the file', () => {
  const bytes = fs.readFileSync(backup)
  expect(bytes.includes('kept')).toBe(false)
  expect(fs.statSync(backup).mode & 0o777).toBe(0o600)
})

test('a backup without a passphrase is written only to a private folder', async () => {
  const place = fs.mkdtempSync(path.join(folder, 'open-'))
  const options = { url: source.url, file: path.join(place, 'plain.backup'), passphrase: '' }
  fs.chmodSync(place, 0o755)
  await expectRefused(run('backup', options), 20, /^Other users can open the folder .*\.$/)
  expect(fs.readdirSync(place)).toEqual([])
  fs.chmodSync(place, 0o700)
  expect(await run('backup', options)).toMatchObject({ code: 0 })
  const url = await target()
  const restored = { url, file: options.file, passphrase: '', dataDir: path.join(place, 'data') }
  expect(await run('restore', restored)).toMatchObject({ code: 0 })
})

test('a backup fails with the reason when a migration holds a lock for too long', async () => {
  await withClient(source.url, async (migration) => {
    await migration.query('BEGIN')
    await migration.query('LOCK TABLE users IN ACCESS EXCLUSIVE MODE')
    const begun = withClient(source.url, (client) => beginSnapshot(client, 50))
    // A backup that waits would continue only at the end of the migration, which comes later.
    const waits = wait(20_000, 'waits', { ref: false })
    await expect(Promise.race([begun, waits])).rejects.toThrow(
      /^Another process, such as a migration, keeps a table locked/,
    )
  })
})

test('a backup never replaces an existing file', async () => {
  await expectRefused(run('backup', { url: source.url, file: backup }), 2, /^The file .* exists\./)
})

interface Refusal {
  readonly from: string
  readonly options: () => Partial<Options>
  readonly code: number
  readonly sentence: RegExp
}

const asText = (harm: (text: string) => string) =>
  harmed((bytes) => Buffer.from(harm(bytes.toString('latin1')), 'latin1'))

const REFUSALS: readonly Refusal[] = [
  {
    from: 'a wrong passphrase',
    options: () => ({ passphrase: 'another passphrase' }),
    code: 20,
    sentence: /^SIGNALBOX_BACKUP_PASSPHRASE is not the passphrase/,
  },
  {
    from: 'no passphrase',
    options: () => ({ passphrase: '' }),
    code: 20,
    sentence: /^The backup .* is encrypted\. Set SIGNALBOX_BACKUP_PASSPHRASE/,
  },
  {
    from: 'a missing file',
    options: () => ({ file: path.join(folder, 'none') }),
    code: 22,
    sentence: /cannot be used: ENOENT/,
  },
  {
    from: 'another file',
    options: () => ({ file: path.resolve('package.json') }),
    code: 22,
    sentence: /it is not a backup of Signalbox/,
  },
  {
    from: 'a changed byte',
    options: () => ({
      file: harmed((bytes) => bytes.fill(bytes.readUInt8(5000) ^ 1, 5000, 5001)),
    }),
    code: 22,
    sentence: /it is damaged\.$/,
  },
  {
    from: 'a file whose last byte is missing',
    options: () => ({ file: harmed((bytes) => bytes.subarray(0, -1)) }),
    code: 22,
    sentence: /it ends early/,
  },
  {
    from: 'an additional byte',
    options: () => ({ file: harmed((bytes) => Buffer.concat([bytes, bytes.subarray(-1)])) }),
    code: 22,
    sentence: /it is damaged\.$/,
  },
  {
    from: 'a changed head',
    options: () => ({ file: asText((text) => text.replace('"createdAt":"2', '"createdAt":"3')) }),
    code: 22,
    sentence: /it is damaged\.$/,
  },
  {
    from: 'a newer build',
    options: () => ({ file: asText((text) => text.replace('0033_', '9933_')) }),
    code: 21,
    sentence: /^The backup .* was made by a newer build \(9933_/,
  },
]

test.each(REFUSALS)(
  'a restore from $from is refused with one sentence and changes nothing',
  async ({ options, code, sentence }) => {
    const url = await target()
    const empty = path.join(folder, 'untouched')
    const given = { url, file: backup, dataDir: empty, ...options() }
    await expectRefused(run('restore', given), code, sentence)
    expect(await query(url, TABLES)).toEqual([])
    expect(fs.existsSync(empty)).toBe(false)
  },
)

test('a restore into a non-empty database or data folder is refused and changes nothing', async () => {
  const before = await dumpTables(source.url)
  await expectRefused(
    run('restore', { url: source.url, file: backup }),
    23,
    /^The database at DATABASE_URL already contains tables\./,
  )
  expect(await dumpTables(source.url)).toEqual(before)
  const other = fs.mkdtempSync(path.join(folder, 'other-'))
  fs.writeFileSync(path.join(other, 'secrets.json'), '{"authSecret":"other"}')
  const url = await target()
  await expectRefused(
    run('restore', { url, file: backup, dataDir: other }),
    23,
    /contains other secrets than the backup\./,
  )
  expect(await query(url, TABLES)).toEqual([])
})
