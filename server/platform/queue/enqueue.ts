// Adds jobs in the caller's transaction: a job that is not committed does not run, and a committed one is never lost.

import type { Tx } from '../db/transaction.ts'
import { insertJob } from './jobs.sql.ts'
import { PAYLOADS, type PayloadOf, type TaskName } from './payloads.ts'

/** With the library's back-off (e^attempt seconds, e^10 at most), the last attempt is about two days after the first. */
const MAX_ATTEMPTS = 18

export interface NewTask<Name extends TaskName> {
  readonly task: Name
  readonly payload: PayloadOf<Name>
  /** Epoch ms; the job may start up to 10 seconds later. Absent: immediately. */
  readonly runAt?: number
  /** A waiting job with the same key is replaced; a running one is not interrupted. Absent: every call adds a job. */
  readonly key?: string
  /** Jobs of one queue run one after another. Absent: it waits for no other job. */
  readonly queue?: string
  readonly maxAttempts?: number
  /** Jobs with a smaller number start first. Absent: 0. */
  readonly priority?: number
}

/** The job starts after the commit and runs at least once, so its handler must be able to run again after a crash. */
export async function enqueue<Name extends TaskName>(tx: Tx, job: NewTask<Name>): Promise<void> {
  const { task, payload, runAt = null, key = null, queue = null, priority = 0 } = job
  const { maxAttempts = MAX_ATTEMPTS } = job
  const text = JSON.stringify(PAYLOADS[task].parse(payload))
  await insertJob(tx, { task, payload: text, runAt, key, queue, maxAttempts, priority })
}
