// @ts-check
// Applies prisma/migrations to a database, with the table, the lock and the checksums of Prisma's own command, so that the
// official tool finds nothing to do after us and we find nothing to do after it. No engine is needed. The job queue brings its own
// migrations, in a schema of its own; they run under the same lock.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { Failure, messageOf } from '../../scripts/failure.mjs'

/** Prisma's advisory lock for migrations. */
const LOCK = 72_707_369
const OLDEST = 150_000

const TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`

/** @param {string} folder */
function migrationsIn(folder) {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: crypto.createHash('sha256').update(sql).digest('hex') }
    })
}

/**
 * @param {{ url: string, folder: string }} options
 * @returns {Promise<readonly string[]>} names of the migrations that were applied now
 */
export async function migrate({ url, folder }) {
  const client = await connect(url)
  try {
    await requireVersion(client)
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    await client.query(TABLE)
    const applied = await applyPending(client, migrationsIn(folder))
    await migrateJobs(url)
    return applied
  } finally {
    await client.end()
  }
}

/** @param {string} url */
async function migrateJobs(url) {
  try {
    await runMigrations({ connectionString: url, logger: new Logger(() => () => undefined) })
  } catch (error) {
    throw new Failure(
      'migrationFailed',
      `The tables of the job queue could not be made: ${messageOf(error)}. The database user needs the right to create a schema.`,
    )
  }
}

/** @param {string} url */
async function connect(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
  } catch (error) {
    const place = placeOf(url)
    throw new Failure(
      'databaseUnreachable',
      `The database at ${place} cannot be reached: ${messageOf(error)}. Check DATABASE_URL and that the server runs.`,
    )
  }
  return client
}

/** Host and database without the password. @param {string} url */
function placeOf(url) {
  try {
    const { hostname, port, pathname } = new URL(url)
    return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`
  } catch {
    return 'DATABASE_URL'
  }
}

/** @param {pg.Client} client */
async function requireVersion(client) {
  const { rows } = await client.query('SHOW server_version_num')
  const version = Number(rows[0].server_version_num)
  if (version >= OLDEST) return
  throw new Failure(
    'databaseTooOld',
    `The database server is PostgreSQL ${Math.floor(version / 10_000)}, and 15 or newer is needed. Upgrade it or use another server.`,
  )
}

/**
 * @param {pg.Client} client
 * @param {{ name: string, sql: string, checksum: string }[]} migrations
 */
async function applyPending(client, migrations) {
  const { rows } = await client.query(
    'SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  )
  const known = new Map(rows.map((row) => [row.migration_name, row]))
  const applied = []
  for (const migration of migrations) {
    const row = known.get(migration.name)
    if (row === undefined) {
      await apply(client, migration)
      applied.push(migration.name)
    } else if (row.finished_at === null) {
      throw new Failure(
        'migrationFailed',
        `The migration ${migration.name} failed before. Repair the database and mark it with "prisma migrate resolve".`,
      )
    } else if (row.checksum !== migration.checksum) {
      throw new Failure(
        'migrationFailed',
        `The migration ${migration.name} was changed after it was applied. Restore its file and put the change into a new migration.`,
      )
    }
  }
  return applied
}

/** @param {pg.Client} client @param {{ name: string, sql: string, checksum: string }} migration */
async function apply(client, { name, sql, checksum }) {
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query(
      'INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), now(), 1)',
      [crypto.randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw new Failure(
      'migrationFailed',
      `The migration ${name} failed: ${messageOf(error)}. Nothing of it was applied.`,
    )
  }
}
