// Counts in words. Pure.

const COUNT = new Intl.NumberFormat('en-GB')

/** `3,200` */
export function countText(count: number): string {
  return COUNT.format(count)
}

/** `61 %`; one decimal below ten per cent, none above; a dash when there is nothing to divide by. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '–'
  const share = (part / whole) * 100
  return `${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)} %`
}

/** `deliveries` of `delivery` */
export function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

/** `1 delivery`, `3,200 deliveries` */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : pluralOf(noun)}`
}
