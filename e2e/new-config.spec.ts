// A first config from a template, and from the permissions of a coding agent.
import { expect } from '@playwright/test'
import { barriersInThemes } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { test } from './test.ts'

const SETTINGS = JSON.stringify({
  permissions: {
    deny: ['Read(./.env)', 'WebFetch(domain:pastebin.com)'],
    ask: ['Bash(npm publish:*)'],
    allow: ['Bash(npm test:*)'],
  },
})

test('a draft is created from a template, whose rules are read before', async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto('/configs')
  await expect(page.getByRole('heading', { name: 'Configs', level: 1 })).toBeVisible()
  await page.keyboard.press('n')
  await expect(page).toHaveURL(/\/configs\/new$/)
  const preview = page.getByRole('complementary', { name: 'Preview' })
  await expect(preview).toContainText('Shadow mode records what each rule would do')
  expect(await barriersInThemes(page)).toEqual([])
  // One tab stop; the arrow keys choose.
  await page.getByRole('radio', { name: 'Coding agent' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('radio', { name: 'Release bot' })).toBeChecked()
  await expect(preview.getByRole('heading', { name: 'Release bot' })).toBeVisible()

  const prompt = preview.getByLabel('Prompt')
  await prompt.fill('new-config')
  await expect(preview.getByRole('alert').filter({ hasText: 'Use letters' })).toHaveCount(0)
  await prompt.blur()
  await expect(preview.getByRole('alert').filter({ hasText: 'Use letters' })).toBeVisible()
  await expect(preview.getByRole('button', { name: 'Create draft' })).toHaveAccessibleDescription(
    /^Use letters/,
  )
  await prompt.fill('new-config/bot')
  await preview.getByRole('button', { name: 'Create draft' }).click()
  await expect(page).toHaveURL(/\/configs\/new-config\/bot\/edit/)
  await expect(page.locator('.cm-content')).toContainText('"mode": "shadow"')
  expect(problems).toEqual([])
})

const toFile = (name: string, text: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(text),
})

test('permissions of Claude Code become rules, except those that are left out', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto('/configs/new?from=claude')
  const paste = page.getByLabel('Or paste settings.json')
  await paste.fill('{ "permissions": ')
  await page.getByRole('button', { name: 'Convert' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'JSON' })).toBeVisible()
  await paste.fill('{}')
  await page.getByRole('button', { name: 'Convert' }).click()
  await expect(
    page.getByText('No permissions found in settings.json. Expected a `permissions` object.'),
  ).toBeVisible()
  await paste.fill(SETTINGS)
  await page.getByRole('button', { name: 'Convert' }).click()
  await expect(page.getByRole('heading', { name: '4 permissions found' })).toBeVisible()
  await page.getByRole('button', { name: 'Add a file' }).click()
  const files = page.getByRole('list', { name: 'Files' })
  const choose = page.locator('input[type=file]')
  const local = { permissions: { deny: ['WebFetch(domain:local.example)'] } }
  await choose.setInputFiles([
    toFile('settings.local.json', JSON.stringify(local)),
    toFile('managed-settings.json', '{'),
  ])
  await expect(
    page.getByRole('alert').filter({ hasText: 'managed-settings.json is not valid JSON' }),
  ).toBeVisible()
  await expect(files.getByRole('listitem')).toHaveCount(1)
  await choose.setInputFiles([
    toFile('settings.local.json', JSON.stringify(local)),
    toFile('settings.json', SETTINGS),
  ])
  await expect(page.getByRole('heading', { name: '9 permissions found' })).toBeVisible()
  await expect(page.getByLabel('Place of settings.local.json')).toContainText('Local')
  const second = page.getByLabel('Place of (2) settings.json')
  await expect(second).toContainText('Project')
  await second.click()
  await page.getByRole('option', { name: 'User' }).click()
  await expect(second).toContainText('User')
  await page.getByRole('button', { name: 'Remove (2) settings.json' }).click()
  await page.getByRole('button', { name: 'Remove settings.local.json' }).click()
  await expect(page.getByRole('heading', { name: '4 permissions found' })).toBeVisible()
  const row = (entry: string) => page.getByRole('row').filter({ hasText: entry })
  await expect(row('allow Bash(npm test:*)')).toContainText('Not needed')
  await expect(row('ask Bash(npm publish:*)')).toContainText('Stricter')
  const preview = page.getByRole('complementary', { name: 'Preview' })
  await expect(preview).toContainText('pastebin')
  expect(await barriersInThemes(page)).toEqual([])
  await row('pastebin.com').getByRole('checkbox').uncheck()
  await expect(preview).not.toContainText('pastebin')
  await preview.getByLabel('Prompt').fill('new-config/imported')
  await preview.getByRole('button', { name: 'Create draft' }).click()
  await expect(page).toHaveURL(/\/configs\/new-config\/imported\/edit/)
  const editor = page.locator('.cm-content')
  await expect(editor).toContainText('"key": "imported"')
  await expect(editor).toContainText('.env')
  await expect(editor).not.toContainText('pastebin')
  expect(problems).toEqual([])
})
