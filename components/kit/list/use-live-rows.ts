// Live rows of a list in keyset pages: with every hint about a session the newest page is read again beside the list. Rows on screen change
// in place, new ones wait until the reader asks. An empty list has nothing to protect: it is read again as soon as it has a row.
'use client'

import { useMemo } from 'react'
import { useReadOnHint } from '@/components/live/use-read-on-hint.ts'
import { withHead } from './live-rows.ts'
import { useCatchUp } from './use-catch-up.ts'
import { useFill } from './use-fill.ts'

interface Asked<Answer> {
  readonly data: Answer | undefined
  /** Epoch ms. */
  readonly dataUpdatedAt: number
  readonly refetch: () => Promise<unknown>
  readonly isLoading: boolean
}

export interface LiveList<Page, Row> {
  readonly query: Asked<{ readonly pages: readonly Page[] }>
  /** The newest page by itself, which nobody asks for before the first hint. */
  readonly head: Asked<Page>
  /** Defined once, outside of what renders. */
  readonly rowsOf: (page: Page) => readonly Row[]
  readonly isLive?: boolean
}

export interface LiveRows<Row> {
  /** Undefined: not loaded yet. */
  readonly rows: readonly Row[] | undefined
  /** At most a page. */
  readonly fresh: number
  readonly showFresh: () => void
}

export function useLiveRows<Page, Row extends { readonly id: string }>({
  query,
  head,
  rowsOf,
  isLive = true,
}: LiveList<Page, Row>): LiveRows<Row> {
  const readHead = useReadOnHint({ kind: 'session' }, ...(isLive ? [head] : []))
  useCatchUp(readHead, isLive)
  const listed = useMemo(() => query.data?.pages.flatMap(rowsOf), [query.data, rowsOf])
  // What was read before the list says nothing new about it.
  const newer = isLive && head.dataUpdatedAt > query.dataUpdatedAt ? head.data : undefined
  const { rows, fresh } = useMemo(
    () =>
      listed === undefined
        ? NOTHING
        : withHead<Row>(listed, newer === undefined ? [] : rowsOf(newer)),
    [listed, newer, rowsOf],
  )
  const showFresh = (): void => void query.refetch()
  return { rows, fresh: useFill({ rows, fresh, readAgain: showFresh }), showFresh }
}

const NOTHING = { rows: undefined, fresh: 0 } as const
