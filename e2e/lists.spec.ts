// A list as people arrange it: which columns it has, by which of them it is sorted, and that the standard ones fit.
import { expect, type Page } from '@playwright/test'
import { barriersIn } from './barriers.ts'
import { GrowingSession } from './growing-session.ts'
import { collectProblems } from './page-problems.ts'
import { ORIGIN, secrets } from './product.ts'
import { test } from './test.ts'

const sessions: GrowingSession[] = []

test.beforeAll(async () => {
  for (let n = 0; n < 2; n += 1) {
    const session = new GrowingSession({ url: ORIGIN, key: secrets().demoKey })
    sessions.push(session)
    for (let call = 0; call <= n; call += 1) await session.refuse()
    await session.end()
  }
})

const listIds = (page: Page): Promise<readonly (string | null)[]> =>
  page
    .locator('main [data-id]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')))

const heads = (page: Page) => page.getByRole('columnheader')

test('the standard columns fit 1280 px, and the chosen columns are kept for the next visit', async ({
  page,
}) => {
  const problems = collectProblems(page)
  for (const path of ['/sessions?status=all', '/stops?by=all', '/decisions']) {
    await page.goto(path)
    const box = page.locator('[data-scrolls]')
    await expect(box).toBeVisible()
    const { scrollWidth, clientWidth } = await box.evaluate((element) => ({
      scrollWidth: element.scrollWidth,
      clientWidth: element.clientWidth,
    }))
    expect(scrollWidth, path).toBe(clientWidth)
    expect(await barriersIn(page), path).toEqual([])
  }
  await page.goto('/decisions')
  await expect(heads(page).filter({ hasText: 'Rule' })).toBeVisible()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Rule' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Environment' }).click()
  await page.keyboard.press('Escape')
  await expect(heads(page).filter({ hasText: 'Rule' })).toHaveCount(0)
  await page.reload()
  await expect(heads(page).filter({ hasText: 'Environment' })).toBeVisible()
  await expect(heads(page).filter({ hasText: 'Rule' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitem', { name: 'Standard columns' }).click()
  await expect(heads(page).filter({ hasText: 'Rule' })).toBeVisible()
  expect(problems).toEqual([])
})

test('a column header sorts only where an index serves the order, and the address keeps the order', async ({
  page,
}) => {
  const ids: readonly string[] = sessions.map(({ id }) => id)
  const prompt = 'prompt=live/growing'
  await page.goto(`/sessions?status=all&${prompt}`)
  await expect(page.locator(`[data-id="${ids[1]}"]`)).toBeVisible()
  const started = heads(page).filter({ hasText: 'Started' })
  await expect(started).toHaveAttribute('aria-sort', 'descending')
  const newest = await listIds(page)
  await started.getByRole('button').click()
  await expect(page).toHaveURL(/sort=oldest/)
  await expect(started).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(() => listIds(page)).toEqual(newest.toReversed())
  await heads(page).filter({ hasText: 'Denied' }).getByRole('button').click()
  await expect(page).toHaveURL(/sort=denied/)
  await expect
    .poll(async () => (await listIds(page)).filter((id) => id !== null && ids.includes(id)))
    .toEqual([ids[1], ids[0]])
  // No index serves an order by tokens.
  await expect(heads(page).filter({ hasText: 'Tokens' }).getByRole('button')).toHaveCount(0)
})
