'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useRef } from 'react'
import { KEPT_LIST } from '@/components/kit/list/kept-pages.ts'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { useColumns } from '@/components/kit/list/list-columns.tsx'
import { ListTable } from '@/components/kit/list/list-table.tsx'
import type { Peeking } from '@/components/kit/list/peek-action.ts'
import { useLiveList } from '@/components/kit/list/use-live-list.ts'
import type { Marks } from '@/components/kit/list/use-marks.ts'
import { usePeekedRow } from '@/components/kit/list/use-row-place.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import type { StopFacts, StopFilter } from '@/server/explanations/stop-list.sql.ts'
import { STOP_FACE, WithProgress } from './stop-face.tsx'
import { StopPeek } from './stop-peek.tsx'
import type { StopView } from './use-stop-view.ts'

function useStops(filter: StopFilter, order: StopView['order'], limit?: number) {
  const trpc = useTRPC()
  return useInfiniteQuery(trpc.stops.list.infiniteQueryOptions({ filter, order, limit }, KEPT_LIST))
}

const readStart = ({ at }: StopFacts): number => at

function Peeked({ id, onClose }: PeekPartProps<StopFacts>) {
  return <StopPeek stopId={id} onClose={onClose} />
}

export function EveryStop({
  state: { filter, order, onOrder },
  search,
  empty,
}: {
  readonly state: StopView
  readonly search: RefObject<HTMLInputElement | null>
  readonly empty: ReactNode
}) {
  const client = useTRPCClient()
  const asked = { filter, order }
  const list = useLiveList<StopFacts>({
    query: useStops(filter, order),
    asked,
    isNewestFirst: order === 'newest',
    kind: 'session',
    beganAt: readStart,
    readPage: (signal) => client.stops.list.query(asked, { signal }),
  })
  const place = usePeekedRow()
  return (
    <ListBody
      face={STOP_FACE}
      list={list}
      place={place}
      order={order}
      onOrder={onOrder}
      search={search}
      Peek={Peeked}
      empty={empty}
    />
  )
}

interface StopsWithinProps {
  readonly filter: StopFilter
  readonly marks: Marks
  readonly peek: Peeking
}

const WITHIN_PAGE = 25
const nothing = (): void => undefined

export function StopsWithin({ filter, marks, peek }: StopsWithinProps) {
  const query = useStops(filter, 'newest', WITHIN_PAGE)
  const visible = useColumns(STOP_FACE)
  const wantsFocus = useRef(false)
  if (query.data === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The stops could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  const rows = query.data.pages.flatMap((page) => page.rows)
  if (rows.length === 0) {
    return <p className="p-3 text-text-2">No stops of this group remain in the range.</p>
  }
  return (
    <>
      <WithProgress rows={rows}>
        <ListTable
          face={STOP_FACE}
          rows={rows}
          total={null}
          visible={visible}
          order="newest"
          chosen={null}
          marks={marks}
          peek={peek}
          wantsFocus={wantsFocus}
          onOrder={nothing}
          onNearEnd={nothing}
          isWithin
        />
      </WithProgress>
      {query.hasNextPage ? (
        <div className="px-4 py-2">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show {WITHIN_PAGE} more
          </Button>
        </div>
      ) : null}
    </>
  )
}
