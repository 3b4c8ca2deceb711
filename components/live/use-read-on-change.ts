// One read at a time: restarting the read at every notification would never finish on a busy session.
'use client'

import { useCallback, useEffect, useRef } from 'react'
import { useNotifications, type Wanted } from './use-notifications.ts'

const EVERY_MS = 250

interface Asked {
  readonly refetch: () => Promise<unknown>
  readonly isLoading: boolean
}

/** A refetch during the first request shares its answer, which may be older than the notification, so it is repeated. */
async function refetchFresh({ refetch, isLoading }: Asked): Promise<void> {
  await refetch()
  if (isLoading) await refetch()
}

/** A hidden tab reads when it becomes visible. Returns a function that reads like a notification does. */
export function useReadOnChange(wanted: Wanted, ...asked: readonly Asked[]): () => void {
  const state = useRef({ isBusy: false, isAgain: false })
  const newest = useRef(asked)
  useEffect(() => {
    newest.current = asked
  })
  const run = useCallback(async (): Promise<void> => {
    if (state.current.isBusy) return
    state.current.isBusy = true
    while (state.current.isAgain && !document.hidden) {
      state.current.isAgain = false
      const pause = new Promise((resolve) => setTimeout(resolve, EVERY_MS))
      // The display of the query shows a failed read.
      await Promise.allSettled(newest.current.map(refetchFresh))
      await pause
    }
    state.current.isBusy = false
  }, [])
  useEffect(() => {
    const show = (): void => void run()
    document.addEventListener('visibilitychange', show)
    return () => document.removeEventListener('visibilitychange', show)
  }, [run])
  const readAgain = useCallback((): void => {
    state.current.isAgain = true
    void run()
  }, [run])
  useNotifications(wanted, readAgain)
  return readAgain
}
