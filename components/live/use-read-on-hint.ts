// Reads something again whenever a hint says that it changed: one read at a time, and one more when hints came meanwhile. A read that
// every hint begins anew would never end on a busy session.
'use client'

import { useCallback, useEffect, useRef } from 'react'
import type { HintFilter } from './signal.ts'
import { useHints } from './use-hints.ts'

/** Two reads begin at least this far apart. */
const EVERY_MS = 250

/** `read` resolves when the answer is there, or is known to have failed. A hidden tab reads when it is seen again. */
export function useReadOnHint(filter: HintFilter, read: () => Promise<unknown>): void {
  const state = useRef({ isBusy: false, isAgain: false })
  const newest = useRef(read)
  useEffect(() => {
    newest.current = read
  }, [read])
  const run = useCallback(async (): Promise<void> => {
    if (state.current.isBusy) return
    state.current.isBusy = true
    while (state.current.isAgain && !document.hidden) {
      state.current.isAgain = false
      const pause = new Promise((resolve) => setTimeout(resolve, EVERY_MS))
      await newest.current().catch(() => undefined)
      await pause
    }
    state.current.isBusy = false
  }, [])
  useEffect(() => {
    const show = (): void => void run()
    document.addEventListener('visibilitychange', show)
    return () => document.removeEventListener('visibilitychange', show)
  }, [run])
  useHints(filter, () => {
    state.current.isAgain = true
    void run()
  })
}
