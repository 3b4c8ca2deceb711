import type { EventRow } from './rows/session-rows.ts'

export const CHIPS = ['denied', 'shadow', 'stops', 'feedback'] as const
export type Chip = (typeof CHIPS)[number]

export function selectChip(row: EventRow): Chip | null {
  if (row.verdict === 'would_deny') return 'shadow'
  if (row.type === 'tool.decided') return row.verdict === 'allowed' ? null : 'denied'
  if (row.type === 'stop.decided' || row.type === 'stop.attempted') return 'stops'
  return row.type === 'feedback.delivered' || row.type === 'feedback.failed' ? 'feedback' : null
}

/** No chips: all kinds match. */
export function matchesChips(row: EventRow, chips: readonly Chip[]): boolean {
  if (chips.length === 0) return true
  const chip = selectChip(row)
  return chip !== null && chips.includes(chip)
}
