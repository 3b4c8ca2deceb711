// How every page looks and reads: no errors, no serious accessibility problem, no sideways scrolling.
import { expect, test } from '@playwright/test'
import { barriersIn } from './barriers.ts'
import { problemsOf } from './page-problems.ts'

const PAGES = [
  '/',
  '/sessions',
  '/stops',
  '/configs',
  '/configs?archived=true',
  '/configs?q=nothing-is-named-so',
  '/configs/demo/release-notes',
  '/configs/demo/release-notes/versions',
  '/configs/demo/release-notes/edit',
  '/configs/demo/release-notes/edit?tab=diff',
  '/configs/demo/release-notes/edit?tab=diff&as=side',
  '/configs/demo/release-notes/edit?tab=backtest',
  '/configs/demo/release-notes/cohorts',
  '/rollouts',
  '/settings/api',
  '/settings/environments',
  '/runtimes',
  '/settings/keys',
  '/settings/signing-key',
  '/settings/users',
  '/settings/profile',
  '/settings/audit',
  '/settings/redaction',
  '/settings/retention',
] as const

test('every page opens without an error in either theme', async ({ page }) => {
  const problems = problemsOf(page)
  for (const path of PAGES) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth > window.innerWidth,
    )
    expect(sideways, path).toBe(false)
  }
  expect(problems).toEqual([])
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no page has a serious accessibility problem, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    for (const path of PAGES) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      expect(await barriersIn(page), path).toEqual([])
    }
  })
}

test('no page scrolls sideways on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const path of PAGES) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    )
    expect(sideways, path).toBeLessThanOrEqual(0)
  }
})
