// What keeps people out of a page: findings of axe, controls that no key reaches, a focus that cannot be seen.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** Serious and critical findings of axe. */
export async function barriersIn(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.flatMap(({ id, impact, nodes }) =>
    impact === 'serious' || impact === 'critical' ? [`${id}: ${nodes[0]?.html ?? ''}`] : [],
  )
}

/** Presses Tab until the wanted button has the focus; fails when it cannot be reached. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const wanted = page.getByRole('button', { name }).first()
  for (let n = 0; n < 150; n++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`"${String(name)}" cannot be reached by keyboard.`)
}

export async function hasVisibleFocus(page: Page): Promise<boolean> {
  return await page.evaluate(() => {
    const { activeElement: active } = document
    if (active === null || active === document.body) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(active)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
  })
}
