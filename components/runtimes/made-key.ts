'use client'
// The server shows the key once, so the page keeps it until it is left. In memory only.
import { useEffect, useSyncExternalStore } from 'react'

export interface MadeKey {
  readonly id: string
  readonly secret: string
  readonly environment: string
  /** Epoch ms by the clock of the browser. */
  readonly madeAt: number
}

let made: MadeKey | null = null
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Null: removes the key. */
export function keepMadeKey(key: MadeKey | null): void {
  made = key
  for (const listener of listeners) listener()
}

export function useMadeKey(): MadeKey | null {
  return useSyncExternalStore(
    subscribe,
    () => made,
    () => null,
  )
}

/** Forgets the key when the page is left. */
export function useKeyOfPage(): void {
  useEffect(() => () => keepMadeKey(null), [])
}
