// Interprets a runtime's last report: its connection, and its applied version (ux.md, Runtimes). Pure.
import type { RuntimeRow } from './runtimes.sql.ts'

/** Seconds between two heartbeats; sent to runtimes when they register. */
export const HEARTBEAT_SECONDS = 10
export const STALE_AFTER_MS = 3 * HEARTBEAT_SECONDS * 1_000
/** A stale runtime counts as gone after this long. */
export const DISCONNECTED_AFTER_MS = 5 * 60_000

export type Connection = 'connected' | 'stale' | 'disconnected'

/** `rejected`: it refused what it was last offered, and runs something else than expected. `ahead`: it runs a newer one than the server names. */
export type Sync = 'in_sync' | 'behind' | 'ahead' | 'rejected' | 'nothing_applied'

export function computeConnection(
  runtime: Pick<RuntimeRow, 'lastSeenAt' | 'stoppedAt'>,
  now: number,
): Connection {
  if (runtime.stoppedAt !== null) return 'disconnected'
  const silentMs = now - runtime.lastSeenAt
  if (silentMs > DISCONNECTED_AFTER_MS) return 'disconnected'
  return silentMs > STALE_AFTER_MS ? 'stale' : 'connected'
}

export function computeSync(
  runtime: Pick<RuntimeRow, 'appliedRevision' | 'rejectedRevision'>,
  expectedRevision: number,
): Sync {
  const { appliedRevision: applied, rejectedRevision: rejected } = runtime
  if (applied === expectedRevision) return 'in_sync'
  if (rejected !== null) return 'rejected'
  if (applied === null) return 'nothing_applied'
  return applied > expectedRevision ? 'ahead' : 'behind'
}
