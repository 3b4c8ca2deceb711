// The test of every story: a page that was opened is taken over by its scripts before anybody presses anything. The server draws pages
// whole, so that a button can be seen before it works; a person is slower than that, a test is not.
import { test as base, type Page } from '@playwright/test'

/**
 * Finds stories that do not wait: each answer of the server is delayed by a random time up to this many milliseconds, and the page's
 * processor is slower by this factor. Absent: no delay.
 */
const LATE_MS = Number(process.env['E2E_LATE_MS'] ?? 0)
const SLOWER = Number(process.env['E2E_SLOWER'] ?? 1)

async function disturb(page: Page): Promise<void> {
  if (SLOWER > 1) {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  }
  if (LATE_MS === 0) return
  await page.route(/^http(?!.*\/_next\/static\/)/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LATE_MS))
    await route.fallback().catch(() => undefined)
  })
}

/**
 * React notes on every element that it has taken over what it gave it; what listens to keys follows once it rests. A page without a
 * `main` is not the console's.
 */
export async function takenOver(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const main = document.querySelector('main')
    return main === null || Object.keys(main).some((name) => name.startsWith('__reactProps'))
  })
  await page.evaluate(
    () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2_000 })),
  )
}

/** A user moves the pointer or presses Tab before anything else; a test presses any key at once. */
async function inUse(page: Page): Promise<void> {
  await takenOver(page)
  await page.evaluate(() => window.dispatchEvent(new Event('pointermove')))
}

export const test = base.extend({
  page: async ({ page }, use) => {
    await disturb(page)
    const goto = page.goto.bind(page)
    const reload = page.reload.bind(page)
    page.goto = async (...given) => {
      const answer = await goto(...given)
      await inUse(page)
      return answer
    }
    page.reload = async (...given) => {
      const answer = await reload(...given)
      await inUse(page)
      return answer
    }
    await use(page)
  },
})
