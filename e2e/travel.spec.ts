// Times are printed and not asserted.
import { expect, type Page } from '@playwright/test'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { EVENTS, longSession } from './long-session.ts'
import { collectProblems } from './page-problems.ts'
import { test } from './test.ts'

const POSITIONS = IS_SOAK ? 100 : 10

const state = (page: Page) => page.locator('[data-state-seq]')

/** Durations from each click or key to the frame that paints the state of the new position. */
async function watchPaint(page: Page): Promise<void> {
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(window, { paintTimes: times })
    let from: number | null = null
    const start = (): void => {
      from = performance.now()
    }
    addEventListener('pointerdown', start, true)
    addEventListener('keydown', start, true)
    const seen = (): void => {
      const began = from
      from = null
      if (began !== null) requestAnimationFrame(() => times.push(performance.now() - began))
    }
    const options = { subtree: true, attributes: true, attributeFilter: ['data-state-seq'] }
    new MutationObserver(seen).observe(document.body, options)
  })
}

async function figures(page: Page, what: string): Promise<void> {
  const times = await page.evaluate(() => {
    const { paintTimes } = window as unknown as { paintTimes: number[] }
    return paintTimes.splice(0)
  })
  const sorted = times.sort((a, b) => a - b)
  const at = (share: number): string =>
    `${(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)} ms`
  const text = `${what}: ${sorted.length} seeks, p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)}`
  test.info().annotations.push({ type: 'figures', description: text })
  console.log(text)
}

/** Resolves when the complete state of another event than before is shown. */
async function settled(page: Page, before: string | null): Promise<string> {
  if (before !== null) await expect(state(page)).not.toHaveAttribute('data-state-seq', before)
  await expect(state(page)).toHaveAttribute('aria-busy', 'false')
  return (await state(page).getAttribute('data-state-seq')) ?? ''
}

async function expectServersState(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compare with the server' }).click()
  await expect(page.locator('[data-compared]')).toHaveAttribute('data-compared', 'same')
}

test("the state at any position of a long session equals the server's fold", {
  tag: '@soak',
}, async ({ page }) => {
  test.setTimeout(240_000)
  const problems = collectProblems(page)
  await page.goto('/')
  const { id, events } = await longSession(page)
  await page.goto(`/sessions/${id}?e=1209`)
  await expect(page.getByText(/^Viewing #/)).toBeVisible()
  let shown = await settled(page, null)
  await watchPaint(page)

  const strip = page.getByRole('slider', { name: /position in session/i })
  const box = await strip.boundingBox()
  if (box === null) throw new Error('The strip is visible.')
  for (let i = 1; i <= POSITIONS; i += 1) {
    // Multiples of the golden ratio are far apart, and never repeat.
    const share = (i * 0.618_034) % 1
    await page.mouse.click(box.x + 2 + share * (box.width - 4), box.y + box.height / 2)
    shown = await settled(page, shown)
    await expectServersState(page)
  }
  await figures(page, 'anywhere in the session')

  for (const key of [']', ']', ']', 'l', 'l', '[', '[', 'h', ']', ']']) {
    await page.keyboard.press(key)
    shown = await settled(page, shown)
  }
  await figures(page, 'to the next state change')

  expect(events).toBeGreaterThanOrEqual(EVENTS)
  expect(problems).toEqual([])
})

test('the states before and after an event have their own addresses, and Escape returns to the newest state', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto('/')
  const { id } = await longSession(page)
  await page.goto(`/sessions/${id}?e=1209`)
  const after = await settled(page, null)
  await page.getByRole('button', { name: 'before' }).click()
  const before = await settled(page, after)
  expect(Number(before)).toBeLessThan(Number(after))
  await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(before)
  await page.reload()
  await expect(state(page)).toHaveAttribute('data-state-seq', before)
  await expect(page.getByRole('button', { name: 'before' })).toHaveAttribute('aria-pressed', 'true')

  await page.goto(`/sessions/${id}?e=1212`)
  await expect(page.locator('[data-section="Plan"] [data-mark="was"]').first()).toContainText('was')
  await expect(page.locator('[data-outlook]')).toContainText('would have been')
  await page.keyboard.press('Escape')
  await expect(page.getByText(/^Now, #/)).toBeVisible()
  // The address changes a moment after the view.
  await expect.poll(() => new URL(page.url()).searchParams.has('e')).toBe(false)
})
