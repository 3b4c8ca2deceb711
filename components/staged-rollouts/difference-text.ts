interface Shown {
  readonly text: (value: number | null) => string
  /** The value as rounded by `text`. */
  readonly round: (value: number) => number
}

/** Difference of the two shown figures, so that a reader who subtracts them gets the same. */
export function differenceText(
  base: number | null,
  candidate: number | null,
  { text, round }: Shown,
): string {
  if (base === null || candidate === null) return '–'
  const difference = round(candidate) - round(base)
  if (text(Math.abs(difference)) === text(0)) return '0'
  const size = text(Math.abs(difference)).replace('%', ' points')
  return `${difference > 0 ? '+' : '−'}${size}`
}
