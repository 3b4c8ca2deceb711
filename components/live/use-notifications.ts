// Live notifications for a component. A callback reads the data again; it must not assume one notification per change.
'use client'

import { useEffect, useEffectEvent } from 'react'
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'
import { browserHub } from './browser-hub.ts'
import { isAbout, type LiveSignal, type NotificationFilter } from './signal.ts'

/** Subscribes to notifications that pass one of the filters. */
export type Wanted = NotificationFilter | readonly NotificationFilter[]

/** `callback` gets the notification, or null after a (re)connect, when everything shown should be read again. */
export function useNotifications(
  wanted: Wanted,
  callback: (notification: ChangeNotification | null) => void,
): void {
  const hear = useEffectEvent((signal: LiveSignal) => {
    if (signal.kind === 'resync') callback(null)
    else if ([wanted].flat().some((filter) => isAbout(signal.notification, filter)))
      callback(signal.notification)
  })
  useEffect(() => browserHub().listen((signal) => hear(signal)), [])
}
