// The live sessions list: rows on screen are patched in place, new sessions wait until the reader asks for them unless the list is empty,
// and the order never changes automatically.
'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { KEPT_PAGES } from '@/components/kit/list/kept-pages.ts'
import { eachOnce } from '@/components/kit/list/patches.ts'
import { useFill } from '@/components/kit/list/use-fill.ts'
import { usePatches } from '@/components/kit/list/use-patches.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { Failure } from '@/components/ui/states.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'
import type { AskedFilter } from '@/server/sessions/session-lists.ts'
import type { FilterState } from './session-filter.ts'

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

export function useSessionList(filter: AskedFilter, order: FilterState['order']): LiveSessions {
  const trpc = useTRPC()
  const client = useTRPCClient()
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
    () => query.data && eachOnce(query.data.pages.flatMap((page) => page.rows)),
    [query.data],
  )
  const { rows, fresh, forget } = usePatches<SessionFacts>({
    ...{ kind: 'session', under: JSON.stringify(filter), listed, beganAt: startOf },
    read: (ids, signal) =>
      client.sessions.rows.query({ filter, ids: [...ids] }, { signal }).catch((): null => null),
    readHead: async (signal) => {
      const asked = { filter, order: 'started' } as const
      const head = await client.sessions.list.query(asked, { signal }).catch((): null => null)
      return head === null ? null : head.rows.map(({ id }) => id)
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
  const waiting = useFill({ rows, fresh, readAgain })
  return {
    sessions: rows,
    error: query.error,
    fresh: waiting,
    total: total.data ?? null,
    hasMore: hasNextPage,
    showFresh: readAgain,
    loadMore,
    retry: readAgain,
  }
}
