// A busy session notifies a browser ten times a second and not a thousand times. Pure: the time is an argument.
import type { ChangeNotification } from './change-notification.ts'

const COALESCE_MS = 100

/** By project, kind and id, the notification with the highest `seq`: they may arrive in another order than their changes. */
export function keepNewest(
  waiting: Map<string, ChangeNotification>,
  notification: ChangeNotification,
): void {
  const { project, kind, id = '', seq = 0 } = notification
  const key = `${project} ${kind}:${id}`
  if (seq >= (waiting.get(key)?.seq ?? 0)) waiting.set(key, notification)
}

export interface NotificationQueue {
  /** Replaces the waiting notification about the same object, unless that has a higher `seq`. */
  put(notification: ChangeNotification): void
  take(now: number): readonly ChangeNotification[]
  /** Time at which the next waiting notification may be sent, epoch ms; null: none waits. */
  nextAt(): number | null
}

export function createNotificationQueue(): NotificationQueue {
  const waiting = new Map<string, ChangeNotification>()
  const sentAt = new Map<string, number>()
  const dueAt = (key: string): number => (sentAt.get(key) ?? 0) + COALESCE_MS
  return {
    put(notification) {
      keepNewest(waiting, notification)
    },
    take(now) {
      for (const key of sentAt.keys()) if (dueAt(key) <= now) sentAt.delete(key)
      const due = [...waiting].filter(([key]) => dueAt(key) <= now)
      for (const [key] of due) {
        waiting.delete(key)
        sentAt.set(key, now)
      }
      return due.map(([, notification]) => notification)
    },
    nextAt() {
      if (waiting.size === 0) return null
      return Math.min(...[...waiting.keys()].map(dueAt))
    },
  }
}
