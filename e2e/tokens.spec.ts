import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { contrast, differences, parseRgb, type Rgb } from './color.ts'
import { ROOT } from './product.ts'
import { test } from './test.ts'

const SURFACES = ['bg', 'surface', 'surface-2', 'surface-3', 'row-hover', 'row-selected']
const MEANINGS = ['allow', 'deny', 'blocked', 'info', 'caution', 'warning']
const HUES = [...MEANINGS, 'neutral']
const SERIES = [1, 2, 3, 4, 5, 6].map((place) => `series-${place}`)
const TEXTS = ['text', 'text-2', 'text-3', 'link', ...HUES.map((hue) => `${hue}-fg`)]
const MARKS = ['border-strong', 'focus', ...HUES.map((hue) => `${hue}-mark`)]

async function tokens(page: Page): Promise<(name: string) => Rgb> {
  const names = [...SURFACES, ...TEXTS, ...MARKS, ...SERIES, ...HUES.map((hue) => `${hue}-bg`)]
  const values = await page.evaluate((all) => {
    const style = getComputedStyle(document.documentElement)
    return Object.fromEntries(all.map((name) => [name, style.getPropertyValue(`--${name}`)]))
  }, names)
  return (name) => parseRgb(values[name] ?? '')
}

const listPairs = (names: readonly string[]) =>
  names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const))

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the ${colorScheme} colors are readable and distinguishable`, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const of = await tokens(page)
    const failures: string[] = []
    const ask = (what: string, value: number, least: number) => {
      if (value < least) failures.push(`${what}: ${value.toFixed(2)}, at least ${least}`)
    }
    for (const surface of SURFACES) {
      for (const text of TEXTS) ask(`${text} on ${surface}`, contrast(of(text), of(surface)), 4.5)
      for (const mark of MARKS) ask(`${mark} on ${surface}`, contrast(of(mark), of(surface)), 3)
    }
    for (const hue of HUES) {
      ask(`${hue}-fg on ${hue}-bg`, contrast(of(`${hue}-fg`), of(`${hue}-bg`)), 4.5)
    }
    const toldApart = [...listPairs(MEANINGS.map((hue) => `${hue}-mark`)), ...listPairs(SERIES)]
    for (const [one, other] of toldApart) {
      for (const [vision, value] of Object.entries(differences(of(one), of(other)))) {
        ask(`${one} and ${other}, ${vision}`, value, 10)
      }
    }
    for (const series of SERIES) {
      ask(`${series} on surface`, contrast(of(series), of('surface')), 3)
    }
    expect(failures).toEqual([])
  })
}

const PALETTE =
  /\b(?:bg|text|border|ring|fill|stroke|from|to|via|outline|accent|caret|divide|shadow)-(?:red|orange|amber|yellow|lime|green|emerald|teal|cyan|sky|blue|indigo|violet|purple|fuchsia|pink|rose|slate|gray|zinc|neutral|stone)-\d{2,3}\b|#[0-9a-f]{6}\b/gi

test('no component defines a color instead of using a token', () => {
  const found = ['app', 'components'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(path.join(ROOT, folder, file), 'utf8')
        return [...text.matchAll(PALETTE)].map(([color]) => `${folder}/${file}: ${color}`)
      }),
  )
  expect(found).toEqual([])
})
