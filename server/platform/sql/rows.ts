// Column aliases are in camelCase. Read-models state the row type beside their column list, and always name the project in the WHERE.
import 'server-only'
import type pg from 'pg'
import { database } from '../db/client.ts'
import { inSqlTransaction } from '../db/sql-transaction.ts'
import { SYSTEM_ID } from '../ids.ts'
import { logger } from '../observability/log.mjs'

export async function readRows<Row extends object>(
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return await readFrom(database().pool, text, values)
}

async function readFrom<Row extends object>(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await pool.query<Row & pg.QueryResultRow>(text, [...values])
  return result.rows
}

/** After a failure the primary is asked for so long, so that not every request waits for a standby that hangs. */
const STANDBY_AWAY_MS = 10_000

/** Rows may be older than the primary's, so never for what a notification reloads. When the standby fails, the primary is asked. */
export async function readStandbyRows<Row extends object>(
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { pool, standby } = database()
  if (standby === null || performance.now() < standby.awayUntil) {
    return await readFrom(pool, text, values)
  }
  try {
    return await readFrom(standby.pool, text, values)
  } catch (error) {
    standby.awayUntil = performance.now() + STANDBY_AWAY_MS
    logger.warn({ err: error }, 'the standby failed, the primary is asked')
    return await readFrom(pool, text, values)
  }
}

/** Rows as tuples of their columns, which costs half of creating objects: for pages of thousands of rows. */
export async function readTuples<Row extends readonly unknown[]>(
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { pool } = database()
  // The caller states the type of the tuple, because pg types it as any array.
  const result = await pool.query<unknown[]>({ text, values: [...values], rowMode: 'array' })
  return result.rows as unknown[] as Row[]
}

/** With the usual 4 MB PostgreSQL sorts a hundred thousand rows by a long key on disk, twice as long. Allocated only as needed. */
export async function readGrouped<Row extends object>(
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return await inSqlTransaction(async (sql) => {
    const settings = ['SET TRANSACTION READ ONLY', "SET LOCAL work_mem = '32MB'"]
    const sent = settings.map((setting) => sql.query(setting, []))
    const rows = sql.query<Row & pg.QueryResultRow>(text, values)
    await Promise.all([...sent, rows])
    return await rows
  })
}

/** Name of the user or key whose id is in the column (`key ci (sbx_ab12cd34)`), or of Signalbox itself, which earlier builds called `system`; null: deleted. */
export function authorName(column: string): string {
  return `coalesce((SELECT u.name FROM users u WHERE u.id = ${column}),
    (SELECT 'key ' || k.name || ' (' || k.prefix || ')' FROM api_keys k WHERE k.id = ${column}),
    CASE WHEN ${column} IN ('${SYSTEM_ID}', 'system') THEN 'Signalbox' END)`
}

/** A timestamptz column as epoch ms; null stays null. */
export function epochMs(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000)::float8`
}
