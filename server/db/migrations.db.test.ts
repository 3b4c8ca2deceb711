// What migrations make of rows that were there before them.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from './migrate.mjs'
import { emptyDatabase } from './test-database.ts'

const MIGRATIONS = path.resolve('prisma/migrations')

/** A folder with the migrations up to `last`. */
function migrationsUpTo(last: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-migrations-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  for (const name of fs.readdirSync(MIGRATIONS)) {
    if (/^\d/.test(name) && name <= last) {
      fs.cpSync(path.join(MIGRATIONS, name), path.join(folder, name), { recursive: true })
    }
  }
  return folder
}

test('0002: sessions with anomalies have breaches, others are fully enforced or unknown', async () => {
  const { url, drop } = await emptyDatabase()
  onTestFinished(drop)
  await migrate({ url, folder: migrationsUpTo('0001_init') })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO sessions (id, project_id, environment, ns, key, harness, partition_day, started_at, last_event_at,
       received_at, anomalies)
     SELECT id, 'p', 'dev', ns, 'k', '{}', now(), now(), now(), now(), anomalies
     FROM (VALUES ('clean', 'n', 0), ('odd', 'n', 3), ('headless', '?', 0)) AS old(id, ns, anomalies)`,
  )
  await migrate({ url, folder: MIGRATIONS })
  const { rows } = await client.query(
    'SELECT id, enforcement, breach_count, breaches, capabilities FROM sessions ORDER BY id',
  )
  await client.end()
  const nothing = { breaches: [], capabilities: null }
  expect(rows).toEqual([
    { id: 'clean', enforcement: 'full', breach_count: 0, ...nothing },
    { id: 'headless', enforcement: 'unknown', breach_count: 0, ...nothing },
    { id: 'odd', enforcement: 'breach', breach_count: 3, ...nothing },
  ])
})
