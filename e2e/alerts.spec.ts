// From the message of an alert to the reason of a blocked stop: a rule with its preview, a signed message at a real receiver, and the page
// to which it links.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Locator, type Page } from '@playwright/test'
import { SMTPServer } from 'smtp-server'
import { barriersIn } from './barriers.ts'
import { runDemoAgent } from './demo-agent.ts'
import { collectProblems } from './page-problems.ts'
import { call, read } from './procedures.ts'
import { ADMIN, PRODUCT } from './product.ts'
import { test } from './test.ts'

interface Message {
  readonly headers: http.IncomingHttpHeaders
  readonly data: { readonly reason: string; readonly url: string; readonly rule: string }
}

const messages: Message[] = []
let heldStatus = 500
const receiver = http.createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString()
  })
  request.on('end', () => {
    if (request.url === '/held') {
      response.writeHead(heldStatus).end()
      return
    }
    messages.push({ headers: request.headers, data: JSON.parse(body).data })
    response.writeHead(204).end()
  })
})

interface Letter {
  readonly to: readonly string[]
  readonly text: string
}

const letters: Letter[] = []
const mailServer = new SMTPServer({
  authOptional: true,
  logger: false,
  disableReverseLookup: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData(stream, session, done) {
    let text = ''
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    stream.on('end', () => {
      const to = session.envelope.rcptTo.map(({ address }) => address)
      letters.push({ to, text: text.replace(/=\r\n/g, '').replace(/=3D/g, '=') })
      done()
    })
  },
})

test.beforeAll(async () => {
  await new Promise<void>((resolve) => {
    mailServer.listen(PRODUCT.mailPort, '127.0.0.1', () => resolve())
  })
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve)
  })
})
test.afterAll(() => {
  receiver.close()
  mailServer.close(() => undefined)
})

const findRow = (page: Page, rule: string): Locator =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: `Actions for the alert ${rule}` }) })
    .first()

