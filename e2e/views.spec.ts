// Annotations and saved views: a blocked stop is annotated by keyboard and found by the annotation, and its list is saved under a name that
// opens automatically. Back restores a list as it was, and a copied link later shows the same list.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { barriersIn } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { publishFirst } from './procedures.ts'
import { ORIGIN, secrets } from './product.ts'
import { test } from './test.ts'

const PROMPT = { ns: `views-${Date.now().toString(36)}`, key: 'coder' }

async function blockedSession(): Promise<string> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-views-'))
  const guardrails = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: `${PROMPT.ns}/${PROMPT.key}`,
    harness: { name: 'test' },
    dataDir,
  })
  await guardrails.ready()
  const session = guardrails.openSession({})
  await session.updatePlan([{ title: 'Write the report', status: 'pending' }])
  await session.beforeStop({ via: 'turn_end' })
  await session.end({ reason: 'completed' })
  await guardrails.close(5_000)
  rmSync(dataDir, { recursive: true, force: true })
  return session.id
}

test('a stop is annotated, marked as bad and found by both, and its list is saved as a view', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const checker = { id: 'planned', type: 'plan' }
  const text = JSON.stringify({ schema_version: 1, ...PROMPT, task_completion_checker: checker })
  await publishFirst(page, PROMPT, { text, note: 'first' })
  const sessionId = await blockedSession()

  await page.goto(`/sessions/${sessionId}`)
  const rows = page.getByRole('grid', { name: 'Events' })
  await expect(rows.getByText('Stop blocked').first()).toBeVisible()
  // A key for the next row and a key for its explanation follow each other immediately, and neither is lost.
  await page.keyboard.press('Shift+}')
  await page.keyboard.press('y')
  await expect(page).toHaveURL(/\/stops\/stop_/)
  await page.goBack()
  await expect(page).toHaveURL(/[?&]e=\d+/)

  await page.keyboard.press('a')
  const dialog = page.getByRole('dialog', { name: /Annotate event/ })
  await dialog.getByLabel('Annotation').fill('Der Prüfstand war GESPERRT.')
  await dialog.getByRole('button', { name: /Save annotation/ }).click()
  await expect(rows.getByRole('img', { name: '1 annotation' })).toBeVisible()
  await expect(page.locator('.density-strip [data-annotations]')).toBeAttached()
  await page.keyboard.press('Shift+!')
  await expect(page.getByText(/^Marked #\d+ as bad\.$/)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Remove the label of #/ })).toBeVisible()
  await page.getByRole('button', { name: /^Annotations/ }).click()
  await expect(page.getByText('Der Prüfstand war GESPERRT.')).toBeVisible()
  expect(await barriersIn(page)).toEqual([])

  await page.goto(`/sessions?q=label:bad prompt:${PROMPT.ns}`)
  await expect(page.locator('[data-row]')).toHaveCount(1)
  await page.goto(`/sessions/${sessionId}`)
  await page.keyboard.press('Shift+}')
  await page.keyboard.press('y')
  await page.getByRole('button', { name: /^Remove the label of #/ }).click()
  await expect(page.getByRole('button', { name: /^Mark #\d+ as bad/ })).toBeVisible()

  await page.goto('/search?q=PRÜFSTAND gesperrt')
  const found = page.getByRole('link', { name: /Der Prüfstand/ })
  await expect(found).toBeVisible()
  expect(await barriersIn(page)).toEqual([])
  await page.goto('/search?q=block rm')
  await expect(page.getByRole('link', { name: /^Block a command/ })).toBeVisible()
  await page.goto(`/search?q=${sessionId}`)
  await expect(page).toHaveURL(new RegExp(`/sessions/${sessionId}`))
  await page.goto(`/nowhere/${sessionId}`)
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/sessions/${sessionId}`))

  await page.goto(`/stops?by=all&prompt=${PROMPT.ns}/${PROMPT.key}`)
  await expect(page.locator('[data-row]').first()).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Space')
  await expect(page.getByRole('complementary', { name: 'Peek' })).toContainText('would unblock')
  await page.keyboard.press('Escape')
  await page.keyboard.press('x')
  await expect(page.getByText('1 marked')).toBeVisible()
  await page.getByRole('button', { name: 'Views', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Save view…' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(PROMPT.ns)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Views: ${PROMPT.ns}` })).toBeVisible()
  await page.getByRole('button', { name: `Views: ${PROMPT.ns}` }).click()
  const kept = page.waitForResponse(/savedViews\.setDefault/)
  await page.getByRole('menuitem', { name: /as default/ }).click()
  await kept
  await page.goto('/stops')
  await expect(page).toHaveURL(new RegExp(`prompt=${PROMPT.ns}`))
  await expect(page.getByRole('button', { name: `Views: ${PROMPT.ns}` })).toBeVisible()
  expect(await barriersIn(page)).toEqual([])

  await page.getByRole('button', { name: `Views: ${PROMPT.ns}` }).click()
  await page.getByRole('menuitem', { name: /^Delete/ }).click()
  await expect(page.getByRole('button', { name: 'Views', exact: true })).toBeVisible()
  // The page that does not exist.
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
})

const MANY = { ns: `many-${Date.now().toString(36)}`, key: 'coder' }

/** The last session has more denied calls than fit into a page of their list. */
async function manyRefused(sessions: number, calls: number): Promise<void> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-many-'))
  const guardrails = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: `${MANY.ns}/${MANY.key}`,
    harness: { name: 'test' },
    dataDir,
  })
  await guardrails.ready()
  for (let n = 1; n < sessions; n++) await guardrails.openSession({}).end({ reason: 'completed' })
  const session = guardrails.openSession({})
  for (let n = 1; n <= calls; n++) {
    await session.beforeToolCall({ tool: 'deploy', args: { n }, callId: `call-${n}` })
  }
  await session.end({ reason: 'completed' })
  await guardrails.close(20_000)
  rmSync(dataDir, { recursive: true, force: true })
}

