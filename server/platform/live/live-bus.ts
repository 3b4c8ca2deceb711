// Live hints: "something changed, read it again". One LISTEN connection per process fans out in memory; any number of
// web replicas hear the same hints. A hint carries no data, so that a missed one costs a refetch and never a wrong screen.

import type { SqlTx } from '../db/sql-transaction.ts'
import type { Tx } from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { onForget } from '../process-memory.ts'
import type { Hint, HintKind } from './hint.ts'
import { createHintQueue } from './hint-queue.ts'
import { listen, sendNotifications, sendNotificationsBySql } from './notifications.sql.ts'

type Deliver = (hint: Hint) => void

interface Bus {
  readonly subscribers: Map<string, Set<Deliver>>
  readonly stop: () => void
}

// Kept on globalThis because Next may load this module once per bundle, and there must be one connection. The cast only
// adds an optional property of our own name.
const holder = globalThis as { signalboxBus?: Bus }

/** Sends the hint when the transaction commits. */
export async function notify(tx: Tx, hint: Hint): Promise<void> {
  await sendNotifications(tx, [JSON.stringify(hint)])
}

/** The same for many hints on the ingest path's connection. */
export async function notifyBySql(sql: SqlTx, hints: readonly Hint[]): Promise<void> {
  if (hints.length === 0) return
  await sendNotificationsBySql(
    sql,
    hints.map((hint) => JSON.stringify(hint)),
  )
}

function isHint(value: unknown): value is Hint {
  return (
    typeof value === 'object' &&
    value !== null &&
    'project' in value &&
    typeof value.project === 'string' &&
    'kind' in value &&
    typeof value.kind === 'string'
  )
}

function parseHint(payload: string): Hint | null {
  try {
    const value: unknown = JSON.parse(payload)
    return isHint(value) ? value : null
  } catch {
    // Somebody else's payload on our channel is not ours to interpret.
    return null
  }
}

const EVERY_KIND: readonly HintKind[] = [
  'session',
  'alert',
  'annotation',
  'view',
  'approval',
  'config',
  'presence',
  'runtime',
  'release',
  'backtest',
]

function start(): Bus {
  const subscribers = new Map<string, Set<Deliver>>()
  const publish = (hint: Hint): void => {
    for (const deliver of subscribers.get(hint.project) ?? []) deliver(hint)
  }
  const stop = listen({
    onPayload: (payload) => {
      const hint = parseHint(payload)
      if (hint !== null) publish(hint)
    },
    onConnect: () => {
      for (const project of subscribers.keys()) {
        for (const kind of EVERY_KIND) publish({ project, kind })
      }
    },
  })
  return { subscribers, stop }
}

onForget(() => {
  holder.signalboxBus?.stop()
  delete holder.signalboxBus
})

function bus(): Bus {
  holder.signalboxBus ??= start()
  return holder.signalboxBus
}

/** Calls `deliver` for every change notification of the project. Returns a function that unsubscribes. */
export function onHint(projectId: AuthorizedProjectId, deliver: Deliver): () => void {
  const { subscribers } = bus()
  const set = subscribers.get(projectId) ?? new Set()
  subscribers.set(projectId, set.add(deliver))
  return () => {
    set.delete(deliver)
    if (set.size === 0 && subscribers.get(projectId) === set) subscribers.delete(projectId)
  }
}

interface Nap {
  readonly done: Promise<void>
  readonly wake: () => void
}

/** Resolves after `ms` (null: never by itself) or when woken. */
function nap(ms: number | null): Nap {
  let wake = (): void => undefined
  const done = new Promise<void>((resolve) => {
    const timer = ms === null ? undefined : setTimeout(resolve, ms)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
  return { done, wake }
}

/**
 * Hints of one project until `signal` aborts. The first hint about a thing comes at once; further ones about the same
 * (kind, id) are merged into the newest and come 100 ms apart or more. After a reconnect to the database one hint without
 * id is given for every kind.
 */
export async function* subscribe(
  projectId: AuthorizedProjectId,
  signal: AbortSignal,
): AsyncGenerator<Hint> {
  const queue = createHintQueue()
  let rest = nap(0)
  const stop = onHint(projectId, (hint) => {
    queue.put(hint)
    rest.wake()
  })
  const onAbort = (): void => rest.wake()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    while (!signal.aborted) {
      yield* queue.take(Date.now())
      const next = queue.nextAt()
      rest = nap(next === null ? null : Math.max(0, next - Date.now()))
      if (!signal.aborted) await rest.done
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    stop()
    rest.wake()
  }
}
