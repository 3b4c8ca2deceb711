// A version is released to a share of sessions first: staged, raised, completed, rolled back by its guard, and evaluated as a shadow
// version. The sessions are those of a real runtime.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGuardrails, type Guardrails } from '@signalbox/runtime'
import { call, openDraft, type SeenDraft } from './procedures.ts'
import { ORIGIN, secrets } from './product.ts'
import { test } from './test.ts'

const NS = `staged-${Date.now().toString(36)}`
const STRICT = { policies: [{ id: 'no-calls', type: 'expression', deny_when: 'true' }] }

async function twoVersions(page: Page, key: string, change: object) {
  const prompt = { ns: NS, key }
  const text = (more: object) => JSON.stringify({ schema_version: 1, ...prompt, ...more })
  await call(page, 'configs.create', { ...prompt, text: text({}) })
  const first = await openDraft(page, prompt)
  const to = { ...prompt, draftId: first.id }
  await call(page, 'releases.publish', { ...to, environment: 'dev', revision: first.revision })
  const seen = await openDraft(page, prompt)
  const saved = await call<SeenDraft>(page, 'drafts.save', {
    ...prompt,
    text: text(change),
    seen,
    baseVersion: 1,
  })
  const next = { ...prompt, draftId: saved.id, revision: saved.revision, note: 'The next one' }
  await call(page, 'releases.publish', { ...next, environment: 'staging' })
  await page.goto(`/configs/${NS}/${key}/staged-rollout`)
}

const folders: string[] = []
const open: Guardrails[] = []

test.afterEach(async () => {
  for (const guardrails of open.splice(0)) await guardrails.close(1000)
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function startRuntime(key: string): Promise<Guardrails> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-e2e-'))
  folders.push(dataDir)
  const prompt = `${NS}/${key}`
  const guardrails = createGuardrails({ url: ORIGIN, apiKey: secrets().demoKey, prompt, dataDir })
  open.push(guardrails)
  await guardrails.ready()
  await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(1)
  return guardrails
}

async function runSessions(guardrails: Guardrails, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const session = guardrails.openSession()
    const asked = { tool: 'look', args: { path: 'notes.md' }, callId: 'a' }
    const { allowed } = await session.beforeToolCall(asked)
    if (allowed) await session.afterToolCall({ ...asked, outcome: 'success' })
    await session.end({ reason: 'completed' })
  }
}

async function stage(page: Page, share: string, sessionsNeeded: string): Promise<void> {
  await page.getByRole('button', { name: 'Stage v2' }).click()
  const dialog = page.getByRole('dialog')
  const choose = async (what: string, name: string): Promise<void> => {
    const option = page.getByRole('option', { name, exact: true })
    // In one full run the list did not open after one click, for an unknown reason. A user would click again.
    await expect(async () => {
      if (!(await option.isVisible())) await dialog.getByRole('combobox', { name: what }).click()
      await expect(option).toBeVisible({ timeout: 5_000 })
    }).toPass()
    await option.click()
  }
  await choose('Share of new sessions', share)
  await choose('Sessions needed', sessionsNeeded)
  await dialog.getByRole('button', { name: `Stage v2 for ${share}` }).click()
  await expect(page.getByRole('heading', { name: /^v2 to .* of sessions in dev/ })).toBeVisible()
}

async function counted(page: Page): Promise<readonly number[]> {
  const row = page.getByRole('row').filter({ hasText: 'Sessions begun' })
  const texts = (await row.getByRole('cell').allTextContents()).slice(1, 3)
  return texts.map(Number)
}

test('a version is staged for a tenth of the sessions, raised, and released to all', {
  tag: '@soak',
}, async ({ page }) => {
  await twoVersions(page, 'staged', { description: 'allows all, too' })
  await stage(page, '10%', '20 sessions')
  await expect(page.getByText('Too few sessions to compare. 20 more sessions')).toBeVisible()
  await expect(page.getByText('0 of 20 sessions')).toBeVisible()
  const guardrails = await startRuntime('staged')
  await runSessions(guardrails, 60)
  // The page asks every 15 seconds.
  await expect
    .poll(async () => (await counted(page)).reduce((a, b) => a + b, 0), { timeout: 45_000 })
    .toBe(60)
  const [most = 0, few = 0] = await counted(page)
  expect(few).toBeLessThan(most)

  await page.getByRole('button', { name: 'Raise to 25%' }).click()
  await page.getByRole('button', { name: 'Raise v2 to 25%' }).click()
  await expect(page.getByRole('heading', { name: 'v2 to 25% of sessions in dev' })).toBeVisible()
  await expect(page.getByRole('list', { name: 'History' })).toContainText('changed the share')

  await page.getByRole('button', { name: 'Release v2 to all' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Release v2 to all' }).click()
  await expect(page.getByText('Released to all')).toBeVisible()
  await expect(page.getByRole('heading', { name: /of sessions in dev/ })).toHaveCount(0)
})

test('a candidate that denies more is rolled back automatically, and the Overview shows it', {
  tag: '@soak',
}, async ({ page }) => {
  // The job that evaluates rollouts runs once a minute.
  test.setTimeout(240_000)
  await twoVersions(page, 'bad', STRICT)
  await stage(page, '50%', '5 sessions')
  // Cohorts are random. With 50 sessions the guard stays undecided in one of 50 runs, with 120 in none of 20,000 simulated runs.
  await runSessions(await startRuntime('bad'), 120)
  await expect(page.getByText(/1\.00 denied calls per session over \d+ sessions/)).toBeVisible({
    timeout: 150_000,
  })
  await expect(page.getByText(/v2 was worse: 1\.00 denied calls per session/)).toBeVisible()
  await expect(page.getByText('Worse: rolled back to v1').first()).toBeVisible()
  await page.goto('/')
  await expect(
    page.getByRole('link', { name: new RegExp(`v2 was rolled back: .*${NS}/bad · dev`) }),
  ).toBeVisible()
})

test('a shadow version changes no decision, and shows how many sessions would differ', {
  tag: '@soak',
}, async ({ page }) => {
  await twoVersions(page, 'shadowed', STRICT)
  await page.getByRole('button', { name: 'Run v2 as shadow' }).click()
  await expect(page.getByRole('heading', { name: 'Shadow version v2 of v1 in dev' })).toBeVisible()
  await runSessions(await startRuntime('shadowed'), 6)
  await expect(page.getByText('6 of 6 sessions would differ')).toBeVisible()
  await expect(page.getByRole('table', { name: 'By rule' })).toContainText('no-calls')
  await page.getByRole('table', { name: 'Differences' }).getByRole('link').first().click()
  await expect(page.getByText('look').first()).toBeVisible()
})
