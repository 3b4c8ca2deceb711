// Jobs in tests: works off what is enqueued and due, in this process, with the handlers of the product.
import { Logger, runOnce } from 'graphile-worker'
import { env } from '../env.ts'
import type { TaskName } from '../jobs/payloads.ts'
import { TASKS } from '../jobs/tasks.ts'
import { taskList } from '../jobs/work.ts'

/** Resolves when no job is due any more. Failed ones are put off by the library, so they are not tried again here. */
export async function workOffJobs(): Promise<void> {
  await runOnce({
    connectionString: env().DATABASE_URL,
    // The keys of TASKS are exactly the names: its type says so.
    taskList: taskList(Object.keys(TASKS) as TaskName[]),
    noHandleSignals: true,
    parsedCronItems: [],
    logger: new Logger(() => () => undefined),
  })
}
