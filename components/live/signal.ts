// Signals of the live channel to a page: "this changed, read it again", or "you may have missed something, read everything that you show".
// Neither carries data.
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'

export type LiveSignal =
  | { readonly kind: 'notification'; readonly notification: ChangeNotification }
  /** After a (re)connect: notifications may have been missed. */
  | { readonly kind: 'resync' }

export interface Connection {
  readonly state: 'live' | 'reconnecting' | 'offline'
  /** Epoch ms since nothing has been received; null: it is live. */
  readonly since: number | null
}

export const LIVE: Connection = { state: 'live', since: null }

export interface NotificationFilter {
  readonly kind: ChangeNotification['kind']
  /** Absent: all of the kind. */
  readonly id?: string
}

/** A notification without id is about any of its kind. */
export function isAbout(notification: ChangeNotification, filter: NotificationFilter): boolean {
  if (notification.kind !== filter.kind) return false
  return filter.id === undefined || notification.id === undefined || notification.id === filter.id
}
