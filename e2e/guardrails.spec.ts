import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import type { SessionEvent } from '@signalbox/core'
import { createGuardrails, type Guardrails } from '@signalbox/runtime'
import { eventHash, newId } from '@signalbox/wire'
import { runDemoAgent, startDemoAgent } from './demo-agent.ts'
import { collectProblems } from './page-problems.ts'
import { DATA_DIR, ORIGIN, ROOT, secrets } from './product.ts'
import { test } from './test.ts'

const SESSION_WITHIN_MS = 60_000

/** Releases need a connected runtime. */
function connectedRuntime(): Guardrails {
  return createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: 'demo/release-notes',
    name: 'waiting-agent',
    dataDir: path.join(DATA_DIR, 'waiting'),
  })
}

test.describe.configure({ mode: 'serial' })

test('the demo agent appears as a running session and ends allowed', async ({ page }) => {
  await page.goto('/sessions')
  const agent = startDemoAgent()
  // An empty list shows the session immediately; a list with rows announces it.
  const news = page.getByRole('button', { name: /new session/ })
  const row = page.getByText('demo/release-notes').first()
  await expect(news.or(row).first()).toBeVisible({ timeout: SESSION_WITHIN_MS })
  if (await news.isVisible()) await news.click()
  await expect(row).toBeVisible()
  await new Promise((resolve) => agent.once('exit', resolve))
  await page.goto('/sessions?status=all')
  await expect(page.getByText('demo/release-notes').first()).toBeVisible()
})

/** The harness may continue without its guard, and once did. Returns the id of the session. */
async function sendOpenSession(page: Page): Promise<string> {
  const session = newId('sess', { now: Date.now(), random: randomBytes(16) })
  const capabilities = {
    deny_reason: true,
    inject: 'message',
    block_stop: 'in_loop',
    max_blocks: null,
    structured: 'final_message',
    structured_attempts: null,
    failure: 'stream',
    call_ids: true,
    batch: 'parallel',
    on_guard_crash: 'open',
    on_guard_timeout: 'open',
    ungoverned: [],
  } as const
  const harness = { name: 'codex', version: '0.169.0' }
  const prompt = { ns: 'demo', key: 'open-harness', environment: 'dev' }
  const at = Date.now()
  const first: SessionEvent = {
    session,
    seq: 1,
    at,
    type: 'session.started',
    data: { ...prompt, harness, capabilities },
  }
  const second: SessionEvent = {
    session,
    seq: 2,
    at,
    type: 'enforcement.lapsed',
    data: { code: 'guard_unreachable', detail: 'The daemon was away.', tool: 'shell' },
    prev: eventHash(first),
  }
  const answer = await page.request.post('/api/runtime/v1/events', {
    headers: {
      authorization: `Bearer ${secrets().demoKey}`,
      'content-type': 'application/x-ndjson',
    },
    data: `${JSON.stringify(first)}\n${JSON.stringify(second)}\n`,
  })
  expect(answer.ok()).toBe(true)
  return session
}

