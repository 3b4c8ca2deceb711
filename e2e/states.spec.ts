// The test answers some requests instead of the server.
import { expect, type Page } from '@playwright/test'
import { eventHash, importedSessionId } from '@signalbox/wire'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { barriersInThemes } from './barriers.ts'
import { call, read } from './procedures.ts'
import { ADMIN, ORIGIN } from './product.ts'
import { firstPage } from './start-product.ts'
import { takenOver, test } from './test.ts'
import { scriptBytes } from './weight.ts'

const LISTS = [
  '/sessions?q=nothing-is-named-so&status=all',
  '/stops?by=all&code=no.such_reason',
  '/decisions?rule=no-such-rule',
  '/feedback?provider=no-such-provider',
  '/alerts?state=muted',
  '/alerts/rules',
  '/configs?q=nothing-is-named-so',
  '/analytics/denials?prompt=no/such',
  '/analytics/feedback?prompt=no/such',
  '/analytics/stops?prompt=no/such',
  '/analytics/plans?prompt=no/such',
  '/runtimes?env=production',
] as const

const COMPARED =
  '/sessions/compare?a=sess_01HZZZZZZZZZZZZZZZZZZZZZZZ&b=sess_01HZZZZZZZZZZZZZZZZZZZZZZY'

const MISSING = [
  '/sessions/sess_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  '/stops/stop_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  '/decisions/dec_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  '/runtimes/rt_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  '/releases/rel_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  '/backtests/bkt_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  '/configs/no/such',
  '/configs/no/such/edit',
] as const

const REQUEST = 'req_5151515151515151'

/** The queries fail until the returned function is called. */
async function failEveryQuestion(page: Page): Promise<() => void> {
  let isDown = true
  await page.route(/\/api\/trpc\/(?!live)/, async (route) => {
    if (!isDown) return await route.fallback()
    const url = new URL(route.request().url())
    const names = url.pathname.replace('/api/trpc/', '').split(',')
    const failures = names.map((path) => ({
      error: {
        message: 'The database does not answer.',
        code: -32_603,
        data: { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, path, requestId: REQUEST },
      },
    }))
    await route.fulfill({ status: 500, json: failures })
  })
  // Removing all routes would also remove the delays of E2E_LATE_MS.
  return () => {
    isDown = false
  }
}

/** The test of alerts creates a rule, and may have run before in this product. */
test.beforeEach(async ({ page }) => {
  const rules = await read<readonly { readonly id: string }[]>(page, 'alerts.rules', {})
  for (const { id } of rules) await call(page, 'alerts.remove', { id })
})

test('an empty list explains which rows will appear in it', async ({ page }) => {
  test.setTimeout(300_000)
  for (const path of selectSample([...LISTS, COMPARED], 4)) {
    await page.goto(path)
    await expect
      .soft(page.getByRole('main'), path)
      .toContainText(/(\bno\b|No |not |nothing|none|never)/i)
    await expect.soft(page.getByRole('status', { name: 'Loading' }), path).toHaveCount(0)
    expect.soft(await barriersInThemes(page), path).toEqual([])
  }
})

