// Counts per minute of event time, of an environment, of each prompt and runtime, for sparklines, charts and alerts; what a clock that is ahead
// says of the future counts as now. Only newly stored events are counted, and none of an imported session. Pure.
import type { SessionEvent } from '@signalbox/core'
import { isImportedSession } from '@signalbox/wire'
import type { CallMinuteRow, CallMinutes } from '../../repositories/ingest/call-minutes.ts'
import type { MinuteRow } from '../../repositories/ingest/projection-rows.ts'

import type { IncomingEvent } from './incoming.ts'
import { UNKNOWN_PROMPT } from './projection.ts'

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

/** Its start, epoch ms. */
function minuteOf({ at }: SessionEvent, now: number): number {
  return Math.floor(Math.min(at, now) / MINUTE) * MINUTE
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
    const minute = minuteOf(event, now)
    const row = minutes.get(minute) ?? emptyMinute(environment, minute)
    minutes.set(minute, row)
    for (const counter of counters) row[counter] += 1
  }
  return [...minutes.values()].sort((a, b) => a.minute - b.minute)
}

/** Of a session that the batch brought something of. */
interface Counted {
  readonly row: {
    readonly id: string
    readonly runtimeId: string | null
    readonly ns: string
    readonly key: string
  }
  readonly fresh: readonly IncomingEvent[]
  /** It has said only now what it is; what came of it before counts now, too. */
  readonly namesPrompt: boolean
}

/** What a batch adds to the calls of prompts and runtimes. A session that has not said yet what it is waits until it does. */
export function callsByPlace(
  environment: string,
  sessions: readonly Counted[],
  now: number,
): CallMinutes {
  const known = sessions.filter(
    ({ row }) => row.ns !== UNKNOWN_PROMPT && !isImportedSession(row.id),
  )
  const rows = new Map<string, { -readonly [Name in keyof CallMinuteRow]: CallMinuteRow[Name] }>()
  const count = (of: Counted['row'], event: SessionEvent, counter: 'calls' | 'denied'): void => {
    const { ns, key } = of
    const place = { runtimeId: of.runtimeId ?? '', ns, key, environment }
    const minute = minuteOf(event, now)
    const name = JSON.stringify([place, minute])
    const row = rows.get(name) ?? { ...place, minute, calls: 0, denied: 0 }
    rows.set(name, row)
    row[counter] += 1
  }
  for (const { row, fresh } of known.filter(({ namesPrompt }) => !namesPrompt)) {
    for (const { event } of fresh) {
      for (const counter of countersOf(event))
        if (counter === 'calls' || counter === 'denied') count(row, event, counter)
    }
  }
  const late = known.filter(({ namesPrompt }) => namesPrompt).map(({ row }) => row.id)
  return { rows: [...rows.values()], late }
}
