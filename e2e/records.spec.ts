// Records: an admin finds the actor and the origin of a change, sees that the audit log is unaltered, and previews the stored form of a
// payload before an agent sends it.
import { expect } from '@playwright/test'
import { collectProblems } from './page-problems.ts'
import { call } from './procedures.ts'
import { ADMIN } from './product.ts'
import { test } from './test.ts'

test('an admin finds a change in the audit log, opens it, and sees the log verified', async ({
  page,
}) => {
  const problems = collectProblems(page)
  const key = { name: 'records story', environment: 'dev', scopes: ['read'] }
  await call(page, 'keys.create', key)

  await page.goto('/settings/audit-log')
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'created an API key' }).click()
  await expect(page).toHaveURL(/action=key\.created/)
  const row = page.getByRole('row', { name: /created an API key.*records story/ })
  await expect(row).toContainText(ADMIN.name)
  await expect(row).toContainText('127.0.0.1')

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: 'As CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/)

  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByTestId('chain')).toContainText('Verified up to')

  await row.getByRole('link', { name: 'created an API key' }).click()
  await expect(page).toHaveURL(/settings\/audit-log\/aud_/)
  await expect(
    page.getByRole('heading', { name: `${ADMIN.name} created an API key` }),
  ).toBeVisible()
  await expect(page.getByRole('row', { name: /name – records story/ })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('row', { name: /name – records story/ })).toBeVisible()
  expect(problems).toEqual([])
})

test('a pasted secret shows its stored form, and the suggested redaction rule is added to the draft', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const text = JSON.stringify({ schema_version: 1, ns: 'records', key: 'agent' }, null, 2)
  await call(page, 'configs.create', { ns: 'records', key: 'agent', text })

  await page.goto('/settings/redaction?config=records%2Fagent')
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.postData() ?? ''))
  const payload = { password: 'hunter2', deploy_with: `ghp_${'a1'.repeat(18)}` }
  await page.getByLabel(/^Payload/).fill(JSON.stringify(payload))
  const stored = page.getByTestId('stored')
  await expect(stored).toContainText('builtin.secrets')
  await expect(stored).not.toContainText('hunter2')
  await expect(page.getByText('looks like a GitHub token')).toBeVisible()
  expect(sent.some((body) => body.includes('hunter2'))).toBe(false)

  await page.getByRole('button', { name: 'Add a rule to the draft' }).click()
  await expect(page).toHaveURL(/configs\/records\/agent\/edit/)
  await page.goto('/settings/redaction?config=records%2Fagent')
  await page.getByLabel(/^Payload/).fill(JSON.stringify(payload))
  await expect(stored).not.toContainText('ghp_')
  await expect(page.getByText('looks like a GitHub token')).toHaveCount(0)
  expect(problems).toEqual([])
})

test('a shorter retention shows the numbers that it removes, and requires typing one', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto('/settings/retention')
  await page.getByLabel('Keep events for (days)').fill('30')
  await expect(page.getByTestId('preview')).toContainText('Removes 0 events of 0 sessions')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const confirm = page.getByRole('button', { name: 'Save and remove' })
  await expect(confirm).toBeDisabled()
  await page.getByLabel('Type remove 0 sessions to confirm').fill('remove 0 sessions')
  await confirm.click()
  await expect(confirm).toHaveCount(0)
  await page.reload()
  await expect(page.getByLabel('Keep events for (days)')).toHaveValue('30')

  // A longer retention requires no confirmation.
  await page.getByLabel('Keep events for (days)').fill('')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.click()
  // The change is saved: leaving the page earlier would cancel the request.
  await expect(save).toBeDisabled()
  await page.goto('/settings/audit-log?action=retention.changed')
  await expect(page.getByRole('row', { name: /events days: 30 → –/ })).toBeVisible()
  expect(problems).toEqual([])
})
