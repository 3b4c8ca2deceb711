// Created on first use in the browser; on the server it receives nothing.
'use client'

import { createHub, type LiveHub } from './hub.ts'

let hub: LiveHub | undefined

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
