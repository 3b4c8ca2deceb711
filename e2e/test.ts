// Waits until the scripts of an opened page are ready: the server renders whole pages, so a button is visible before it works.
import { test as base, type Page } from '@playwright/test'

/** Finds tests that do not wait: largest random delay of an answer, ms, and factor of the page's processor. Absent: no delay. */
const LATE_MS = Number(process.env['E2E_LATE_MS'] ?? 0)
const SLOWER = Number(process.env['E2E_SLOWER'] ?? 1)

export const DESK = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

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

/** React marks every hydrated element; key listeners follow when the page is idle. A page without a `main` is not of the console. */
export async function takenOver(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const main = document.querySelector('main')
    return main === null || Object.keys(main).some((name) => name.startsWith('__reactProps'))
  })
  await page.evaluate(
    () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2_000 })),
  )
}

/** Moves the pointer first, like a user, because a test presses keys immediately. */
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
