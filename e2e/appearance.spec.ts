// How every page looks and reads: no errors, no serious accessibility problem, no sideways scrolling.
import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
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

test('no page has a serious accessibility problem, in light and dark, wide and narrow', async ({
  page,
}) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const path of PAGES) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      const { violations } = await new AxeBuilder({ page }).analyze()
      const serious = violations.filter(
        ({ impact }) => impact === 'serious' || impact === 'critical',
      )
      const found = serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
      expect(found, `${path} ${colorScheme}`).toEqual([])
    }
  }
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
