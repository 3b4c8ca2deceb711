import { expect, type Page } from '@playwright/test'
import { IS_SOAK, selectSample } from '@/scripts/soak-sample.mjs'
import { barriersIn } from './barriers.ts'
import { runDemoAgent } from './demo-agent.ts'
import { GrowingSession } from './growing-session.ts'
import { collectProblems } from './page-problems.ts'
import { call, read } from './procedures.ts'
import { ORIGIN, secrets } from './product.ts'
import { DESK, PHONE, takenOver, test } from './test.ts'

const sessions: GrowingSession[] = []

test.beforeAll(async () => {
  for (let n = 0; n < 2; n += 1) {
    const session = new GrowingSession({ url: ORIGIN, key: secrets().demoKey })
    sessions.push(session)
    for (let call = 0; call <= n; call += 1) await session.refuse()
    await session.end()
  }
})

const listIds = (page: Page): Promise<readonly (string | null)[]> =>
  page
    .locator('main [data-id]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')))

const heads = (page: Page) => page.getByRole('columnheader')

const LISTS = [
  '/sessions?status=all',
  '/stops?by=all&range=all',
  '/decisions',
  '/feedback',
  '/alerts',
  '/settings/audit-log',
  '/releases',
  '/runtimes',
  '/configs',
] as const

/** Resolves when a list has measured its new width and drawn its rows for it. */
const drawn = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))),
      ),
  )

const cutIn = (page: Page): Promise<readonly string[]> =>
  page.locator('main [data-id] [role="gridcell"]').evaluateAll((cells) =>
    cells
      .flatMap((cell) => [cell, ...cell.querySelectorAll<HTMLElement>('*')])
      .flatMap((part) => {
        const isShown = part instanceof HTMLElement && getComputedStyle(part).clipPath === 'none'
        const isCut = isShown && part.clientWidth > 0 && part.scrollWidth > part.clientWidth
        return isCut ? [`${part.tagName} ${part.textContent}`] : []
      }),
  )

/** Releases, runtimes and configs have rows after the demo agent ran. Its names have a realistic length. */
async function seeDemo(page: Page): Promise<void> {
  await page.goto('/decisions')
  const countDenied = async (): Promise<number> => {
    const filter = { rule: 'tests-before-publish' }
    const { rows } = await read<{ readonly rows: readonly unknown[] }>(page, 'decisions.list', {
      filter,
    })
    return rows.length
  }
  if ((await countDenied()) === 0) await runDemoAgent()
  await expect.poll(countDenied, { timeout: 60_000 }).toBeGreaterThan(0)
}

test('the chosen columns of a list are kept for the next visit', async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto('/decisions')
  await expect(heads(page).filter({ hasText: 'Rule' })).toBeVisible()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Rule' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Environment' }).click()
  await page.keyboard.press('Escape')
  await expect(heads(page).filter({ hasText: 'Rule' })).toHaveCount(0)
  await page.reload()
  await expect(heads(page).filter({ hasText: 'Environment' })).toBeVisible()
  await expect(heads(page).filter({ hasText: 'Rule' })).toHaveCount(0)
  await takenOver(page)
  await page.keyboard.press('Shift+?')
  await expect(page.getByRole('dialog')).toContainText('choose columns')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+C')
  await page.getByRole('menuitem', { name: 'Standard columns' }).click()
  await expect(heads(page).filter({ hasText: 'Rule' })).toBeVisible()
  expect(problems).toEqual([])
})

test('a column header sorts only where an index serves the order, and the address keeps the order', async ({
  page,
}) => {
  const ids: readonly string[] = sessions.map(({ id }) => id)
  const prompt = 'prompt=live/growing'
  await page.goto(`/sessions?status=all&${prompt}`)
  await expect(page.locator(`[data-id="${ids[1]}"]`)).toBeVisible()
  const started = heads(page).filter({ hasText: 'Started' })
  await expect(started).toHaveAttribute('aria-sort', 'descending')
  const newest = await listIds(page)
  await started.getByRole('button').click()
  await expect(page).toHaveURL(/sort=oldest/)
  await expect(started).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(() => listIds(page)).toEqual(newest.toReversed())
  await heads(page).filter({ hasText: 'Denied' }).getByRole('button').click()
  await expect(page).toHaveURL(/sort=denied/)
  await expect
    .poll(async () => (await listIds(page)).filter((id) => id !== null && ids.includes(id)))
    .toEqual([ids[1], ids[0]])
  // No index supports an order by the plan.
  await expect(heads(page).filter({ hasText: 'Plan' }).getByRole('button')).toHaveCount(0)
})

test('the lists of releases, runtimes and configs have columns to choose, and sort by indexed columns', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await seeDemo(page)
  for (const [path, column, sort] of [
    ['/releases', 'Revision', 'oldest'],
    ['/configs', 'Last release', 'reversed'],
    ['/runtimes', 'Heartbeat', null],
  ] as const) {
    await page.goto(path)
    await expect(page.locator('main [data-id]').first()).toBeVisible()
    await page.getByRole('button', { name: 'Columns' }).click()
    const item = page.getByRole('menuitemcheckbox', { name: column })
    const isShown = (await item.getAttribute('aria-checked')) === 'true'
    await item.click()
    await page.keyboard.press('Escape')
    const head = heads(page).filter({ hasText: column })
    await expect(head, path).toHaveCount(isShown ? 0 : 1)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitem', { name: 'Standard columns' }).click()
    await expect(head, path).toHaveCount(isShown ? 1 : 0)
    const sorting = heads(page).getByRole('button')
    await expect(sorting, path).toHaveCount(sort === null ? 0 : 1)
    if (sort === null) continue
    const before = await listIds(page)
    await sorting.click()
    await expect(page).toHaveURL(new RegExp(`sort=${sort}`))
    if (before.length > 1) await expect.poll(() => listIds(page), path).not.toEqual(before)
  }
  expect(problems).toEqual([])
})

test('the standard columns of lists fit without a cut cell, at 1280 px and on a phone', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await seeDemo(page)
  await call(page, 'alerts.create', {
    name: 'Release notes are refused again and again',
    signal: 'blocked_stops',
    environment: null,
    ns: null,
    key: null,
    windowMinutes: 60,
    threshold: 1,
    destinations: [],
  })
  for (const path of selectSample(LISTS, 2)) {
    await page.setViewportSize(DESK)
    await page.goto(path)
    await expect(page.locator('main [data-id]').first(), path).toBeVisible()
    if (IS_SOAK) expect.soft(await barriersIn(page), path).toEqual([])
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size)
      await drawn(page)
      expect.soft(await cutIn(page), `${path} at ${size.width}`).toEqual([])
      const overflow = await page
        .getByRole('grid')
        .evaluateAll((grids) =>
          grids.map(({ parentElement: box }) =>
            box === null ? 0 : box.scrollWidth - box.clientWidth,
          ),
        )
      expect.soft(overflow, `${path} at ${size.width}`).toEqual(overflow.map(() => 0))
    }
  }
  expect(problems).toEqual([])
})
