// The database gets the days and the hour that a test cannot wait.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import pg from 'pg'
import { startEmbedded } from '@/server/platform/db/embedded.mjs'
import { collectProblems } from './page-problems.ts'
import { call, publishFirst } from './procedures.ts'
import { DATA_DIR, ORIGIN, PRODUCT, secrets } from './product.ts'
import { test } from './test.ts'

const PROMPT = { ns: 'archived', key: 'agent' }
const RULES = {
  schema_version: 1,
  ...PROMPT,
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
}

async function recordDenial(page: Page): Promise<string> {
  await publishFirst(page, PROMPT, { text: JSON.stringify(RULES) })
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'signalbox-e2e-'))
  const prompt = `${PROMPT.ns}/${PROMPT.key}`
  const guardrails = createGuardrails({ url: ORIGIN, apiKey: secrets().demoKey, prompt, dataDir })
  try {
    await guardrails.ready()
    await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(1)
    const session = guardrails.openSession()
    await session.beforeToolCall({ tool: 'deploy', args: {}, callId: 'first' })
    await session.end({ reason: 'completed' })
    return session.id
  } finally {
    await guardrails.close(5_000)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function openDatabase(): Promise<pg.Client> {
  // Finds the product's database, which runs.
  const database = new pg.Client({
    connectionString: (await startEmbedded({ dataDir: DATA_DIR })).url,
  })
  await database.connect()
  return database
}

async function ageSession(database: pg.Client, session: string): Promise<void> {
  const day = "((now() AT TIME ZONE 'utc')::date - 40)"
  await database.query(`SELECT signalbox_ensure_event_partition(${day})`)
  for (const [table, id] of [
    ['session_events', 'session_id'],
    ['sessions', 'id'],
  ])
    await database.query(`UPDATE ${table} SET partition_day = ${day} WHERE ${id} = $1`, [session])
}

async function countRows(database: pg.Client, session: string): Promise<number> {
  const { rows } = await database.query(
    'SELECT count(*)::int AS count FROM session_events WHERE session_id = $1',
    [session],
  )
  return rows[0].count
}

async function passHour(database: pg.Client): Promise<void> {
  await database.query("UPDATE sessions SET archived_at = archived_at - interval '2 hours'")
  await database.query("UPDATE archive_segments SET written_at = written_at - interval '2 hours'")
}

function listFiles(): readonly string[] {
  const { archiveDir } = PRODUCT
  if (!existsSync(archiveDir)) return []
  const names = readdirSync(archiveDir, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.gz')).map((name) => path.join(archiveDir, name))
}

async function changeRule(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.goto('/settings/retention')
  for (const [label, days] of Object.entries(fields)) await page.getByLabel(label).fill(days)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
}

const ARCHIVE = 'Archive events after (days)'
const EVENTS = 'Keep events for (days)'
const DECISIONS = 'Keep decisions for (days)'

test('an archived session opens and verifies as before, and retention deletes it with its file', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const session = await recordDenial(page)
  const database = await openDatabase()
  try {
    await ageSession(database, session)
    const events = await countRows(database, session)
    expect(events).toBeGreaterThan(3)

    await changeRule(page, { [ARCHIVE]: '30' })
    await expect.poll(listFiles).toHaveLength(1)
    const [file = ''] = listFiles()
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex')
    expect(path.basename(file)).toBe(`${digest}.ndjson.gz`)
    expect(await countRows(database, session)).toBe(events)

    await passHour(database)
    await changeRule(page, { [ARCHIVE]: '31' })
    await expect.poll(() => countRows(database, session)).toBe(0)
    await page.reload()
    await expect(page.getByTestId('archived')).toContainText(
      `The archive has ${events} events of 1 session`,
    )

    await page.goto(`/sessions/${session}`)
    await expect(page.getByText('Verified', { exact: true })).toBeVisible()
    await expect(page.getByRole('row', { name: /deploy/ }).first()).toBeVisible()
    expect(await countRows(database, session)).toBe(events)

    await changeRule(page, { [EVENTS]: '35', [DECISIONS]: '35' })
    await page.getByLabel('Type remove 1 session to confirm').fill('remove 1 session')
    await page.getByRole('button', { name: 'Save and remove' }).click()
    await expect.poll(listFiles).toEqual([])
    await expect
      .poll(async () => (await page.request.get(`/sessions/${session}`)).status())
      .toBe(404)
    expect(await countRows(database, session)).toBe(0)
    await call(page, 'retention.change', {
      ...{ archiveDays: null, eventsDays: null, decisionsDays: null },
      typed: null,
    })
  } finally {
    await database.end()
  }
  expect(problems).toEqual([])
})