test('a session shows its denial, its blocked stop, its allowed stop and its enforcement gaps', async ({
  page,
}) => {
  const problems = collectProblems(page)
  await page.goto('/sessions?status=all')
  await page
    .getByRole('link', { name: /release-notes/ })
    .first()
    .click()
  await expect(page).toHaveURL(/\/sessions\/sess_/)
  await expect(page.getByText('RELEASE_NOTES.md exists and was not read').first()).toBeVisible()
  await expect(page.getByText(/2 of 4 plan steps are not done/).first()).toBeVisible()
  await expect(page.getByText(/not fully enforced/i)).toHaveCount(0)

  const session = await sendOpenSession(page)
  await page.goto('/sessions?enforced=not')
  await expect(page.getByRole('row', { name: /demo\/open-harness/ })).toContainText(
    'Not fully enforced',
  )
  await page.getByRole('link', { name: 'demo/open-harness' }).first().click()
  // The previous list has a button of the same name.
  await expect(page).toHaveURL(/\/sessions\/sess_/)
  await page.getByRole('button', { name: /Not fully enforced/ }).click()
  await expect(page.getByText(/A call goes ahead when the guard crashes/)).toBeVisible()
  await page.getByRole('link', { name: '#2', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/sessions/${session}\\?.*e=2`))
  await expect(page.getByRole('row', { selected: true })).toContainText('The daemon was away.')
  expect(problems).toEqual([])
})

test('the page of a stop explains why it was blocked and which steps would unblock it', async ({
  page,
}) => {
  await page.goto('/stops')
  await page.getByRole('link', { name: 'Plan steps are not done' }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(
    '2 of 4 plan steps are not done',
  )
  await expect(page.getByText('What would unblock it')).toBeVisible()
  await expect(page.getByText(/Publish the notes/).first()).toBeVisible()
  await expect(page.getByText(/You have 2 incomplete task\(s\) out of 4/)).toBeVisible()
})

async function typeConfig(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

test('a stricter version that is published in the browser denies a call of the next session', async ({
  page,
}) => {
  const waiting = connectedRuntime()
  await waiting.ready()
  await page.goto('/configs/demo/release-notes/edit')
  await expect(page.locator('.cm-content')).toBeVisible()
  await typeConfig(page, '{"schema_version": 1, "ns": "demo"')
  await expect(page.getByText(/Form shows the last valid version/)).toBeVisible()

  const config: { policies: object[] } = JSON.parse(
    readFileSync(path.join(ROOT, 'examples/demo-agent/configs/release-notes.json'), 'utf8'),
  )
  const rule = {
    id: 'review-before-write',
    type: 'sequential_dependency',
    dependencies: { write_file: ['review'] },
  }
  const sections = [
    { id: 'workspace', tools: ['read_file', 'write_file', 'list_files', 'update_plan', 'review'] },
    { id: 'release', tools: ['run_tests', 'publish_notes'] },
  ]
  await typeConfig(
    page,
    JSON.stringify({ ...config, sections, policies: [...config.policies, rule] }, null, 2),
  )
  const policies = page.getByRole('region', { name: 'Policies' })
  await policies.getByText('Try it on recorded sessions').last().click()
  await expect(page.getByText(/^Would have denied [1-9]\d* of \d+ calls/)).toBeVisible()
  await expect(page.getByRole('list', { name: 'Tried events' })).toContainText(
    'write_file needs review first',
  )
  await page.getByRole('button', { name: 'Review and publish' }).click()
  await page.getByRole('button', { name: /^Publish v\d+ to dev/ }).click()
  await expect(page.getByText('Applied by 1 of 1 runtime.')).toBeVisible()
  await waiting.close()

  await runDemoAgent()
  await page.goto('/sessions?status=all')
  await page
    .getByRole('link', { name: /release-notes/ })
    .first()
    .click()
  await expect(page.getByText('write_file needs review first').first()).toBeVisible()
  await expect(page.getByText('demo/release-notes@v2').first()).toBeVisible()
})

test('rolling back takes two activations and restores the old rules', async ({ page }) => {
  await page.goto('/configs/demo/release-notes')
  await page
    .getByRole('button', { name: /^Roll back/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /Roll back/ }).click()
  await expect(dialog).toContainText(/v1 is (released to|live in) dev/)
  await runDemoAgent()
  await page.goto('/stops?by=all&prompt=demo/release-notes')
  // The newest stop: v2 allowed it although the plan was incomplete.
  const stops = page.locator('main [data-row]')
  await expect(stops.nth(0)).toContainText('All checks passed')
  await expect(stops.nth(1)).toContainText('2 of 4 plan steps are not done')
})

test('an exported session replays to the same decisions, byte for byte', async ({ page }) => {
  await page.goto('/sessions?status=all')
  const href = await page
    .getByRole('link', { name: /release-notes/ })
    .last()
    .getAttribute('href')
  const id = /sess_\w+/.exec(href ?? '')?.[0] ?? ''
  const answer = await page.request.get(`/api/export/sessions/${id}`)
  expect(answer.ok()).toBe(true)
  const log = path.join(DATA_DIR, 'exported.jsonl')
  writeFileSync(log, await answer.text())
  const checked = spawnSync(
    process.execPath,
    [
      'packages/cli/dist/main.js',
      'replay',
      '--check',
      '--config',
      'examples/demo-agent/configs/release-notes.json',
      log,
    ],
    { cwd: ROOT, encoding: 'utf8' },
  )
  expect(checked.stdout).toMatch(/^verified: [1-9]\d* decisions/)
})

test("a revoked key is refused, and a key's secret is shown once", async ({ page }) => {
  await page.goto('/settings/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('nightly')
  await page.getByRole('button', { name: 'Create key' }).click()
  const secret = (await page.getByTestId('secret').textContent())?.trim() ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  const ask = () =>
    page.request.get('/api/runtime/v1/config', { headers: { authorization: `Bearer ${secret}` } })
  expect((await ask()).status()).toBe(200)
  await page.getByRole('button', { name: 'Revoke nightly' }).click()
  await page.getByLabel('Type nightly to confirm').fill('nightly')
  await page.getByRole('button', { name: 'Revoke nightly' }).last().click()
  await expect(page.getByRole('row', { name: /nightly/ })).toContainText('revoked')
  await expect.poll(async () => (await ask()).status(), { timeout: 10_000 }).toBe(401)
  await expect(page.getByText(secret)).toHaveCount(0)
})

test('every page redirects a signed-out user to the login, and the API rejects the request', async ({
  browser,
}) => {
  const context = await browser.newContext({
    storageState: { cookies: [], origins: [] },
    baseURL: ORIGIN,
  })
  const page = await context.newPage()
  await page.goto('/sessions?status=all')
  await expect(page).toHaveURL(/\/login/)
  const answer = await page.request.get('/api/trpc/sessions.prompts')
  expect(answer.status()).toBe(401)
  await context.close()
})
