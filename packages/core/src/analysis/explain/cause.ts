// Causes of a result: events of the log with their roles, including events that did not count.
import type { EventType, SessionEvent } from '../../model/event.ts'

export type CauseRole =
  /** The decided event itself: arguments of the call, or content of the attempt. */
  | 'input'
  /** The decided event itself: facts that were looked up, or answers that were given, for it. */
  | 'fact'
  /** A success that a rule required. */
  | 'success'
  /** The read that makes the file known; `outdated_read`: the read that made it known before it changed. */
  | 'read'
  | 'outdated_read'
  /** A later write to the file, or a later success than which a checker's tool must be newer. */
  | 'made_outdated'
  | 'outdated_success'
  /** The last attempt at the missing success, and the reason why it did not count. */
  | 'attempt_failed'
  | 'attempt_denied'
  | 'attempt_invalid'
  | 'attempt_unknown'
  | 'attempt_without_request'
  | 'attempt_despite_denial'
  /** Requested before, but not finished. */
  | 'attempt_open'
  /** A success that came only after the event. */
  | 'came_after'
  /** A call that counts against a rate limit. */
  | 'counted_call'
  /** A reviewer's answer. */
  | 'answer'
  | 'plan'
  /** The event that set the deadline, and the event that used up the budget. */
  | 'deadline'
  | 'budget'
  /** An earlier stop that was refused. */
  | 'earlier_block'
  /** The call after which this provider delivered last. */
  | 'previous_delivery'
  /** One of several consecutive failures or equal calls. */
  | 'repeated'

/** A cause without the type of its event. */
export interface Mark {
  readonly seq: number
  readonly role: CauseRole
}

export interface Cause extends Mark {
  readonly type: EventType
}

/** Ordered by sequence number, each pair of event and role once. Marks of events that the log does not contain are left out. */
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

/** `events` must be in order of `seq`. */
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
