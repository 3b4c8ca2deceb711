// The main tasks without a mouse: a guardrail is changed and released to production, a session is watched, and a blocked stop is
// understood. The focus is visible at every step, and keys that are switched off do nothing.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'
import { barriersIn, hasVisibleFocus, tabTo } from './barriers.ts'
import { buildRateText, connectAgent, deploy } from './deploying-agent.ts'
import { collectProblems } from './page-problems.ts'
import { call, openDraft } from './procedures.ts'
import { DESK, test } from './test.ts'

const PROMPT = { ns: `keys-${Date.now().toString(36)}`, key: 'coder' }
const NAME = `${PROMPT.ns}/${PROMPT.key}`

/** Reports a press of the mouse as a problem of the page. */
async function forbidMouse(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const report = (): void => console.error('The mouse was used.')
    window.addEventListener('pointerdown', report, { capture: true })
  })
}

/** Finds the page by its name in the palette. */
async function jumpTo(page: Page, name: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Search or jump' })
  await expect(palette).toBeVisible()
  await page.keyboard.type(name)
  await expect(palette.getByRole('option', { name, exact: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(palette).toHaveCount(0)
}

/** Presses a key in the moment in which the heading appears, before any later task of the page. */
async function pressWith(page: Page, heading: string, key: string): Promise<void> {
  await page.evaluate(
    ([text, pressed]) => {
      const watcher = new MutationObserver(() => {
        const isShown = [...document.querySelectorAll('h1')].some(
          (shown) => shown.checkVisibility() && shown.textContent.includes(text),
        )
        if (!isShown) return
        watcher.disconnect()
        document.body.dispatchEvent(
          new KeyboardEvent('keydown', { key: pressed, bubbles: true, cancelable: true }),
        )
      })
      watcher.observe(document.body, { childList: true, subtree: true, attributes: true })
    },
    [heading, key] as const,
  )
}

async function activate(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name)
  expect(await hasVisibleFocus(page), `the focus of ${String(name)} is seen`).toBe(true)
  await page.keyboard.press('Enter')
}

async function tabInto(page: Page, wanted: Locator): Promise<void> {
  for (let n = 0; n < 150; n++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) break
    await page.keyboard.press('Tab')
  }
  await expect(wanted).toBeFocused()
}

async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabInto(page, page.getByRole('dialog').getByLabel(label))
  expect(await hasVisibleFocus(page), `the focus of ${label} is seen`).toBe(true)
  await page.keyboard.type(text)
}

test.describe.configure({ mode: 'serial' })

test('a guardrail is changed, tested and released to production by keyboard', async ({ page }) => {
  const problems = collectProblems(page)
  await forbidMouse(page)
  await call(page, 'configs.create', { ...PROMPT, text: buildRateText(PROMPT, 5) })
  const { id: draftId, revision } = await openDraft(page, PROMPT)
  const first = { ...PROMPT, draftId, revision, note: 'first', typedName: 'production' }
  await call(page, 'releases.publish', { ...first, environment: 'production' })

  await page.goto('/')
  await pressWith(page, NAME, 'e')
  await jumpTo(page, NAME)
  await expect(page.locator('.cm-content')).toBeVisible()
  await tabInto(page, page.locator('.cm-content'))
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(buildRateText(PROMPT, 3))
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByText(/unchanged/i).first()).toBeVisible({ timeout: 30_000 })

  await page.keyboard.press('ControlOrMeta+Shift+Enter')
  await expect(page.getByRole('dialog')).toContainText('Ready to publish to dev')
  await activate(page, 'Publish v2 to dev')
  await expect(page.getByRole('dialog').getByRole('status')).toContainText('v2')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await jumpTo(page, NAME)
  await activate(page, 'Promote v2 to staging')
  await expect(page.getByRole('dialog')).toBeVisible()
  await activate(page, 'Promote v2 to staging')
  await expect(page.getByRole('dialog').getByRole('status')).toContainText('v2')
  await page.keyboard.press('Escape')
  await activate(page, 'Promote v2 to production')
  await typeInto(page, 'Note (required)', 'Fewer deploys a minute')
  await typeInto(page, 'Type production to confirm', 'production')
  await activate(page, 'Promote v2 to production')
  await expect(page.getByRole('dialog').getByRole('status')).toContainText('v2')
  expect(problems).toEqual([])
})

