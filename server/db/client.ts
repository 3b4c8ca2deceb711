// The two ways to the database: Prisma for everything, the pg pool for set-based SQL on the hot path. Imported by
// repositories and read-models only (import fence).
import 'server-only'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { env } from '../env.ts'
import { PrismaClient } from './generated/client.ts'

interface Database {
  readonly pool: pg.Pool
  readonly prisma: PrismaClient
}

// Kept on globalThis because Next's dev server loads modules again after each change. The cast only adds an optional
// property of our own name.
const holder = globalThis as { signalboxDatabase?: Database }

function connect(): Database {
  const pool = new pg.Pool({ connectionString: env().DATABASE_URL, max: 10 })
  // An idle connection that the server closes must not end the process; the next query reconnects.
  pool.on('error', () => undefined)
  return { pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool) }) }
}

export function database(): Database {
  holder.signalboxDatabase ??= connect()
  return holder.signalboxDatabase
}
