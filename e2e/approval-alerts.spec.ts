// From a waiting agent over a message to a phone: the link in the message leads to the approval and answers nothing by itself.
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { MESSAGE_FORMATS } from '@signalbox/testkit'
import { barriersIn } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { call, publishFirst, read } from './procedures.ts'
import { ADMIN, ORIGIN, secrets } from './product.ts'
import { PHONE, takenOver, test } from './test.ts'

const PROMPT = { ns: 'team', key: 'phone-gate' }
const TEXT = JSON.stringify({
  schema_version: 1,
  ...PROMPT,
  policies: [{ id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 300 }],
})

type Kind = keyof typeof MESSAGE_FORMATS
const KINDS: readonly Kind[] = ['webhook', 'chat', 'slack', 'teams', 'discord']

const bodies = new Map<string, string>()
const receiver = http.createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString()
  })
  request.on('end', () => {
    const kind = (request.url === '/v2/enqueue' ? 'pagerduty' : request.url?.slice(1)) as Kind
    const parsed = MESSAGE_FORMATS[kind].safeParse(JSON.parse(body))
    bodies.set(kind, parsed.success ? body : parsed.error.message)
    response.writeHead(parsed.success ? 202 : 400).end()
  })
})

test.beforeAll(async () => {
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve)
  })
})
test.afterAll(() => receiver.close())

interface Waiting {
  readonly calls: readonly { readonly sessionId: string }[]
}

test('a waiting call is announced in every format and approved on a phone after signing in; opening its link answers nothing', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000)
  const problems = collectProblems(page)
  // The browser of the tests has no notifications of its own, and its tabs are never hidden.
  await page.addInitScript(() => {
    const shown: string[] = []
    Object.assign(window, { shownNotifications: shown, isTabHidden: false })
    Object.defineProperty(Document.prototype, 'hidden', {
      get: () => Reflect.get(window, 'isTabHidden'),
    })
    class FakeNotification {
      static permission: NotificationPermission = 'default'
      static async requestPermission() {
        FakeNotification.permission = 'granted'
        return 'granted'
      }
      constructor(title: string) {
        shown.push(title)
      }
    }
    Object.assign(window, { Notification: FakeNotification })
  })
  await page.goto('/call-approvals')
  await page.getByRole('button', { name: 'Notify me in this browser' }).click()
  await expect(page.getByText('This browser notifies you while the tab is hidden.')).toBeVisible()
  await publishFirst(page, PROMPT, { text: TEXT, note: 'asks' })
  // `listen` on a TCP port, so that the address is never a path.
  const root = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  await call(page, 'alerts.create', {
    ...{ name: 'Calls wait', signal: 'approval_waiting', environment: 'dev', ns: null, key: null },
    ...{ windowMinutes: 1, threshold: 1 },
    destinations: [
      ...KINDS.map((kind) => ({ kind, url: `${root}/${kind}` })).slice(1),
      { kind: 'pagerduty', url: `${root}/v2/enqueue#${'K1'.repeat(16)}` },
    ],
  })
  await page.evaluate(() => Object.assign(window, { isTabHidden: true }))

  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-phone-'))
  const guardrails = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: 'team/phone-gate',
    dataDir,
    harness: { name: 'test' },
  })
  await guardrails.ready()
  const session = guardrails.openSession()
  const verdict = session.beforeToolCall({ tool: 'deploy', args: { to: 'production' } })
  const began = Date.now()
  const expected = [...KINDS.slice(1), 'pagerduty'].toSorted()
  await expect.poll(() => [...bodies.keys()].toSorted(), { timeout: 30_000 }).toEqual(expected)
  expect(Date.now() - began).toBeLessThan(15_000)
  const link = /https?:[^"|\\ ]+\/call-approvals\?call=apr_\w+/.exec(bodies.get('slack') ?? '')?.[0]
  for (const body of bodies.values()) expect(body).toContain(link)

  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, 'shownNotifications')))
    .toEqual(['A call waits for approval'])
  await expect(page).toHaveTitle('(1) Call approvals · Signalbox')
  await expect
    .poll(() => page.locator('link[rel="icon"]').getAttribute('href'))
    .toMatch(/^data:image\/svg\+xml,/)

  // A preview of a chat opens the link without a login, and a scanner of mail with HEAD.
  const address = new URL(link ?? '').pathname + new URL(link ?? '').search
  for (const method of ['GET', 'HEAD']) {
    const opened = await fetch(`${ORIGIN}${address}`, { method, redirect: 'manual' })
    expect(opened.headers.get('location')).toContain('/login?next=')
  }
  const before = await read<Waiting>(page, 'callApprovals.waiting', {})
  expect(before.calls.map(({ sessionId }) => sessionId)).toContain(session.id)

  const phone = await browser.newContext({
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    storageState: { cookies: [], origins: [] },
  })
  const small = await phone.newPage()
  await small.goto(`${ORIGIN}${address}`)
  await expect(small).toHaveURL(/\/login\?next=/)
  await takenOver(small)
  await small.getByLabel('Email').fill(ADMIN.email)
  await small.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await small.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(small).toHaveURL(/call=apr_/)
  const card = small.getByRole('listitem').filter({ hasText: 'production' })
  await expect(card).toBeVisible()
  expect(await barriersIn(small)).toEqual([])
  const wide = await small.evaluate(() => document.documentElement.scrollWidth)
  expect(wide).toBeLessThanOrEqual(PHONE.width)
  await small.screenshot({ path: test.info().outputPath('phone-light.png') })
  await small.emulateMedia({ colorScheme: 'dark' })
  await small.screenshot({ path: test.info().outputPath('phone-dark.png') })
  await card.getByRole('button', { name: /^Approve/ }).tap()
  const posted = small.waitForRequest(/callApprovals\.decide/)
  await small.getByRole('button', { name: /^Approve deploy/ }).tap()
  expect((await posted).method()).toBe('POST')
  expect(await verdict).toMatchObject({ allowed: true })
  await expect(page).toHaveTitle('Call approvals · Signalbox', { timeout: 30_000 })

  await phone.close()
  await session.end({ reason: 'aborted' })
  await guardrails.close(1_000)
  fs.rmSync(dataDir, { recursive: true, force: true })
  expect(problems).toEqual([])
})
