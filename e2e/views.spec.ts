// People leave words beside the log and names on lists: a blocked stop is annotated by key, found by what was written, and its list is
// kept under a name that opens by itself.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { barriersIn } from './barriers.ts'
import { problemsOf } from './page-problems.ts'
import { call, draftOf } from './procedures.ts'
import { ORIGIN, secrets } from './product.ts'
import { test } from './test.ts'

const PROMPT = { ns: `views-${Date.now().toString(36)}`, key: 'coder' }

/** A session of a real runtime whose stop was blocked. Returns its id. */
async function blockedSession(): Promise<string> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-views-'))
  const guardrails = createGuardrails({
    ...{ url: ORIGIN, apiKey: secrets().demoKey, prompt: `${PROMPT.ns}/${PROMPT.key}` },
    ...{ harness: { name: 'test' }, dataDir },
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

test('a stop is annotated, found by what was written, and its list keeps a name', async ({
  page,
}) => {
  const problems = problemsOf(page)
  const checker = { id: 'planned', type: 'plan' }
  const text = JSON.stringify({ schema_version: 1, ...PROMPT, task_completion_checker: checker })
  await call(page, 'configs.create', { ...PROMPT, text })
  const { id: draftId, revision } = await draftOf(page, PROMPT)
  const release = { draftId, revision, note: 'first', environment: 'dev' }
  await call(page, 'releases.publish', { ...PROMPT, ...release })
  const sessionId = await blockedSession()

  await page.goto(`/sessions/${sessionId}`)
  const rows = page.getByRole('grid', { name: 'Events' })
  await expect(rows.getByText('Stop blocked').first()).toBeVisible()
  // A step and the way to its audit right behind it: neither is lost.
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
  await page.getByRole('button', { name: /^Annotations/ }).click()
  await expect(page.getByText('Der Prüfstand war GESPERRT.')).toBeVisible()
  expect(await barriersIn(page)).toEqual([])

  await page.goto('/search?q=PRÜFSTAND gesperrt')
  const found = page.getByRole('link', { name: /Der Prüfstand/ })
  await expect(found).toBeVisible()
  expect(await barriersIn(page)).toEqual([])
  await page.goto(`/search?q=${sessionId}`)
  await expect(page).toHaveURL(new RegExp(`/sessions/${sessionId}`))
  await page.goto(`/nowhere/${sessionId}`)
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page).toHaveURL(new RegExp(`/sessions/${sessionId}`))

  await page.goto(`/stops?by=all&prompt=${PROMPT.ns}/${PROMPT.key}`)
  await expect(page.locator('[data-row]').first()).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Space')
  await expect(page.getByRole('complementary', { name: 'Peek' })).toContainText('would unblock')
  await page.keyboard.press('Escape')
  await page.keyboard.press('x')
  await expect(page.getByText('1 marked')).toBeVisible()
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(PROMPT.ns)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Views: ${PROMPT.ns}` })).toBeVisible()
  await page.getByRole('button', { name: `Views: ${PROMPT.ns}` }).click()
  const kept = page.waitForResponse(/views\.setDefault/)
  await page.getByRole('menuitem', { name: /Open the list with/ }).click()
  await kept
  await page.goto('/stops')
  await expect(page).toHaveURL(new RegExp(`prompt=${PROMPT.ns}`))
  await expect(page.getByRole('button', { name: `Views: ${PROMPT.ns}` })).toBeVisible()
  expect(await barriersIn(page)).toEqual([])

  await page.getByRole('button', { name: `Views: ${PROMPT.ns}` }).click()
  await page.getByRole('menuitem', { name: /^Delete/ }).click()
  await expect(page.getByRole('button', { name: 'Views', exact: true })).toBeVisible()
  // The page that is not there.
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
})