const readScrollOffset = (page: Page, box: string): Promise<number> =>
  page.locator(box).evaluate(({ scrollTop }) => scrollTop)

test('Back restores the list, and a copied link shows the same list later', {
  tag: '@soak',
}, async ({ page, context }) => {
  const problems = collectProblems(page)
  const order = { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }
  const text = JSON.stringify({ schema_version: 1, ...MANY, policies: [order] })
  await publishFirst(page, MANY, { text, note: 'first' })
  await manyRefused(60, 120)
  const prompt = `prompt=${MANY.ns}/${MANY.key}`

  // In keyset pages: the second page, which loads when its rows come near, is still there, and so are the position in it and the row.
  await page.goto(`/decisions?${prompt}&range=24h`)
  const box = page.locator('[data-scrolls]')
  await expect(page.getByText('100 denied calls shown, more available')).toBeVisible()
  await box.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await expect(page.getByText('120 denied calls')).toBeVisible()
  await box.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  const row = page.locator('[role="row"][aria-rowindex="111"] [data-row]')
  await expect(row).toBeVisible()
  const left = await readScrollOffset(page, '[data-scrolls]')
  expect(left).toBeGreaterThan(1_000)
  const reads: string[] = []
  const href = await row.getAttribute('href')
  await row.click()
  await expect(page).toHaveURL(/\/decisions\/dec_/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('deploy')
  page.on('request', (request) => reads.push(request.url()))
  await page.goBack()
  await expect(page.locator('[data-row]:focus')).toHaveAttribute('href', href ?? '')
  await expect.poll(() => readScrollOffset(page, '[data-scrolls]')).toBe(left)
  // The newest page is read beside the list, which is not read again: pages of a list state their direction.
  const lists = reads.filter((url) => url.includes('decisions.list'))
  expect(lists.filter((url) => url.includes('direction'))).toEqual([])
  await page.keyboard.press('j')
  await expect(page.locator('[data-row]:focus')).not.toHaveAttribute('href', href ?? '')

  await page.goto(`/sessions?${prompt}&status=all`)
  await expect(page.getByRole('grid', { name: 'Sessions' })).toHaveAttribute('aria-rowcount', '60')
  await box.evaluate((element) => element.scrollTo({ top: 600 }))
  const session = page.locator('[role="row"][aria-rowindex="30"] [data-row]')
  const path = await session.getAttribute('href')
  await session.click()
  await expect(page).toHaveURL(/\/sessions\/sess_/)
  await page.goBack()
  await expect(page.locator('[data-row]:focus')).toHaveAttribute('href', path ?? '')
  await expect.poll(() => readScrollOffset(page, '[data-scrolls]')).toBe(600)

  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await page.goto(`/decisions?${prompt}&range=24h`)
  await expect(page.locator('[data-row]').first()).toBeVisible()
  await page.keyboard.press('c')
  await expect(page.getByText('Link copied')).toBeVisible()
  const link = new URL(await copied())
  expect(link.searchParams.get('prompt')).toBe(`${MANY.ns}/${MANY.key}`)
  expect(link.searchParams.get('range')).toMatch(/^\d{4}-.+Z\.\.\d{4}-.+Z$/)
  await page.goto(link.href)
  await expect(page.getByText('100 denied calls shown, more available')).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Alt+c')
  await expect(page.getByText('Copied as Markdown')).toBeVisible()
  expect(await copied()).toMatch(/^\[.*deploy.*\]\(http.*\/decisions\/dec_\w+\)$/)
  expect(problems).toEqual([])
})
