// Lanes: a job with a due time never waits for slow jobs or for a third-party server. After an outage of the database, all restart.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, parseCronItems, type Runner, type RunnerOptions, run } from 'graphile-worker'
import { env } from '@/server/platform/base/env.ts'
import { logger } from '@/server/platform/observability/log.mjs'
import { type JobConnections, openJobConnections } from '@/server/platform/queue/jobs.sql.ts'
import { TASKS } from './tasks.ts'
import { type Lane, listTasks, taskList } from './work.ts'

const HOUR_MS = 3_600_000

/** Workers are notified of new jobs; polling finds delayed jobs that have become due. */
const POLL_MS = 10_000
/** Delay before another replica takes over the jobs of a killed one. At a start there is none. */
const RELEASE_MS = 30_000
const AGAIN_MS = 2_000
const LONGEST_LINE = 300

/** Concurrent jobs per lane in this process. One unresponsive receiver does not delay the next message; several do. */
const AT_A_TIME: Readonly<Record<Lane, number>> = { quick: 1, long: 1, messages: 4 }

/** Logs only the first line of the error, because the rest may quote data. */
function report(what: string): void {
  const cause = what.trim().split('\n')[0]?.slice(0, LONGEST_LINE) ?? ''
  logger.error({ cause }, 'a job failed')
}

const workerLogger = new Logger(() => (level, message) => {
  if (level === 'error' || level === 'warning') report(message)
})

interface Jobs {
  readonly stop: () => Promise<void>
}

// Kept on globalThis because Next's dev server reloads modules after each change. The cast only adds an optional property of our own name.
const holder = globalThis as { signalboxJobs?: Jobs }

/** Does nothing when SIGNALBOX_JOBS is off. Never rejects: it retries until a signal stops it. */
export function startJobs(): void {
  if (env().SIGNALBOX_JOBS === 'off') return
  holder.signalboxJobs ??= begin()
}

/** Resolves when no job runs here. Interrupted jobs run again, here or on another replica. */
export async function stopJobs(): Promise<void> {
  const jobs = holder.signalboxJobs
  delete holder.signalboxJobs
  await jobs?.stop()
}

function begin(): Jobs {
  const stopping = new AbortController()
  // Next's own handlers run too and end the process once its requests are answered.
  const onSignal = (): void => stopping.abort()
  process.once('SIGTERM', onSignal).once('SIGINT', onSignal)
  const stopped = keepWorking(stopping.signal)
  return {
    async stop() {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal)
      stopping.abort()
      await stopped
    },
  }
}

async function keepWorking(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work(signal).catch((error: unknown) => report(String(error)))
    await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Resolves when `signal` has aborted or the database was lost. Rejects when the database cannot be reached. */
async function work(signal: AbortSignal): Promise<void> {
  const connections = await openJobConnections()
  // Ends the wait for the stop, which would otherwise leave a listener after each outage.
  const over = new AbortController()
  const runners: Runner[] = []
  const releasing = setInterval(() => {
    connections.releaseDead().catch((error: unknown) => report(String(error)))
  }, RELEASE_MS).unref()
  try {
    await connections.releaseDead()
    for (const lane of ['quick', 'long', 'messages'] as const)
      runners.push(await run(toRunnerOptions(lane, connections)))
    const ended = runners.map(({ promise }) => promise)
    if (signal.aborted) return
    const stopped = once(signal, 'abort', { signal: over.signal })
    await Promise.race([stopped, connections.lost, ...ended])
  } finally {
    over.abort()
    clearInterval(releasing)
    await Promise.all(runners.map(stopRunner))
    await connections.close()
  }
}

/**
 * A time that passed this recently while no server ran is made up for at the next start, as it must be on a machine that is off at night: a day
 * for a daily time, an hour for an hourly one. Others come again within minutes.
 */
function madeUpForMs(recurs: string): number {
  const [minute = '', hour] = recurs.split(' ')
  if (!/^\d+$/.test(minute)) return 0
  return hour === '*' ? HOUR_MS : 24 * HOUR_MS
}

function toRunnerOptions(lane: Lane, connections: JobConnections): RunnerOptions {
  const names = listTasks(lane)
  const recurring = names.flatMap((task) => {
    const { recurs: match } = TASKS[task]
    if (match === null) return []
    return [{ task, match, options: { backfillPeriod: madeUpForMs(match) } }]
  })
  return {
    pgPool: connections.pool,
    logger: workerLogger,
    noHandleSignals: true,
    concurrency: AT_A_TIME[lane],
    pollInterval: POLL_MS,
    gracefulShutdownAbortTimeout: 1,
    taskList: taskList(names),
    parsedCronItems: parseCronItems(recurring),
    preset: {
      plugins: [
        {
          name: 'SignalboxPresence',
          version: '1.0.0',
          worker: {
            hooks: {
              // Jobs are locked under the pool's id, and a worker's first job waits for this.
              startWorker: (_context, { worker }) => connections.showPresence(worker.workerPool.id),
            },
          },
        },
      ],
    },
  }
}

async function stopRunner(runner: Runner): Promise<void> {
  // A runner that ended on its own has reported the reason.
  await Promise.allSettled([runner.stop(), runner.promise])
}
