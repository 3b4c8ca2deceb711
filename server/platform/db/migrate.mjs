// @ts-check
// Uses the table, lock and checksums of Prisma's own command, so that neither tool finds work after the other.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Logger, runMigrations } from 'graphile-worker'
import { describeError, Failure } from '../base/failure.mjs'
import { connect } from './connect.mjs'

/** Prisma's advisory lock for migrations. */
const LOCK = 72_707_369
const OLDEST = 150_000
const LOCK_WITHIN_MS = 60_000
/** A statement that waits for a table blocks all later ones, so it times out soon and is retried. */
const TABLE_WITHIN_MS = 3_000
const TABLE_ATTEMPTS = 10
const LOCK_NOT_AVAILABLE = '55P03'
/** Value in the column `logs`: builds that do not know this migration may continue (specs/decisions/0057). */
const EXPANDS = 'expand'

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

/** @param {string} folder @returns {readonly string[]} in the order in which they are applied */
export function migrationNames(folder) {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

/** @param {string} folder */
function migrationsIn(folder) {
  return migrationNames(folder).map((name) => {
    const sql = fs.readFileSync(path.join(folder, name, 'migration.sql'), 'utf8')
    const checksum = crypto.createHash('sha256').update(sql).digest('hex')
    return { name, sql, checksum, expands: sql.startsWith('-- expand: ') }
  })
}

/** @typedef {ReturnType<typeof migrationsIn>[number]} Migration */

/**
 * @param {{ url: string, folder: string, only?: readonly string[], lockWithinMs?: number }} options `only`: names of migrations; absent: every
 *   one of the folder
 * @returns {Promise<readonly string[]>} names of the migrations that it applied
 */
export async function migrate({ url, folder, only, lockWithinMs = LOCK_WITHIN_MS }) {
  const client = await connect(url, 'DATABASE_URL')
  try {
    await requireVersion(client)
    await takeLock(client, lockWithinMs)
    await client.query(TABLE)
    const wanted = migrationsIn(folder).filter(({ name }) => only?.includes(name) ?? true)
    const applied = await applyPending(client, wanted)
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
      `The tables of the job queue could not be made: ${describeError(error)}. The database user needs the right to create a schema.`,
    )
  }
}

/** @typedef {import('pg').Client} Client */

/** @param {unknown} error */
const isLate = (error) =>
  error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE

/** Held until the connection ends. @param {Client} client @param {number} withinMs */
async function takeLock(client, withinMs) {
  await client.query(`SET lock_timeout = ${withinMs}`)
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
  } catch (error) {
    if (!isLate(error)) throw error
    throw new Failure(
      'migrationFailed',
      `Another process has held the lock for migrations for more than ${withinMs / 1000} s. Wait until its start is over and start again; pg_locks names it (objid ${LOCK}).`,
    )
  }
  await client.query(`SET lock_timeout = ${TABLE_WITHIN_MS}`)
}

/** @param {Client} client */
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
 * @param {Client} client
 * @param {Migration[]} migrations
 */
async function applyPending(client, migrations) {
  const { rows } = await client.query(
    'SELECT migration_name, checksum, finished_at, logs FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  )
  refuseNewer(rows, migrations)
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

/**
 * A newer build may have added what this build does not know, but must not have removed what it needs.
 * @param {readonly { migration_name: string, logs: string | null }[]} rows
 * @param {readonly Migration[]} migrations
 */
function refuseNewer(rows, migrations) {
  const ours = new Set(migrations.map(({ name }) => name))
  const newer = rows.find((row) => !ours.has(row.migration_name) && row.logs !== EXPANDS)
  if (newer === undefined) return
  throw new Failure(
    'databaseTooNew',
    `The database was migrated by a newer build (${newer.migration_name}), which this one cannot work with. Start the newer build, or restore a backup from before the upgrade.`,
  )
}

/** @param {Client} client @param {Migration} migration */
async function apply(client, migration) {
  for (let attempt = 1; ; attempt++) {
    try {
      await applyOnce(client, migration)
      return
    } catch (error) {
      const isLast = attempt === TABLE_ATTEMPTS
      if (isLate(error) && !isLast) continue
      const why = isLate(error)
        ? 'other sessions keep a table that it changes locked; end long transactions and start again'
        : describeError(error)
      throw new Failure(
        'migrationFailed',
        `The migration ${migration.name} failed: ${why}. Nothing of it was applied.`,
      )
    }
  }
}

/** @param {Client} client @param {Migration} migration */
async function applyOnce(client, { name, sql, checksum, expands }) {
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query(
      'INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count, logs) VALUES ($1, $2, $3, now(), now(), 1, $4)',
      [crypto.randomUUID(), checksum, name, expands ? EXPANDS : null],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
