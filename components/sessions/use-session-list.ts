// The sessions list, live: rows on screen are patched in place, new sessions wait until the reader asks for them, and the
// order never changes by itself.
'use client'

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useHints } from '@/components/live/use-hints.ts'
import { useTRPC } from '@/components/trpc-provider.tsx'
import type { SessionFacts } from '@/server/read-models/session-columns.ts'
import type { SessionFilter, SessionPatch } from '@/server/read-models/session-list.ts'
import { applyPatches, type Patches } from './session-patches.ts'

const PATCH_EVERY_MS = 300
/** A session becomes lost without an event, so running rows are read again now and then. */
const LOOK_EVERY_MS = 20_000
const MOST_IDS = 500

export interface LiveSessions {
  readonly sessions: readonly SessionFacts[] | undefined
  readonly error: string | null
  /** Sessions that began since the list was read. */
  readonly fresh: number
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly showFresh: () => void
  readonly loadMore: () => void
  readonly retry: () => void
}

export function useSessionList(filter: SessionFilter): LiveSessions {
  const trpc = useTRPC()
  const client = useQueryClient()
  const query = useInfiniteQuery(
    trpc.sessions.list.infiniteQueryOptions(
      { filter },
      { getNextPageParam: (page) => page.nextCursor, staleTime: 2_000 },
    ),
  )
  const listed = useMemo(() => query.data?.pages.flatMap((page) => page.sessions), [query.data])
  const [patches, setPatches] = useState<Patches>(new Map())
  const waiting = useRef(new Set<string>())

  const flush = useCallback(async (): Promise<void> => {
    const ids = [...waiting.current].slice(0, MOST_IDS)
    for (const id of ids) waiting.current.delete(id)
    if (ids.length === 0) return
    const rows = await client
      .fetchQuery(trpc.sessions.rows.queryOptions({ filter, ids }, { staleTime: 0, gcTime: 0 }))
      // The next hint or look asks again.
      .catch((): readonly SessionPatch[] => [])
    setPatches((known) => new Map([...known, ...rows.map((row) => [row.id, row] as const)]))
  }, [client, trpc, filter])

  useEffect(() => {
    const timer = setInterval(() => void flush(), PATCH_EVERY_MS)
    return () => clearInterval(timer)
  }, [flush])
  useEffect(() => {
    const timer = setInterval(() => {
      for (const { id, status } of listed ?? []) if (status === 'running') waiting.current.add(id)
    }, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [listed])
  useHints({ kind: 'session' }, (hint) => {
    if (hint?.id !== undefined) waiting.current.add(hint.id)
    else for (const { id } of listed ?? []) waiting.current.add(id)
  })

  const { sessions, fresh } = useMemo(() => applyPatches(listed ?? [], patches), [listed, patches])
  const retry = (): void => {
    setPatches(new Map())
    void query.refetch()
  }
  return {
    sessions: listed === undefined ? undefined : sessions,
    error: query.error?.message ?? null,
    fresh,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    showFresh: retry,
    loadMore: () => void query.fetchNextPage(),
    retry,
  }
}
