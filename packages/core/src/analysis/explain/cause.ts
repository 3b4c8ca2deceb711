// Causes by sequence number: which events of the log a result rests on, and as what. Also events that did not count.
import type { EventType, SessionEvent } from '../../model/event.ts'

export type CauseRole =
  /** The event itself: the arguments of the call, or what the attempt offered. */
  | 'input'
  /** The event itself: what was looked up or answered for it. */
  | 'fact'
  /** A success that a rule asked for. */
  | 'success'
  /** The read that makes the file known, or made it known before it changed. */
  | 'read'
  | 'outdated_read'
  /** A later write to the file, or a later success that a checker's tool must be newer than. */
  | 'made_outdated'
  | 'outdated_success'
  /** The last attempt at what is missing, and why it did not count. */
  | 'attempt_failed'
  | 'attempt_denied'
  | 'attempt_invalid'
  | 'attempt_unknown'
  | 'attempt_without_request'
  | 'attempt_despite_denial'
  /** Requested before, but not finished. */
  | 'attempt_open'
  /** Succeeded, but only after the event. */
  | 'came_after'
  /** A call that fills a rate limit. */
  | 'counted_call'
  /** A person's answer. */
  | 'answer'
  | 'plan'
  /** Event that set the deadline; events that used up the budget. */
  | 'deadline'
  | 'budget'
  /** A stop that was refused before. */
  | 'earlier_block'
  /** The call after which this provider spoke last. */
  | 'previous_delivery'
  /** A failure or a call in a row of them. */
  | 'repeated'

/** A cause before it is known what kind of event it is. */
export interface Mark {
  readonly seq: number
  readonly role: CauseRole
}

export interface Cause extends Mark {
  readonly type: EventType
}

/** By sequence number, each pair of event and role once. Marks of events that the log does not hold are left out. */
export function resolveCauses(
  marks: readonly Mark[],
  events: readonly SessionEvent[],
): readonly Cause[] {
  const seen = new Set<string>()
  return [...marks]
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ seq, role }) => {
      const key = `${seq} ${role}`
      const event = seen.has(key) ? undefined : eventAt(events, seq)
      seen.add(key)
      return event === undefined ? [] : [{ seq, type: event.type, role }]
    })
}

/** `events` is in order of `seq`. */
function eventAt(events: readonly SessionEvent[], seq: number): SessionEvent | undefined {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.seq ?? seq) < seq) low = middle + 1
    else high = middle
  }
  const found = events[low]
  return found?.seq === seq ? found : undefined
}
