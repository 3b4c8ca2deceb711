'use client'
// Loaded pages of the configs list. Read again when a config changes, and periodically for data of runtimes and sessions: less often with
// more pages.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { ListFilter } from '@/server/configs/configs.ts'

const LOOK_EVERY_MS = 10_000

export function useConfigList(filter: ListFilter) {
  const trpc = useTRPC()
  const query = useInfiniteQuery({
    ...trpc.configs.list.infiniteQueryOptions(filter, {
      getNextPageParam: ({ next }) => next,
      placeholderData: keepPreviousData,
    }),
    refetchInterval: ({ state }) => LOOK_EVERY_MS * (state.data?.pages.length ?? 1),
  })
  useReadOnChange({ kind: 'config' }, query)
  const { data } = query
  const configs = useMemo(() => data?.pages.flatMap((page) => page.configs), [data])
  return {
    configs,
    /** On all pages. */
    total: data?.pages[0]?.total ?? null,
    error: query.error,
    retry: () => void query.refetch(),
    loadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
    },
  }
}
