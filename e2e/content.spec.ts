import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGuardrails, guardTools } from '@signalbox/runtime'
import pg from 'pg'
import { startEmbedded } from '@/server/platform/db/embedded.mjs'
import { barriersInThemes } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { call } from './procedures.ts'
import { DATA_DIR, ORIGIN, secrets } from './product.ts'
import { PHONE, test } from './test.ts'

const PROMPT = { ns: `content-${Date.now().toString(36)}`, key: 'agent' }

/** Not a key of anyone. Put together, so that no scanner takes this file for a leak. */
const PARTS = ['wJalrXUtnFEMI', 'K7MDENG', 'bPxRfiCYEXAMPLEKEx']
const SECRET = PARTS.join('/')

async function publishFromForm(page: Page): Promise<void> {
  await call(page, 'configs.create', PROMPT)
  await page.goto(`/configs/${PROMPT.ns}/${PROMPT.key}/edit`)
  const content = page.getByRole('region', { name: 'Content', exact: true })
  await content.getByRole('button', { name: 'Add a content rule' }).click()
  await page.getByPlaceholder('Search rule types').fill('tokens')
  await page.keyboard.press('Enter')
  const card = page.getByRole('group', { name: /^Secrets no-secrets/ })
  await expect(card).toContainText('Masks secrets in results of every call')
  await expect(page.getByText(/saved \d/)).toBeVisible()
  await page.getByRole('button', { name: 'Review and publish' }).click()
  await page.getByRole('button', { name: 'Publish v1 to dev' }).click()
  await expect(page.getByRole('dialog').getByRole('status')).toContainText('v1')
}

/** Text of every row of every table. */
async function dumpDatabase(): Promise<string> {
  // Finds the product's database, which runs.
  const { url } = await startEmbedded({ dataDir: DATA_DIR })
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  try {
    const { rows: tables } = await database.query<{ readonly name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    )
    expect(tables.length).toBeGreaterThan(30)
    const texts: string[] = []
    for (const { name } of tables) {
      const { rows } = await database.query<{ readonly row: string }>(
        `SELECT t::text AS row FROM ${name} t`,
      )
      texts.push(...rows.map(({ row }) => row))
    }
    return texts.join('\n')
  } finally {
    await database.end()
  }
}

function readFolder(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), 'utf8'))
    .join('\n')
}

test('a secret in a result is masked by a rule made in the form, and the session page shows what was found', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await publishFromForm(page)
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-e2e-'))
  const guardrails = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: `${PROMPT.ns}/${PROMPT.key}`,
    dataDir,
  })
  try {
    await guardrails.ready()
    await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(1)
    const session = guardrails.openSession()
    const tools = { read_settings: () => ({ aws_secret_access_key: SECRET, region: 'eu-west-1' }) }
    const run = guardTools(tools, session)
    for (const callId of ['1', '2']) {
      const [answer] = await run([{ id: callId, name: 'read_settings', args: {} }])
      expect(answer?.text).toBe('{"aws_secret_access_key":"[secrets]","region":"eu-west-1"}')
    }
    const spooled = readFolder(dataDir)
    await session.end({ reason: 'completed' })
    await expect
      .poll(async () => (await page.request.get(`/sessions/${session.id}`)).status())
      .toBe(200)

    await page.goto(`/sessions/${session.id}`)
    await expect(page.getByText('Result masked').first()).toBeVisible({ timeout: 30_000 })
    await page.getByText('Result masked').first().click()
    await page.getByRole('link', { name: 'Why ›' }).click()
    await expect(page).toHaveURL(/\/decisions\/dec_/)
    await expect(page.getByRole('heading', { name: 'Masked 1 secret' })).toBeVisible()
    await page.getByRole('button', { name: /^Mark #\d+ as bad/ }).click()
    await expect(page.getByRole('button', { name: /^Remove the label of/ })).toBeVisible()
    // No rule of a tool would have masked it.
    await expect(page.getByRole('link', { name: /^Prevent it/ })).toHaveCount(0)
    const places = page.getByRole('list', { name: 'Places' })
    await expect(places).toContainText('/aws_secret_access_key')
    await expect(places).toContainText('the same value as in the call at #')
    await expect(page.getByText(/by secretlint \d/)).toBeVisible()
    await expect(places.getByRole('link', { name: 'no-secrets' })).toHaveAttribute(
      'href',
      /versions\?version=1&path=%2Fcontent%2F0/,
    )
    expect(await barriersInThemes(page)).toEqual([])
    const explanation = await page.content()
    await page.setViewportSize(PHONE)
    await expect(places).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width)

    const exported = await page.request.get(`/api/export/sessions/${session.id}`)
    const texts = {
      page: await (await page.request.get(`/sessions/${session.id}`)).text(),
      explanation,
      export: await exported.text(),
      database: await dumpDatabase(),
      spool: spooled + readFolder(dataDir),
    }
    for (const [place, text] of Object.entries(texts)) {
      expect(text.includes('read_settings'), place).toBe(true)
      for (const part of PARTS) expect(text.includes(part), place).toBe(false)
    }
    expect(problems).toEqual([])
  } finally {
    await guardrails.close(1000)
    rmSync(dataDir, { recursive: true, force: true })
  }
})