test('the link in an alert message opens the page with the reason of the stop', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  // The server listens on TCP, so the address is never a path.
  const { port } = receiver.address() as AddressInfo
  await runDemoAgent()
  const isBlocked = async () => {
    const filter = { verdict: 'blocked' }
    const { rows: stops } = await read<{ readonly rows: readonly unknown[] }>(page, 'stops.list', {
      filter,
    })
    return stops.length
  }
  await expect.poll(isBlocked, { timeout: 60_000 }).toBeGreaterThan(0)
  // Those that are on at install may fire for sessions of other stories.
  const rules = await read<readonly { readonly id: string }[]>(page, 'alerts.rules', {})
  for (const { id } of rules) await call(page, 'alerts.remove', { id })

  await page.goto('/alerts')
  await expect(page.getByText('No alerts yet.')).toBeVisible()
  const rulesTab = page
    .getByRole('navigation', { name: 'Alerts' })
    .getByRole('link', { name: 'Rules' })
  await rulesTab.click()
  // The tab before has a button of this name, too, and its dialog goes with its page.
  await expect(rulesTab).toHaveAttribute('aria-current', 'page')
  await page.getByRole('button', { name: 'New rule' }).click()
  const dialog = page.getByRole('dialog', { name: 'New alert rule' })
  await dialog.getByRole('button', { name: 'Create rule' }).click()
  await expect(dialog.getByText('Give the rule a name.')).toBeVisible()
  await dialog.getByLabel('Name').fill('Agents get stuck')
  await dialog.getByLabel('At least (count)').fill('1')
  await dialog.getByLabel('Window in minutes').fill('60')
  await expect(dialog.getByText(/^Would have fired once in the last 7 days/)).toBeVisible()
  const add = dialog.getByRole('button', { name: 'Add a destination' })
  for (let count = 0; count < 5; count += 1) await add.click()
  await expect(add).toHaveAccessibleDescription('A rule has at most 5 destinations.')
  for (const number of [5, 4, 3, 2])
    await dialog.getByRole('button', { name: `Remove destination ${number}` }).click()
  await dialog.getByLabel('Address').fill('https://10.0.0.1/hook')
  await dialog.getByRole('button', { name: 'Create rule' }).click()
  await expect(dialog.getByText(/inside the server’s network/)).toBeVisible()
  await dialog.getByLabel('Address').fill(`http://127.0.0.1:${port}/hook`)
  await dialog.getByRole('button', { name: 'Create rule' }).click()
  const rule = page.getByRole('listitem').filter({ hasText: 'Agents get stuck' })
  await expect(rule).toContainText(/1 or more blocked stops of one config in 1 hour/)
  await expect(rule).toContainText('Now 1 in 1 hour')
  await expect(rule.getByRole('img', { name: 'Last 7 days: up to 1' })).toBeVisible()
  expect(await barriersIn(page)).toEqual([])

  // A rule is evaluated when it is created, not at the next full minute.
  await expect.poll(() => messages.length, { timeout: 20_000 }).toBe(1)
  const [message] = messages
  expect(message?.headers['webhook-signature']).toMatch(/^v1,/)
  await page.goto(message?.data.url ?? '')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(message?.data.reason ?? '')

  await page.goto('/alerts')
  await expect(page.getByRole('link', { name: /Alerts.*1 firing/ })).toBeVisible()
  await page.getByRole('button', { name: 'Acknowledge…' }).click()
  await page.getByLabel('Note').fill('Plan steps were left open.')
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
  // The button is gone; the keys go on at the alert.
  await expect(page.locator('[data-row]:focus')).toBeVisible()
  await expect(page.getByText(`${ADMIN.name}: “Plan steps were left open.”`)).toBeVisible()
  const undo = (told: string) =>
    page.locator('[data-sonner-toast]', { hasText: told }).getByRole('button', { name: 'Undo' })
  await undo('Acknowledged “Agents get stuck”').click()
  await expect(page.getByRole('button', { name: 'Acknowledge…' })).toBeVisible()
  await expect.poll(async () => await read(page, 'alerts.unread', {})).toBe(1)
  await page.getByRole('button', { name: 'Acknowledge…' }).click()
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
  const row = findRow(page, 'Agents get stuck')
  await expect(row.getByText(/^127\.0\.0\.1:\d+$/)).toBeVisible()
  await page.getByRole('button', { name: /^Mute Agents get stuck/ }).click()
  await page.getByRole('menuitem', { name: 'Mute rule for 8 hours' }).click()
  await expect(page.getByText('muted until')).toBeVisible()
  await undo('Muted “Agents get stuck”').click()
  await expect(page.getByText('muted until')).toHaveCount(0)
  // A reload removes the toasts, whose contrast falls while they fade.
  await page.reload()
  await expect(page.getByRole('button', { name: /^Mute Agents get stuck/ })).toBeVisible()
  expect(await barriersIn(page)).toEqual([])
  // The browser reports the status of the refused address.
  expect(problems.filter((problem) => !problem.includes('422'))).toEqual([])
})

