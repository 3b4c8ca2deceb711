import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { barriersIn } from './barriers.ts'
import { ORIGIN, secrets } from './product.ts'
import { test } from './test.ts'

test('the first runtime connects with the key created on the empty page', {
  tag: '@soak',
}, async ({ page }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-first-'))
  await page.goto('/runtimes?env=staging')
  await expect(page.getByText('No runtime has connected in staging in 7 days.')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Connect an agent' }).last().click()
  await expect(page).toHaveURL(/connect=claude-code/)
  const drawer = page.getByRole('dialog', { name: 'Connect an agent' })
  await drawer.getByLabel('Prompt').fill('demo/release-notes')
  await drawer.getByRole('button', { name: /^Create (another )?key$/ }).click()
  const install = page.getByRole('region', { name: 'Install the CLI' })
  await expect(install).toContainText(/[0-9a-f]{64}/)
  const daemon = page.getByRole('region', { name: 'Start the daemon' })
  await expect(daemon).toContainText(`daemon --url ${ORIGIN} --prompt demo/release-notes`)
  await expect(page.getByText('Waiting for the first call from Claude Code…')).toBeVisible()
  expect(await barriersIn(page)).toEqual([])
  const [, apiKey = ''] = /SIGNALBOX_API_KEY=(\S+)/.exec(await daemon.innerText()) ?? []
  const runtime = createGuardrails({
    url: ORIGIN,
    apiKey,
    prompt: 'demo/release-notes',
    name: 'first-in-staging',
    dataDir: folder,
  })
  try {
    await expect(drawer).toContainText('Daemon connected from first-in-staging')
    // The key survives the drawer, until the page is left.
    await expect(daemon).toContainText(apiKey)
    await page.keyboard.press('Escape')
    await expect(drawer).toHaveCount(0)
    await expect(page).not.toHaveURL(/connect=/)
    // The page is notified.
    await expect(page.getByRole('link', { name: 'first-in-staging' })).toBeVisible()
    await page.getByRole('button', { name: 'Connect an agent' }).first().click()
    await expect(daemon).toContainText(apiKey)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Alerts' }).first().click()
    await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible()
    await page.goBack()
    await page.getByRole('button', { name: 'Connect an agent' }).first().click()
    await expect(daemon).toBeVisible()
    await expect(daemon).not.toContainText(apiKey)
  } finally {
    await runtime.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a runtime is found and opened, a report is requested, and it is shown as shut down', async ({
  page,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-runtimes-'))
  const start = (name: string) =>
    createGuardrails({
      url: ORIGIN,
      apiKey: secrets().demoKey,
      prompt: 'demo/release-notes',
      name,
      dataDir: path.join(folder, name),
    })
  const [first, second] = [start('release-bot-1'), start('release-bot-2')]
  try {
    await Promise.all([first.ready(), second.ready()])
    await page.goto('/runtimes')
    const connected = page.getByRole('button', { name: /^Connected/ })
    await expect(connected).toHaveAttribute('aria-expanded', 'true')
    await page.getByRole('link', { name: 'release-bot-1' }).click()
    await expect(page.getByRole('heading', { name: 'release-bot-1' })).toBeVisible()
    await expect(page.getByText('in sync').first()).toBeVisible()
    await expect(page.getByRole('cell', { name: 'demo/release-notes' })).toBeVisible()
    await expect(page.getByText('Keeps the last applied version')).toBeVisible()
    await page.getByRole('button', { name: 'Request refresh' }).click()
    await expect(page.getByText('Requested. The next report')).toBeVisible()
    expect(await barriersIn(page)).toEqual([])
    await first.close()
    await expect(page.getByText('disconnected').first()).toBeVisible()
    await expect(page.getByText('Shut down cleanly')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Request refresh' })).toBeDisabled()
    await page.getByRole('link', { name: 'Open its sessions' }).click()
    await expect(page).toHaveURL(/\/sessions\?runtime=rt_/)
    await page.goto('/runtimes')
    const gone = page.getByRole('button', { name: /^Disconnected/ })
    await expect(gone).toHaveAttribute('aria-expanded', 'false')
    await expect(page.getByRole('link', { name: 'release-bot-2' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'release-bot-1' })).toHaveCount(0)
    await gone.click()
    await expect(page.getByRole('link', { name: 'release-bot-1' })).toBeVisible()
    await page.getByLabel('Search runtimes').fill('release-bot-2')
    await expect(page.getByRole('link', { name: 'release-bot-1' })).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'release-bot-2' })).toBeVisible()
    await page.getByLabel('Search runtimes').fill('release-bot')
    await page.getByRole('combobox', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Disconnected' }).click()
    // The section of the matching rows is open.
    await expect(page.getByRole('link', { name: 'release-bot-1' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'release-bot-2' })).toHaveCount(0)
    await expect(page).toHaveURL(/state=disconnected/)
  } finally {
    await Promise.all([first.close(100), second.close(100)])
    rmSync(folder, { recursive: true, force: true })
  }
})
