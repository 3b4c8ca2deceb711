// Colors as numbers: contrast (WCAG 2.2), difference (CIEDE2000), and simulated color blindness.
export type Rgb = readonly [number, number, number]

/** Parses `#rrggbb` or `#rgb`. Each component is from 0 to 1, gamma-encoded. */
export function parseRgb(hex: string): Rgb {
  const digits = /^#((?:[0-9a-f]{3}){1,2})$/i.exec(hex.trim())?.[1]
  if (digits === undefined) throw new Error(`"${hex}" is not a color of three or six digits.`)
  const six = digits.length === 6 ? digits : [...digits].map((digit) => digit + digit).join('')
  const part = (at: number) => Number.parseInt(six.slice(at, at + 2), 16) / 255
  return [part(0), part(2), part(4)]
}

const toLight = (part: number) =>
  part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
const linear = ([r, g, b]: Rgb): Rgb => [toLight(r), toLight(g), toLight(b)]

function times(rows: readonly Rgb[], [x, y, z]: Rgb): Rgb {
  const [a = 0, b = 0, c = 0] = rows.map(([p, q, r]) => p * x + q * y + r * z)
  return [a, b, c]
}

function luminance(color: Rgb): number {
  const [r, g, b] = linear(color)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** WCAG contrast ratio, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** Matrices for linear light. Red and green: Viénot, Brettel and Mollon (1999). Blue, which these omit: Machado et al. (2009). */
const VISIONS: { readonly [name: string]: readonly Rgb[] } = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanope: [
    [0.112_38, 0.887_62, 0],
    [0.112_38, 0.887_62, 0],
    [0.004_01, -0.004_01, 1],
  ],
  deuteranope: [
    [0.292_75, 0.707_25, 0],
    [0.292_75, 0.707_25, 0],
    [-0.022_34, 0.022_34, 1],
  ],
  tritanope: [
    [1.255_528, -0.076_749, -0.178_779],
    [-0.078_411, 0.930_809, 0.147_602],
    [0.004_733, 0.691_367, 0.303_9],
  ],
}

const TO_XYZ: readonly Rgb[] = [
  [0.412_456_4, 0.357_576_1, 0.180_437_5],
  [0.212_672_9, 0.715_152_2, 0.072_175],
  [0.019_333_9, 0.119_192, 0.950_304_1],
]
const WHITE: Rgb = [0.950_47, 1, 1.088_83]

function toLab(light: Rgb): Rgb {
  const clipped: Rgb = [clip(light[0]), clip(light[1]), clip(light[2])]
  const xyz = times(TO_XYZ, clipped)
  const f = (value: number) =>
    value > 216 / 24_389 ? Math.cbrt(value) : (841 / 108) * value + 4 / 29
  const [x, y, z] = [f(xyz[0] / WHITE[0]), f(xyz[1] / WHITE[1]), f(xyz[2] / WHITE[2])]
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

const clip = (part: number) => Math.min(1, Math.max(0, part))
const radians = (degrees: number) => (degrees * Math.PI) / 180

function computeHue(a: number, b: number): number {
  if (a === 0 && b === 0) return 0
  const angle = (Math.atan2(b, a) * 180) / Math.PI
  return angle < 0 ? angle + 360 : angle
}

function hueStep(from: number, to: number): number {
  const step = to - from
  if (Math.abs(step) <= 180) return step
  return step > 180 ? step - 360 : step + 360
}

const pull = (chroma: number) => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7))

function deltaE([l1, a1, b1]: Rgb, [l2, a2, b2]: Rgb): number {
  const g = 0.5 * (1 - pull((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2))
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)]
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)]
  const [h1, h2] = [computeHue(p1, b1), computeHue(p2, b2)]
  const step = c1 * c2 === 0 ? 0 : hueStep(h1, h2)
  const hue = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(step / 2))
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2]
  const h = c1 * c2 === 0 ? h1 + h2 : (h1 + step / 2 + 360) % 360
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63))
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2)
  const [sc, sh] = [1 + 0.045 * c, 1 + 0.015 * c * t]
  const turn = 60 * Math.exp(-(((h - 275) / 25) ** 2))
  const rt = -Math.sin(radians(turn)) * 2 * pull(c)
  const [dl, dc, dh] = [(l2 - l1) / sl, (c2 - c1) / sc, hue / sh]
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rt * dc * dh)
}

export function differences(one: Rgb, other: Rgb): { readonly [vision: string]: number } {
  return Object.fromEntries(
    Object.entries(VISIONS).map(([name, rows]) => {
      const seen = (color: Rgb) => toLab(times(rows, linear(color)))
      return [name, deltaE(seen(one), seen(other))]
    }),
  )
}
