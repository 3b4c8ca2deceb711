// The page's hub. Made at first use in the browser; on the server it hears nothing.
'use client'

import { createHub, type LiveHub } from './hub.ts'

let hub: LiveHub | undefined

export function browserHub(): LiveHub {
  hub ??= createHub(
    typeof window === 'undefined' || typeof BroadcastChannel === 'undefined'
      ? null
      : new BroadcastChannel('signalbox-live'),
  )
  return hub
}
