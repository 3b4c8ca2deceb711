// The live alerts: rows on screen change in place, new alerts wait until the reader asks for them unless the list is empty.
'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { KEPT_PAGES } from '@/components/kit/list/kept-pages.ts'
import { eachOnce } from '@/components/kit/list/patches.ts'
import { useFill } from '@/components/kit/list/use-fill.ts'
import { usePatches } from '@/components/kit/list/use-patches.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { Failure } from '@/components/ui/states.tsx'
import type { AlertFilter, ListedAlert } from '@/server/alerts/alert-list.sql.ts'

export interface LiveAlerts {
  /** Undefined: not read yet. */
  readonly alerts: readonly ListedAlert[] | undefined
  readonly error: Failure | null
  /** Alerts that fired since the list was read. */
  readonly fresh: number
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  /** Reads the list again: for new alerts, and after an error. */
  readonly readAgain: () => void
  /** Shows a row so before the server was asked. */
  readonly lay: (alert: ListedAlert) => void
  /** Reads it again: the server has answered. */
  readonly look: (id: string) => void
}

const firedAt = (alert: ListedAlert): number => alert.firedAt

export function useAlertList(filter: AlertFilter): LiveAlerts {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const query = useInfiniteQuery(
    trpc.alerts.list.infiniteQueryOptions(filter, {
      getNextPageParam: (page) => page.nextCursor,
      staleTime: 2_000,
      ...KEPT_PAGES,
    }),
  )
  const listed = useMemo(
    () => query.data && eachOnce(query.data.pages.flatMap((page) => page.alerts)),
    [query.data],
  )
  const { rows, fresh, lay, look, forget } = usePatches<ListedAlert>({
    kind: 'alert',
    under: JSON.stringify(filter),
    listed,
    beganAt: firedAt,
    read: (ids, signal) =>
      client.alerts.rows.query({ filter, ids: [...ids] }, { signal }).catch((): null => null),
    readHead: async (signal) => {
      const head = await client.alerts.list.query(filter, { signal }).catch((): null => null)
      return head === null ? null : head.alerts.map(({ id }) => id)
    },
  })
  const readAgain = (): void => {
    forget()
    void query.refetch()
  }
  return {
    alerts: rows,
    error: query.error,
    fresh: useFill({ rows, fresh, readAgain }),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    readAgain,
    lay,
    look,
  }
}
