// The test of every story: a page that was opened is taken over by its scripts before anybody presses anything. The server draws pages
// whole, so that a button can be seen before it works; a person is slower than that, a test is not.
import { test as base, type Page } from '@playwright/test'

/**
 * React notes on every element that it has taken over what it gave it; what listens to keys follows once it rests. A page without a
 * `main` is not the console's.
 */
async function takenOver(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const main = document.querySelector('main')
    return main === null || Object.keys(main).some((name) => name.startsWith('__reactProps'))
  })
  await page.evaluate(
    () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2_000 })),
  )
}

export const test = base.extend({
  page: async ({ page }, use) => {
    const goto = page.goto.bind(page)
    const reload = page.reload.bind(page)
    page.goto = async (...given) => {
      const answer = await goto(...given)
      await takenOver(page)
      return answer
    }
    page.reload = async (...given) => {
      const answer = await reload(...given)
      await takenOver(page)
      return answer
    }
    await use(page)
  },
})
