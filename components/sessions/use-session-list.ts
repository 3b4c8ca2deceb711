// The sessions list, live: rows on screen are patched in place, new sessions wait until the reader asks for them, and the
// order never changes by itself. In a hidden tab news are collected and nothing is drawn.
'use client'

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useHints } from '@/components/live/use-hints.ts'
import { useTRPC } from '@/components/trpc-provider.tsx'
import type { Failure } from '@/components/ui/states.tsx'
import type { SessionFacts } from '@/server/read-models/session-columns.ts'
import type { SessionOrder } from '@/server/read-models/session-list.ts'
import type { AskedFilter } from '@/server/services/session-lists.ts'
import { applyPatches, eachOnce, type Patches } from './session-patches.ts'

const PATCH_EVERY_MS = 300
/** Silence has no event, so running rows are read again now and then. */
const LOOK_EVERY_MS = 10_000
const MOST_IDS = 500
/** The list is read again when the reader asks; a tab that is looked at again, or a line that is back, moves nothing. */
const BY_READER = { refetchOnWindowFocus: false, refetchOnReconnect: false } as const
const NONE: Patches = new Map()

interface Readings {
  /** The filter that they were read under. */
  readonly under: string
  readonly patches: Patches
}

export interface LiveSessions {
  readonly sessions: readonly SessionFacts[] | undefined
  readonly error: Failure | null
  /** Sessions that began since the list was read. */
  readonly fresh: number
  /** As counted when the list was read; null: not yet. */
  readonly total: number | null
  readonly hasMore: boolean
  readonly showFresh: () => void
  readonly loadMore: () => void
  readonly retry: () => void
}

export function useSessionList(filter: AskedFilter, order: SessionOrder): LiveSessions {
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.sessions.list.infiniteQueryOptions(
      { filter, order },
      { getNextPageParam: (page) => page.nextCursor, staleTime: 2_000, ...BY_READER },
    ),
  )
  const total = useQuery(
    trpc.sessions.total.queryOptions({ filter }, { staleTime: 2_000, ...BY_READER }),
  )
  const listed = useMemo(
    () => query.data && eachOnce(query.data.pages.flatMap((page) => page.sessions)),
    [query.data],
  )
  const [patches, forget] = usePatches(filter, listed)
  const { sessions, fresh } = useMemo(() => applyPatches(listed ?? [], patches), [listed, patches])
  const { refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const readAgain = (): void => {
    forget()
    void refetch()
    void total.refetch()
  }
  return {
    sessions: listed === undefined ? undefined : sessions,
    error: query.error,
    fresh,
    total: total.data ?? null,
    hasMore: hasNextPage,
    showFresh: readAgain,
    loadMore,
    retry: readAgain,
  }
}

/** Newer readings of what is listed, and of sessions that began since; and the function that forgets them. */
function usePatches(
  filter: AskedFilter,
  listed: readonly SessionFacts[] | undefined,
): readonly [Patches, () => void] {
  const trpc = useTRPC()
  const client = useQueryClient()
  // What was read under another filter says nothing about whether a session matches this one.
  const under = JSON.stringify(filter)
  const [read, setRead] = useState<Readings>({ under, patches: NONE })
  const waiting = useRef(new Set<string>())
  const flush = useCallback(async (): Promise<void> => {
    if (document.hidden) return
    const ids = [...waiting.current].slice(0, MOST_IDS)
    for (const id of ids) waiting.current.delete(id)
    if (ids.length === 0) return
    const rows = await client
      .fetchQuery(trpc.sessions.rows.queryOptions({ filter, ids }, { staleTime: 0, gcTime: 0 }))
      .catch((): null => null)
    if (rows === null) {
      for (const id of ids) waiting.current.add(id)
      return
    }
    setRead((known) => ({
      under,
      patches: new Map([
        ...(known.under === under ? known.patches : NONE),
        ...rows.map((row) => [row.id, row] as const),
      ]),
    }))
  }, [client, trpc, filter, under])
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
  /** After a gap in the hints: what is listed, and what may have begun meanwhile. */
  const lookAgain = async (): Promise<void> => {
    for (const { id } of listed ?? []) waiting.current.add(id)
    const asked = { filter, order: 'started' } as const
    const head = await client
      .fetchQuery(trpc.sessions.list.queryOptions(asked, { staleTime: 0, gcTime: 0 }))
      .catch((): null => null)
    for (const { id } of head?.sessions ?? []) waiting.current.add(id)
  }
  useHints({ kind: 'session' }, (hint) => {
    if (hint?.id !== undefined) waiting.current.add(hint.id)
    else void lookAgain()
  })
  const forget = useCallback(() => setRead({ under, patches: NONE }), [under])
  return [read.under === under ? read.patches : NONE, forget]
}
