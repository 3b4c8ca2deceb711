// Rows of a small instance at migration 0033, and its secrets. The schema comes from the migrations, which never change. Only for tests.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import zlib from 'node:zlib'
import pg from 'pg'
import { migrate } from './migrate.mjs'

export const MIGRATIONS = path.resolve('prisma/migrations')

type Rows = readonly Readonly<Record<string, unknown>>[]

interface Installation {
  readonly secrets: Readonly<Record<'authSecret' | 'signingKey' | 'setupToken' | 'demoKey', string>>
  readonly tables: Readonly<Record<string, Rows>>
}

export function earlierInstallation(): Installation {
  const file = path.join(import.meta.dirname, '../../test/upgrade/0033.json.gz')
  return JSON.parse(zlib.gunzipSync(fs.readFileSync(file)).toString('utf8'))
}

/** A temporary folder with the migrations up to `last`; the caller removes it. */
export function copyMigrations(last: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-migrations-'))
  for (const name of fs.readdirSync(MIGRATIONS)) {
    if (/^\d/.test(name) && name <= last) {
      fs.cpSync(path.join(MIGRATIONS, name), path.join(folder, name), { recursive: true })
    }
  }
  return folder
}

/** Loads the installation into an empty database whose user is a superuser. It must have the migrations of this build. */
export async function restoreEarlier(url: string): Promise<void> {
  const folder = copyMigrations('0033~')
  await migrate({ url, folder }).finally(() => fs.rmSync(folder, { recursive: true }))
  const { _prisma_migrations: applied = [], ...tables } = earlierInstallation().tables
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT migration_name AS name FROM _prisma_migrations
       WHERE (migration_name, checksum) NOT IN (SELECT migration_name, checksum FROM json_populate_recordset(NULL::_prisma_migrations, $1))`,
      [JSON.stringify(applied)],
    )
    if (rows.length > 0) throw new Error(`${rows[0]?.name} was changed after it was released.`)
    // The copied rows already contain the effects of triggers and foreign keys.
    await client.query('SET session_replication_role = replica')
    const days = new Set(tables['session_events']?.map((row) => row['partition_day']))
    for (const day of days) await client.query('SELECT signalbox_ensure_event_partition($1)', [day])
    for (const [table, content] of Object.entries(tables)) {
      const name = client.escapeIdentifier(table)
      await client.query(
        `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`,
        [JSON.stringify(content)],
      )
    }
  } finally {
    await client.end()
  }
}
