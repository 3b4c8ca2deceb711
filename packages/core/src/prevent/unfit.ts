import type { SessionEvent } from '../model/event.ts'

/** Why a session is no example of good work. */
export type Unfit =
  | 'still runs'
  | 'did not complete'
  | 'ended without a stop that passed'
  | 'was overridden'
  | 'was not enforced throughout'

/** null: the session ended as it should, with every rule in force throughout. */
export function findUnfit(events: Iterable<SessionEvent>): Unfit | null {
  let ended: 'completed' | 'failed' | 'aborted' | null = null
  let [isBlocked, isOverridden, hasLapsed] = [false, false, false]
  for (const event of events) {
    if (event.type === 'session.ended') ended = event.data.reason
    if (event.type === 'stop.decided') isBlocked = event.data.message !== null
    if (event.type === 'completion.overridden') isOverridden = true
    if (event.type === 'enforcement.lapsed') hasLapsed = true
  }
  if (ended === null) return 'still runs'
  if (ended !== 'completed') return 'did not complete'
  if (isBlocked) return 'ended without a stop that passed'
  if (isOverridden) return 'was overridden'
  return hasLapsed ? 'was not enforced throughout' : null
}
