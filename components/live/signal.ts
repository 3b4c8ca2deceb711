// Signals carry no data: the page reads again.
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'

export type LiveSignal =
  | { readonly kind: 'notification'; readonly notification: ChangeNotification }
  /** Sent after each (re)connect: notifications may have been missed. */
  | { readonly kind: 'resync' }

export interface Connection {
  readonly state: 'live' | 'reconnecting' | 'offline'
  /** Time since which nothing was received, epoch ms; null: the connection is live. */
  readonly since: number | null
}

export const LIVE: Connection = { state: 'live', since: null }

export interface NotificationFilter {
  readonly kind: ChangeNotification['kind']
  /** Absent: all objects of the kind. */
  readonly id?: string
}

/** A notification without an id may concern any object of its kind. */
export function isAbout(notification: ChangeNotification, filter: NotificationFilter): boolean {
  if (notification.kind !== filter.kind) return false
  return filter.id === undefined || notification.id === undefined || notification.id === filter.id
}
