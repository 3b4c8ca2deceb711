// Two real identity providers and a mail server on loopback: a group becomes a role and is lost again, and a password is set by mail.
import { expect, type Page } from '@playwright/test'
import { SMTPServer } from 'smtp-server'
import {
  type Claims,
  type IdentityProvider,
  startIdentityProvider,
} from '@/scripts/identity-provider.ts'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { barriersInThemes } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { read } from './procedures.ts'
import { ADMIN, describeProduct } from './product.ts'
import { becomeAdministrator, firstPage, start } from './start-product.ts'
import { DESK, PHONE, takenOver, test } from './test.ts'

/** A product that only this file uses, because its providers are configured at the start. */
const OWN = describeProduct(20)
const FRESH = { storageState: { cookies: [], origins: [] } }
test.use({ baseURL: OWN.origin, ...FRESH })

const letters: string[] = []
const mailServer = new SMTPServer({
  authOptional: true,
  logger: false,
  disableReverseLookup: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData(stream, _session, done) {
    let text = ''
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    stream.on('end', () => {
      letters.push(text.replace(/=\r\n/g, '').replace(/=3D/g, '='))
      done()
    })
  },
})

let product: Awaited<ReturnType<typeof start>>
let providers: readonly IdentityProvider[]

test.beforeAll(async () => {
  test.setTimeout(240_000)
  await new Promise<void>((resolve) => {
    mailServer.listen(OWN.mailPort, '127.0.0.1', () => resolve())
  })
  const ids = ['first', 'company']
  providers = await Promise.all(
    ids.map((id) => startIdentityProvider([`${OWN.origin}/api/auth/callback/${id}`])),
  )
  const entries = providers.map(({ issuer, clientId, clientSecret }, index) => ({
    ...{ id: ids[index], label: index === 0 ? 'First' : 'Company' },
    ...{ issuer, client_id: clientId, client_secret: clientSecret },
    ...(index === 0 ? {} : { groups: { map: [{ group: 'sb-editors', role: 'editor' }] } }),
  }))
  product = await start(OWN, ['--no-demo'], { OIDC_PROVIDERS: JSON.stringify(entries) })
})
test.afterAll(async () => {
  await product.stop()
  await Promise.all(providers.map((provider) => provider.stop()))
  await new Promise<void>((resolve) => mailServer.close(resolve))
})

/** Neither barriers nor a horizontal scroll bar at both widths. Leaves the page wide. */
async function inspect(page: Page): Promise<void> {
  for (const viewport of [PHONE, DESK]) {
    await page.setViewportSize(viewport)
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(wide).toBeLessThanOrEqual(viewport.width)
    if (IS_SOAK || viewport === DESK) expect(await barriersInThemes(page)).toEqual([])
  }
}

test('a group gives a role at the sign-in by its provider and takes it at the next; a password is set by mail and ends every login', async ({
  page,
  browser,
}) => {
  test.setTimeout(240_000)
  const problems = collectProblems(page)
  await becomeAdministrator(page, product.line)

  const context = await browser.newContext(FRESH)
  const ana = await context.newPage()
  const company = providers[1]
  const claims: Claims = {
    ...{ sub: 'ana', email: 'ana.torres@company.test', email_verified: true, name: 'Ana Torres' },
    groups: ['sb-editors'],
  }
  company?.become(claims)
  await ana.goto(`${OWN.origin}/login`)
  await takenOver(ana)
  await inspect(ana)
  await expect(ana.getByRole('button', { name: 'Sign in with First' })).toBeVisible()
  await ana.getByRole('button', { name: 'Sign in with Company' }).click()
  await expect(firstPage(ana)).toBeVisible()
  expect(await read<{ role: string }>(ana, 'members.me', {})).toMatchObject({ role: 'editor' })

  await page.goto('/settings/users')
  const row = page.getByRole('row', { name: /Ana Torres/ })
  await expect(row).toContainText('by group sb-editors of Company')
  await expect(row.getByRole('button', { name: 'Change role of Ana Torres' })).toBeDisabled()
  await inspect(page)

  company?.become({ ...claims, groups: [] })
  await context.clearCookies()
  await ana.goto(`${OWN.origin}/login`)
  await takenOver(ana)
  await ana.getByRole('button', { name: 'Sign in with Company' }).click()
  await expect(ana.getByText('None of your groups at Company gives access.')).toBeVisible()
  await inspect(ana)
  await page.goto('/settings/users')
  await expect(page.getByRole('row', { name: new RegExp(ADMIN.name) })).toBeVisible()
  await expect(row).toHaveCount(0)
  await page.goto('/settings/audit-log')
  await expect(page.getByText('groups of Company').first()).toBeVisible()
  await expect(page.getByText('removed a member').first()).toBeVisible()

  await ana.goto(`${OWN.origin}/login`)
  await takenOver(ana)
  await ana.getByRole('link', { name: 'Forgot password?' }).click()
  await takenOver(ana)
  await inspect(ana)
  await ana.getByLabel('Email').fill(ADMIN.email)
  await ana.getByRole('button', { name: 'Send link' }).click()
  await expect(ana.getByRole('status')).toContainText('a link was sent to it')
  await inspect(ana)
  await expect.poll(() => letters.length).toBe(1)
  const link = /http\S+\/reset\?token=\w+/.exec(letters[0] ?? '')?.[0] ?? ''
  await ana.goto(link)
  await takenOver(ana)
  await inspect(ana)
  // An open page asks in the background, which is refused once its login has ended.
  await page.goto('about:blank')
  const password = 'quite another passphrase'
  await ana.getByLabel('New password').fill(password)
  await ana.getByRole('button', { name: 'Save password' }).click()
  await expect(ana).toHaveURL(/\/login/)
  // The login of the other browser has ended.
  await page.goto('/settings/users')
  await expect(page).toHaveURL(/\/login/)
  await takenOver(ana)
  await ana.getByLabel('Email').fill(ADMIN.email)
  await ana.getByLabel('Password', { exact: true }).fill(password)
  await ana.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(firstPage(ana)).toBeVisible()
  await ana.goto(`${OWN.origin}/settings/audit-log`)
  await expect(ana.getByText('set a new password by email').first()).toBeVisible()
  await context.close()
  expect(problems).toEqual([])
})
