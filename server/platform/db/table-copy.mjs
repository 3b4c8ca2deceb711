// @ts-check
// COPY of each table within one snapshot. Omits what every database creates for itself: applied migrations and unlogged tables.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { Failure } from '../base/failure.mjs'

/** @typedef {import('pg').Client} Client */

/**
 * @typedef {object} Table
 * @property {string} name quoted, with its schema
 * @property {readonly string[]} columns quoted
 * @property {string | null} counter column that a sequence fills
 */

const LOCK_WITHIN_MS = 60_000
const LOCK_NOT_AVAILABLE = '55P03'

const OWN = ['public._prisma_migrations', 'graphile_worker.migrations']

const TABLES = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name, c.oid,
    (SELECT array_agg(quote_ident(a.attname) ORDER BY a.attnum) FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
    (SELECT a.attname::text FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname) IS NOT NULL
      LIMIT 1) AS counter,
    ARRAY(SELECT confrelid FROM pg_constraint k
      WHERE k.conrelid = c.oid AND k.contype = 'f' AND confrelid <> c.oid) AS referenced
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname IN ('public', 'graphile_worker') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relpersistence = 'p' AND format('%I.%I', n.nspname, c.relname) <> ALL ($1)
  ORDER BY 1`

const PARTITION_DAYS = `
  SELECT to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') AS day
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'session_events'::regclass ORDER BY 1`

/** @param {Client} client @returns {Promise<readonly Table[]>} each after those that it references */
export async function listTables(client) {
  const { rows } = await client.query(TABLES, [OWN])
  /** @type {Table[]} */
  const ordered = []
  for (let left = rows; left.length > 0; ) {
    const waiting = new Set(left.map(({ oid }) => oid))
    const ready = left.filter(
      ({ referenced }) => !referenced.some((/** @type {number} */ oid) => waiting.has(oid)),
    )
    if (ready.length === 0) throw new Error('The tables reference each other in a circle.')
    ordered.push(...ready.map(({ name, columns, counter }) => ({ name, columns, counter })))
    left = left.filter((row) => !ready.includes(row))
  }
  return ordered
}

/** @param {Client} client @returns {Promise<readonly string[]>} applied migrations; empty: the database has none of our tables */
export async function appliedMigrations(client) {
  const { rows: found } = await client.query(
    `SELECT to_regclass('public._prisma_migrations') AS name`,
  )
  if (found[0].name === null) return []
  const { rows } = await client.query(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1',
  )
  return rows.map(({ name }) => name)
}

/** True when the database has tables. @param {Client} client @returns {Promise<boolean>} */
export async function holdsTables(client) {
  const { rows } = await client.query(
    "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname IN ('public', 'graphile_worker')) AS held",
  )
  return rows[0].held
}

/**
 * @typedef {object} Snapshot
 * @property {readonly Table[]} tables
 * @property {readonly string[]} days days of the partitions of events
 * @property {readonly string[]} migrations
 */

/**
 * Starts the snapshot, which lasts until the connection ends. Locks the tables before, so that none is dropped meanwhile.
 * @param {Client} client
 * @param {number} [lockWithinMs]
 * @returns {Promise<Snapshot>}
 */
export async function beginSnapshot(client, lockWithinMs = LOCK_WITHIN_MS) {
  const names = (await listTables(client)).map(({ name }) => name)
  await client.query(`SET lock_timeout = ${lockWithinMs}`)
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`).catch((error) => {
    if (error.code !== LOCK_NOT_AVAILABLE) throw error
    throw new Failure(
      'databaseUnreachable',
      'Another process, such as a migration, keeps a table locked. Try again when it is over.',
    )
  })
  const { rows } = await client.query(PARTITION_DAYS)
  return {
    tables: await listTables(client),
    days: rows.map(({ day }) => day),
    migrations: await appliedMigrations(client),
  }
}

/** @param {Client} client @param {Table} table */
export function copyRows(client, { name, columns }) {
  // A query, because a partitioned table itself has no rows to copy.
  return client.query(copyTo(`COPY (SELECT ${columns.join(', ')} FROM ${name}) TO STDOUT`))
}

const TRIGGERED = `
  SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger
  WHERE NOT tgisinternal AND tgparentid = 0
    AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'graphile_worker'::regnamespace))`

/**
 * Loads all tables in one transaction, all or nothing. The copied rows already contain the effects of triggers, so triggers are disabled
 * meanwhile.
 * @param {Client} client
 * @param {{ tables: readonly Table[], days: readonly string[], rows: () => AsyncIterable<Buffer>, ended: () => Promise<void> }} content
 *   `rows` of the next table; `ended` rejects when the copy that was read is incomplete
 * @returns {Promise<ReadonlyMap<string, number>>} rows by table
 */
export async function loadTables(client, { tables, days, rows, ended }) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  await client.query('BEGIN')
  const { rows: triggered } = await client.query(TRIGGERED)
  for (const { name } of triggered) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  for (const day of days) await client.query('SELECT signalbox_ensure_event_partition($1)', [day])
  for (const table of tables) counts.set(table.name, await loadTable(client, table, rows()))
  await ended()
  for (const { name } of triggered) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
  await client.query('COMMIT')
  await client.query('ANALYZE')
  return counts
}

/** @param {Client} client @param {Table} table @param {AsyncIterable<Buffer>} rows */
async function loadTable(client, { name, columns, counter }, rows) {
  const target = client.query(copyFrom(`COPY ${name} (${columns.join(', ')}) FROM STDIN`))
  await pipeline(Readable.from(rows, { objectMode: false }), target)
  if (counter !== null) {
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), max) FROM (SELECT max("${counter}") FROM ${name}) AS held WHERE max IS NOT NULL`,
      [name, counter],
    )
  }
  return target.rowCount
}
