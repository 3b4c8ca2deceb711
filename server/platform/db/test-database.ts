import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, vi } from 'vitest'
import { resetAll } from '../base/process-memory.ts'

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env['SIGNALBOX_TEST_ADMIN_URL'] })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function buildTestUrl(name: string): URL {
  const url = new URL(process.env['SIGNALBOX_TEST_ADMIN_URL'] ?? '')
  url.pathname = `/${name}`
  return url
}

export async function emptyDatabase(): Promise<{
  readonly url: string
  readonly drop: () => Promise<void>
}> {
  const name = `empty_${randomBytes(6).toString('hex')}`
  await asAdmin(`CREATE DATABASE ${name}`)
  const drop = (): Promise<void> => asAdmin(`DROP DATABASE ${name} WITH (FORCE)`)
  return { url: buildTestUrl(name).href, drop }
}

export async function migratedDatabase(): Promise<{
  readonly url: string
  readonly drop: () => Promise<void>
}> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = process.env['SIGNALBOX_TEST_TEMPLATE'] ?? ''
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const drop = (): Promise<void> => asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  return { url: buildTestUrl(name).href, drop }
}

/** Further variables of the server for this test file. Call before the first use of `env()`. */
export function setTestEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
}

export function readTestUrl(): URL {
  return new URL(process.env['DATABASE_URL'] ?? '')
}

/** Call once at the top of a test file: sets DATABASE_URL and the other variables that npm start would set. */
export function withTestDatabase(): void {
  const name = `test_${randomBytes(6).toString('hex')}`
  beforeAll(async () => {
    const template = process.env['SIGNALBOX_TEST_TEMPLATE'] ?? ''
    // Copying files takes a third of the time of copying through the log.
    await asAdmin(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
    await resetAll()
    Object.assign(process.env, {
      DATABASE_URL: buildTestUrl(name).href,
      SIGNALBOX_AUTH_SECRET: 'test-secret-test-secret-test-secret',
      SIGNALBOX_SIGNING_KEY: Buffer.alloc(32, 7).toString('base64url'),
      SIGNALBOX_SETUP_TOKEN: 'test-setup-token',
      SIGNALBOX_URL: 'http://127.0.0.1:3000',
    })
  })
  afterAll(async () => {
    await resetAll()
    vi.unstubAllEnvs()
    await asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  })
}
