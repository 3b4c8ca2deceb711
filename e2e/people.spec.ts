// Users: an admin invites Ana as a publisher of dev only. She joins in her own browser, publishes to dev, and sees who may release to
// production. Two tabs stay in their own project.
import { expect } from '@playwright/test'
import { collectProblems } from './page-problems.ts'
import { call, read } from './procedures.ts'
import { ADMIN, ORIGIN } from './product.ts'
import { firstPage } from './start-product.ts'
import { test } from './test.ts'

const ANA = { name: 'Ana Torres', email: 'ana.torres@example.com', password: 'a long passphrase' }

const config = (key: string) =>
  JSON.stringify({
    schema_version: 1,
    ns: 'people',
    key,
    policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
  })

const AGENT = { ns: 'people', key: 'agent' }

interface Pointed {
  readonly pointers: readonly { readonly environment: string }[]
}

test('a publisher of dev only joins by an invitation link and cannot release to production', async ({
  page,
  browser,
}) => {
  const problems = collectProblems(page)
  await page.goto('/settings/users')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('Email').fill(ANA.email)
  await page.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'publisher' }).click()
  await page.getByLabel('every environment, including future ones').uncheck()
  await expect(page.getByLabel('dev', { exact: true })).toBeChecked()
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = (await page.getByTestId('secret').textContent()) ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('row', { name: /ana\.torres@example\.com pending/ })).toBeVisible()
  await call(page, 'configs.create', { ...AGENT, text: config('agent') })

  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const ana = await context.newPage()
  const hers = collectProblems(ana)
  await ana.goto(link)
  await expect(ana.getByText('publisher of dev')).toBeVisible()
  await ana.getByLabel('Your name').fill(ANA.name)
  await ana.getByLabel('Choose a password').fill(ANA.password)
  await ana.getByRole('button', { name: /^Join/ }).click()
  await expect(firstPage(ana)).toBeVisible()

  await ana.goto('/configs/people/agent/edit?publish=dev')
  await ana.getByRole('button', { name: /Publish.* dev/ }).click()
  await expect
    .poll(async () => {
      const { pointers } = await read<Pointed>(ana, 'configs.get', AGENT)
      return pointers.map(({ environment }) => environment)
    })
    .toEqual(['dev'])

  await ana.goto('/configs/people/agent/edit?publish=production')
  const reason = `You need the publisher role in production. ${ADMIN.name} has it.`
  await expect(ana.getByText(reason).first()).toBeVisible()
  await expect(ana.getByRole('button', { name: /Publish.* production/ })).toBeDisabled()
  // Sends the request directly, without the button.
  const refused = await ana.request.post('/api/trpc/releases.promote', {
    headers: { origin: ORIGIN },
    data: {
      ...AGENT,
      environment: 'production',
      version: 1,
      expectedLive: null,
      note: 'mine now',
      typedName: 'production',
    },
  })
  expect(refused.status()).toBe(403)
  expect(await refused.text()).toContain('You need the publisher role in production.')

  await ana.goto(link)
  await expect(ana.getByRole('heading', { name: 'This invitation does not work' })).toBeVisible()
  expect([...problems, ...hers]).toEqual([])
  await context.close()
})

test('a refused form shows the reason at its field, focuses that field and keeps the input', async ({
  page,
}) => {
  let sent = 0
  page.on('request', (request) => {
    if (request.url().includes('invitations.create')) sent += 1
  })
  await page.goto('/settings/users')
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a user' })
  await expect(dialog).toContainText('emails it to the user')
  const email = dialog.getByLabel('Email')
  await expect(email).toBeFocused()
  for (const [typed, reason, requests] of [
    // The browser validates the address first, then the server.
    ['ada@console', 'This is not an email address.', 0],
    [ADMIN.email, `${ADMIN.email} is a member of this project already.`, 1],
  ] as const) {
    await email.fill(typed)
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await expect(email).toHaveAccessibleDescription(reason)
    await expect(email).toBeFocused()
    await expect(email).toHaveValue(typed)
    expect(sent).toBe(requests)
  }
})

test('two tabs on two projects each stay in their own project', {
  tag: '@soak',
}, async ({ page, context }) => {
  await page.goto('/settings/projects')
  await page.getByRole('button', { name: 'New project' }).click()
  // The page has a field of this name, too, and the dialog appears a moment later.
  await page.getByRole('dialog').getByLabel('Name').fill('Second')
  await page.getByRole('button', { name: 'Create project' }).click()
  await expect(page).toHaveURL(/project=second-[0-9a-f]{6}/)
  const second = new URL(page.url()).searchParams.get('project') ?? ''
  await call(page, `configs.create?project=${second}`, { ns: 'only-second', key: 'agent' })

  const other = await context.newPage()
  await other.goto('/configs?project=default')
  await page.goto(`/configs?project=${second}`)
  await expect(page.getByText('only-second/agent').first()).toBeVisible()
  await expect(other.getByText('only-second/agent')).toHaveCount(0)

  for (const [tab, slug] of [
    [other, 'default'],
    [page, second],
  ] as const) {
    await tab
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Sessions' })
      .click()
    await expect(tab).toHaveURL(new RegExp(`/sessions\\?.*project=${slug}`))
    await tab.reload()
    await tab
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Configs' })
      .click()
    await expect(tab).toHaveURL(new RegExp(`/configs\\?.*project=${slug}`))
  }
  await expect(page.getByText('only-second/agent').first()).toBeVisible()
  await expect(other.getByText('only-second/agent')).toHaveCount(0)
  await page.goto('/configs?project=not-mine')
  await expect(page.getByRole('heading', { name: 'Project not found' })).toBeVisible()

  // Deleted again, because other tests expect one project.
  await page.goto(`/settings/projects?project=${second}`)
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByLabel('Type Second to confirm').fill('Second')
  await page.getByRole('button', { name: 'Delete Second' }).click()
  await expect(page).not.toHaveURL(/settings/)
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
})
