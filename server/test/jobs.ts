// Jobs in tests: works off what is enqueued and due, in this process, with the handlers of the product.
import { Logger, runOnce } from 'graphile-worker'
import { vi } from 'vitest'
import { database } from '../db/client.ts'
import { env } from '../env.ts'
import type { TaskName } from '../jobs/payloads.ts'
import { TASKS } from '../jobs/tasks.ts'
import { taskList } from '../jobs/work.ts'

const HELD = 'SELECT 1 FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL'

/** Resolves when no job is due any more, and all are noted as done or failed. Failed ones are put off by the library, so they are not tried again here. */
export async function workOffJobs(): Promise<void> {
  await runOnce({
    connectionString: env().DATABASE_URL,
    // The keys of TASKS are exactly the names: its type says so.
    taskList: taskList(Object.keys(TASKS) as TaskName[]),
    noHandleSignals: true,
    parsedCronItems: [],
    logger: new Logger(() => () => undefined),
  })
  // The library notes the last result a moment after it said that all is worked off.
  const isNoted = async () => (await database().pool.query(HELD)).rowCount === 0
  await vi.waitUntil(isNoted, { timeout: 20_000, interval: 10 })
}
