// Series must differ from each other in every color vision, from their background, and from verdicts.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Triple = readonly [number, number, number]
type Matrix = readonly [Triple, Triple, Triple]

const css = readFileSync(new URL('../../../app/globals.css', import.meta.url), 'utf8')

/** Values of a token in the order of the file: light, dark. */
function readToken(name: string): readonly string[] {
  return [...css.matchAll(new RegExp(`^\\s*--${name}: (#[0-9a-f]{6});`, 'gm'))].map(
    ([, value = '']) => value,
  )
}

function parseHex(hex: string): Triple {
  const part = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16) / 255
  return [part(1), part(3), part(5)]
}

const toLinear = (part: number): number =>
  part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
const fromLinear = (part: number): number =>
  part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055

const map = ([a, b, c]: Triple, change: (part: number) => number): Triple => [
  change(a),
  change(b),
  change(c),
]
const dot = ([a, b, c]: Triple, [x, y, z]: Triple): number => a * x + b * y + c * z
const apply = ([one, two, three]: Matrix, color: Triple): Triple => [
  dot(one, color),
  dot(two, color),
  dot(three, color),
]

function contrast(one: string, two: string): number {
  const luminance = (hex: string): number =>
    dot([0.2126, 0.7152, 0.0722], map(parseHex(hex), toLinear))
  const [a, b] = [luminance(one), luminance(two)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB. */
const VISIONS: Readonly<Record<string, Matrix | null>> = {
  normal: null,
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const clamp = (part: number): number => Math.min(1, Math.max(0, part))

/** CIELAB with white D65, as seen with a color vision. */
function toLab(hex: string, vision: Matrix | null): Triple {
  const linear = map(parseHex(hex), toLinear)
  const seen = vision === null ? linear : map(apply(vision, linear), clamp)
  const rounded = map(map(seen, fromLinear), toLinear)
  const [x, y, z] = apply(
    [
      [0.4124564, 0.3575761, 0.1804375],
      [0.2126729, 0.7151522, 0.072175],
      [0.0193339, 0.119192, 0.9503041],
    ],
    rounded,
  )
  const root = (part: number): number =>
    part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116
  const [fx, fy, fz] = [root(x / 0.95047), root(y), root(z / 1.08883)]
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]
}

const RADIANS = Math.PI / 180

/** CIEDE2000. */
function difference([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const mean7 = ((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2) ** 7
  const g = 0.5 * (1 - Math.sqrt(mean7 / (mean7 + 25 ** 7)))
  const [x1, x2] = [a1 * (1 + g), a2 * (1 + g)]
  const [c1, c2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)]
  const hue = (x: number, b: number): number => (Math.atan2(b, x) / RADIANS + 360) % 360
  const [h1, h2] = [hue(x1, b1), hue(x2, b2)]
  const isGray = c1 * c2 === 0
  const turn = h2 - h1
  const dh = isGray ? 0 : turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn
  const dL = l2 - l1
  const dC = c2 - c1
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin((dh * RADIANS) / 2)
  const sum = h1 + h2
  const far = Math.abs(turn) > 180
  const hm = isGray ? sum : far ? (sum < 360 ? (sum + 360) / 2 : (sum - 360) / 2) : sum / 2
  const cm = (c1 + c2) / 2
  const lm = ((l1 + l2) / 2 - 50) ** 2
  const t =
    1 -
    0.17 * Math.cos((hm - 30) * RADIANS) +
    0.24 * Math.cos(2 * hm * RADIANS) +
    0.32 * Math.cos((3 * hm + 6) * RADIANS) -
    0.2 * Math.cos((4 * hm - 63) * RADIANS)
  const sL = 1 + (0.015 * lm) / Math.sqrt(20 + lm)
  const sC = 1 + 0.045 * cm
  const sH = 1 + 0.015 * cm * t
  const rT =
    -2 *
    Math.sqrt(cm ** 7 / (cm ** 7 + 25 ** 7)) *
    Math.sin(60 * RADIANS * Math.exp(-(((hm - 275) / 25) ** 2)))
  return Math.sqrt((dL / sL) ** 2 + (dC / sC) ** 2 + (dH / sH) ** 2 + ((rT * dC) / sC) * (dH / sH))
}

const THEMES = ['light', 'dark'] as const
const NAMES = ['1', '2', '3', '4', '5', '6', 'other'].map((name) => `series-${name}`)

function readThemeToken(name: string, theme: (typeof THEMES)[number]): string {
  const found = readToken(name)
  expect(found, name).toHaveLength(2)
  return found[THEMES.indexOf(theme)] ?? ''
}

/** Smallest difference that the palette was found with, less the rounding of its table. */
const LEAST = {
  light: { normal: 20.8, protan: 15.6, deutan: 14.3, tritan: 15.7 },
  dark: { normal: 15.1, protan: 15.3, deutan: 15.8, tritan: 16.1 },
} as const

test.each(THEMES)('series have a contrast of 3 on surface and band in the %s theme', (theme) => {
  for (const background of ['surface', 'band']) {
    const behind = readThemeToken(background, theme)
    for (const name of NAMES) {
      expect(
        contrast(readThemeToken(name, theme), behind),
        `${name} on ${background}`,
      ).toBeGreaterThanOrEqual(3)
    }
  }
})

test.each(
  THEMES.flatMap((theme) => Object.keys(VISIONS).map((vision) => [theme, vision] as const)),
)('any two series differ in the %s theme with %s vision', (theme, vision) => {
  const colors = NAMES.map((name) => toLab(readThemeToken(name, theme), VISIONS[vision] ?? null))
  const least = Math.min(
    ...colors.flatMap((one, index) => colors.slice(index + 1).map((two) => difference(one, two))),
  )
  const wanted = new Map(Object.entries(LEAST[theme])).get(vision)
  expect(least).toBeGreaterThanOrEqual(wanted ?? Number.NaN)
})

test.each(THEMES)('no series reads as denied or blocked in the %s theme', (theme) => {
  for (const mark of ['deny-mark', 'blocked-mark']) {
    const verdict = toLab(readThemeToken(mark, theme), null)
    for (const name of NAMES.slice(0, 6)) {
      const apart = difference(toLab(readThemeToken(name, theme), null), verdict)
      expect(apart, `${name} and ${mark}`).toBeGreaterThanOrEqual(19.8)
    }
  }
})
