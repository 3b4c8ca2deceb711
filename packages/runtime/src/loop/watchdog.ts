// Notices that a handler no longer beats (specs/leases.md). A handler that blocks the event loop is noticed by its lease alone.
import type { Heartbeat } from '../lease/heartbeat.ts'
import { sleep } from '../sleep.ts'

/** Node's timers end here; longer waits are taken in parts. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1

export interface Watch {
  readonly thresholdSeconds: number
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Ends the watch. */
  readonly signal: AbortSignal
}

/** Resolves when no beat has come for the threshold, counted from now before the first one, or when the watch is ended. */
export async function untilQuiet(
  heartbeat: Heartbeat,
  { thresholdSeconds, now, signal }: Watch,
): Promise<void> {
  const startedAt = now()
  while (!signal.aborted) {
    const quietMs = now() - (heartbeat.lastBeatAt ?? startedAt)
    const leftMs = thresholdSeconds * 1000 - quietMs
    if (leftMs <= 0) return
    await sleep(Math.min(leftMs, LONGEST_SLEEP_MS), signal)
  }
}
