// Pairs stop decisions with the attempts before them. Pure.
import type { EventOf } from '@signalbox/core'
import type { IncomingEvent } from './incoming.ts'

export interface Attempt {
  readonly seq: number
  readonly via: string
}

/** A stop decision with the newest attempt before it; null: none is stored. */
export interface DecidedStop {
  readonly event: EventOf<'stop.decided'>
  readonly attempt: Attempt | null
}

/** `events`: ascending. `earlier`: newest attempt stored before them. */
export function pairStops(
  events: readonly IncomingEvent[],
  earlier: Attempt | null,
): readonly DecidedStop[] {
  let attempt = earlier
  const stops: DecidedStop[] = []
  for (const { event } of events) {
    if (event.type === 'stop.attempted') attempt = { seq: event.seq, via: event.data.via }
    if (event.type === 'stop.decided') stops.push({ event, attempt })
  }
  return stops
}

/** Attempts that arrived after a later event; their stops may be stored without them. */
export function findLateAttempts(
  events: readonly IncomingEvent[],
  maxSeq: number,
): readonly Attempt[] {
  return events.flatMap(({ event }) =>
    event.type === 'stop.attempted' && event.seq < maxSeq
      ? [{ seq: event.seq, via: event.data.via }]
      : [],
  )
}

/** Sequence number of a stop among `events` whose attempt is in an earlier batch; null: none. */
export function needsEarlierAttempt(events: readonly IncomingEvent[]): number | null {
  for (const { event } of events) {
    if (event.type === 'stop.attempted') return null
    if (event.type === 'stop.decided') return event.seq
  }
  return null
}
