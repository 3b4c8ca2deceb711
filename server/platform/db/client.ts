// Only repositories and read-models import it (import fence). The database of this process is that of its cell; people are in the
// directory, which is the same database unless SIGNALBOX_DIRECTORY_URL names another (decision 67).
import 'server-only'
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { env } from '../base/env.ts'
import { registerReset } from '../base/process-memory.ts'
import { createPool, createReadPool } from './connection.ts'
import { PrismaClient } from './generated/client.ts'

interface Standby {
  readonly pool: pg.Pool
  /** Until then the primary is asked, as `performance.now()`. */
  awayUntil: number
}

interface Database {
  readonly pool: pg.Pool
  readonly prisma: PrismaClient
  /** Null: no DATABASE_READ_URL is set. */
  readonly standby: Standby | null
}

// Kept on globalThis because Next's dev server reloads modules after each change. The cast only adds an optional property of our own name.
const holder = globalThis as { signalboxDatabase?: Database; signalboxDirectory?: Database }

/** A transaction that waits for a lock this long fails (PostgreSQL's lock_timeout, in ms). */
const LOCK_TIMEOUT_MS = 15_000

/** A standby that hangs may accept statements and never answer. After these times the primary is asked (server/platform/sql/rows.ts). */
const STANDBY_WAITS_MS = { connectionTimeoutMillis: 5_000, query_timeout: 10_000 } as const

/** True behind a pooler, which shares connections and their state among its clients. */
export function isPooled(): boolean {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: direct = url } = env()
  return url !== direct
}

/** Null: the connections already have the limit. Behind a pooler they cannot, because it refuses such options. */
export function lockLimit(): string | null {
  return isPooled() ? `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}` : null
}

function connect(connectionString: string, standby: Standby | null): Database {
  // Sends statements at once that callers do not await one by one; otherwise each would wait here for the one before.
  const pool = createPool({
    connectionString,
    max: 10,
    pipeline: true,
    ...(lockLimit() === null ? { lock_timeout: LOCK_TIMEOUT_MS } : {}),
  })
  return { pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool) }), standby }
}

function toStandby(): Standby | null {
  const { DATABASE_READ_URL: connectionString } = env()
  if (connectionString === undefined) return null
  return { pool: createReadPool({ connectionString, max: 4, ...STANDBY_WAITS_MS }), awayUntil: 0 }
}

registerReset(async () => {
  const open = [holder.signalboxDatabase, holder.signalboxDirectory]
  delete holder.signalboxDatabase
  delete holder.signalboxDirectory
  await Promise.all(open.flatMap((each) => [each?.pool.end(), each?.standby?.pool.end()]))
})

/** Address for what a pooler in transaction mode breaks: LISTEN, session locks, prepared statements. */
export function directUrl(): string {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = env()
  return DATABASE_DIRECT_URL ?? DATABASE_URL
}

export function database(): Database {
  holder.signalboxDatabase ??= connect(env().DATABASE_URL, toStandby())
  return holder.signalboxDatabase
}

export function directory(): Database {
  const { SIGNALBOX_DIRECTORY_URL: url } = env()
  if (url === undefined) return database()
  holder.signalboxDirectory ??= connect(url, null)
  return holder.signalboxDirectory
}
