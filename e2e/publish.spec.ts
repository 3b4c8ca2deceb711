// From an edit to live in dev, and a rollback of production, with the number of activations. Production requires its typed name and a note;
// dev requires neither.
import { expect, type Locator, type Page } from '@playwright/test'
import { collectProblems } from './page-problems.ts'
import { call, openDraft, read } from './procedures.ts'
import { startReporting } from './reporting-runtime.ts'
import { DESK, PHONE, test } from './test.ts'

function buildDescribedText(key: string, description: string): string {
  return JSON.stringify({ schema_version: 1, ns: 'publish', key, description }, null, 2)
}

const createPublishPrompt = (key: string) => ({ ns: 'publish', key })

interface Config {
  readonly pointers: readonly { readonly environment: string; readonly version: number }[]
  readonly releases: readonly { readonly id: string; readonly revision: number }[]
}

async function liveTwice(page: Page, key: string, environment: string): Promise<void> {
  const prompt = createPublishPrompt(key)
  await call(page, 'configs.create', { ...prompt, text: buildDescribedText(key, 'first') })
  for (const description of ['first', 'second']) {
    const seen = await openDraft(page, prompt)
    await call(page, 'drafts.save', {
      ...prompt,
      seen,
      baseVersion: null,
      text: buildDescribedText(key, description),
    })
    const release = { ...prompt, environment, draftId: seen.id, revision: seen.revision + 1 }
    const made = await call(page, 'releases.publish', {
      ...release,
      note: description,
      typedName: environment,
    })
    expect(made).toMatchObject({ ok: true })
  }
}

async function runs(page: Page, key: string, environment: string): Promise<number | undefined> {
  const { pointers } = await read<Config>(page, 'configs.get', createPublishPrompt(key))
  return pointers.find((pointer) => pointer.environment === environment)?.version
}

/** Typing is not counted. */
function counter() {
  let count = 0
  return {
    async click(control: Locator): Promise<void> {
      count += 1
      await control.click()
    },
    async press(page: Page, keys: string): Promise<void> {
      count += 1
      await page.keyboard.press(keys)
    },
    count: () => count,
  }
}

