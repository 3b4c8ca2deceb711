// How a series of a chart looks: a hue only for a verdict, tints of ink for everything else, and a hatching of its own. Pure.

export interface SeriesLook {
  /** Of a CSS fill; made of tokens only. */
  readonly fill: string
  /** Which hatching; 0: none. */
  readonly hatch: number
  /** Hatched even where colours are told apart. */
  readonly isHatched?: true
}

const tint = (percent: number): string =>
  `color-mix(in oklab, var(--text) ${percent}%, var(--surface))`

const INK: readonly SeriesLook[] = [
  { fill: tint(92), hatch: 1 },
  { fill: tint(70), hatch: 2 },
  { fill: tint(52), hatch: 3 },
  { fill: tint(38), hatch: 4 },
  { fill: tint(26), hatch: 5 },
  { fill: tint(16), hatch: 6 },
]

export const OTHERS: SeriesLook = { fill: tint(6), hatch: 0 }
export const BASE: SeriesLook = { fill: tint(14), hatch: 0 }
export const MAIN: SeriesLook = { fill: tint(62), hatch: 0 }

export function inkOf(index: number): SeriesLook {
  return INK[index] ?? OTHERS
}

const VERDICTS: { readonly [verdict: string]: SeriesLook & { readonly label: string } } = {
  allowed: { fill: 'var(--allow-mark)', hatch: 0, label: 'allowed' },
  blocked: { fill: 'var(--blocked-mark)', hatch: 1, label: 'Blocked' },
  bypassed: { fill: 'var(--neutral-mark)', hatch: 2, isHatched: true, label: 'Bypassed' },
  no_checker: { fill: 'var(--neutral-bd)', hatch: 5, label: 'No checker' },
  error: { fill: 'var(--deny-mark)', hatch: 6, isHatched: true, label: 'Error' },
}

export function verdictLook(verdict: string): SeriesLook & { readonly label: string } {
  return VERDICTS[verdict] ?? { ...OTHERS, label: verdict }
}
