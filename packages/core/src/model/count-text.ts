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
