// A list that is read again as a whole when it changes: what its rows tell changes with other things, and their order is the server's.
'use client'

import { useCallback, useMemo } from 'react'
import type { Wanted } from '@/components/live/use-notifications.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import type { ListedRow } from './list-face.tsx'
import { eachOnce } from './patches.ts'
import type { PagedQuery, ShownList } from './use-live-list.ts'

interface ReadQuery<Row> extends PagedQuery<Row> {
  readonly isLoading: boolean
}

/** `total`: rows of the whole list; null: not known yet; absent: not counted. */
export function useReadList<Row extends ListedRow>(
  query: ReadQuery<Row>,
  changes: Wanted,
  total?: number | null,
): ShownList<Row> {
  const { data, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = query
  useReadOnChange(changes, query)
  const rows = useMemo(() => data && eachOnce(data.pages.flatMap((page) => page.rows)), [data])
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return {
    rows,
    error: query.error,
    fresh: 0,
    mostFresh: 0,
    total,
    isCut: false,
    isComplete: !hasNextPage,
    showFresh: null,
    loadMore,
    retry: () => void refetch(),
  }
}
