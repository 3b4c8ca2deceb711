// Measured before any interaction, without a clock.
import { expect, type Page } from '@playwright/test'

/** Compressed bytes of all programs that the page has fetched, including lazy ones. The page must not have been used before. */
export async function scriptBytes(page: Page): Promise<number> {
  // Placeholders of lazy sections.
  await expect(page.getByRole('main').locator('[data-skeleton]')).toHaveCount(0)
  await page.waitForLoadState('load')
  // Requests that waited for an idle browser have started by then.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  await page.waitForFunction(() => {
    const come = new Set(performance.getEntriesByType('resource').map(({ name }) => name))
    return [...document.scripts].every(
      ({ src, noModule }) => src === '' || noModule || come.has(src),
    )
  })
  return await page.evaluate(() => {
    const sizes = new Map(
      performance
        .getEntriesByType('resource')
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize] as const)
        .filter(([path]) => path.endsWith('.js')),
    )
    return [...sizes.values()].reduce((sum, size) => sum + size, 0)
  })
}

export async function layoutShift(page: Page): Promise<number> {
  return await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            if ('value' in entry && typeof entry.value === 'number') sum += entry.value
          }
        })
        observer.observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => setTimeout(() => resolve(sum), 0))
      }),
  )
}
