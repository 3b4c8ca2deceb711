import { Logger, runOnce } from 'graphile-worker'
import { vi } from 'vitest'
import { TASKS } from '@/server/jobs/tasks.ts'
import { taskList } from '@/server/jobs/work.ts'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import type { TaskName } from '@/server/platform/queue/payloads.ts'

const HELD = 'SELECT 1 FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL'

/** Resolves when no job is due any more, and all are noted as done or failed. Failed ones are put off by the library, so they are not tried again here. */
export async function workOffJobs(): Promise<void> {
  await runOnce({
    connectionString: env().DATABASE_URL,
    // The keys of TASKS are exactly the names, by its type.
    taskList: taskList(Object.keys(TASKS) as TaskName[]),
    noHandleSignals: true,
    parsedCronItems: [],
    logger: new Logger(() => () => undefined),
  })
  // The library records the last result shortly after it reports that all jobs are done.
  const isNoted = async () => (await database().pool.query(HELD)).rowCount === 0
  await vi.waitUntil(isNoted, { timeout: 20_000, interval: 10 })
}
