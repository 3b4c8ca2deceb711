// From what the subscription reports to what a reader is told: live, reconnecting, offline. Pure.
import type { Connection } from './signal.ts'

/** A line that is back sooner than this was never shown as down. */
export const RECONNECTING_AFTER_MS = 1_000
/** Reconnecting for longer than this is called offline. */
export const OFFLINE_AFTER_MS = 15_000

export interface Line {
  readonly isOpen: boolean
  /** The browser's own report of its network. */
  readonly isOnline: boolean
  /** Epoch ms since when it is not open; null while it is. */
  readonly downSince: number | null
}

export function connectionOf(line: Line, now: number): Connection {
  if (!line.isOnline) return 'offline'
  if (line.isOpen) return 'live'
  const down = line.downSince === null ? 0 : now - line.downSince
  if (down < RECONNECTING_AFTER_MS) return 'live'
  return down > OFFLINE_AFTER_MS ? 'offline' : 'reconnecting'
}
