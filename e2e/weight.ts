// What a page costs before it can be read (ux.md §6, check 23), without a clock: the programs that its HTML names, and how far its content
// jumped while it came.
import type { Page, Response } from '@playwright/test'

/** Bytes as sent, of the scripts that the page's own HTML asks for. */
export async function firstScripts(page: Page, answer: Response | null): Promise<number> {
  const html = (await answer?.text()) ?? ''
  const sources = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, src = '']) => src)
  return await page.evaluate((wanted) => {
    const sizes = new Map(
      performance
        .getEntriesByType('resource')
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        .map((entry) => [new URL(entry.name).pathname, entry.encodedBodySize]),
    )
    return wanted.reduce((sum, src) => sum + (sizes.get(src.split('?')[0] ?? '') ?? 0), 0)
  }, sources)
}

/** Cumulative layout shift up to now. */
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
