// TEST_DATABASE_URL, or else an embedded server without durability. A template is migrated once, and each test file copies it.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from './embedded.mjs'
import { migrate } from './migrate.mjs'

interface TestServer {
  readonly adminUrl: string
  readonly stop: () => Promise<void>
}

async function startServer(): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL']
  if (given !== undefined) return { adminUrl: given, stop: async () => undefined }
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-test-'))
  const server = await startEmbedded({ dataDir, durable: false })
  return {
    adminUrl: server.urlFor('postgres'),
    stop: async () => {
      await server.stop()
      fs.rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export default async function setUp(): Promise<() => Promise<void>> {
  const { adminUrl, stop } = await startServer()
  const template = `template_${randomBytes(6).toString('hex')}`
  await run(adminUrl, `CREATE DATABASE ${template}`)
  const url = new URL(adminUrl)
  url.pathname = `/${template}`
  await migrate({ url: url.href, folder: path.resolve('prisma/migrations') })
  process.env['SIGNALBOX_TEST_ADMIN_URL'] = adminUrl
  process.env['SIGNALBOX_TEST_TEMPLATE'] = template
  return async () => {
    await run(adminUrl, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`)
    await stop()
  }
}
