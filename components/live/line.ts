// Derives the connection state for the user from the state of the subscription: live, reconnecting, offline. Pure.
import { type Connection, LIVE } from './signal.ts'

/** A line that is back sooner than this was never shown as down. */
export const RECONNECTING_AFTER_MS = 500
/** The server sends something every second; an open connection that is silent for longer has been cut. */
export const SILENT_AFTER_MS = 2_000
/** Reconnecting for longer than this is called offline. */
export const OFFLINE_AFTER_MS = 15_000
export const LOOK_EVERY_MS = 500

export interface Line {
  readonly isOpen: boolean
  /** Epoch ms since when the browser reports no network; null while it reports one. */
  readonly offlineSince: number | null
  /** Epoch ms since when it is not open; null while it is. */
  readonly downSince: number | null
  /** Time of the last message, heartbeats included; epoch ms. */
  readonly heardAt: number
}

export function computeConnection(line: Line, now: number): Connection {
  // Beats still come over a line that was open before the browser lost its network.
  if (line.offlineSince !== null)
    return { state: 'offline', since: line.downSince ?? line.offlineSince }
  const since = line.downSince ?? line.heardAt
  const patience = line.isOpen ? SILENT_AFTER_MS : RECONNECTING_AFTER_MS
  if (now - since <= patience) return LIVE
  return { state: now - since > OFFLINE_AFTER_MS ? 'offline' : 'reconnecting', since }
}
