'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { KEPT_LIST, KEPT_PAGES } from '@/components/kit/list/kept-pages.ts'
import { type LiveList, useLiveList } from '@/components/kit/list/use-live-list.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'
import type { AskedFilter } from '@/server/sessions/session-lists.ts'
import { MOST_COUNTED } from '@/server/sessions/sessions.list.ts'
import type { FilterState } from './session-filter.ts'

const FRESH = { staleTime: 2_000, ...KEPT_PAGES } as const

const readStartedAt = ({ startedAt }: SessionFacts): number => startedAt

export function useSessionList(
  filter: AskedFilter,
  order: FilterState['order'],
): LiveList<SessionFacts> {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const asked = { filter, order }
  const query = useInfiniteQuery(
    trpc.sessions.list.infiniteQueryOptions(asked, { ...KEPT_LIST, ...FRESH }),
  )
  const total = useQuery(trpc.sessions.total.queryOptions({ filter }, FRESH))
  return useLiveList<SessionFacts>({
    query,
    asked,
    isNewestFirst: order !== 'oldest',
    counted: { data: total.data, refetch: total.refetch, most: MOST_COUNTED },
    kind: 'session',
    beganAt: readStartedAt,
    read: (ids, signal) =>
      client.sessions.rows.query({ filter, ids: [...ids] }, { signal }).catch((): null => null),
    readPage: (signal) => client.sessions.list.query({ filter }, { signal }),
    fallsSilent: ({ status }) => status === 'running',
  })
}