test('the page of a missing object reports that it is missing, and links to the Overview', async ({
  page,
}) => {
  for (const path of selectSample(MISSING, 4)) {
    const answer = await page.goto(path)
    expect.soft(answer?.status(), path).toBe(404)
    const heading = page.getByRole('heading', {
      level: 1,
      name: 'Page not found',
    })
    await expect.soft(heading, path).toBeVisible()
    await expect.soft(page.getByRole('link', { name: 'Go to the Overview' }), path).toBeVisible()
  }
  const answer = await page.goto('/no/such/page')
  expect.soft(answer?.status()).toBe(404)
  await expect.soft(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
  await expect.soft(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  expect.soft(await barriersInThemes(page)).toEqual([])
})

test('a failed query shows its error and request id, and is retried', async ({ page }) => {
  test.setTimeout(300_000)
  await page.goto('/alerts')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const recover = await failEveryQuestion(page)
  for (const path of selectSample(LISTS, 9)) {
    await page.goto(path)
    const told = page.getByRole('main').getByRole('alert').filter({ hasText: REQUEST }).first()
    await expect.soft(told, path).toContainText('The database does not answer.')
    await expect
      .soft(told.getByRole('button', { name: "Copy the request's id" }), path)
      .toBeVisible()
  }
  expect.soft(await barriersInThemes(page)).toEqual([])
  await page.goto('/alerts/rules')
  const told = page.getByRole('main').getByRole('alert').first()
  await expect.soft(told).toContainText('The rules could not be loaded.')
  recover()
  await told.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No alert rules yet.')).toBeVisible()
})

/** Delays every program that the page's document does not name, until the returned function is called. */
async function holdLatePrograms(page: Page, path: string): Promise<() => void> {
  const html = await (await page.request.get(path)).text()
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/_next\/static\/chunks\//, async (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? ''
    if (!html.includes(name)) await released
    await route.continue()
  })
  return release
}

test('overlays open by their own button or key even when their code loads late, and lose no typed text', {
  tag: '@soak',
}, async ({ context }) => {
  const path = '/configs/demo/release-notes'
  const opened = async (begin: (page: Page) => Promise<void>): Promise<Page> => {
    const page = await context.newPage()
    const release = await holdLatePrograms(page, path)
    await page.goto(path)
    await takenOver(page)
    await begin(page)
    release()
    return page
  }
  const byButton = (kind: 'menu' | 'listbox') => async (page: Page) => {
    // No pointer moves and no key is pressed: the click alone fetches what it opens.
    const button = page.locator(`[aria-haspopup=${kind}]:visible`).first()
    await button.dispatchEvent('click')
    await expect(button).toHaveAttribute('aria-expanded', 'true')
  }
  const menu = await opened(byButton('menu'))
  await expect(menu.getByRole('menuitem').first()).toBeVisible()
  const list = await opened(byButton('listbox'))
  await expect(list.getByRole('option').first()).toBeVisible()
  const sheet = await opened((page) => page.keyboard.press('Shift+?'))
  await expect(sheet.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  const palette = await opened(async (page) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('stops')
  })
  await expect(palette.getByRole('option').first()).toBeVisible()
  await expect(palette.getByRole('combobox', { name: 'Search or jump' })).toHaveValue('stops')
})

test('a lazy section that fails to load reports that, and appears once the network is back', async ({
  page,
}) => {
  const path = '/configs/demo/release-notes/edit'
  const html = await (await page.request.get(path)).text()
  let isOffline = true
  // The HTML names the chunks that the page itself needs, but not its lazy sections.
  await page.route(/\/_next\/static\/chunks\//, (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? ''
    return isOffline && !html.includes(name) ? route.abort() : route.continue()
  })
  await page.goto(path)
  const told = page.getByRole('main').getByRole('alert')
  await expect.soft(told).toContainText('This part of the page could not be loaded.')
  await expect(page.getByText('This page could not be shown.')).toHaveCount(0)
  isOffline = false
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await expect(page.locator('.cm-content')).toBeVisible()
  await expect.soft(told).toHaveCount(0)
})

test('a page whose layout fails says why, and appears once the cause is gone', async ({ page }) => {
  await page.addInitScript(() => {
    const { matchMedia } = window
    window.matchMedia = () => {
      throw new Error('no media here')
    }
    window.addEventListener('click', () => Object.assign(window, { matchMedia }), { capture: true })
  })
  await page.addInitScript(() => localStorage.setItem('theme', 'dark'))
  await page.goto('/sessions')
  await expect(page.getByRole('alert')).toContainText('failed in the browser: no media here')
  await expect(page.locator('html')).toHaveCSS('color-scheme', 'dark')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Sessions', exact: true })).toBeVisible()
})

