'use client'

import { useSyncExternalStore } from 'react'
import { browserHub } from './browser-hub.ts'
import { type Connection, LIVE } from './signal.ts'

const onConnection = (changed: () => void): (() => void) => browserHub().onConnection(changed)

export function useConnectionState(): Connection {
  return useSyncExternalStore(
    onConnection,
    () => browserHub().connection(),
    () => LIVE,
  )
}
