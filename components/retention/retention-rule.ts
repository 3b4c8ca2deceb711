/** Null: kept forever. */
export interface Rule {
  /** Null: never archived. */
  readonly archiveDays: number | null
  readonly eventsDays: number | null
  readonly decisionsDays: number | null
}

/** Undefined: the text is no number of days. */
export function parseDays(text: string): number | null | undefined {
  const plain = text.trim()
  if (plain === '') return null
  const days = /^\d{1,4}$/.test(plain) ? Number(plain) : 0
  return days >= 1 && days <= 3650 ? days : undefined
}