test('a running session is watched and its blocked stop understood by keyboard, until single keys are switched off', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await forbidMouse(page)
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-e2e-'))
  const guardrails = connectAgent(NAME, dataDir)
  try {
    await guardrails.ready()
    const session = guardrails.openSession({ workspaceRoot: dataDir })
    for (const callId of ['a', 'b', 'c', 'd']) {
      expect(await deploy(session, callId)).toBe(callId !== 'd')
    }
    expect((await session.beforeStop({ via: 'turn_end' })).allowed).toBe(false)

    await page.goto('/')
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await expect(page.getByRole('heading', { name: 'Sessions', exact: true })).toBeVisible()
    const row = page.getByRole('link', { name: NAME }).first()
    await expect(row).toBeVisible({ timeout: 30_000 })
    await tabInto(page, row)
    expect(await hasVisibleFocus(page)).toBe(true)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/sessions\/sess_/)
    await expect(page.getByRole('row').filter({ hasText: 'CHANGELOG.md' }).first()).toBeVisible({
      timeout: 30_000,
    })
    const selected = page.locator('[role="row"][aria-selected="true"]')
    await page.keyboard.press('Shift+{')
    await expect(selected).toContainText(/blocked/i)
    await page.keyboard.press('Shift+{')
    await expect(selected).toContainText(/denied/i)
    await page.keyboard.press('Shift+}')
    await expect(selected).toContainText(/blocked/i)
    // The address is updated after a moment; a user looks at the row first.
    const seq = await selected.getAttribute('data-seq')
    await expect(page).toHaveURL(new RegExp(`[?&]e=${seq}\\b`))
    await page.keyboard.press('y')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('CHANGELOG.md')

    await page.keyboard.press('g')
    await page.keyboard.press(',')
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await tabInto(page, page.getByRole('link', { name: 'Profile', exact: true }))
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/settings\/profile/)
    const keys = page.getByLabel('Single-key shortcuts')
    await tabInto(page, keys)
    await page.keyboard.press('Space')
    await expect(keys).not.toBeChecked()
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await expect(page).toHaveURL(/settings\/profile/)
    await session.end({ reason: 'aborted' })
    expect(problems).toEqual([])
  } finally {
    await guardrails.close(1000)
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('the collapsed rail keeps its names, and lists of the Overview and of versions work by keyboard', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto('/')
  const rail = page.getByRole('navigation', { name: 'Main' })
  const measureRailWidth = async () => (await rail.boundingBox())?.width
  expect(await measureRailWidth()).toBe(200)
  await page.keyboard.press('ControlOrMeta+b')
  await expect.poll(measureRailWidth).toBe(48)
  await page.reload()
  expect(await measureRailWidth()).toBe(48)
  await expect(rail.getByRole('link', { name: 'Rollouts' })).toHaveAttribute('title', 'Rollouts')
  expect(await barriersIn(page)).toEqual([])
  await rail.getByRole('button', { name: 'Environment: All environments' }).click()
  await page.getByRole('menuitem', { name: 'staging' }).click()
  await expect(page).toHaveURL(/env=staging/)
  await activate(page, /Collapse or expand the rail/)
  await expect.poll(measureRailWidth).toBe(200)
  await page.keyboard.press('Shift+?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText(
    'the railCtrl+B',
  )
  await page.keyboard.press('Escape')
  await rail.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('Escape')
  await rail.getByRole('button', { name: 'Search or jump' }).click()
  await expect(page.getByRole('dialog', { name: 'Search or jump' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 800, height: 800 })
  await rail.getByRole('button', { name: 'Environment: staging' }).click()
  await page.getByRole('menuitem', { name: 'All environments' }).click()
  await expect(page).not.toHaveURL(/env=/)
  await page.setViewportSize(DESK)

  const focused = page.locator('[data-row]:focus')
  await page.goto('/')
  await expect(page.locator('[data-row]').first()).toBeVisible()
  await page.keyboard.press('j')
  const first = await focused.getAttribute('href')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL((url) => `${url.pathname}${url.search}`.startsWith(first ?? '?'))

  await page.goto(`/configs/${PROMPT.ns}/${PROMPT.key}/versions`)
  await expect(page.getByRole('link', { name: 'v2' }).first()).toBeVisible()
  await page.keyboard.press('j')
  await expect(focused).toHaveText('v2')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/compare=1,2/)
  await expect(page.getByRole('heading', { name: /v1.*v2/ })).toBeVisible()

  await page.goto('/releases')
  await expect(page.getByRole('link', { name: NAME }).first()).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Space')
  await expect(page.getByRole('complementary', { name: 'Peek' })).toContainText('Open the release')
  expect(await barriersIn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('complementary', { name: 'Peek' })).toHaveCount(0)
  expect(problems).toEqual([])
})
