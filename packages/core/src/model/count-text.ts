const UNITS = [
  [3600, 'hour'],
  [60, 'minute'],
] as const

const COUNT = new Intl.NumberFormat('en-GB')

export function countText(count: number): string {
  return COUNT.format(count)
}

/** `61%`; one decimal where it rounds to less than ten percent, otherwise none. */
export function percentText(percent: number): string {
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : Math.round(percent)}%`
}

/** `part` as a percentage of `whole`; a dash if `whole` is not positive. */
export function shareText(part: number, whole: number): string {
  return whole <= 0 ? '–' : percentText((part / whole) * 100)
}

/** In whole hours or minutes if it can be, else in seconds: `1 hour`, `5 minutes`, `90 s`. */
export function secondsText(seconds: number): string {
  for (const [length, unit] of UNITS)
    if (seconds >= length && seconds % length === 0) return plural(seconds / length, unit)
  return `${countText(seconds)} s`
}

/** `per hour`, `in 10 minutes`. */
export function perSecondsText(seconds: number): string {
  const period = secondsText(seconds)
  return period.startsWith('1 ') ? `per ${period.slice(2)}` : `in ${period}`
}

export function pluralize(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  return /(ch|sh|s|x)$/.test(noun) ? `${noun}es` : `${noun}s`
}

export function timesText(count: number): string {
  return count === 1 ? 'once' : plural(count, 'time')
}

export function plural(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : pluralize(noun)}`
}
