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

/** True: the runtime verified the session after its run; the agent attempted nothing. */
export function isFinalVerification({ attempt }: DecidedStop): boolean {
  return attempt?.via === 'final'
}

/** False: the final verification, or a stop under a config without a check (specs/analytics.md). */
export function isStopAttempt(stop: DecidedStop): boolean {
  return !isFinalVerification(stop) && stop.event.data.verdict !== 'no_checker'
}

function readAttempt({ event }: IncomingEvent): Attempt | null {
  return event.type === 'stop.attempted' ? { seq: event.seq, via: event.data.via } : null
}

/** `events`: ascending. `earlier`: newest attempt stored before them. */
export function pairStops(
  events: readonly IncomingEvent[],
  earlier: Attempt | null,
): readonly DecidedStop[] {
  let attempt = earlier
  return events.flatMap((incoming) => {
    attempt = readAttempt(incoming) ?? attempt
    const { event } = incoming
    return event.type === 'stop.decided' ? [{ event, attempt }] : []
  })
}

/** Attempts that arrived after a later event; their stops may be stored without them. */
export function findLateAttempts(
  events: readonly IncomingEvent[],
  maxSeq: number,
): readonly Attempt[] {
  return events.flatMap((incoming) => readAttempt(incoming) ?? []).filter(({ seq }) => seq < maxSeq)
}

/** Sequence number of a stop among `events` whose attempt is in an earlier batch; null: none. */
export function needsEarlierAttempt(events: readonly IncomingEvent[]): number | null {
  const types = ['stop.attempted', 'stop.decided']
  const first = events.find(({ event }) => types.includes(event.type))?.event
  return first?.type === 'stop.decided' ? first.seq : null
}
