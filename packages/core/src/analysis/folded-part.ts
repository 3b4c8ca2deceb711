import type { SessionEvent } from '../model/event.ts'
import { FOLDED_EVENT_TYPES } from './backtest/backtest-session.ts'

/** null: only the event's number and time matter; with empty data, the fold gives the same state. */
export function foldedPart(event: SessionEvent): SessionEvent['data'] | null {
  // Tool output is for users. Rules read only the outcome of the call.
  if (event.type === 'tool.invoked') {
    const { output: _output, error: _error, ...data } = event.data
    return data
  }
  const folded: readonly string[] = FOLDED_EVENT_TYPES
  return folded.includes(event.type) ? event.data : null
}
