// Configs: the list by keyboard, the page of a config with its recent refusals, the palette, and a config that is copied, archived,
// exported and imported.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { barriersIn, barriersInThemes } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { call, openDraft } from './procedures.ts'
import { ORIGIN, secrets } from './product.ts'
import { test } from './test.ts'

/** New in every run, even against a server that ran these tests before. */
const NS = `configs-${Date.now().toString(36)}`

function buildConfigText(key: string, name: string): string {
  return JSON.stringify(
    {
      schema_version: 1,
      ns: NS,
      key,
      name,
      sections: [{ id: 's', tools: ['deploy', 'test', 'wipe'] }],
      policies: [
        { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } },
        { id: 'idle', type: 'sequential_dependency', dependencies: { wipe: ['deploy'] } },
      ],
    },
    null,
    2,
  )
}

async function publish(page: Page, key: string): Promise<void> {
  const prompt = { ns: NS, key }
  const { id: draftId, revision } = await openDraft(page, prompt)
  const place = { ...prompt, draftId, revision }
  await call(page, 'releases.publish', { ...place, environment: 'dev', note: 'first' })
}

const focusedRow = (page: Page) => page.locator('[data-row]:focus')

test.describe.configure({ mode: 'serial' })

test('the configs list works by keyboard, and its state is in the address', async ({ page }) => {
  const problems = collectProblems(page)
  for (const key of ['one', 'two', 'three']) {
    await call(page, 'configs.create', { ns: NS, key, text: buildConfigText(key, 'first') })
  }
  await publish(page, 'one')
  await page.goto('/configs')
  await page.keyboard.press('/')
  await page.keyboard.type(NS)
  await expect(page).toHaveURL(new RegExp(`q=${NS}`))
  await expect(page.getByText('3 configs match the filter.')).toBeVisible()
  const rows = page.getByRole('grid', { name: 'Configs' }).locator('[data-id]')
  await expect(rows).toHaveCount(3)
  await expect(rows.first()).toContainText('dev: v1')
  expect(await barriersInThemes(page)).toEqual([])

  await page.getByRole('button', { name: 'Not released' }).click()
  await expect(rows).toHaveCount(2)
  await page.keyboard.press('j')
  await expect(focusedRow(page)).toHaveText(`${NS}/three`)
  await page.keyboard.press('ArrowDown')
  await expect(focusedRow(page)).toHaveText(`${NS}/two`)
  await page.keyboard.press('k')
  await expect(page).toHaveURL(/row=.*three/)

  await page.keyboard.press('Space')
  const peek = page.getByRole('complementary', { name: 'Peek' })
  await expect(peek).toContainText('Open the config')
  expect(await barriersIn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(peek).toHaveCount(0)

  await page.keyboard.press('.')
  await expect(page.getByRole('menuitem', { name: 'Edit' })).toBeVisible()
  expect(await barriersIn(page)).toEqual([])
  await page.keyboard.press('Escape')
  // A closing menu still receives keys.
  await expect(page.getByRole('menuitem', { name: 'Edit' })).toHaveCount(0)
  await page.keyboard.press('d')
  await expect(page).toHaveURL(new RegExp(`/configs/${NS}/three/edit\\?tab=diff`))
  await page.goBack()
  await expect(rows).toHaveCount(2)
  await expect(page).toHaveURL(/show=unreleased/)
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.keyboard.press('e')
  await expect(page).toHaveURL(new RegExp(`/configs/${NS}/three/edit$`))
  await page.goBack()

  await page.keyboard.press('Shift+?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  for (const words of ['next config', 'diff of draft and live', 'row actions', 'search']) {
    await expect(
      sheet.getByRole('region', { name: 'configs' }).getByText(words).first(),
    ).toBeVisible()
  }
  await page.keyboard.press('Escape')
  await page.goto(`/configs?q=${NS}nothing`)
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(page).not.toHaveURL(/q=/)
  expect(problems).toEqual([])
})

test('a config page shows its refusals, how often its rules fired, and links to the explanation', async ({
  page,
}) => {
  const problems = collectProblems(page)
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-configs-'))
  const runtime = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: `${NS}/one`,
    name: 'deploy-bot',
    dataDir: folder,
  })
  const stray = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: `${NS}/nobodys`,
    name: 'stray-bot',
    dataDir: path.join(folder, 'stray'),
  })
  try {
    await runtime.ready()
    const session = runtime.openSession({ workspaceRoot: folder, channel: 'message' })
    const asked = await session.beforeToolCall({ callId: 'c1', tool: 'deploy', args: {} })
    expect(asked.allowed).toBe(false)
    await session.end({ reason: 'completed' })
    await page.goto(`/configs?q=${NS}/one`)
    const row = page.getByRole('grid', { name: 'Configs' }).locator('[data-id]')
    await expect(row).toContainText('1 of 1 in sync', { timeout: 30_000 })
    await expect(row).toContainText('1 of 1 call denied', { timeout: 30_000 })
    await expect(
      page.getByRole('button', { name: `Create a config for ${NS}/nobodys` }),
    ).toBeVisible({ timeout: 30_000 })

    await page.goto(`/configs/${NS}/one`)
    const rules = page.getByRole('region', { name: 'Policies' })
    await expect(rules).toContainText('never fired in 7 days')
    await rules.getByRole('button', { name: /order fired once/ }).click()
    await expect(page).toHaveURL(/rule=order/)
    expect(await barriersInThemes(page)).toEqual([])
    await page.getByRole('list', { name: 'Denied calls' }).getByRole('link').click()
    await expect(page).toHaveURL(/\/decisions\/dec_/)
    await page.getByRole('link', { name: 'order', exact: true }).first().click()
    await expect(page).toHaveURL(/versions\?version=1&path=/)
    await expect(page.locator('li[aria-current="true"]')).toContainText('"id": "order"')
    await page.goBack()
    await page.getByRole('button', { name: 'Test a change' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pin and open the draft' }).click()
    await expect(page.getByText('Pinned: this call should be denied.')).toBeVisible()
    await expect(page.getByRole('group', { name: 'order', exact: false }).first()).toBeInViewport()
    await page.goBack()
    await expect(page.getByRole('link', { name: 'Pinned: should be denied' })).toBeVisible()
    await page.goto(`/configs/${NS}/one`)
    await expect(page.getByRole('list', { name: 'Pinned cases' })).toContainText('not run yet')
    expect(problems).toEqual([])
  } finally {
    await Promise.all([runtime.close(100), stray.close(100)])
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the palette runs the actions of a config page and opens the dialog of a promotion', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/configs/${NS}/one`)
  await expect(page.getByRole('heading', { name: `${NS}/one` })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Search or jump' })
  await expect(palette.getByText('This page')).toBeVisible()
  expect(await barriersIn(page)).toEqual([])
  await page.keyboard.type('promote v1')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Promote to staging' })).toBeVisible()
  await expect(page).toHaveURL(/move=promote/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await page.keyboard.press('ControlOrMeta+k')
  const headings = palette.locator('[cmdk-group-heading]')
  await expect(headings.first()).toHaveText('This page')
  const order = await headings.allTextContents()
  expect(order.indexOf('Configs')).toBeLessThan(order.indexOf('Go to'))
  expect(order.indexOf('Go to')).toBeLessThan(order.indexOf('Settings'))
  await page.keyboard.type('Switch environment: dev')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/env=dev/)
  // A closing palette still receives keys.
  await expect(palette).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('Theme: dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html.dark')).toBeAttached()
  await expect(palette).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('Theme: system')
  await page.keyboard.press('Enter')
  await expect(page.locator('html.dark')).toHaveCount(0)
  await expect(palette).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('Retention')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/settings\/retention/)
  await page.goto(`/configs/${NS}/one/edit`)
  await expect(page.locator('.cm-content')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  for (const name of ['Run backtest', 'Diff against what is live', 'Save now', 'Copy link']) {
    await expect(palette.getByRole('option', { name, exact: true })).toBeVisible()
  }
  await page.keyboard.type('Review and publish')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toContainText('Publish blocked because')
  await page.goto(`/configs/${NS}/one/versions`)
  await page.keyboard.press('ControlOrMeta+k')
  await expect(palette.getByRole('option', { name: /Compare two versions/ })).toContainText(
    'There is only one version.',
  )
  await page.keyboard.type('Promote v1')
  await expect(palette.getByRole('option', { name: 'Promote v1 to staging…' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Promote to staging' })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.goto('/')
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type(`${NS}/two`)
  await expect(palette.getByRole('option', { name: `${NS}/two`, exact: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/configs/${NS}/two$`))
  await expect(page.getByRole('heading', { name: `${NS}/two` })).toBeVisible()
  await page.keyboard.press('e')
  await expect(page).toHaveURL(/\/edit$/)
})

test('a config is copied, archived, restored, exported, and refused as a conflicting import', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto(`/configs?q=${NS}`)
  await page.getByRole('button', { name: `Actions for ${NS}/one` }).click()
  await expect(page.getByRole('menuitem', { name: /Archive…/ })).toContainText('It is live in dev.')
  await page.getByRole('menuitem', { name: 'Duplicate…' }).click()
  await page.getByRole('combobox', { name: 'Prompt' }).fill(`${NS}/copy`)
  await expect(page.getByLabel('Config to copy')).toHaveValue(`${NS}/one`)
  await page.getByRole('button', { name: 'Create draft' }).click()
  await expect(page).toHaveURL(new RegExp(`/configs/${NS}/copy/edit`))
  await expect(page.locator('.cm-content')).toContainText(`"key": "copy"`)
  await expect(page.locator('.cm-content')).toContainText('"name": "first"')

  await page.goto(`/configs?q=${NS}/copy`)
  await page.getByRole('button', { name: `Actions for ${NS}/copy` }).click()
  await page.getByRole('menuitem', { name: 'Archive…' }).click()
  await page.getByRole('button', { name: `Archive ${NS}/copy` }).click()
  await expect(page.getByText(/No config matches/)).toBeVisible()
  await page.getByLabel('Archived').check()
  await page.getByRole('button', { name: `Actions for ${NS}/copy` }).click()
  await page.getByRole('menuitem', { name: 'Restore' }).click()
  await expect(page.getByText(/No archived config matches/)).toBeVisible()

  await page.goto(`/configs?q=${NS}`)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Configs and pinned cases' }).click(),
  ])
  const file = await download.path()
  const whole = JSON.parse(readFileSync(file, 'utf8'))
  expect(whole.configs.some(({ key }: { key: string }) => key === 'one')).toBe(true)
  const input = page.getByLabel('Export file to import')
  await input.setInputFiles(file)
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Everything in the file already exists here.')
  await expect(dialog.getByRole('button', { name: /^Import/ })).toBeDisabled()
  await page.keyboard.press('Escape')

  // A config that is missing here is listed first, then imported; none of its releases is made.
  const [one] = whole.configs.filter(
    ({ ns, key }: { ns: string; key: string }) => ns === NS && key === 'one',
  )
  const other = `${download.suggestedFilename()}`
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-import-'))
  try {
    const changed = path.join(folder, other)
    writeFileSync(changed, JSON.stringify({ ...whole, configs: [{ ...one, key: 'elsewhere' }] }))
    await input.setInputFiles(changed)
    await expect(dialog.getByRole('alert')).toContainText('names the prompt')
    expect(await barriersInThemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    writeFileSync(changed, 'no json')
    await input.setInputFiles(changed)
    await expect(dialog.getByRole('alert')).toContainText('is not JSON')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  expect(problems.filter((text) => !text.includes('422'))).toEqual([])
})
