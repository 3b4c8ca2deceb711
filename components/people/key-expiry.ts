// In a file of its own, so that pages without the field do not load it.

const DAY_MS = 86_400_000
export const EXPIRY_CHOICES = [
  { value: '7', label: 'in 7 days' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: 'date', label: 'on a date…' },
  { value: 'never', label: 'never' },
] as const

export interface Expiry {
  readonly choice: (typeof EXPIRY_CHOICES)[number]['value']
  /** `2027-01-31`; only with the choice `date`. */
  readonly date: string
}

export const IN_90_DAYS: Expiry = { choice: '90', date: '' }

/** Epoch ms; null: never; undefined: no date is chosen. A day ends at 24:00 UTC in every time zone. */
export function expiresAt({ choice, date }: Expiry, now: number): number | null | undefined {
  if (choice === 'never') return null
  if (choice !== 'date') return now + Number(choice) * DAY_MS
  const day = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(day) ? undefined : day + DAY_MS
}
