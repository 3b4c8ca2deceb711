// After a restart of the server or of a relay, all runtimes connect at once; refused ones get times at which there is room.
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { Problem } from './problem.ts'

const LONGEST_MS = 60_000

/** A key may hold this many times as much as is free (dynamic thresholds, as in server/ingest/turns.ts). */
const SHARE = 5

/**
 * Keys that want more than there is get similar parts, and some room always stays free for the next key, so a key that floods delays no
 * other. The returned function returns 0 for an admitted caller, or else the milliseconds until there is room.
 * @param now milliseconds of a clock that never goes back
 */
export function createAdmission(perSecond: number, now: () => number): (keyId: string) => number {
  const each = 1000 / perSecond
  const most = perSecond + perSecond / SHARE
  /** Keys of admitted callers whose places are not free again, oldest first; each `each` milliseconds one becomes free. */
  const admitted: string[] = []
  let at = now()
  const rooms = new Map<string, number>()
  return (keyId) => {
    const time = now()
    const freed = Math.floor((time - at) / each)
    admitted.splice(0, freed)
    at = admitted.length === 0 ? time : at + freed * each
    for (const [waiting, room] of rooms) if (room <= time) rooms.delete(waiting)
    const held = admitted.filter((one) => one === keyId).length
    if (held < SHARE * (most - admitted.length)) {
      admitted.push(keyId)
      return 0
    }
    const waiting = rooms.has(keyId) ? rooms.size : rooms.size + 1
    const next = Math.max(rooms.get(keyId) ?? 0, time) + each * waiting
    const room = Math.min(next, time + LONGEST_MS)
    rooms.set(keyId, room)
    return room - time
  }
}

/** The returned function throws 429 with Retry-After for a caller that must wait. */
function requireRoom(perSecond: number, what: string): (scope: KeyScope) => void {
  const admit = createAdmission(perSecond, () => performance.now())
  return ({ keyId }) => {
    const waitMs = admit(keyId)
    if (waitMs === 0) return
    throw new Problem({
      status: 429,
      title: 'Too many requests',
      detail: `This server accepts ${perSecond} ${what} a second. Repeat the request after the time in Retry-After.`,
      headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
    })
  }
}

export const admitStream = requireRoom(500, 'new streams')
export const admitRegistration = requireRoom(200, 'registrations')
