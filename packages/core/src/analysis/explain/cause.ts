import type { EventType, SessionEvent } from '../../model/event.ts'

export type CauseRole =
  | 'input'
  | 'fact'
  | 'success'
  /** The read that makes the file known; `outdated_read`: the read that made it known before it changed. */
  | 'read'
  | 'outdated_read'
  /** A later write to the file, or a later success than which a checker's tool must be newer. */
  | 'made_outdated'
  | 'outdated_success'
  | 'attempt_failed'
  | 'attempt_denied'
  | 'attempt_invalid'
  | 'attempt_unknown'
  | 'attempt_without_request'
  | 'attempt_despite_denial'
  | 'attempt_open'
  | 'came_after'
  | 'counted_call'
  | 'answer'
  | 'plan'
  | 'deadline'
  | 'budget'
  | 'earlier_block'
  | 'previous_delivery'
  | 'order'
  | 'repeated'

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
