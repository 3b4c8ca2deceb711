// Counts a stored batch for monitoring (server/platform/observability/metrics.mjs).
import { metrics } from '@/server/platform/observability/metrics.mjs'
import type { IncomingEvent } from './incoming.ts'
import type { StoredBatch } from './store-batch.ts'

/** After the commit. `refused`: lines that were not stored. */
export function countBatch(
  sessions: ReadonlyMap<string, readonly IncomingEvent[]>,
  { stored, duplicates, rollups, diverged }: StoredBatch,
  refused: number,
): void {
  if (stored > 0) metrics.events.inc({ result: 'stored' }, stored)
  if (duplicates > 0) metrics.events.inc({ result: 'duplicate' }, duplicates)
  if (refused > 0) metrics.events.inc({ result: 'refused' }, refused)
  if (diverged > 0) metrics.divergences.inc(diverged)
  for (const { series, count } of rollups) {
    if (series.kind !== 'call' && series.kind !== 'stop') continue
    metrics.decisions.inc({ kind: series.kind, verdict: series.a }, count)
  }
  let newest = 0
  for (const events of sessions.values()) newest = Math.max(newest, events.at(-1)?.event.at ?? 0)
  if (stored > 0) metrics.lag.observe(Math.max(0, Date.now() - newest) / 1000)
}
