// The job queue's rows and connections: jobs are added and removed inside the caller's transaction, and every process that runs jobs holds
// an advisory lock while it lives, so that the jobs of a dead one can be recognized and started again.
import 'server-only'
import pg from 'pg'
import { directUrl } from '../db/client.ts'
import { reader, type Tx } from '../db/transaction.ts'

export interface NewJob {
  readonly task: string
  /** JSON text. */
  readonly payload: string
  /** Epoch milliseconds; null: as soon as a worker is free. */
  readonly runAt: number | null
  /** A waiting job with the same key is replaced. Null: every call adds one. */
  readonly key: string | null
  readonly maxAttempts: number
}

/** Visible to workers, who are notified at once, when the transaction commits. */
export async function insertJob(tx: Tx, job: NewJob): Promise<void> {
  const { task, payload, key, maxAttempts } = job
  const runAt = job.runAt === null ? null : new Date(job.runAt)
  await tx.$executeRaw`
    SELECT 1 FROM graphile_worker.add_job(identifier => ${task}, payload => ${payload}::json, run_at => ${runAt}::timestamptz,
      max_attempts => ${maxAttempts}::int, job_key => ${key})`
}

/** Takes a waiting job back. One that runs already goes on, but is not repeated: what it finds must tell it that nothing is left to do. */
export async function removeJob(tx: Tx, key: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM graphile_worker.remove_job(${key})`
}

/** Jobs that failed for good before `before` (epoch ms). Returns how many were deleted. */
export async function deleteFailedJobs(before: number): Promise<number> {
  return await reader().$executeRaw`
    DELETE FROM graphile_worker._private_jobs
    WHERE attempts >= max_attempts AND locked_at IS NULL AND updated_at < ${new Date(before)}`
}

const PRESENCE = "hashtextextended('signalbox job worker ' || $1, 0)"

/** Jobs whose `locked_by` has no live presence belong to a process that is gone. */
const RELEASE = `WITH holders AS MATERIALIZED (
  SELECT DISTINCT locked_by FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL
), gone AS MATERIALIZED (
  SELECT locked_by FROM holders
  WHERE pg_try_advisory_xact_lock(hashtextextended('signalbox job worker ' || locked_by, 0))
)
SELECT graphile_worker.force_unlock_workers(array_agg(locked_by)) FROM gone HAVING count(*) > 0`

export interface JobConnections {
  /** The worker library's own: one a lane that listens, and some that take and finish jobs. */
  readonly pool: pg.Pool
  /** Resolves once others can see that this worker lives; must come before its first job. */
  readonly showPresence: (worker: string) => Promise<void>
  /** Frees the jobs that dead workers had begun. */
  readonly releaseDead: () => Promise<void>
  /** Resolves when the presence is lost: then others may begin the same jobs. */
  readonly lost: Promise<void>
  /** Returns the jobs that this process had begun; only after its workers have stopped. */
  readonly close: () => Promise<void>
}

/** Rejects while the database cannot be reached. */
export async function openJobConnections(): Promise<JobConnections> {
  const connectionString = directUrl()
  const presence = new pg.Client({ connectionString, keepAlive: true })
  let onLost = (): void => undefined
  const lost = new Promise<void>((resolve) => {
    onLost = resolve
  })
  presence.on('error', onLost)
  presence.on('end', onLost)
  await presence.connect()
  const pool = new pg.Pool({ connectionString, max: 6 })
  // The next query opens a new connection; the statement of a broken one reports the error by its own rejection.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  // Lock once per lane, one statement after the other: its workers call this at the same time.
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
    // On another connection than the presence: a session is never kept out by its own locks.
    async releaseDead() {
      await pool.query(RELEASE)
    },
    async close() {
      // The library gives jobs back, too, but does not wait for it.
      const workers = [...shown.keys()]
      await pool.query('SELECT graphile_worker.force_unlock_workers($1)', [workers]).catch(onLost)
      await Promise.allSettled([presence.end(), pool.end()])
    },
  }
}
