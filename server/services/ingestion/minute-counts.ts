// Counts per minute of event time, for sparklines, charts and alerts; what a clock that is ahead says of the future counts as now. Only newly stored events are counted, and none of an imported session.
// Pure.
import type { SessionEvent } from '@signalbox/core'
import { isImportedSession } from '@signalbox/wire'
import type { MinuteRow } from '../../repositories/ingest/projection-rows.ts'
import type { IncomingEvent } from './incoming.ts'

const MINUTE = 60_000

type Counter = Exclude<keyof MinuteRow, 'environment' | 'minute'>

type Mutable = { -readonly [Name in keyof MinuteRow]: MinuteRow[Name] }

/** What one event counts as; empty for most. */
function countersOf(event: SessionEvent): readonly Counter[] {
  switch (event.type) {
    case 'session.started':
      return ['sessions']
    case 'tool.requested':
      return ['calls']
    case 'tool.decided':
      return event.data.decision === 'allowed' ? [] : ['denied']
    case 'feedback.delivered':
      if (event.data.mode !== 'enforce') return []
      return event.data.severity === 'warning' ? ['feedback', 'warnings'] : ['feedback']
    case 'stop.decided':
      if (event.data.verdict === 'bypassed') return ['stops', 'bypassed']
      return event.data.verdict === 'blocked' || event.data.verdict === 'error'
        ? ['stops', 'blocked']
        : ['stops']
    default:
      return []
  }
}

function emptyMinute(environment: string, minute: number): Mutable {
  const zero = { calls: 0, denied: 0, feedback: 0, warnings: 0 }
  return { environment, minute, ...zero, stops: 0, blocked: 0, bypassed: 0, sessions: 0 }
}

/** `now`: epoch ms, of the server. */
export function countByMinute(
  environment: string,
  events: Iterable<IncomingEvent>,
  now: number,
): readonly MinuteRow[] {
  const minutes = new Map<number, Mutable>()
  for (const { event } of events) {
    const counters = isImportedSession(event.session) ? [] : countersOf(event)
    if (counters.length === 0) continue
    const minute = Math.floor(Math.min(event.at, now) / MINUTE) * MINUTE
    const row = minutes.get(minute) ?? emptyMinute(environment, minute)
    minutes.set(minute, row)
    for (const counter of counters) row[counter] += 1
  }
  return [...minutes.values()].sort((a, b) => a.minute - b.minute)
}
