import { expect } from '@playwright/test'
import { collectProblems } from './page-problems.ts'
import { call, openDraft, publishFirst } from './procedures.ts'
import { test } from './test.ts'

const NS = `inherit-${Date.now().toString(36)}`
const BASE = { ns: NS, key: 'base' }
const CHILD = { ns: NS, key: 'child' }
const RATE = { id: 'rate', type: 'rate_limit', tools: ['deploy'], max_calls: 3, per_seconds: 60 }
const CHECKER = { id: 'notes', type: 'files_exist', files: ['NOTES.md'] }
const ORDER = { id: 'tested', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }

const toText = (prompt: object, fields: object) =>
  JSON.stringify({ schema_version: 1, ...prompt, ...fields }, null, 2)

test('a config that extends a base shows its rules, is refused when it loosens one, and is offered the newer base', async ({
  page,
}) => {
  const problems = collectProblems(page)
  await publishFirst(page, BASE, {
    text: toText(BASE, { policies: [RATE], task_completion_checker: CHECKER }),
  })
  const fields = { extends: `${NS}/base@1` }
  await publishFirst(page, CHILD, { text: toText(CHILD, fields) })

  await page.goto(`/configs/${NS}/child/edit`)
  const inherited = page.getByRole('list', { name: `Rules from ${NS}/base@1` }).first()
  await expect(inherited).toContainText('rate')
  await expect(inherited).toContainText(`from ${NS}/base@1`)

  await expect(page.getByText(`The check of ${NS}/base@1 below applies.`)).toBeVisible()
  await expect(page.getByText('Stops are not checked.')).toHaveCount(0)

  await inherited.getByRole('button', { name: 'Make rate stricter' }).click()
  await expect(page.getByText(`replaces ${NS}/base@1`)).toBeVisible()
  const calls = page.locator('[data-pointer="/policies/0/max_calls"]')
  await calls.fill('9')
  const refusal = /Policy `?rate`?: `?max_calls`? is 9 instead of 3/
  await expect(page.getByText(refusal).first()).toBeVisible()
  await calls.fill('2')
  await expect(page.getByText(refusal)).toHaveCount(0)

  await call(page, 'drafts.save', {
    ...BASE,
    text: toText(BASE, { policies: [RATE, ORDER], task_completion_checker: CHECKER }),
    seen: await openDraft(page, BASE),
    baseVersion: 1,
  })
  const { id: draftId, revision } = await openDraft(page, BASE)
  await call(page, 'releases.publish', { ...BASE, draftId, revision, environment: 'dev' })
  await page.goto(`/configs/${NS}/child`)
  await expect(page.getByText(`v2 of ${NS}/base is available`)).toBeVisible()
  await page.getByRole('link', { name: 'Open the draft' }).click()
  await expect(page.getByText(/is newer than the base of this config/).first()).toBeVisible()
  await page
    .getByRole('button', { name: /Set|Use/ })
    .first()
    .click()
  await expect(page.getByRole('list', { name: `Rules from ${NS}/base@2` }).first()).toContainText(
    'tested',
  )

  await page.goto(`/configs/${NS}/base`)
  await expect(page.getByRole('list', { name: 'Configs that extend this one' })).toContainText(
    'v1 extends v1, live in dev · v2 is available',
  )
  expect(problems).toEqual([])
})

test('a mandatory base that is not written as ns/key cannot be saved, and the page says why', async ({
  page,
}) => {
  await page.goto('/settings/environments')
  const field = page.getByRole('textbox', { name: 'Mandatory base' })
  await field.fill('base')
  const card = page.locator('div').filter({ has: field }).last()
  await expect(card.getByRole('button', { name: 'Save' })).toHaveAccessibleDescription(
    'Write it as ns/key.',
  )
  await field.fill(`${NS}/base`)
  await expect(card.getByRole('button', { name: 'Save' })).toHaveAccessibleDescription('')
})
