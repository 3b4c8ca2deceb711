// Runs one job of the queue library with its handler. Its schema parses the payload, which no error quotes.
import type { JobHelpers, TaskList } from 'graphile-worker'
import { PAYLOADS, type PayloadOf, type TaskName } from '@/server/platform/queue/payloads.ts'
import { TASKS } from './tasks.ts'

export type Lane = (typeof TASKS)[TaskName]['lane']

// The type of TASKS makes its keys exactly the names.
const NAMES = Object.keys(TASKS) as TaskName[]

export function listTasks(lane: Lane): readonly TaskName[] {
  return NAMES.filter((name) => TASKS[name].lane === lane)
}

export function taskList(names: readonly TaskName[]): TaskList {
  return Object.fromEntries(names.map((name) => [name, workOn(name)]))
}

function workOn<Name extends TaskName>(name: Name) {
  return async (payload: unknown, helpers: JobHelpers): Promise<void> => {
    const { attempts, max_attempts } = helpers.job
    const read = PAYLOADS[name].safeParse(payload)
    if (!read.success) throw new Error(`The payload of a job "${name}" cannot be read.`)
    const { abortSignal: signal } = helpers
    const ended = new AbortController()
    const run = { signal, attempt: attempts, isLastAttempt: attempts >= max_attempts }
    try {
      // The schema under `name` made it; TypeScript cannot follow an index of a generic name through safeParse.
      const data = read.data as PayloadOf<Name>
      await Promise.race([TASKS[name].run(data, run), leftBehind(signal, ended.signal)])
    } finally {
      ended.abort()
    }
  }
}

/** Time that a handler has to end when the server stops. Then its job is returned to the queue and retried. */
const LET_FINISH_MS = 4_000

/** Rejects LET_FINISH_MS after `stopping`; never settles if `ended` comes first. */
function leftBehind(stopping: AbortSignal, ended: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onStop = (): void => {
      const late = setTimeout(() => {
        reject(new Error('The server stopped before the job was done.'))
      }, LET_FINISH_MS)
      ended.addEventListener('abort', () => clearTimeout(late), { once: true })
    }
    stopping.addEventListener('abort', onStop, { once: true, signal: ended })
    if (stopping.aborted) onStop()
  })
}
