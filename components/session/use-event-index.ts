// The events that the page holds, kept complete: loaded in pages, then in deltas after every hint, with gaps asked for again
// until they are filled. At most one request is under way.
'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import { useHints } from '@/components/live/use-hints.ts'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { contiguousEnd, mergeEntries } from './event-log.ts'
import type { IndexEntry } from './session-rows.ts'

const PAGE = 5_000
/** New events are shown at most this often. */
const PULL_EVERY_MS = 100

export interface EventIndex {
  readonly entries: readonly IndexEntry[]
  /** True once everything that was stored when the page opened is here. */
  readonly isLoaded: boolean
  readonly error: string | null
  readonly retry: () => void
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The events could not be loaded.'
}

interface Pulling {
  end: number
  isBusy: boolean
  isAgain: boolean
}

/** `first`: the page that came with the document. */
export function useEventIndex(sessionId: string, first: readonly IndexEntry[]): EventIndex {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [entries, add] = useReducer(mergeEntries, first)
  const [isLoaded, setLoaded] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const pulling = useRef<Pulling>({ end: 0, isBusy: false, isAgain: false })
  useEffect(() => {
    pulling.current.end = contiguousEnd(entries)
  }, [entries])

  const readOn = useCallback(async (): Promise<void> => {
    let afterSeq = pulling.current.end
    for (;;) {
      const page = await client.fetchQuery(
        trpc.sessions.index.queryOptions({ sessionId, afterSeq }, { staleTime: 0, gcTime: 0 }),
      )
      add(page)
      afterSeq = page.at(-1)?.[0] ?? afterSeq
      if (page.length < PAGE) return
    }
  }, [client, sessionId, trpc])

  const pull = useCallback(async (): Promise<void> => {
    const state = pulling.current
    state.isAgain = true
    if (state.isBusy) return
    state.isBusy = true
    try {
      while (state.isAgain) {
        state.isAgain = false
        await readOn()
        setLoaded(true)
        setError(null)
        await new Promise((resolve) => setTimeout(resolve, PULL_EVERY_MS))
      }
    } catch (failure) {
      setError(messageOf(failure))
    } finally {
      state.isBusy = false
    }
  }, [readOn])

  useEffect(() => {
    void pull()
  }, [pull])
  useHints({ kind: 'session', id: sessionId }, () => void pull())
  return { entries, isLoaded, error, retry: () => void pull() }
}