test('an edit is live in dev after five activations, and production is rolled back in two', async ({
  page,
}) => {
  const problems = collectProblems(page)
  await liveTwice(page, 'short', 'dev')
  const by = counter()
  await page.goto('/')
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('publish/short')
  await by.click(page.getByRole('option', { name: /^publish\/short$/ }))
  await by.click(page.getByRole('link', { name: 'Edit', exact: true }))
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(buildDescribedText('short', 'third'))
  await by.press(page, 'ControlOrMeta+Shift+Enter')
  await expect(page.getByRole('dialog')).toContainText('Ready to publish to dev')
  const changes = page.getByRole('region', { name: 'Changes' })
  await changes.getByText('JSON', { exact: true }).click()
  await expect(changes.getByRole('textbox', { name: 'v2' })).toContainText('second')
  await expect(changes.getByRole('textbox', { name: 'Draft' })).toContainText('third')
  await by.click(page.getByRole('button', { name: 'Publish v3 to dev' }))
  await expect(page.getByRole('dialog').getByRole('status')).toContainText('v3')
  expect(by.count()).toBeLessThanOrEqual(5)
  expect(await runs(page, 'short', 'dev')).toBe(3)

  await liveTwice(page, 'back', 'production')
  const [newest] = (await read<Config>(page, 'configs.get', createPublishPrompt('back'))).releases
  const back = counter()
  await page.goto(`/releases/${newest?.id}`)
  await back.click(page.getByRole('button', { name: 'Roll back to v1', exact: true }))
  await expect(page.getByRole('dialog')).toContainText('v2 → v1')
  await page.setViewportSize(PHONE)
  await page.getByRole('dialog').getByText('JSON', { exact: true }).click()
  const unified = page.getByRole('dialog').getByRole('textbox', { name: 'v2 → v1' })
  await expect(unified.locator('.cm-deletedLine')).toContainText('second')
  await expect(unified).toContainText('first')
  await page.setViewportSize(DESK)
  await back.click(page.getByRole('button', { name: 'Roll back to v1 in production' }))
  await expect(page.getByRole('dialog')).toContainText('v1')
  expect(back.count()).toBe(2)
  await expect.poll(() => runs(page, 'back', 'production')).toBe(1)
  await page.goto(`/releases/${newest?.id}`)
  const end = page.getByRole('paragraph').filter({ hasText: /^Rolled back to v1 by .+ on 20/ })
  await expect(page.getByRole('button', { name: /Roll back/ })).toHaveCount(0)
  await end.getByRole('link', { name: 'v1' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('v1 in production')
  expect(problems).toEqual([])
})

async function openRelease(page: Page, key: string, description: string): Promise<Locator> {
  const prompt = createPublishPrompt(key)
  const seen = await openDraft(page, prompt)
  await call(page, 'drafts.save', {
    ...prompt,
    seen,
    baseVersion: 2,
    text: buildDescribedText(key, description),
  })
  await page.goto(`/configs/publish/${key}/edit?publish=production`)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note (required)').fill('why')
  await dialog.getByLabel('Type production to confirm').fill('production')
  return dialog
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('a watched release to production offers its rollback, which takes two activations outside of the dialog', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await liveTwice(page, 'watched', 'production')
  const dialog = await openRelease(page, 'watched', 'third')
  await expect(dialog).toContainText('No backtest was run')
  await choose(page, 'To', 'Every new session, monitored')
  await choose(page, 'Monitored for', '6 hours')
  await page.getByRole('button', { name: 'Publish v3 to production' }).click()
  await expect(dialog).toContainText('Monitored for 6 hours, rolled back automatically above 1.5 ×')
  await expect(dialog.getByRole('link', { name: 'Roll back to v2' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).first().click()
  const back = counter()
  await back.click(page.getByRole('button', { name: 'Roll back', exact: true }))
  await back.click(page.getByRole('button', { name: 'Roll back to v2 in production' }))
  expect(back.count()).toBe(2)
  await expect.poll(() => runs(page, 'watched', 'production')).toBe(2)
  await page.goto('/configs/publish/watched/staged-rollout')
  await expect(page.getByText('v3 beside v2 in production')).toBeVisible()
  expect(problems).toEqual([])
})

test('a release is staged from the publish dialog, and a watch begins on the page of a release', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await liveTwice(page, 'staged', 'production')
  const dialog = await openRelease(page, 'staged', 'third')
  await choose(page, 'To', 'A share of new sessions')
  await choose(page, 'Share of new sessions', '5%')
  await page.getByRole('button', { name: 'Stage v3 for 5% in production' }).click()
  await expect(dialog.getByRole('status')).toContainText('v3 is staged in production')
  expect(await runs(page, 'staged', 'production')).toBe(2)
  await dialog.getByRole('link', { name: 'Open staged rollout' }).click()
  await expect(
    page.getByRole('heading', { name: 'v3 to 5% of sessions in production' }),
  ).toBeVisible()

  await liveTwice(page, 'later', 'production')
  const [newest] = (await read<Config>(page, 'configs.get', createPublishPrompt('later'))).releases
  await page.goto(`/releases/${newest?.id}`)
  const steps = page.getByRole('list', { name: 'State of the release' })
  await expect(steps).toContainText('Not monitored')
  await page.getByRole('button', { name: 'Start monitoring' }).click()
  await page.getByRole('button', { name: 'Start monitoring v2' }).click()
  await expect(steps).toContainText('Too few sessions to compare · 0 of 20')
  await expect(page.getByRole('progressbar', { name: 'Sessions for a verdict' })).toBeVisible()
  expect(problems).toEqual([])
})

test('a rejected release names runtime and reason wherever it is listed, and a rolled-back one is marked', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await liveTwice(page, 'partial', 'dev')
  const [newest] = (await read<Config>(page, 'configs.get', createPublishPrompt('partial')))
    .releases
  const revision = newest?.revision ?? 0
  const prompt = 'publish/partial'
  const [one, two] = [
    await startReporting('worker-1', { prompt }),
    await startReporting('worker-2', { prompt }),
  ]
  try {
    await one.report({ applied: revision })
    await page.goto('/releases')
    const row = page.locator(`[data-id="${newest?.id}"]`)
    await expect(row).toContainText('Applying')
    await expect(row).toContainText('1/2')
    // The page is notified.
    const reason = 'unknown checker type TestPassing'
    await two.report({ applied: revision - 1, rejected: { revision, reason } })
    await expect(row).toContainText('Partly applied')
    await expect(row).toContainText(`worker-2 rejected it: ${reason}`)
    const progress = page
      .getByRole('listitem')
      .filter({ hasText: '1 of 2 runtimes' })
      .filter({ hasText: prompt })
    await expect(progress).toContainText(`worker-2 rejected it: ${reason}`)
    await expect(progress.getByRole('link', { name: 'See worker-2' })).toBeVisible()
    await expect(progress.getByRole('button', { name: 'Roll back' })).toBeVisible()
    await page.goto('/configs/publish/partial/versions')
    const lane = page.getByRole('region', { name: 'dev', exact: true })
    await expect(lane).toContainText(`worker-2 rejected it: ${reason}`)
    await page.goto(`/releases/${newest?.id}`)
    // The state, the steps, the chart and the table count the same runtimes.
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Partly applied, 1 of 2')
    const steps = page.getByRole('list', { name: 'State of the release' })
    await expect(steps).toContainText('Applied by 1 of 2 runtimes')
    await expect(steps).toContainText('worker-2 rejected it')
    await expect(page.getByRole('img', { name: /1 of 2 runtimes/ })).toBeVisible()
    await expect(page.getByRole('row').filter({ hasText: 'worker-2' })).toContainText(
      `Rejected: ${reason}`,
    )
    await expect(page.getByRole('link', { name: 'See worker-2' })).toHaveAttribute(
      'href',
      /^\/runtimes\//,
    )
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
  await page.getByRole('button', { name: 'Roll back to v1', exact: true }).click()
  await page.getByRole('button', { name: 'Roll back to v1 in dev' }).click()
  await expect.poll(() => runs(page, 'partial', 'dev')).toBe(1)
  await page.goto('/releases')
  const rows = page
    .getByRole('row')
    .filter({ has: page.getByText('publish/partial', { exact: true }) })
  await expect(rows.nth(0)).toContainText('Waiting for a runtime')
  await expect(rows.nth(0)).toContainText('none yet')
  await expect(rows.nth(1)).toContainText('Rolled back to v1')
  await expect(rows.nth(2)).toContainText('Replaced by v2')
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Rolled back' }).click()
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('Rolled back to v1')
  expect(problems).toEqual([])
})

test('the backtest gate of the publish dialog opens the backtest', {
  tag: '@soak',
}, async ({ page }) => {
  const key = 'tested'
  await call(page, 'configs.create', { ns: 'publish', key, text: buildDescribedText(key, 'first') })
  await page.goto(`/configs/publish/${key}/edit?publish=dev`)
  const gate = page.locator('[data-gate="backtest"]')
  await gate.getByRole('button', { name: 'Open backtest' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Run backtest/ })).toBeVisible()
})

test('the palette opens the rollback of production and does not run it', { tag: '@soak' }, async ({
  page,
}) => {
  await liveTwice(page, 'palette', 'production')
  await page.goto('/')
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('Roll back production publish/palette')
  await page.getByRole('option', { name: /Roll back production: publish\/palette/ }).click()
  await expect(page.getByRole('dialog')).toContainText('Roll back production')
  expect(await runs(page, 'palette', 'production')).toBe(2)
  await page.getByRole('button', { name: 'Roll back to v1 in production' }).click()
  await expect.poll(() => runs(page, 'palette', 'production')).toBe(1)
})

test('production refuses six releases without its typed name or a note, and dev requires neither', {
  tag: '@soak',
}, async ({ page }) => {
  const key = 'careful'
  await call(page, 'configs.create', { ns: 'publish', key, text: buildDescribedText(key, 'first') })
  await page.goto(`/configs/publish/${key}/edit?publish=production`)
  const dialog = page.getByRole('dialog')
  const publish = page.getByRole('button', { name: 'Publish v1 to production' })
  const note = dialog.getByLabel('Note (required)')
  const name = dialog.getByLabel('Type production to confirm')
  await expect(dialog).toContainText('Publish blocked because 2 things are missing')

  // 1: nothing typed. 2: the note alone, and Enter.
  await expect(publish).toBeDisabled()
  await note.fill('why')
  await note.press('ControlOrMeta+Enter')
  await expect(publish).toBeDisabled()
  // 3: the name in another case, and Enter in its field.
  await name.fill('Production')
  await name.press('Enter')
  await expect(publish).toBeDisabled()
  // 4: the name alone, with a blank note.
  await note.fill('   ')
  await name.fill('production')
  await name.press('Enter')
  await expect(publish).toBeDisabled()
  // 5: the palette cannot publish; it only offers to search for the words.
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('publish to production')
  await expect(page.getByRole('option', { name: /publish to production/i })).toHaveText(/^Search/)
  await page.keyboard.press('Escape')
  // 6: a direct request to the server.
  const { id: draftId, revision } = await openDraft(page, createPublishPrompt(key))
  const asked = { ns: 'publish', key, environment: 'production', draftId, revision }
  for (const words of [{}, { note: 'why' }, { note: ' ', typedName: 'production' }]) {
    expect(await call(page, 'releases.publish', { ...asked, ...words })).toMatchObject({
      ok: false,
    })
  }
  expect(await runs(page, key, 'production')).toBeUndefined()

  await page.goto(`/configs/publish/${key}/edit?publish=dev`)
  await expect(page.getByRole('button', { name: 'Publish v1 to dev' })).toBeEnabled()
  await dialog.getByLabel('Note').press('ControlOrMeta+Enter')
  await expect.poll(() => runs(page, key, 'dev')).toBe(1)

  await page.goto(`/configs/publish/${key}/edit?publish=production`)
  await note.fill('why')
  await name.fill('production')
  // The shortcut does nothing while a name must be typed: the button must be pressed deliberately.
  await expect(publish).toBeEnabled()
  await note.press('ControlOrMeta+Enter')
  await expect(publish).toBeEnabled()
  expect(await runs(page, key, 'production')).toBeUndefined()
  await publish.click()
  await expect.poll(() => runs(page, key, 'production')).toBe(1)
})
