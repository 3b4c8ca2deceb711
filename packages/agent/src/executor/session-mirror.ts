import type { EventOf, SessionEvent } from '@signalbox/core'
import type { BudgetTracker } from '../state/budget.ts'
import { FeedbackHistory } from '../state/built-in-slices.ts'
import type { Session } from '../state/session.ts'
import type { CallBook } from './call-book.ts'

export interface MirrorParts {
  readonly session: Session
  readonly promptName: string
  readonly book: CallBook
  /** null: no budget was given. */
  readonly budget: BudgetTracker | null
}

export function mirrorInto(parts: MirrorParts): (line: string) => void {
  return (line) => {
    // The recorder wrote this line, and writes only valid events.
    const event = JSON.parse(line) as SessionEvent
    parts.book.follow(event)
    if (event.type === 'usage.recorded') keepUsage(parts, event)
    if (event.type === 'feedback.delivered' && event.data.mode === 'enforce')
      keepFeedback(parts, event)
  }
}

function keepUsage({ budget }: MirrorParts, { data }: EventOf<'usage.recorded'>): void {
  const { evaluation_id: id, input_tokens: input, output_tokens: output } = data
  budget?.record(id, { input, output, total: data.total_tokens ?? input + output })
}

function keepFeedback(
  { session, promptName, book }: MirrorParts,
  { at, data }: EventOf<'feedback.delivered'>,
): void {
  const { provider, name: providerName, severity, summary, observations, suggestions } = data
  const advice = { provider, providerName, severity, summary, observations, suggestions }
  session.dispatch(FeedbackHistory({ ...advice, promptName, callIndex: book.count, at }))
}
