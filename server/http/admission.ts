// Limits how many runtimes connect per second. After a restart of the server or of a relay, all of them connect at once; a refused one is
// given the time at which there is room for it, so that they return evenly.
import { Problem } from './problem.ts'

/** Longest time that a caller is told to wait, in seconds. */
const LONGEST_S = 60

/**
 * Admits `perSecond` callers, and as many at once after a quiet second. The returned function returns 0 for an admitted caller, or else the
 * milliseconds until there is room for it.
 * @param now milliseconds of a clock that never goes back
 */
export function createAdmission(perSecond: number, now: () => number): () => number {
  const each = 1000 / perSecond
  let free = perSecond
  let at = now()
  let nextRoom = at
  return () => {
    const time = now()
    free = Math.min(perSecond, free + (time - at) / each)
    at = time
    if (free >= 1) {
      free -= 1
      return 0
    }
    nextRoom = Math.max(nextRoom, time) + each
    return nextRoom - time
  }
}

/** The returned function throws 429 with Retry-After for a caller that must wait. */
function requireRoom(perSecond: number, what: string): () => void {
  const admit = createAdmission(perSecond, () => performance.now())
  return () => {
    const waitMs = admit()
    if (waitMs === 0) return
    throw new Problem({
      status: 429,
      title: 'Too many requests',
      detail: `This server accepts ${perSecond} ${what} a second. Repeat the request after the time in Retry-After.`,
      headers: { 'retry-after': String(Math.min(LONGEST_S, Math.ceil(waitMs / 1000))) },
    })
  }
}

export const admitStream = requireRoom(500, 'new streams')
export const admitRegistration = requireRoom(200, 'registrations')
