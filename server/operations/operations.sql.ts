// Monitoring data of the whole installation for its operator: counts over all projects, without names and contents.
import 'server-only'
import { database } from '@/server/platform/db/client.ts'

export interface QueueCounts {
  readonly waiting: readonly { readonly task: string; readonly count: number }[]
  /** Seconds since the oldest waiting job was due; 0: none waits. */
  readonly oldestSeconds: number
  readonly failed: number
}

export async function readQueueCounts(): Promise<QueueCounts> {
  const { rows } = await database().pool.query<{
    task: string
    waiting: number
    failed: number
    oldest: number | null
  }>(
    `SELECT task_identifier AS task,
       count(*) FILTER (WHERE attempts < max_attempts AND locked_at IS NULL AND run_at <= now())::int AS waiting,
       count(*) FILTER (WHERE attempts >= max_attempts AND locked_at IS NULL)::int AS failed,
       (extract(epoch FROM now() - min(run_at) FILTER (WHERE attempts < max_attempts AND locked_at IS NULL AND run_at <= now())))::float8 AS oldest
     FROM graphile_worker.jobs GROUP BY task_identifier`,
  )
  return {
    waiting: rows.map(({ task, waiting: count }) => ({ task, count })),
    oldestSeconds: Math.max(0, ...rows.map(({ oldest }) => oldest ?? 0)),
    failed: rows.reduce((sum, { failed }) => sum + failed, 0),
  }
}

export interface RuntimeCounts {
  readonly connected: number
  readonly stale: number
  readonly disconnected: number
  readonly stopped: number
  readonly rejecting: number
  readonly spooled: number
}

/** `staleMs`, `goneMs`: silence after which a runtime counts as stale, and as disconnected. */
export async function readRuntimeCounts(limits: {
  readonly staleMs: number
  readonly goneMs: number
}): Promise<RuntimeCounts> {
  const { rows } = await database().pool.query<RuntimeCounts & Record<string, unknown>>(
    `WITH seen AS (
       SELECT stopped_at IS NOT NULL AS is_stopped, rejected_revision IS NOT NULL AS is_rejecting, spooled_events,
         extract(epoch FROM now() - last_seen_at) * 1000 AS silent
       FROM runtimes
     )
     SELECT count(*) FILTER (WHERE NOT is_stopped AND silent <= $1)::int AS connected,
       count(*) FILTER (WHERE NOT is_stopped AND silent > $1 AND silent <= $2)::int AS stale,
       count(*) FILTER (WHERE NOT is_stopped AND silent > $2)::int AS disconnected,
       count(*) FILTER (WHERE is_stopped)::int AS stopped,
       count(*) FILTER (WHERE NOT is_stopped AND silent <= $1 AND is_rejecting)::int AS rejecting,
       coalesce(sum(spooled_events) FILTER (WHERE NOT is_stopped AND silent <= $1), 0)::int AS spooled
     FROM seen`,
    [limits.staleMs, limits.goneMs],
  )
  const [counts] = rows
  if (counts === undefined) throw new Error('An aggregate without groups has one row.')
  return counts
}