/** With the query that the server refuses; null: the page asks nothing. */
const CLOSED = [
  ['/alerts/rules', null],
  ['/settings/keys', 'keys.list'],
  ['/alerts/destinations', 'destinations.list'],
  ['/settings/webhook-streams', 'webhookStreams.list'],
  ['/settings/audit-log', null],
] as const

const REFUSED = [
  ['/sessions', 'Import…', 'editor'],
  ['/alerts/rules', 'New rule', 'admin'],
] as const

const TABS = [
  ['decisions', 'No calls or stops have been decided in this session.'],
  ['feedback', 'No feedback was delivered in this session.'],
  ['plan', 'No plan in this session.'],
  ['files', 'No files in this session.'],
  ['annotations', 'No annotations yet.'],
] as const

async function openViewerPage(page: Page): Promise<Page> {
  const invitation = { email: 'vera@example.com', role: 'viewer', publishIn: null }
  const { link } = await call<{ readonly link: string }>(page, 'invitations.create', invitation)
  const browser = page.context().browser()
  if (browser === null) throw new Error('The page has no browser.')
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const viewer = await context.newPage()
  await viewer.goto(link)
  await viewer.getByLabel('Your name').fill('Vera Lind')
  await viewer.getByLabel('Choose a password').fill('a long passphrase')
  await viewer.getByRole('button', { name: /^Join/ }).click()
  await expect(firstPage(viewer)).toBeVisible()
  return viewer
}

/** A session without decisions: an imported one that only began and ended. */
async function bareSession(page: Page): Promise<string> {
  const session = importedSessionId('0123456789abcdef01234567')
  const harness = { name: 'wink' }
  const data = { ns: 'bare', key: 'session', environment: 'dev', harness }
  const at = Date.now() - 60_000
  const first = { session, seq: 1, at, type: 'session.started', data }
  const end = { type: 'session.ended', data: { reason: 'completed' }, prev: eventHash(first) }
  const events = [first, { session, seq: 2, at, ...end }]
  const answer = await page.request.post('/api/import/sessions/dev', {
    headers: { origin: ORIGIN },
    data: events.map((event) => JSON.stringify(event)).join('\n'),
  })
  expect(await answer.json()).toMatchObject({ errors: [] })
  return session
}

test('a viewer sees which rights are missing, and reads every tab of a session', {
  tag: '@soak',
}, async ({ page }) => {
  test.setTimeout(180_000)
  const viewer = await openViewerPage(page)
  for (const [path, query] of selectSample(CLOSED, 2, 1)) {
    const refused =
      query === null ? null : viewer.waitForResponse((answer) => answer.url().includes(query))
    await viewer.goto(path)
    await (await refused)?.finished()
    await takenOver(viewer)
    const told = viewer.getByRole('main').getByText(/^You need the admin role\. .+ has it\.$/)
    await expect.soft(told.first(), path).toBeVisible()
    const ask = viewer.getByRole('region', { name: 'Ask for access' })
    await expect.soft(ask, path).toContainText(`${ADMIN.name}, ${ADMIN.email}`)
    await expect.soft(ask, path).toContainText(`I need it for ${viewer.url()}`)
    await expect.soft(viewer.getByRole('button', { name: 'Try again' })).toHaveCount(0)
  }
  for (const [path, name, role] of REFUSED) {
    await viewer.goto(path)
    const control = viewer.getByRole('button', { name }).first()
    await expect.soft(control, path).toHaveAttribute('aria-disabled', 'true')
    await expect
      .soft(control, path)
      .toHaveAttribute('title', new RegExp(`You need the ${role} role`))
  }
  const session = await bareSession(page)
  for (const [tab, says] of selectSample(TABS, 3)) {
    await viewer.goto(`/sessions/${session}?tab=${tab}`)
    await expect.soft(viewer.getByRole('main'), tab).toContainText(says)
    expect.soft(await scriptBytes(viewer), tab).toBeLessThanOrEqual(250_000)
  }
  expect.soft(await barriersInThemes(viewer)).toEqual([])
  await viewer.context().close()
})
