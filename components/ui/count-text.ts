// Counts in words. Pure.

const COUNT = new Intl.NumberFormat('en-GB')

/** `3,200` */
export function countText(count: number): string {
  return COUNT.format(count)
}

/** `deliveries` of `delivery` */
export function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

/** `1 delivery`, `3,200 deliveries` */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : pluralOf(noun)}`
}
