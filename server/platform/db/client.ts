// The two ways to the database: Prisma for everything, the pg pool for set-based SQL on the hot path. Imported by
// repositories and read-models only (import fence).
import 'server-only'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { env } from '../env.ts'
import { onForget } from '../process-memory.ts'
import { PrismaClient } from './generated/client.ts'

interface Database {
  readonly pool: pg.Pool
  readonly prisma: PrismaClient
}

// Kept on globalThis because Next's dev server loads modules again after each change. The cast only adds an optional
// property of our own name.
const holder = globalThis as { signalboxDatabase?: Database }

/** A transaction that waits for a lock this long fails (PostgreSQL's lock_timeout, in ms). */
const LOCK_TIMEOUT_MS = 15_000

/**
 * Sets the limit within a transaction. Null: the connections have it already. Behind a pooler they cannot: it refuses what a client
 * asks for as it connects, and gives what a session sets to other clients.
 */
export function lockLimit(): string | null {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl = url } = env()
  return url === directUrl ? null : `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`
}

function connect(): Database {
  // Statements that are asked for without waiting for each other are sent at once; without this they would wait for each other here.
  const pool = new pg.Pool({
    connectionString: env().DATABASE_URL,
    max: 10,
    pipeline: true,
    ...(lockLimit() === null ? { lock_timeout: LOCK_TIMEOUT_MS } : {}),
  })
  // An idle connection that the server closes must not end the process; the next query reconnects.
  pool.on('error', () => undefined)
  // Nor a connection in use: its own rejection reports the error.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return { pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool) }) }
}

onForget(async () => {
  const open = holder.signalboxDatabase
  delete holder.signalboxDatabase
  await open?.pool.end()
})

/** Address for uses that a pooler in transaction mode would break: LISTEN, session locks, prepared statements. */
export function directUrl(): string {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = env()
  return DATABASE_DIRECT_URL ?? DATABASE_URL
}

export function database(): Database {
  holder.signalboxDatabase ??= connect()
  return holder.signalboxDatabase
}
