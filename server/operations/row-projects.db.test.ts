import { expect, test } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { otherProject } from '@/server/test/installation.ts'
import { makeTenant } from '@/server/test/tenant.ts'
import { completeRowProjects } from './row-projects.sql.ts'

withTestDatabase()

const TABLES = ['environment_pointers', 'bundles', 'session_snapshots', 'rollup_hours']
const CHECK = 'CONSTRAINT project_known CHECK (project_id IS NOT NULL) NOT VALID'

const run = async (text: string): Promise<readonly Record<string, unknown>[]> =>
  (await database().pool.query(text)).rows

const countByProject = () =>
  run(
    `${TABLES.map(
      (table) =>
        `SELECT '${table}' AS name, project_id, count(*)::int FROM ${table} GROUP BY project_id`,
    ).join(' UNION ALL ')} ORDER BY 1, 2`,
  )

const isValidated = async (): Promise<unknown> =>
  (
    await run(
      `SELECT bool_and(convalidated) AS done FROM pg_constraint WHERE conname = 'project_known'`,
    )
  )[0]?.['done']

test('the job writes the project into rows from before the column, and validates that all have one', async () => {
  await makeTenant(await otherProject(), 'kestrel')
  await makeTenant(await otherProject(), 'plover')
  // Snapshots are stored at intervals that these sessions do not reach.
  await run(
    `INSERT INTO session_snapshots (session_id, seq, hash, state) SELECT id, 1, 'h', '{}' FROM sessions`,
  )
  const written = await countByProject()
  expect(written).toHaveLength(TABLES.length * 2)
  for (const table of TABLES) {
    await run(`ALTER TABLE ${table} DROP CONSTRAINT project_known, DISABLE TRIGGER fill_project`)
    await run(`UPDATE ${table} SET project_id = NULL`)
    await run(`ALTER TABLE ${table} ADD ${CHECK}, ENABLE TRIGGER fill_project`)
  }
  expect(await isValidated()).toBe(false)
  await completeRowProjects(new AbortController().signal)
  expect(await countByProject()).toEqual(written)
  expect(await isValidated()).toBe(true)
})

test('a row that an older build writes without its project gets it', async () => {
  const before = await countByProject()
  for (const table of TABLES) await run(`UPDATE ${table} SET project_id = NULL`)
  expect(await countByProject()).toEqual(before)
  const [place] = await run('SELECT environment_id, project_id FROM bundles LIMIT 1')
  const added = await run(
    `INSERT INTO bundles (environment_id, revision, digest, body, signature, parts)
     VALUES ('${place?.['environment_id']}', 1000, 'd', 'b', 's', '{}') RETURNING project_id`,
  )
  expect(added).toEqual([{ project_id: place?.['project_id'] }])
})
