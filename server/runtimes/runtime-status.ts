import type { RuntimeRow } from './runtimes.sql.ts'

/** Seconds between two heartbeats; sent to runtimes when they register. */
export const HEARTBEAT_SECONDS = 30
/** A heartbeat and a half: a runtime repeats one that failed within a second, so a missing one is no accident. */
export const STALE_AFTER_MS = 1.5 * HEARTBEAT_SECONDS * 1_000
export const DISCONNECTED_AFTER_MS = 5 * 60_000

export type Connection = 'connected' | 'stale' | 'disconnected'

/** `rejected`: refused the last revision it was offered, and runs another than expected. `ahead`: runs a newer one than is served. */
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
