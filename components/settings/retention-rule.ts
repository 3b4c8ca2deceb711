// A retention rule as it is typed and told.

/** Null: kept for ever. */
export interface Rule {
  readonly eventsDays: number | null
  readonly decisionsDays: number | null
}

/** Undefined for a text that is no number of days. */
export function daysOf(text: string): number | null | undefined {
  const plain = text.trim()
  if (plain === '') return null
  const days = /^\d{1,4}$/.test(plain) ? Number(plain) : 0
  return days >= 1 && days <= 3650 ? days : undefined
}

const numbers = new Intl.NumberFormat('en')

/** `3,200` */
export const numberText = (value: number): string => numbers.format(value)

/** `41 GB`: one digit behind the point below ten. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
