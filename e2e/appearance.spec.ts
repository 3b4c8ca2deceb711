import { expect, type Page } from '@playwright/test'
import { listPages, mostScriptBytes } from '@/bench/page-list.mjs'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { barriersInThemes, runningAnimations, smallTargets, statusesByColor } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { DESK, PHONE, takenOver, test } from './test.ts'
import { layoutShift, scriptBytes } from './weight.ts'

/** These pages are in another group, too; only a soak opens them again. */
const OTHER_STATES = 'other states of pages'

const CONFIG = '/configs/demo/release-notes'

const PAGES = {
  ...listPages(CONFIG),
  [OTHER_STATES]: [
    '/configs?archived=true',
    '/configs?q=nothing-is-named-so',
    '/search',
    `${CONFIG}/edit?tab=diff&as=side`,
    `${CONFIG}/edit?tab=backtest`,
  ],
} as const

/** Groups of pages share a browser's cache, and run on any free worker. */
test.describe.configure({ mode: 'parallel' })

function tablesThatScroll(page: Page): Promise<readonly string[]> {
  return page
    .locator('main table')
    .evaluateAll((tables) =>
      tables
        .filter(({ parentElement: box }) => box !== null && box.scrollWidth > box.clientWidth + 1)
        .map((table) => (table.textContent ?? '').slice(0, 60)),
    )
}

function sideways(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}

/** True: the document is higher than a window of 1280×600. It must not be, because pages scroll inside of the app. */
async function scrollsBehindTheApp(page: Page): Promise<boolean> {
  await page.setViewportSize({ width: 1280, height: 600 })
  return await page.evaluate(() => document.documentElement.scrollHeight > window.innerHeight)
}

for (const [area, pages] of Object.entries(PAGES)) {
  const tag = area === OTHER_STATES ? ['@soak'] : []
  test(`${area}: every page opens without errors, barriers, layout shifts or sideways scrolling, and fits a phone`, {
    tag,
  }, async ({ context }) => {
    test.setTimeout(300_000)
    const page = await context.newPage()
    const problems = collectProblems(page)
    for (const path of selectSample(pages, 3)) {
      await page.setViewportSize(DESK)
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      expect.soft(await scriptBytes(page), path).toBeLessThanOrEqual(mostScriptBytes(path))
      expect.soft(await barriersInThemes(page), path).toEqual([])
      expect.soft(await statusesByColor(page), path).toEqual([])
      // Last, because an answer that comes late moves what is below it.
      expect.soft(await layoutShift(page), path).toBeLessThan(0.05)
      expect.soft(await sideways(page), path).toBeLessThanOrEqual(0)
      expect.soft(await runningAnimations(page), path).toBe(0)
      expect.soft(await scrollsBehindTheApp(page), path).toBe(false)

      await page.setViewportSize(PHONE)
      // Charts get their new width in the next frames.
      await expect.soft.poll(() => sideways(page), { message: path }).toBeLessThanOrEqual(0)
      await expect.soft.poll(() => tablesThatScroll(page), { message: path }).toEqual([])
      expect.soft(await smallTargets(page), path).toEqual([])
    }
    expect(problems).toEqual([])
  })
}

test('a pointer that rests on a page fetches nothing', async ({ context }) => {
  const page = await context.newPage()
  await page.goto('/settings/api')
  await takenOver(page)
  const moveBy = (movementX: number) =>
    page.evaluate((by) => {
      window.dispatchEvent(new PointerEvent('pointermove', { movementX: by }))
    }, movementX)
  const first = await scriptBytes(page)
  await moveBy(0)
  expect(await scriptBytes(page)).toBe(first)
  await moveBy(1)
  await expect.poll(() => scriptBytes(page)).toBeGreaterThan(first)
})

test('a font that loads late moves nothing on the page', async ({ page }) => {
  let late = 0
  await page.route(/[.]woff2$/, async (route) => {
    late += 1
    // The page uses another font until then.
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await route.continue()
  })
  for (const path of ['/settings/api', '/configs/demo/release-notes']) {
    await page.goto(path)
    await page.evaluate(() => document.fonts.ready)
    expect.soft(await layoutShift(page), path).toBeLessThan(0.05)
  }
  expect(late).toBeGreaterThan(1)
})
