// The three jobs in the Firefox of the system. Playwright drives only a Firefox of its own, so this story uses Puppeteer, which speaks
// WebDriver BiDi. Skipped where no Firefox is installed.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { findFirefox } from '@/scripts/browser.mjs'
import { buildRateText, connectAgent, deploy } from './deploying-agent.ts'
import { publishFirst } from './procedures.ts'
import { ADMIN, ORIGIN } from './product.ts'
import { DESK, test } from './test.ts'

const FIREFOX = findFirefox()
const PROMPT = { ns: `firefox-${Date.now().toString(36)}`, key: 'coder' }
const NAME = `${PROMPT.ns}/${PROMPT.key}`
const folder = mkdtempSync(path.join(os.tmpdir(), 'sbx-firefox-'))
let browser: Browser

test.skip(FIREFOX === null, 'No Firefox is installed. FIREFOX_PATH names one.')

test.beforeAll(async () => {
  const executablePath = FIREFOX ?? ''
  browser = await puppeteer.launch({ browser: 'firefox', executablePath, defaultViewport: DESK })
})

test.afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
})

function collectErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(`${page.url()} ${String(error)}`))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${page.url()} ${message.text()}`)
  })
  return errors
}

/**
 * By tag and text: Firefox takes seconds to find a name in its accessibility tree. A locator waits until the element is enabled and at
 * rest; the dialog of a publish has its button's name before its gates have passed.
 */
async function click(page: Page, tag: string, text: string): Promise<void> {
  await page.locator(`::-p-xpath(//${tag}[normalize-space()="${text}"])`).click()
}

async function fill(page: Page, label: string, text: string): Promise<void> {
  await click(page, 'label', label)
  await page.keyboard.down('Control')
  await page.keyboard.press('a')
  await page.keyboard.up('Control')
  await page.keyboard.type(text)
}

const readText = (page: Page, selector: string) =>
  page.$eval(selector, (element) => element.textContent).catch(() => '')

async function signIn(page: Page): Promise<void> {
  await page.goto(`${ORIGIN}/login`)
  await fill(page, 'Email', ADMIN.email)
  await fill(page, 'Password', ADMIN.password)
  await click(page, 'button', 'Sign in')
  await expect.poll(() => readText(page, 'h1')).toMatch(/^(Overview|Get started)/)
}

test('a config is changed and published, a session watched, and its blocked stop explained in Firefox', async ({
  request,
}) => {
  await publishFirst({ request }, PROMPT, { text: buildRateText(PROMPT, 5) })
  const page = await browser.newPage()
  const errors = collectErrors(page)
  await signIn(page)

  await page.goto(`${ORIGIN}/configs/${NAME}/edit`)
  await fill(page, 'Calls', '1')
  await click(page, 'button', 'Review and publish')
  await click(page, 'button', 'Publish v2 to dev')
  await expect.poll(() => readText(page, '[role="dialog"] [role="status"]')).toContain('v2')

  const guardrails = connectAgent(NAME, folder)
  try {
    await guardrails.ready()
    await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(2)
    const session = guardrails.openSession({ workspaceRoot: folder })
    expect(await deploy(session, 'a')).toBe(true)

    await page.goto(`${ORIGIN}/sessions`)
    await click(page, 'a', NAME)
    await expect.poll(() => page.url()).toContain('/sessions/sess_')
    await expect.poll(() => readText(page, '[role="grid"]')).toContain('deploy')
    expect(await deploy(session, 'b')).toBe(false)
    expect((await session.beforeStop({ via: 'turn_end' })).allowed).toBe(false)
    const denied = '[role="row"][data-status="denied"]'
    const blocked = '[role="row"][data-status="blocked"]'
    await expect.poll(() => readText(page, denied)).toContain('deploy')
    await page.locator(blocked).click()
    await click(page, 'a', 'Why ›')
    await expect.poll(() => readText(page, 'h1')).toContain('CHANGELOG.md')
    await session.end({ reason: 'aborted' })
    expect(errors).toEqual([])
  } finally {
    await guardrails.close(1_000)
  }
})
