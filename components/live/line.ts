import { type Connection, LIVE } from './signal.ts'

/** A shorter interruption is not shown. */
export const RECONNECTING_AFTER_MS = 500
/** The server sends something every second, so an open connection that is silent for longer is broken. */
export const SILENT_AFTER_MS = 2_000
export const OFFLINE_AFTER_MS = 15_000
export const LOOK_EVERY_MS = 500

/** Time after a loss at which the connection is tried next, `passed` after it: 1, 3, 8, 18, 28 … seconds. */
export function nextTry(passed: number): number {
  if (passed < 3_000) return passed < 1_000 ? 1_000 : 3_000
  return Math.floor((passed + 2_000) / 10_000 + 1) * 10_000 - 2_000
}

export interface Line {
  readonly isOpen: boolean
  /** Time at which the browser lost its network, epoch ms; null: it has one. */
  readonly offlineSince: number | null
  /** Time at which the connection was lost, epoch ms; null: it is open. */
  readonly downSince: number | null
  /** Time of the last message or heartbeat, epoch ms. */
  readonly heardAt: number
}

export function computeConnection(line: Line, now: number): Connection {
  // A connection opened before the browser lost its network may still deliver heartbeats.
  if (line.offlineSince !== null)
    return { state: 'offline', since: line.downSince ?? line.offlineSince }
  const since = line.downSince ?? line.heardAt
  const patience = line.isOpen ? SILENT_AFTER_MS : RECONNECTING_AFTER_MS
  if (now - since <= patience) return LIVE
  return { state: now - since > OFFLINE_AFTER_MS ? 'offline' : 'reconnecting', since }
}
