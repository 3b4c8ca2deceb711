// The sessions list, live: rows on screen are patched in place, new sessions wait until the reader asks for them, and the
// order never changes by itself.
'use client'

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { KEPT_PAGES } from '@/components/lists/kept-pages.ts'
import { eachOnce } from '@/components/lists/patches.ts'
import { usePatches } from '@/components/lists/use-patches.ts'
import { useTRPC } from '@/components/trpc-provider.tsx'
import type { Failure } from '@/components/ui/states.tsx'
import type { SessionFacts } from '@/server/read-models/session-columns.ts'
import type { SessionOrder } from '@/server/read-models/session-list.ts'
import type { AskedFilter } from '@/server/services/session-lists.ts'

const NOW = { staleTime: 0, gcTime: 0 } as const

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

const startOf = ({ startedAt }: SessionFacts): number => startedAt

export function useSessionList(filter: AskedFilter, order: SessionOrder): LiveSessions {
  const trpc = useTRPC()
  const client = useQueryClient()
  const query = useInfiniteQuery(
    trpc.sessions.list.infiniteQueryOptions(
      { filter, order },
      { getNextPageParam: (page) => page.nextCursor, staleTime: 2_000, ...KEPT_PAGES },
    ),
  )
  const total = useQuery(
    trpc.sessions.total.queryOptions({ filter }, { staleTime: 2_000, ...KEPT_PAGES }),
  )
  const listed = useMemo(
    () => query.data && eachOnce(query.data.pages.flatMap((page) => page.sessions)),
    [query.data],
  )
  const { rows, fresh, forget } = usePatches<SessionFacts>({
    ...{ kind: 'session', under: JSON.stringify(filter), listed, beganAt: startOf },
    read: (ids) =>
      client
        .fetchQuery(trpc.sessions.rows.queryOptions({ filter, ids: [...ids] }, NOW))
        .catch((): null => null),
    readHead: async () => {
      const asked = { filter, order: 'started' } as const
      const head = await client
        .fetchQuery(trpc.sessions.list.queryOptions(asked, NOW))
        .catch((): null => null)
      return head === null ? null : head.sessions.map(({ id }) => id)
    },
    fallsSilent: ({ status }) => status === 'running',
  })
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
    sessions: rows,
    error: query.error,
    fresh,
    total: total.data ?? null,
    hasMore: hasNextPage,
    showFresh: readAgain,
    loadMore,
    retry: readAgain,
  }
}