test('an alert destination is tested, used in a second rule, and removed by its name', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto('/alerts')
  const tabs = page.getByRole('navigation', { name: 'Alerts' }).getByRole('link')
  await expect(tabs).toHaveText([/^Alerts \d+ unresolved$/, /^Rules \d+$/, /^Destinations 1$/])
  await tabs.last().click()
  await expect(page).toHaveURL(/\/alerts\/destinations$/)
  await expect(tabs.last()).toHaveAttribute('aria-current', 'page')
  const { port } = receiver.address() as AddressInfo
  const listed = page.getByRole('list', { name: 'Destinations' }).getByRole('listitem')
  await expect(listed).toContainText(`127.0.0.1:${port}`)
  await expect(listed).toContainText('Used by 1 rule: Agents get stuck')
  await expect(listed.getByText('arrived', { exact: true })).toBeVisible()
  await listed.getByRole('button', { name: 'Send a test' }).click()
  await expect(page.getByText(/The test to 127\.0\.0\.1:\d+ arrived\./)).toBeVisible()
  await page.getByRole('button', { name: 'New destination' }).click()
  const dialog = page.getByRole('dialog', { name: 'New destination' })
  await dialog.getByLabel('Address').fill(`http://127.0.0.1:${port}/second`)
  await dialog.getByRole('button', { name: 'Add destination' }).click()
  await expect(dialog.getByText('Choose at least one rule.')).toBeVisible()
  await dialog.getByLabel('Agents get stuck').check()
  expect(await barriersIn(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add destination' }).click()
  await expect(listed).toHaveCount(2)
  await listed.first().getByRole('button', { name: 'Remove…' }).click()
  const confirm = page.getByRole('dialog', { name: /^Remove 127/ })
  const remove = confirm.getByRole('button', { name: /^Remove 127/ })
  await expect(remove).toBeDisabled()
  await confirm.getByRole('textbox').fill(`127.0.0.1:${port}`)
  await remove.click()
  await expect(listed).toHaveCount(1)
  expect(problems).toEqual([])
})

test('an alert rule created from a stop notifies by email', { tag: '@soak' }, async ({ page }) => {
  const problems = collectProblems(page)
  const filter = { verdict: 'blocked' }
  const { rows: stops } = await read<{
    readonly rows: readonly { readonly id: string; readonly reason: string }[]
  }>(page, 'stops.list', { filter })
  const [stop] = stops
  if (stop === undefined) throw new Error('The story before blocked no stop.')
  await page.goto(`/stops/${stop.id}`)
  await page.getByRole('button', { name: 'Create alert' }).click()
  const dialog = page.getByRole('dialog', { name: 'New alert rule' })
  await expect(dialog.getByLabel('Name')).toHaveValue(/^Stop blocked: /)
  await expect(dialog.getByText(/^Would have fired/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Add a destination' }).click()
  await dialog.getByRole('combobox', { name: 'Kind of destination 1' }).click()
  await page.getByRole('option', { name: 'Email' }).click()
  await expect(dialog.getByText('Sent from Signalbox <alerts@console.example>.')).toBeVisible()
  await dialog.getByLabel('Address').fill('team@example.com')
  await dialog.getByRole('button', { name: 'Create rule' }).click()
  await expect(dialog).toBeHidden()

  await expect.poll(() => letters.length, { timeout: 20_000 }).toBe(1)
  const [letter] = letters
  expect(letter?.to).toEqual(['team@example.com'])
  expect(letter?.text).toContain(`/stops/${stop.id}`)
  await page.goto('/alerts')
  await expect(page.getByRole('gridcell', { name: 'team@example.com' })).toBeVisible()
  await expect(async () => {
    await page.keyboard.press('j')
    await expect(page.locator('[data-row]:focus')).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await page.keyboard.press('Space')
  const peek = page.getByRole('complementary', { name: 'Peek' })
  await expect(peek.getByRole('link', { name: 'Open the reason' })).toBeVisible()
  expect(problems).toEqual([])
})

test('delivery attempts of an alert appear live, and its row menu opens the peek', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto('/alerts')
  await expect(page.getByRole('grid', { name: 'Alerts' })).toBeVisible()
  const { port } = receiver.address() as AddressInfo
  await call(page, 'alerts.create', {
    name: 'Told late',
    signal: 'blocked_stops',
    environment: null,
    ns: null,
    key: null,
    windowMinutes: 60,
    threshold: 1,
    destinations: [{ kind: 'chat', url: `http://127.0.0.1:${port}/held` }],
  })
  await page.getByRole('button', { name: /1 new alert/ }).click()
  const row = findRow(page, 'Told late')
  await expect(row).toContainText('retrying 127.0.0.1')
  heldStatus = 204
  await expect(row).not.toContainText('retrying', { timeout: 60_000 })
  await row.getByRole('button', { name: 'Actions for the alert Told late' }).click()
  await page.getByRole('menuitem', { name: /^Peek/ }).click()
  const peek = page.getByRole('complementary', { name: 'Peek' })
  await expect(peek.getByRole('heading', { name: 'Told late' })).toBeVisible()
  await expect(peek).toContainText(/arrived after \d attempts/)
  expect(await barriersIn(page)).toEqual([])
  await page.goto('/alerts/rules')
  await page.getByRole('button', { name: 'New rule' }).click()
  const dialog = page.getByRole('dialog', { name: 'New alert rule' })
  await dialog.getByRole('combobox', { name: 'Signal' }).click()
  await page.getByRole('option', { name: 'Denial rate' }).click()
  await dialog.getByRole('combobox', { name: 'Runtime' }).click()
  await page.getByRole('option').nth(1).click()
  await expect(dialog.getByText(/^Would (not )?have fired/)).toBeVisible()
  expect(problems).toEqual([])
})
