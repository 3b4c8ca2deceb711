// New rows wait until the user requests them, unless the list is empty. The order never changes automatically.
'use client'

import { useCallback, useEffect, useEffectEvent, useMemo } from 'react'
import type { Failure } from '@/components/ui/states.tsx'
import { type ListPage, PAGE_ROWS } from '@/server/platform/list/define-list.ts'
import type { ListedRow } from './list-face.tsx'
import { eachOnce } from './patches.ts'
import { type PatchedList, usePatches } from './use-patches.ts'

export interface FreshRows {
  readonly count: number
  /** Largest number that is counted. */
  readonly most: number
  readonly show: () => void
}

export interface ShownList<Row> {
  /** Undefined: not loaded. */
  readonly rows: readonly Row[] | undefined
  readonly error: Failure | null
  /** Null: new rows do not wait for the reader. */
  readonly fresh: FreshRows | null
  /** Number of rows of the whole list when it was read; null: not loaded; undefined: not counted. */
  readonly total: number | null | undefined
  /** Absent: derived from the rows. */
  readonly size?: string
  readonly isCut: boolean
  readonly isComplete: boolean
  readonly loadMore: () => void
  readonly retry: () => void
}

export interface LiveList<Row> extends ShownList<Row> {
  readonly fresh: FreshRows
  readonly showRow: (row: Row) => void
  readonly readRow: (id: string) => void
}

export interface PagedQuery<Row> {
  readonly data: { readonly pages: readonly ListPage<Row>[] } | undefined
  readonly error: Failure | null
  readonly refetch: () => Promise<unknown>
  readonly fetchNextPage: () => Promise<unknown>
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
}

interface LiveListOptions<Row extends ListedRow>
  extends Omit<PatchedList<Row>, 'listed' | 'under' | 'readHead'> {
  readonly query: PagedQuery<Row>
  /** Absent `read`: all rows of the page match the filter. */
  readonly readPage: (signal: AbortSignal) => Promise<ListPage<Row>>
  /** Rows read under others do not apply. */
  readonly asked: { readonly filter: unknown; readonly order: string }
  readonly isNewestFirst: boolean
  /** Absent: not counted. */
  readonly counted?: {
    readonly data: number | undefined
    readonly refetch: () => Promise<unknown>
    /** A larger count is shown as "more than". */
    readonly most: number
  }
}

export function usePages<Row extends ListedRow>({
  data,
  fetchNextPage,
  hasNextPage,
  isFetchingNextPage,
}: PagedQuery<Row>): Pick<ShownList<Row>, 'rows' | 'loadMore'> {
  const rows = useMemo(() => data && eachOnce(data.pages.flatMap((page) => page.rows)), [data])
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return { rows, loadMore }
}

/** An empty list has no row that must keep its place, so it is read again as soon as something is new. */
function useFill(
  { rows, fresh }: { readonly rows: readonly unknown[] | undefined; readonly fresh: number },
  readAgain: () => void,
): number {
  const isToFill = rows?.length === 0 && fresh > 0
  const fill = useEffectEvent(readAgain)
  useEffect(() => {
    if (isToFill) fill()
  }, [isToFill])
  return isToFill ? 0 : fresh
}

export function useLiveList<Row extends ListedRow>({
  query,
  asked,
  isNewestFirst,
  counted,
  readPage,
  ...source
}: LiveListOptions<Row>): LiveList<Row> {
  const { rows: listed, loadMore } = usePages(query)
  const under = JSON.stringify(asked)
  const readHead: PatchedList<Row>['readHead'] = async (signal) => {
    const page = await readPage(signal).catch((): null => null)
    if (page === null) return null
    return page.rows.map((row) => (source.read === undefined ? { ...row, matches: true } : row.id))
  }
  const { rows, fresh, dropPatches, showRow, readRow } = usePatches<Row>({
    ...source,
    readHead,
    under,
    listed,
  })
  const readAgain = (): void => {
    dropPatches()
    void query.refetch()
    void counted?.refetch()
  }
  const waiting = useFill({ rows, fresh }, readAgain)
  const isCut = counted?.data !== undefined && counted.data > counted.most
  return {
    rows,
    error: query.error,
    fresh: {
      count: isNewestFirst ? waiting : 0,
      most: source.read === undefined ? PAGE_ROWS : Number.POSITIVE_INFINITY,
      show: readAgain,
    },
    total: counted === undefined ? undefined : isCut ? counted.most : (counted.data ?? null),
    isCut,
    isComplete: !query.hasNextPage,
    loadMore,
    retry: readAgain,
    showRow,
    readRow,
  }
}
