// The rows depend on other data, and the server defines their order.
'use client'

import type { Wanted } from '@/components/live/use-notifications.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import type { ListedRow } from './list-face.tsx'
import { type PagedQuery, type ShownList, usePages } from './use-live-list.ts'

interface ReadQuery<Row> extends PagedQuery<Row> {
  readonly isLoading: boolean
}

/** `total`: number of rows of the whole list; null: not loaded; absent: not counted. */
export function useReadList<Row extends ListedRow>(
  query: ReadQuery<Row>,
  changes: Wanted,
  total?: number | null,
): ShownList<Row> {
  useReadOnChange(changes, query)
  const { rows, loadMore } = usePages(query)
  return {
    rows,
    error: query.error,
    fresh: null,
    total,
    isCut: false,
    isComplete: !query.hasNextPage,
    loadMore,
    retry: () => void query.refetch(),
  }
}
