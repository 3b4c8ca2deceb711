// Every process that runs jobs holds an advisory lock while it lives, so that the jobs of a dead one can be recognized and restarted.
import 'server-only'
import type pg from 'pg'
import { directUrl } from '../db/client.ts'
import { createClient, createPool } from '../db/connection.ts'
import { reader, type Tx } from '../db/transaction.ts'

export interface NewJob {
  readonly task: string
  readonly payload: string
  /** Epoch ms; null: as soon as a worker is free. */
  readonly runAt: number | null
  /** A waiting job with the same key is replaced. Null: every call adds a job. */
  readonly key: string | null
  /** Jobs of one queue run one after another, on whichever replica. Null: it waits for no other job. */
  readonly queue: string | null
  readonly maxAttempts: number
  /** Smaller numbers start first. */
  readonly priority: number
}

/** Workers are notified and see the job when the transaction commits. */
export async function insertJob(tx: Tx, job: NewJob): Promise<void> {
  const { task, payload, key, queue, maxAttempts, priority } = job
  const runAt = job.runAt === null ? null : new Date(job.runAt)
  await tx.$executeRaw`
    SELECT 1 FROM graphile_worker.add_job(identifier => ${task}, payload => ${payload}::json, run_at => ${runAt}::timestamptz,
      max_attempts => ${maxAttempts}::int, job_key => ${key}, queue_name => ${queue}, priority => ${priority}::int)`
}

/** Removes a waiting job. A running one continues but is not retried; it must see from the data that no work is left. */
export async function removeJob(tx: Tx, key: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM graphile_worker.remove_job(${key})`
}

/** Deletes jobs that failed permanently before `before` (epoch ms). Returns their number. */
export async function deleteFailedJobs(before: number): Promise<number> {
  return await reader().$executeRaw`
    DELETE FROM graphile_worker._private_jobs
    WHERE attempts >= max_attempts AND locked_at IS NULL AND updated_at < ${new Date(before)}`
}

const PRESENCE = "hashtextextended('signalbox job worker ' || $1, 0)"

/** Releases jobs whose `locked_by` has no live presence: their process is gone. */
const RELEASE = `WITH holders AS MATERIALIZED (
  SELECT DISTINCT locked_by FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL
), gone AS MATERIALIZED (
  SELECT locked_by FROM holders
  WHERE pg_try_advisory_xact_lock(hashtextextended('signalbox job worker ' || locked_by, 0))
)
SELECT graphile_worker.force_unlock_workers(array_agg(locked_by)) FROM gone HAVING count(*) > 0`

export interface JobConnections {
  /** For the worker library: one connection for each listening lane, and some that take and finish jobs. */
  readonly pool: pg.Pool
  /** Resolves once other processes can see that this worker lives. Await it before the worker's first job. */
  readonly showPresence: (worker: string) => Promise<void>
  readonly releaseDead: () => Promise<void>
  /** Resolves when the presence is lost, after which others may start the same jobs. */
  readonly lost: Promise<void>
  /** Returns the jobs that this process had started. Call only after its workers have stopped. */
  readonly close: () => Promise<void>
}

/** Rejects if the database cannot be reached. */
export async function openJobConnections(): Promise<JobConnections> {
  const connectionString = directUrl()
  const presence = createClient(connectionString)
  let onLost = (): void => undefined
  const lost = new Promise<void>((resolve) => {
    onLost = resolve
  })
  presence.on('error', onLost)
  presence.on('end', onLost)
  await presence.connect()
  const pool = createPool({ connectionString, max: 6 })
  // Each lane locks once, one after another, because its workers call this at the same time.
  const shown = new Map<string, Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()
  return {
    pool,
    lost,
    async showPresence(worker) {
      const lock = `SELECT pg_advisory_lock(${PRESENCE})`
      const known = shown.get(worker) ?? last.then(() => presence.query(lock, [worker]))
      if (!shown.has(worker)) last = known
      shown.set(worker, known)
      await known
    },
    // Uses another connection than the presence, because a session's own locks never block it.
    async releaseDead() {
      await pool.query(RELEASE)
    },
    async close() {
      // The library returns jobs, too, but does not wait for it.
      const workers = [...shown.keys()]
      await pool.query('SELECT graphile_worker.force_unlock_workers($1)', [workers]).catch(onLost)
      await Promise.allSettled([presence.end(), pool.end()])
    },
  }
}
