'use client'

import { useCallback, useRef } from 'react'
import { ALONE } from '@/components/trpc/trpc-client.ts'
import { useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { LoadTimeline, Timeline } from './timeline.ts'

/** Not batched: a batch is sent only after the next frame. */
const AT_ONCE = { context: ALONE }

export function useTimeline(sessionId: string): LoadTimeline {
  const client = useTRPCClient()
  const loaded = useRef<Promise<Timeline> | null>(null)
  return useCallback(() => {
    const load = async (): Promise<Timeline> => {
      const { LAZY_STATE } = await import('./lazy-state.ts')
      return new LAZY_STATE.Timeline(sessionId, {
        fold: (seq, events) => client.sessions.fold.query({ sessionId, seq, ...events }, AT_ONCE),
        events: (afterSeq, events) =>
          client.sessions.foldEvents.query({ sessionId, afterSeq, ...events }, AT_ONCE),
        config: (digest) => client.sessions.foldConfig.query({ sessionId, digest }),
      })
    }
    if (loaded.current === null) {
      loaded.current = load()
      // Lets the next request try again.
      loaded.current.catch(() => {
        loaded.current = null
      })
    }
    return loaded.current
  }, [client, sessionId])
}
