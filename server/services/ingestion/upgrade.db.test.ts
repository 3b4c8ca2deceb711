import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../db/migrate.mjs'
import { emptyDatabase, setTestEnvironment } from '../../db/test-database.ts'
import { earlierInstallation, MIGRATIONS, restoreEarlier } from '../../db/test-upgrade.ts'
import { forgetAll } from '../../process-memory.ts'
import { lockSessions } from '../../repositories/ingest/session-rows.ts'
import { inSqlTransaction } from '../../repositories/sql-transaction.ts'
import { activePair } from '../signing-seed.ts'
import { verifyOn } from './verify.ts'

const { secrets, tables } = earlierInstallation()
const database = await emptyDatabase()

beforeAll(async () => {
  await restoreEarlier(database.url)
  await migrate({ url: database.url, folder: MIGRATIONS })
  await forgetAll()
  setTestEnvironment({
    DATABASE_URL: database.url,
    SIGNALBOX_AUTH_SECRET: secrets.authSecret,
    SIGNALBOX_SIGNING_KEY: secrets.signingKey,
    SIGNALBOX_SETUP_TOKEN: secrets.setupToken,
    SIGNALBOX_URL: 'http://127.0.0.1:3000',
  })
})
afterAll(async () => {
  await forgetAll()
  await database.drop()
})

test('every session that an earlier build recorded and verified is verified again, event by event, after the upgrade', async () => {
  const ids = (tables['sessions'] ?? []).map(({ id }) => String(id))
  expect(ids).toHaveLength(3)
  const found = await inSqlTransaction(async (sql) => {
    const results = []
    for (const row of await lockSessions(sql, ids)) {
      let events = 0
      const onContiguous = (): void => void events++
      const batch = { contiguousBefore: 0, fresh: new Map(), onContiguous }
      const { divergedAt, anomalies, live } = await verifyOn(sql, row, batch)
      const isKnown = live.folded.basis.digest !== null
      results.push({ stored: row.verification, isKnown, divergedAt, anomalies, events })
    }
    return results
  })
  const verified = {
    stored: 'verified',
    isKnown: true,
    divergedAt: null,
    anomalies: [],
    events: 64,
  }
  expect(found).toEqual([verified, verified, verified])
})

test('the project goes on with the signing key of the earlier build', async () => {
  const [project] = tables['projects'] ?? []
  const [key] = tables['signing_keys'] ?? []
  expect((await activePair(String(project?.['id']))).id).toBe(key?.['id'])
})
