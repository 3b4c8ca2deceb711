import { expect } from '@playwright/test'
import { barriersInThemes } from './barriers.ts'
import { PHONE, test } from './test.ts'
import { scriptBytes } from './weight.ts'

/** The width of a drawing whose text is 11 px high or more. */
const READABLE_WIDTH = 680

test.describe('without a login', () => {
  test.use({ storageState: { cookies: [], origins: [] } })

  test('a stranger finds a how-to by search, follows a link, and reads a page on a phone', async ({
    page,
  }) => {
    await page.goto('/docs')
    await page.getByRole('main').getByRole('link', { name: 'tutorial', exact: true }).click()
    await expect(page).toHaveURL(/\/docs\/tutorial$/)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Tutorial')
    expect(await scriptBytes(page)).toBeLessThanOrEqual(250_000)

    await page.getByRole('searchbox').fill('ask a reviewer before a deploy')
    await expect(page.getByRole('status')).toContainText('pages match')
    await page.getByRole('main').getByRole('listitem').first().getByRole('link').click()
    await expect(page).toHaveURL(/\/docs\/how-to\/approve-a-deploy/)

    const answer = await page.goto('/docs/how-to/nothing')
    expect(answer?.status()).toBe(404)
    await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
    await expect(
      page.getByRole('navigation').getByRole('link', { name: 'How a decision is made' }),
    ).toBeVisible()
    expect(await barriersInThemes(page)).toEqual([])

    await page.setViewportSize(PHONE)
    await page.goto('/docs/concepts/decisions')
    const drawing = page.getByRole('main').getByRole('img').first()
    await expect(drawing).toHaveJSProperty('complete', true)
    await expect(drawing).not.toHaveJSProperty('naturalWidth', 0)
    expect((await drawing.boundingBox())?.width).toBeGreaterThanOrEqual(READABLE_WIDTH)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width)
    expect(await barriersInThemes(page)).toEqual([])
  })
})

test('the palette finds Get started, call approvals by their verb, and pages of the documentation', async ({
  page,
}) => {
  await page.goto('/')
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Search or jump' })
  const input = palette.getByRole('combobox', { name: 'Search or jump' })
  await input.fill('get started')
  await expect(palette.getByRole('option', { name: 'Get started', exact: true })).toBeVisible()
  await input.fill('approve')
  await expect(palette.getByRole('option', { name: 'Call approvals', exact: true })).toBeVisible()
  await input.fill('why was a stop blocked')
  await palette.getByRole('option', { name: 'See why a stop was blocked', exact: true }).click()
  await expect(page).toHaveURL(/\/docs\/how-to\/see-why-a-stop-was-blocked$/)
})

test('a template shows its rules and an example session before a config is made from it', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto('/configs')
  await page.getByRole('button', { name: 'New config' }).first().click()
  const link = page.getByRole('link', { name: 'Open the example session' })
  const opened = page.waitForEvent('popup')
  await link.click()
  const template = await opened
  await expect(template).toHaveURL(/\/configs\/templates\/coding-agent$/)
  const main = template.getByRole('main')
  await expect(main.getByRole('heading', { name: 'Coding agent' })).toBeVisible()
  await expect(main.getByRole('row').filter({ hasText: 'denied' }).first()).toBeVisible()
  expect(await barriersInThemes(template)).toEqual([])
  await template.goto('/configs/templates/ci-fixer')
  const rule = main.getByRole('listitem').filter({ hasText: 'no-skipped-tests' })
  await expect(rule.getByText('The agent is told')).toBeHidden()
  await rule.locator('summary').click()
  await expect(rule.getByText('The agent is told')).toBeVisible()
  await main.getByRole('link', { name: 'Use this template' }).click()
  await expect(template.getByRole('radio', { name: 'CI fixer' })).toBeChecked()
})
