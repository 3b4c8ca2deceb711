// A keyset-paged list that stays as loaded. Visible rows are patched in place; new rows wait until the user requests them, unless the list
// is empty. The order never changes automatically.
'use client'

import { useCallback, useEffect, useEffectEvent, useMemo } from 'react'
import type { Failure } from '@/components/ui/states.tsx'
import { type ListPage, PAGE_ROWS } from '@/server/platform/list/define-list.ts'
import type { ListedRow } from './list-face.tsx'
import { eachOnce } from './patches.ts'
import { type PatchedList, usePatches } from './use-patches.ts'

/** Rows as shown, and the reader's actions. */
export interface ShownList<Row> {
  /** Undefined: not loaded. */
  readonly rows: readonly Row[] | undefined
  readonly error: Failure | null
  /** Number of rows that began since the list was read. */
  readonly fresh: number
  /** Largest number of new rows that is counted. */
  readonly mostFresh: number
  /** Number of rows of the whole list when it was read; null: not loaded; undefined: not counted. */
  readonly total: number | null | undefined
  /** Description of the list's size. Absent: derived from the rows. */
  readonly size?: string
  /** More rows exist than were counted. */
  readonly isCut: boolean
  /** All rows are loaded. */
  readonly isComplete: boolean
  /** Null: new rows do not wait for the reader. */
  readonly showFresh: (() => void) | null
  readonly loadMore: () => void
  readonly retry: () => void
}

export interface LiveList<Row> extends ShownList<Row> {
  readonly showFresh: () => void
  /** Shows a row in its expected state before the server answers. */
  readonly lay: (row: Row) => void
  /** Reads the row again after the server answered. */
  readonly look: (id: string) => void
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
  /** Reads the current first page. Absent `read`: all of its rows match the filter. */
  readonly readPage: (signal: AbortSignal) => Promise<ListPage<Row>>
  /** Filter and order of the request. Rows read under others do not apply. */
  readonly asked: { readonly filter: unknown; readonly order: string }
  /** New rows would appear at the top. */
  readonly isNewestFirst: boolean
  /** Count of a separate query. Absent: not counted. */
  readonly counted?: {
    readonly data: number | undefined
    readonly refetch: () => Promise<unknown>
    /** A larger count is shown as "more than". */
    readonly most: number
  }
}

/** Rows of all loaded pages, without duplicates, and `loadMore` for the next page. */
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

/**
 * An empty list has no row that must keep its place, so it is read again as soon as something is new. Returns the number of rows that wait
 * for the reader.
 */
function useFill(
  { rows, fresh }: Pick<ShownList<unknown>, 'rows' | 'fresh'>,
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
  const { rows, fresh, forget, lay, look } = usePatches<Row>({ ...source, readHead, under, listed })
  const readAgain = (): void => {
    forget()
    void query.refetch()
    void counted?.refetch()
  }
  const waiting = useFill({ rows, fresh }, readAgain)
  const isCut = counted?.data !== undefined && counted.data > counted.most
  return {
    rows,
    error: query.error,
    fresh: isNewestFirst ? waiting : 0,
    mostFresh: source.read === undefined ? PAGE_ROWS : Number.POSITIVE_INFINITY,
    total: counted === undefined ? undefined : isCut ? counted.most : (counted.data ?? null),
    isCut,
    isComplete: !query.hasNextPage,
    showFresh: readAgain,
    loadMore,
    retry: readAgain,
    lay,
    look,
  }
}
