// New events load after each notification, and gaps are requested again until they are filled.
'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useNotifications } from '@/components/live/use-notifications.ts'
import { ALONE } from '@/components/trpc/trpc-client.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { mergeEntries, missingRanges, pieces, type Range } from './event-log.ts'

const PAGE = 5_000
/** Concurrent requests; more would only wait in the browser. */
const MOST_CONCURRENT = 3
/** Most gaps requested at once; further gaps follow with the next reads. */
const MOST_GAPS = 30
const PULL_EVERY_MS = 50
/** Notifications are 100 ms apart, so for this long after a new event the next read does not wait for one. */
const GROWS_MS = 200
/** After this delay, stored events that are not loaded are shown as missing. */
const LATE_AFTER_MS = 300
const RETRY_EVERY_MS = 2_000

export interface EventIndex {
  readonly entries: readonly IndexEntry[]
  readonly loading: readonly Range[]
  /** Stored events after the newest loaded one, if reading them is slow; null: none. */
  readonly tail: Range | null
  /** True: everything that was stored when the page opened is loaded. */
  readonly isLoaded: boolean
  readonly error: string | null
  readonly retry: () => void
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : 'The events could not be loaded.'
}

const NOTHING: readonly Range[] = []

/** Not batched with the requests of header and panes after the same notification, so that visible events need not wait for them. */
const AT_ONCE = { staleTime: 0, gcTime: 0, trpc: { context: ALONE } }

/** `first`: the window in the document; `maxSeq`: newest event known to be stored. */
export function useEventIndex(input: {
  readonly sessionId: string
  readonly first: readonly IndexEntry[]
  readonly maxSeq: number
}): EventIndex {
  const { sessionId, first, maxSeq } = input
  const trpc = useTRPC()
  const client = useQueryClient()
  const [entries, setEntries] = useState(first)
  const [loading, setLoading] = useState(NOTHING)
  const [isLoaded, setLoaded] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const held = useRef(first)
  const end = useRef(maxSeq)
  const [isLate, setLate] = useState(false)
  const pulling = useRef({ isBusy: false, isAgain: false, isUnsure: false, grewAt: 0 })

  const read = useCallback(
    async (afterSeq: number, limit: number): Promise<readonly IndexEntry[]> => {
      const page = await client.fetchQuery(
        trpc.sessions.index.queryOptions({ sessionId, afterSeq, limit }, AT_ONCE),
      )
      held.current = mergeEntries(held.current, page)
      setEntries(held.current)
      return page
    },
    [client, sessionId, trpc],
  )

  const readTail = useCallback(async (): Promise<boolean> => {
    for (let hasGrown = false; ; hasGrown = true) {
      const page = await read(Math.max(held.current.at(-1)?.[0] ?? 0, end.current), PAGE)
      if (page.length < PAGE) return hasGrown || page.length > 0
    }
  }, [read])

  const readGaps = useCallback(async (): Promise<void> => {
    const gaps = pieces(missingRanges(held.current, end.current), PAGE).slice(0, MOST_GAPS)
    if (gaps.length === 0) return
    const waiting = [...gaps]
    const open = new Set(gaps)
    setLoading(gaps)
    const work = async (): Promise<void> => {
      for (let gap = waiting.shift(); gap !== undefined; gap = waiting.shift()) {
        await read(gap.from - 1, gap.to - gap.from + 1)
        open.delete(gap)
        setLoading([...open])
      }
    }
    try {
      await Promise.all(Array.from({ length: MOST_CONCURRENT }, work))
    } finally {
      setLoading(NOTHING)
    }
  }, [read])

  /** Drops all loaded events if the server does not know the newest of them: it was restored from a backup. */
  const check = useCallback(async (): Promise<void> => {
    const newest = held.current.at(-1)?.[0] ?? 0
    if (newest === 0) return
    const page = await client.fetchQuery(
      trpc.sessions.index.queryOptions({ sessionId, afterSeq: newest - 1, limit: 1 }, AT_ONCE),
    )
    if (page.length > 0) return
    held.current = []
    end.current = 0
    setEntries(held.current)
  }, [client, sessionId, trpc])

  const readNews = useCallback(async (): Promise<void> => {
    const state = pulling.current
    state.isAgain = false
    if (state.isUnsure) await check()
    state.isUnsure = false
    const [hasGrown] = await Promise.all([readTail(), readGaps()])
    if (hasGrown) state.grewAt = Date.now()
    if (Date.now() - state.grewAt < GROWS_MS) state.isAgain = true
  }, [check, readTail, readGaps])

  const pull = useCallback(async (): Promise<void> => {
    const state = pulling.current
    state.isAgain = true
    // A hidden tab keeps receiving notifications, and reads when it is shown.
    if (state.isBusy || document.hidden) return
    state.isBusy = true
    const late = setTimeout(() => setLate(true), LATE_AFTER_MS)
    try {
      while (state.isAgain && !document.hidden) {
        const pause = new Promise((resolve) => setTimeout(resolve, PULL_EVERY_MS))
        await readNews()
        clearTimeout(late)
        setLate(false)
        setLoaded(true)
        setError(null)
        await pause
      }
    } catch (failure) {
      setError(describeError(failure))
    } finally {
      clearTimeout(late)
      state.isBusy = false
    }
  }, [readNews])

  useEffect(() => {
    void pull()
    const show = (): void => {
      if (!document.hidden && pulling.current.isAgain) void pull()
    }
    document.addEventListener('visibilitychange', show)
    return () => document.removeEventListener('visibilitychange', show)
  }, [pull])
  useEffect(() => {
    if (error === null) return
    const timer = setInterval(() => void pull(), RETRY_EVERY_MS)
    return () => clearInterval(timer)
  }, [error, pull])
  useNotifications({ kind: 'session', id: sessionId }, (notification) => {
    if (notification === null) pulling.current.isUnsure = true
    void pull()
  })
  const newest = entries.at(-1)?.[0] ?? 0
  const isBehind = isLoaded && isLate && newest < maxSeq
  const tail = isBehind ? { from: newest + 1, to: maxSeq } : null
  return { entries, loading, tail, isLoaded, error, retry: () => void pull() }
}
