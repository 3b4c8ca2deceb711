// Callbacks should read the data again and must not expect one notification per change.
'use client'

import { useEffect, useEffectEvent } from 'react'
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'
import { browserHub } from './browser-hub.ts'
import { isAbout, type LiveSignal, type NotificationFilter } from './signal.ts'

/** Filters; a notification must pass one of them. */
export type Wanted = NotificationFilter | readonly NotificationFilter[]

/** `callback` receives the notification; null: a (re)connect, so everything on the page must be read again. */
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
