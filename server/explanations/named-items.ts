// Counts the open items that the agent's message named, because checkers shorten long lists (specs/completion.md). Pure.
import type { StopDecision } from '@signalbox/core'
import { MOST_TITLES, openChecks, openItems } from '@signalbox/core/analysis'

export interface NamedItems {
  readonly named: number
  readonly open: number
  readonly items: readonly string[]
}

/** Null: the message named all of them. */
export function findNamedItems({
  message,
  check,
}: Pick<StopDecision, 'message' | 'check'>): NamedItems | null {
  if (message === null || check === null) return null
  const heard = openChecks(check).filter(
    ({ feedback }) => feedback !== null && message.includes(feedback),
  )
  const lists = heard.map(openItems)
  const items = lists.flat()
  const named = lists.reduce((sum, list) => sum + Math.min(MOST_TITLES, list.length), 0)
  return items.length > named ? { named, open: items.length, items } : null
}
