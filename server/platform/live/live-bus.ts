// One LISTEN connection per process fans out in memory, and all replicas receive the same notifications.

import { setTimeout as sleep } from 'node:timers/promises'
import { registerReset } from '../base/process-memory.ts'
import type { SqlTx } from '../db/sql-transaction.ts'
import type { Tx } from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { writeTogether } from '../write-together.ts'
import type { ChangeKind, ChangeNotification } from './change-notification.ts'
import { createNotificationQueue, keepNewest } from './notification-queue.ts'
import {
  listen,
  sendNotifications,
  sendNotificationsAlone,
  sendNotificationsBySql,
} from './notifications.sql.ts'

type Deliver = (notification: ChangeNotification) => void

interface Bus {
  readonly subscribers: Map<string, Set<Deliver>>
  readonly stop: () => void
}

// Kept on globalThis because Next may load this module once per bundle. The cast only adds an optional property of our own name.
const holder = globalThis as { signalboxBus?: Bus }

/** Sends the notification when the transaction commits. */
export async function notify(tx: Tx, notification: ChangeNotification): Promise<void> {
  await sendNotifications(tx, [JSON.stringify(notification)])
}

export async function notifyBySql(
  sql: SqlTx,
  notifications: readonly ChangeNotification[],
): Promise<void> {
  if (notifications.length === 0) return
  await sendNotificationsBySql(
    sql,
    notifications.map((notification) => JSON.stringify(notification)),
  )
}

/** Shortest time between two notifying transactions of `notifySoon`, in milliseconds. */
const REST_MS = 20
const ATTEMPTS_MS = [0, 100, 500]

const createGatherer = () =>
  writeTogether<ChangeNotification, null>({
    selectKeys: () => [],
    most: 2_000,
    restMs: REST_MS,
    isOnesFault: () => false,
    async write(notifications) {
      const newest = new Map<string, ChangeNotification>()
      for (const one of notifications) keepNewest(newest, one)
      await sendRepeatedly([...newest.values()].map((one) => JSON.stringify(one)))
      return notifications.map(() => null)
    },
  })

let gather = createGatherer()
// A statement of a database that was closed meanwhile never ends.
registerReset(() => {
  gather = createGatherer()
})

/** Gives up at last: the connection that listens was lost too, so every page reads again when it is back. */
async function sendRepeatedly(payloads: readonly string[]): Promise<void> {
  for (const pause of ATTEMPTS_MS) {
    await sleep(pause, undefined, { ref: false })
    const isSent = await sendNotificationsAlone(payloads).then(
      () => true,
      () => false,
    )
    if (isSent) return
  }
}

/** Sends them within some milliseconds, together with others. Call only after the commit of the change. Costs the caller nothing. */
export function notifySoon(notifications: readonly ChangeNotification[]): void {
  for (const one of notifications) void gather(one)
}

function isNotification(value: unknown): value is ChangeNotification {
  return (
    typeof value === 'object' &&
    value !== null &&
    'project' in value &&
    typeof value.project === 'string' &&
    'kind' in value &&
    typeof value.kind === 'string'
  )
}

function parseNotification(payload: string): ChangeNotification | null {
  try {
    const value: unknown = JSON.parse(payload)
    return isNotification(value) ? value : null
  } catch {
    // Ignores payloads of other programs on our channel.
    return null
  }
}

const EVERY_KIND: readonly ChangeKind[] = [
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
  'stream',
]

function start(): Bus {
  const subscribers = new Map<string, Set<Deliver>>()
  const publish = (notification: ChangeNotification): void => {
    for (const deliver of subscribers.get(notification.project) ?? []) deliver(notification)
  }
  const stop = listen({
    onPayload: (payload) => {
      const notification = parseNotification(payload)
      if (notification !== null) publish(notification)
    },
    onConnect: () => {
      for (const project of subscribers.keys()) {
        for (const kind of EVERY_KIND) publish({ project, kind })
      }
    },
  })
  return { subscribers, stop }
}

registerReset(() => {
  holder.signalboxBus?.stop()
  delete holder.signalboxBus
})

function bus(): Bus {
  holder.signalboxBus ??= start()
  return holder.signalboxBus
}

export function onNotification(projectId: AuthorizedProjectId, deliver: Deliver): () => void {
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

/** Resolves after `ms` (null: never) or when woken. */
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
 * The first notification about an object is sent immediately; further ones about the same (kind, id) are merged into the newest, at least
 * 100 ms apart. After each reconnect to the database, one notification without an id is sent for every kind.
 */
export async function* subscribe(
  projectId: AuthorizedProjectId,
  signal: AbortSignal,
): AsyncGenerator<ChangeNotification> {
  const queue = createNotificationQueue()
  let rest = nap(0)
  const stop = onNotification(projectId, (notification) => {
    queue.put(notification)
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
