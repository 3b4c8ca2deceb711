// A claim: made from an answer, kept by every later release, and shown as a session where a draft breaks it.
import { expect, type Page } from '@playwright/test'
import { barriersInThemes } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { call, read } from './procedures.ts'
import { test } from './test.ts'

/** New in every run, even against a server that ran these tests before. */
const NS = `claims-${Date.now().toString(36)}`

const rule = (id: string, dependencies: object) => ({
  id,
  type: 'sequential_dependency',
  dependencies,
})

function text(key: string, policies: readonly object[]): string {
  return JSON.stringify({ schema_version: 1, ns: NS, key, policies })
}

async function retype(page: Page, replaced: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(replaced)
}

test('an answer becomes a claim, which holds up a draft that breaks it and opens the session that does', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const key = 'kept'
  const kept = text(key, [rule('tests-first', { deploy: ['run_tests'] })])
  await call(page, 'configs.create', { ns: NS, key, text: kept })
  await page.goto(`/configs/${NS}/${key}/edit?tab=ask&tool=deploy&needs=run_tests`)
  const panel = page.getByRole('region', { name: 'Question about every run' })
  await expect(panel.getByText('No. No run allows such a call.')).toBeVisible()
  await expect(panel.getByText('No claims.')).toBeVisible()
  await panel.getByRole('button', { name: 'Make it a claim' }).click()
  await expect(panel.getByText('This is a claim of the config.')).toBeVisible()
  const claims = page.getByRole('list', { name: 'Claims' }).getByRole('listitem')
  await expect(claims).toHaveText([/Can deploy run without run_tests\?.*No run may do it/])
  expect(await barriersInThemes(page)).toEqual([])

  await page.goto(`/configs/${NS}/${key}/edit`)
  await retype(page, text(key, [rule('tests-first', { deploy: ['build'] })]))
  await page.getByRole('button', { name: 'Review and publish' }).click()
  const dialog = page.getByRole('dialog')
  const gate = dialog.locator('[data-gate="claim_broken"]')
  await expect(gate.getByText('1 claim broken')).toBeVisible()
  await expect(gate.getByRole('list', { name: 'Example' }).getByRole('listitem')).toHaveText([
    /session starts/,
    /build/,
    /build: success/,
    /deploy/,
  ])
  expect(await barriersInThemes(page)).toEqual([])

  await gate.getByRole('button', { name: 'Open as session' }).click()
  await expect(page.getByRole('heading', { name: 'Example session' })).toBeVisible()
  const rows = page.getByRole('grid', { name: 'Events' }).getByRole('row')
  await expect(rows).toHaveText([/Started/, /Allowed.*build/, /Allowed.*deploy/])
  const state = page.locator('[data-state-seq]')
  await expect(state).toHaveAttribute('data-state-seq', '6')
  await expect(page.getByRole('heading', { name: 'End, #6' })).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(rows.nth(1)).toHaveAttribute('aria-selected', 'true')
  await expect(state).toHaveAttribute('data-state-seq', '4')
  const succeeded = page.locator('[data-section="Tools succeeded"]')
  await expect(succeeded).toContainText('build')
  await page.getByRole('button', { name: 'before' }).click()
  await expect(state).toHaveAttribute('data-state-seq', '1')
  await expect(succeeded).toContainText('of 0 finished calls')
  await expect(page).toHaveURL(/\?e=3&at=1$/)
  await page.reload()
  await expect(state).toHaveAttribute('data-state-seq', '1')
  expect(await barriersInThemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(state).toHaveAttribute('data-state-seq', '6')

  await page.getByRole('link', { name: `${NS}/${key}` }).click()
  await expect(claims).toHaveCount(1)
  await page.getByRole('button', { name: 'Remove the claim Can deploy run' }).click()
  await expect(page.getByText('No claims.')).toBeVisible()
  await page.goto(`/configs/${NS}/${key}/example`)
  await expect(rows).toHaveCount(3)
  await page.goto(`/configs/demo/release-notes/example`)
  await expect(page.getByText('No example session is open in this tab.')).toBeVisible()
  expect(problems).toEqual([])
})

test('a policy that never decides gets a warning while its text is written', async ({ page }) => {
  const problems = collectProblems(page)
  const key = 'dead'
  const first = rule('tests-first', { deploy: ['run_tests'] })
  await call(page, 'configs.create', { ns: NS, key, text: text(key, [first]) })
  await page.goto(`/configs/${NS}/${key}/edit`)
  const panel = page.getByRole('region', { name: 'Problems' })
  await expect(panel).toContainText('none')
  const second = rule('same-again', { deploy: ['run_tests'] })
  await retype(page, text(key, [first, second]))
  await expect(
    panel.getByText('Whatever "same-again" refuses or asks about, another rule refuses, too.'),
  ).toBeVisible()
  await retype(page, text(key, [first]))
  await expect(panel).toContainText('none')
  expect(problems).toEqual([])
})

test('an answer that should not be possible is prevented by a change that goes to the draft', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const key = 'prevented'
  await call(page, 'configs.create', { ns: NS, key, text: text(key, []) })
  await page.goto(`/configs/${NS}/${key}/edit?tab=ask&tool=deploy&needs=run_tests`)
  const panel = page.getByRole('region', { name: 'Question about every run' })
  await panel.getByRole('button', { name: 'Prevent it' }).click()
  await expect(page.getByRole('heading', { name: 'Prevent the example' })).toBeVisible()
  const change = page.getByRole('article').first()
  await expect(change.getByText('Refuses this call')).toBeVisible()
  expect(await barriersInThemes(page)).toEqual([])
  await change.getByRole('button', { name: 'Add to draft' }).click()
  await expect(page).toHaveURL(new RegExp(`/configs/${NS}/${key}/edit`))
  await expect(page.getByText('Added the change to the draft.')).toBeVisible()
  const { draft } = await read<{ draft: { text: string } }>(page, 'drafts.open', {
    ns: NS,
    key,
  })
  expect(JSON.parse(draft.text).policies).toHaveLength(1)
  expect(problems).toEqual([])
})
