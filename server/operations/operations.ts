import { isDatabaseReachable } from '@/server/platform/health.sql.ts'
import { metrics } from '@/server/platform/observability/metrics.mjs'
import { DISCONNECTED_AFTER_MS, STALE_AFTER_MS } from '@/server/runtimes/runtime-status.ts'
import { readQueueCounts, readRuntimeCounts } from './operations.sql.ts'

/** Never rejects: without a database, its gauges are omitted and `signalbox_database_up` is 0. */
export async function readGauges(): Promise<void> {
  const isUp = await isDatabaseReachable()
  metrics.database.set(isUp ? 1 : 0)
  const stored = [metrics.jobs, metrics.oldestJob, metrics.failedJobs]
  for (const gauge of [...stored, metrics.runtimes, metrics.runtimesRejecting]) gauge.reset()
  metrics.spooledEvents.reset()
  if (!isUp) return
  try {
    const limits = { staleMs: STALE_AFTER_MS, goneMs: DISCONNECTED_AFTER_MS }
    const [queue, runtimes] = await Promise.all([readQueueCounts(), readRuntimeCounts(limits)])
    for (const { task, count } of queue.waiting) metrics.jobs.set({ task }, count)
    metrics.oldestJob.set(queue.oldestSeconds)
    metrics.failedJobs.set(queue.failed)
    const { connected, stale, disconnected, stopped } = runtimes
    for (const [state, count] of Object.entries({ connected, stale, disconnected, stopped })) {
      metrics.runtimes.set({ state }, count)
    }
    metrics.runtimesRejecting.set(runtimes.rejecting)
    metrics.spooledEvents.set(runtimes.spooled)
  } catch {
    // The connection was lost between the two queries.
    metrics.database.set(0)
  }
}
