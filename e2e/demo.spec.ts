// The stories of the demo on a product that no one has used: each is run from the console and read at its end, and none counts.
import { expect } from '@playwright/test'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { collectProblems } from './page-problems.ts'
import { describeProduct } from './product.ts'
import { becomeAdministrator, start } from './start-product.ts'
import { test } from './test.ts'

const NEW = describeProduct(30)
test.use({ baseURL: NEW.origin, storageState: { cookies: [], origins: [] } })

let product: Awaited<ReturnType<typeof start>>

test.beforeAll(async () => {
  test.setTimeout(240_000)
  const withoutMail = { SIGNALBOX_SMTP_URL: '', SIGNALBOX_MAIL_FROM: '', SIGNALBOX_SMTP_TLS: '' }
  product = await start(NEW, ['--no-demo'], withoutMail)
})
test.afterAll(() => product.stop())

/** Each takes half a minute. The newcomer's story runs the first one. */
const STORIES = selectSample(
  [
    { title: 'Release notes', link: 'Why its stop was blocked', says: /plan steps/ },
    { title: 'Coding agent', link: 'Why its stop was blocked', says: /plan steps/ },
    { title: 'Support', link: 'Why its refund was denied', says: /refund/ },
  ] as const,
  3,
  1,
)

test('a story of the demo runs from the console, ends in a page that explains it, and is counted nowhere', async ({
  page,
}) => {
  test.setTimeout(240_000)
  const problems = collectProblems(page)
  await becomeAdministrator(page, product.line)
  const demo = page.getByRole('region', { name: 'See it work without an agent of your own' })
  for (const { title, link, says } of STORIES) {
    await page.goto('/get-started')
    const story = demo.getByRole('listitem').filter({ hasText: title })
    await story.getByRole('button', { name: `Run the demo: ${title}` }).click()
    await expect(story.getByText(/Starting…|Running/)).toBeVisible()
    await story.getByRole('link', { name: link }).click({ timeout: 60_000 })
    await expect(page.getByText('Demo', { exact: true }).first()).toBeVisible()
    await expect(page.getByRole('main')).toContainText(says)
  }
  const main = page.getByRole('navigation', { name: 'Main' })
  await expect(main.getByRole('link', { name: 'Get started' })).toContainText('0 of 3')
  await page.goto('/sessions?status=all')
  await expect(page.getByText('demo/support-triage')).toHaveCount(0)
  await page.goto('/sessions?status=all&q=demo:only')
  const rows = page.getByRole('row').filter({ hasText: 'demo/' })
  await expect(rows).toHaveCount(STORIES.length)
  await expect(rows.getByText('Demo', { exact: true })).toHaveCount(STORIES.length)
  expect(problems).toEqual([])
})

test('without a mail server, the page for a new password has no form and names an admin', async ({
  page,
}) => {
  await page.goto('/reset')
  await expect(page.getByText(/no mail server\. Ask an admin for a new password/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send link' })).toHaveCount(0)
})
