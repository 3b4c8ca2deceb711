// The main line, by user story: a person edits and publishes, a real agent runs under it, the person watches and reads why.
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { DATA_DIR, ORIGIN, ROOT, secrets } from './product.ts'

const SESSION_WITHIN_MS = 60_000

function startDemo(): ChildProcess {
  return spawn(
    process.execPath,
    ['examples/demo-agent/dist/main.js', '--speed', '4', '--data-dir', path.join(DATA_DIR, 'demo')],
    {
      cwd: ROOT,
      env: { ...process.env, SIGNALBOX_URL: ORIGIN, SIGNALBOX_DEMO_KEY: secrets().demoKey },
      stdio: 'ignore',
    },
  )
}

async function runDemo(): Promise<void> {
  const agent = startDemo()
  const code = await new Promise((resolve) => agent.once('exit', resolve))
  expect(code).toBe(0)
}

function problemsOf(page: Page): string[] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return problems
}

test.describe.configure({ mode: 'serial' })

test('the demo agent appears as a live session and ends allowed', async ({ page }) => {
  await page.goto('/sessions')
  const agent = startDemo()
  await expect(page.getByText('demo/release-notes').first()).toBeVisible({
    timeout: SESSION_WITHIN_MS,
  })
  await new Promise((resolve) => agent.once('exit', resolve))
  await page.goto('/sessions')
  await expect(page.getByText('demo/release-notes').first()).toBeVisible()
})

test('a session shows its denial, its blocked stop and its allowed stop', async ({ page }) => {
  const problems = problemsOf(page)
  await page.goto('/sessions')
  await page
    .getByRole('link', { name: /release-notes/ })
    .first()
    .click()
  await expect(page).toHaveURL(/\/sessions\/sess_/)
  await expect(page.getByText('RELEASE_NOTES.md exists and was not read').first()).toBeVisible()
  await expect(page.getByText(/2 of 4 plan steps are not done/).first()).toBeVisible()
  expect(problems).toEqual([])
})

test('the stop audit says why the stop was blocked and what would unblock it', async ({ page }) => {
  await page.goto('/stops')
  await page
    .getByRole('link', { name: /2 of 4 plan steps are not done/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(
    '2 of 4 plan steps are not done',
  )
  await expect(page.getByText('What would unblock it')).toBeVisible()
  await expect(page.getByText(/Publish the notes/).first()).toBeVisible()
  await expect(page.getByText(/You have 2 incomplete task\(s\) out of 4/)).toBeVisible()
})

test('every page opens without an error in either theme', async ({ page }) => {
  const problems = problemsOf(page)
  for (const path of [
    '/',
    '/sessions',
    '/stops',
    '/configs',
    '/runtimes',
    '/settings/keys',
    '/settings/users',
    '/settings/profile',
  ]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth > window.innerWidth,
    )
    expect(sideways, path).toBe(false)
  }
  expect(problems).toEqual([])
})

test('the second session of the demo verifies on the server', async ({ page }) => {
  await runDemo()
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  await expect(page.getByText('Tool calls denied')).toBeVisible()
})
