export interface SeriesLook {
  /** CSS fill, made of tokens only. */
  readonly fill: string
  /** Number of the hatching; 0: none. */
  readonly hatch: number
  /** Absent: hatched only with the preference for distinguishing without color. */
  readonly isHatched?: true
}

const tint = (percent: number): string =>
  `color-mix(in oklab, var(--text) ${percent}%, var(--surface))`

const SERIES = 6

export const OTHERS: SeriesLook = { fill: 'var(--series-other)', hatch: 0 }
export const BASE: SeriesLook = { fill: tint(44), hatch: 0 }
export const MAIN: SeriesLook = { fill: tint(84), hatch: 0 }

/** `index`: rank by size, from 0. */
export function seriesLook(index: number): SeriesLook {
  return index < SERIES ? { fill: `var(--series-${index + 1})`, hatch: index + 1 } : OTHERS
}

const VERDICTS: { readonly [verdict: string]: SeriesLook & { readonly label: string } } = {
  allowed: { fill: 'var(--allow-mark)', hatch: 0, label: 'Allowed' },
  blocked: { fill: 'var(--blocked-mark)', hatch: 1, label: 'Blocked' },
  bypassed: { fill: 'var(--neutral-mark)', hatch: 2, isHatched: true, label: 'Bypassed' },
  no_checker: { fill: 'var(--neutral-bd)', hatch: 5, label: 'No checker' },
  error: { fill: 'var(--deny-mark)', hatch: 6, isHatched: true, label: 'Error' },
}

export function verdictLook(verdict: string): SeriesLook & { readonly label: string } {
  return VERDICTS[verdict] ?? { ...OTHERS, label: verdict }
}
