import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runToEnd } from '@/scripts/product-process.ts'
import { activePair } from '@/server/bundles/signing-seed.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { resetAll } from '@/server/platform/base/process-memory.ts'
import { migrate } from '@/server/platform/db/migrate.mjs'
import { inSqlTransaction } from '@/server/platform/db/sql-transaction.ts'
import { emptyDatabase, setTestEnvironment } from '@/server/platform/db/test-database.ts'
import {
  earlierInstallation,
  MIGRATIONS,
  restoreEarlier,
} from '@/server/platform/db/test-upgrade.ts'
import { lockSessions } from './batch/session-rows.sql.ts'
import { verifyOn } from './verify.ts'

const { secrets, tables } = earlierInstallation()

const WAYS: Readonly<Record<string, (url: string) => Promise<void>>> = {
  'migrated in place': async (url) => {
    await restoreEarlier(url)
    await migrate({ url, folder: MIGRATIONS })
  },
  'restored from the backup of the earlier build': async (url) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-upgrade-'))
    onTestFinished(() => fs.rmSync(folder, { recursive: true }))
    const earlier = await emptyDatabase()
    onTestFinished(earlier.drop)
    await restoreEarlier(earlier.url)
    for (const [program, DATABASE_URL] of Object.entries({ backup: earlier.url, restore: url })) {
      const args = [`scripts/${program}.mjs`, path.join(folder, 'backup')]
      const outcome = await runToEnd(args, { DATABASE_URL, SIGNALBOX_DATA_DIR: folder })
      expect(outcome, outcome.said).toMatchObject({ code: 0 })
    }
  },
}

async function serve(way: (url: string) => Promise<void>): Promise<void> {
  const database = await emptyDatabase()
  onTestFinished(async () => {
    await resetAll()
    await database.drop()
  })
  await way(database.url)
  await resetAll()
  setTestEnvironment({
    DATABASE_URL: database.url,
    SIGNALBOX_AUTH_SECRET: secrets.authSecret,
    SIGNALBOX_SIGNING_KEY: secrets.signingKey,
    SIGNALBOX_SETUP_TOKEN: secrets.setupToken,
    SIGNALBOX_URL: 'http://127.0.0.1:3000',
  })
}

test.each(Object.entries(WAYS))(
  'sessions and the signing key of an earlier build are verified again and remain in use: %s',
  async (_, way) => {
    await serve(way)
    const ids = (tables['sessions'] ?? []).map(({ id }) => String(id))
    expect(ids).toHaveLength(3)
    const found = await inSqlTransaction(async (sql) => {
      const results = []
      for (const locked of await lockSessions(sql, ids)) {
        const row = { ...locked, projectId: systemProject(locked.projectId) }
        let events = 0
        const onContiguous = async (contiguous: readonly unknown[]) => {
          events += contiguous.length
        }
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
    const [project] = tables['projects'] ?? []
    const [key] = tables['signing_keys'] ?? []
    expect((await activePair(systemProject(String(project?.['id'])))).id).toBe(key?.['id'])
  },
)
