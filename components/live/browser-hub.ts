// The page's hub, one for each project. Created at first use in the browser; on the server it receives nothing.
'use client'

import { createHub, type LiveHub } from './hub.ts'

let hub: LiveHub | undefined

/** Tabs of one project share a connection; those of another project have their own. */
export function liveName(): string {
  return `signalbox-live ${document.documentElement.dataset['project'] ?? ''}`
}

export function browserHub(): LiveHub {
  hub ??= createHub(
    typeof window === 'undefined' || typeof BroadcastChannel === 'undefined'
      ? null
      : new BroadcastChannel(liveName()),
  )
  return hub
}
