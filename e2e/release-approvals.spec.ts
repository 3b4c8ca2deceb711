// Two people: an admin asks for the approval of a release, a publisher gives it, and the admin makes the release.
import { expect, type Page } from '@playwright/test'
import { collectProblems } from './page-problems.ts'
import { call, read } from './procedures.ts'
import { firstPage } from './start-product.ts'
import { test } from './test.ts'

const PROMPT = { ns: 'approved', key: 'agent' }
const PLACE = 'staging'

interface Pointed {
  readonly pointers: readonly { readonly environment: string }[]
}

async function join(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Your name').fill('Bo Chen')
  await page.getByLabel('Choose a password').fill('a long passphrase')
  await page.getByRole('button', { name: /^Join/ }).click()
  await expect(firstPage(page)).toBeVisible()
}

async function demandApprovals(page: Page, requiredApprovals: number): Promise<void> {
  await call(page, 'environments.change', {
    name: PLACE,
    requiresNote: false,
    requiresTypedName: false,
    requiredApprovals,
    rollbackSkipsApproval: true,
    requiresBacktest: false,
  })
}

// Other stories of this product release to staging without an approval.
test.afterEach(async ({ page }) => {
  await demandApprovals(page, 0)
})

const findRequests = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Release approvals' }) })

test('a requested release names its next step to both users until it is made', async ({
  page,
  browser,
}) => {
  const problems = collectProblems(page)
  await demandApprovals(page, 1)
  const { link } = await call<{ readonly link: string }>(page, 'invitations.create', {
    email: 'bo.chen@example.com',
    role: 'publisher',
  })
  const text = JSON.stringify({ schema_version: 1, ...PROMPT, description: 'first' })
  await call(page, 'configs.create', { ...PROMPT, text })
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const bo = await context.newPage()
  const his = collectProblems(bo)
  await join(bo, link)

  await page.goto(`/configs/${PROMPT.ns}/${PROMPT.key}/edit?publish=${PLACE}`)
  await page.getByLabel('Note').fill('It only describes.')
  await page.getByRole('button', { name: 'Request approval' }).click()
  await expect(page.getByText('any publisher or admin except')).toBeVisible()

  await bo.goto('/releases')
  await expect(findRequests(bo)).toContainText('1 waits for you')
  await findRequests(bo).getByRole('button', { name: 'Review' }).click()
  const review = bo.getByRole('dialog', { name: `Approve approved/agent for ${PLACE}?` })
  await expect(review).toContainText('“It only describes.”')
  await review.getByRole('button', { name: 'Approve draft' }).click()
  await expect(review).toBeHidden()
  await expect(findRequests(bo)).toContainText('Approved by Bo Chen')

  await page.goto(`/configs/${PROMPT.ns}/${PROMPT.key}`)
  const coming = page.getByRole('list', { name: 'On the way' })
  await expect(coming).toContainText(`The draft is approved for ${PLACE} and can be released`)
  await expect(coming.getByRole('link', { name: 'Release now' })).toBeVisible()
  await page.goto('/releases')
  await findRequests(page).getByRole('button', { name: 'Review' }).click()
  const seen = page.getByRole('dialog', { name: `approved/agent for ${PLACE}` })
  await expect(seen).toContainText('Ready to release.')
  await seen.getByRole('link', { name: 'Release now' }).click()
  const publish = page.getByRole('dialog')
  await expect(publish.getByLabel('Note')).toHaveValue('It only describes.')
  await publish.getByRole('button', { name: /Publish.* staging/ }).click()
  await expect
    .poll(async () => {
      const { pointers } = await read<Pointed>(page, 'configs.get', PROMPT)
      return pointers.map(({ environment }) => environment)
    })
    .toEqual([PLACE])
  await page.goto('/releases')
  await expect(page.getByRole('heading', { name: 'Rollouts', level: 1 })).toBeVisible()
  await expect(findRequests(page)).toHaveCount(0)

  await context.close()
  expect([...problems, ...his]).toEqual([])
})
