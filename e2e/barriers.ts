import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Not @axe-core/playwright: it also transfers every element that passed, which takes four times as long. `rules` absent: all. */
export async function barriersIn(page: Page, rules?: string[]): Promise<readonly string[]> {
  // axe has half a megabyte, so it is loaded once per document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  return await page.evaluate(async (only) => {
    // The lines above loaded axe into the page.
    const { run } = (window as unknown as { readonly axe: typeof axe }).axe
    const { violations } = await run(document, {
      resultTypes: ['violations'],
      selectors: false,
      iframes: false,
      ...(only === undefined ? {} : { runOnly: only }),
    })
    // An open menu or list of options is beside the landmarks, because it lies above all of them.
    const isPopupOpen = document.querySelector('[role="menu"], [role="listbox"]') !== null
    return violations
      .filter(({ id }) => id !== 'region' || !isPopupOpen)
      .map(({ id, impact, nodes }) => `${id}, ${impact}: ${nodes[0]?.html ?? ''}`)
  }, rules)
}

/** Leaves the page light. */
async function barriersInDark(page: Page, rules?: string[]): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(page.locator('html.dark')).toBeAttached()
  const found = await barriersIn(page, rules)
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(page.locator('html.dark')).toHaveCount(0)
  return found.map((finding) => `dark: ${finding}`)
}

/**
 * In one theme, which the length of the page's address decides: the themes differ only in colors, which pages share. In a soak, in both.
 * Leaves the page light.
 */
export async function barriersInThemes(page: Page): Promise<readonly string[]> {
  if (!IS_SOAK) return await (page.url().length % 2 === 0 ? barriersInDark : barriersIn)(page)
  return [...(await barriersInDark(page, ['color-contrast'])), ...(await barriersIn(page))]
}

/** Throws when the button cannot be reached. */
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

/** Statuses that only color distinguishes: without words, or without a mark. Quiet ones have no color. */
export async function statusesByColor(page: Page): Promise<readonly string[]> {
  return await page.locator('[data-status]').evaluateAll((marked) =>
    marked.flatMap((element) => {
      const words = `${element.textContent ?? ''}${element.getAttribute('aria-label') ?? ''}`.trim()
      const hasMark =
        element.hasAttribute('data-quiet') ||
        element.matches('svg') ||
        element.querySelector('svg') !== null
      return words !== '' && hasMark ? [] : [element.outerHTML.slice(0, 200)]
    }),
  )
}

/** Controls that are too small for a finger: below 24 by 24 pixels, except links in a sentence. */
export async function smallTargets(page: Page): Promise<readonly string[]> {
  return await page
    .locator('button, select, summary, [role="button"], [role="tab"], [role="switch"], nav a')
    .evaluateAll((controls) =>
      controls.flatMap((control) => {
        const { width, height } = control.getBoundingClientRect()
        const isShown = control.checkVisibility() && width > 1 && height > 1
        const isSmall = width < 23.5 || height < 23.5
        const isInline = getComputedStyle(control).display === 'inline'
        return isShown && isSmall && !isInline
          ? [`${Math.round(width)}×${Math.round(height)} ${control.outerHTML.slice(0, 160)}`]
          : []
      }),
    )
}

export async function runningAnimations(page: Page): Promise<number> {
  return await page.evaluate(
    () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
  )
}

/** Pairs of words on one line with a gap but no space between them: a screen reader reads them as one word. */
export async function wordsWithoutSpace(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const isRead = ({ parentElement: box }: Text): boolean =>
      box?.checkVisibility() === true && box.closest('.cm-editor, style, script') === null
    const isInline = (text: Text, top: Node): boolean => {
      for (let at = text.parentElement; at !== null && at !== top; at = at.parentElement) {
        if (getComputedStyle(at).display !== 'inline') return false
      }
      return true
    }
    const listBoxes = (text: Text): readonly DOMRect[] => {
      const range = document.createRange()
      range.selectNodeContents(text)
      return [...range.getClientRects()]
    }
    const isSplit = (one: Text, other: Text): boolean => {
      if (!/[\p{L}\p{N}]$/u.test(one.data) || !/^[\p{L}\p{N}]/u.test(other.data)) return false
      const between = document.createRange()
      between.setStartAfter(one)
      between.setEndBefore(other)
      const top = between.commonAncestorContainer
      const [left, right] = [listBoxes(one).at(-1), listBoxes(other)[0]]
      const isOneLine = Math.abs((left?.bottom ?? 0) - (right?.bottom ?? 0)) < 8
      const isGap = (right?.left ?? 0) - (left?.right ?? 0) > 2
      return isOneLine && isGap && isInline(one, top) && isInline(other, top)
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode() !== null) {
      const { currentNode } = walker
      if (currentNode instanceof Text && currentNode.data !== '' && isRead(currentNode)) {
        texts.push(currentNode)
      }
    }
    return texts.flatMap((text, index) => {
      const next = texts[index + 1]
      return next !== undefined && isSplit(text, next) ? [`${text.data}|${next.data}`] : []
    })
  })
}
