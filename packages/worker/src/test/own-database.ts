// An empty database on the server of the db tests (server/platform/db/test-global-setup.ts).
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'

export interface OwnDatabase {
  /** Call only inside tests and hooks. */
  readonly pool: () => pg.Pool
  readonly url: string
}

/** Call once at the top level of a test file. */
export function withOwnDatabase(): OwnDatabase {
  const adminUrl = process.env['SIGNALBOX_TEST_ADMIN_URL'] ?? ''
  const name = `own_${randomBytes(6).toString('hex')}`
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href, max: 20 })
  // Tests end connections on purpose.
  pool.on('error', () => undefined)
  beforeAll(() => asAdmin(adminUrl, `CREATE DATABASE ${name}`))
  afterAll(async () => {
    await pool.end()
    await asAdmin(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`)
  })
  return { pool: () => pool, url: url.href }
}

async function asAdmin(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
