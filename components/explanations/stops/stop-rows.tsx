// Stops one by one in keyset pages, each with what became of its agent: the whole list, or what lies in a group.
'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { KEPT_PAGES } from '@/components/kit/list/kept-pages.ts'
import { ListLine } from '@/components/kit/list/list-line.tsx'
import { MarkIcon, markAction } from '@/components/kit/list/marked-foot.tsx'
import { type Peeking, peekAction } from '@/components/kit/list/peek-action.ts'
import { RowMenu } from '@/components/kit/list/row-menu.tsx'
import { useLiveRows } from '@/components/kit/list/use-live-rows.ts'
import type { Marks } from '@/components/kit/list/use-marks.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { ActionsHead, Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ShownProgress } from '@/server/explanations/attempt-chain.ts'
import type { StopFacts, StopFilter } from '@/server/explanations/stop-list.sql.ts'
import type { ListPage } from '@/server/platform/list/define-list.ts'
import { stopHeadline, viaText } from '../stop-headline.ts'
import { ProgressText } from '../stop-progress.tsx'

const PAGE = 100
const NO_KEYS: readonly never[] = []

interface StopRowsProps {
  readonly filter: StopFilter
  /** Of one page. */
  readonly size?: number
  readonly whenEmpty: ReactNode
  readonly marks: Marks
  readonly peek: Peeking
  /** The list stands by itself: what is new waits over it. Within a group, which is counted at an instant, nothing comes. */
  readonly isLive?: boolean
}

const stopsOf = ({ rows }: ListPage<StopFacts>): readonly StopFacts[] => rows

function useStops({ filter, size = PAGE, isLive = false }: StopRowsProps) {
  const trpc = useTRPC()
  const asked = { filter, limit: size }
  const query = useInfiniteQuery(
    trpc.stops.list.infiniteQueryOptions(asked, {
      getNextPageParam: (page) => page.nextCursor,
      ...KEPT_PAGES,
    }),
  )
  const head = useQuery(
    trpc.stops.list.queryOptions(asked, { enabled: false, ...KEPT_PAGES, gcTime: 0 }),
  )
  return { query, ...useLiveRows({ query, head, rowsOf: stopsOf, isLive }) }
}

export function StopRows(props: StopRowsProps) {
  const { size = PAGE, whenEmpty, marks, peek, isLive = false } = props
  const { query, rows, fresh, showFresh } = useStops(props)
  const show = { keys: 'r', shown: 'r', does: 'show new stops', run: showFresh }
  usePageKeys('stops', isLive ? [show] : NO_KEYS)
  if (rows === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The stops could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (rows.length === 0 && fresh === 0) return whenEmpty
  return (
    <div>
      {isLive ? (
        <ListLine
          {...{ shown: rows.length, hasMore: query.hasNextPage, fresh, most: size }}
          noun="stop"
          onShow={showFresh}
        />
      ) : null}
      <Table>
        <thead>
          <tr>
            <HeadCell className="max-sm:hidden">Time</HeadCell>
            <HeadCell className="max-sm:hidden">Verdict</HeadCell>
            <HeadCell>Reason</HeadCell>
            {/* As wide as its longest words: they come after the rows, which stay where they are. */}
            <HeadCell className="min-w-[176px] max-sm:hidden">Agent</HeadCell>
            <HeadCell className="max-sm:hidden">Prompt</HeadCell>
            <HeadCell className="max-sm:hidden">Session</HeadCell>
            <HeadCell className="text-right max-sm:hidden">Attempt</HeadCell>
            <HeadCell className="max-sm:hidden">At</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        {pagesOf(rows, size).map((stops) => (
          <Page key={stops[0]?.id ?? 'none'} {...{ stops, marks, peek }} />
        ))}
      </Table>
      {query.hasNextPage ? (
        <div className="px-4 py-2">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show {size} more
          </Button>
        </div>
      ) : null}
    </div>
  )
}

/** As they were read: only the last one is shorter. */
function pagesOf(stops: readonly StopFacts[], size: number): readonly (readonly StopFacts[])[] {
  return Array.from({ length: Math.ceil(stops.length / size) }, (_, index) =>
    stops.slice(index * size, (index + 1) * size),
  )
}

/** One question for all of a page, so that a list of any length asks few. */
function Page({
  stops,
  ...rows
}: {
  readonly stops: readonly StopFacts[]
  readonly marks: Marks
  readonly peek: Peeking
}) {
  const trpc = useTRPC()
  const stopIds = stops.filter(({ verdict }) => verdict !== 'allowed').map(({ id }) => id)
  const { data } = useQuery(
    trpc.stops.progress.queryOptions({ stopIds }, { enabled: stopIds.length > 0 }),
  )
  return (
    <tbody>
      {stops.map((stop) => (
        <StopRow
          key={stop.id}
          stop={stop}
          {...rows}
          progress={data?.find(({ stopId }) => stopId === stop.id) ?? null}
        />
      ))}
    </tbody>
  )
}

interface StopRowProps {
  readonly stop: StopFacts
  readonly progress: ShownProgress | null
  readonly marks: Marks
  readonly peek: Peeking
}

function StopRow({ stop, progress, marks, peek }: StopRowProps) {
  const { status, word } = stopHeadline(stop)
  return (
    <Row className="focus-within:bg-row-selected">
      <Cell className="max-sm:hidden">
        <Timestamp at={stop.at} style="second" />
      </Cell>
      <Cell className="max-sm:hidden">
        <StatusText status={status}>{word}</StatusText>
      </Cell>
      <Cell className="max-w-md max-sm:whitespace-normal max-sm:break-words" title={stop.reason}>
        <MarkIcon marks={marks} id={stop.id} />
        <Link data-row={stop.id} className="font-medium text-link" href={`/stops/${stop.id}`}>
          {stop.reason}
        </Link>
        <p className="text-small text-text-2 sm:hidden">
          <StatusText status={status}>{word}</StatusText> · {stop.ns}/{stop.key} ·{' '}
          <Timestamp at={stop.at} style="second" />
        </p>
      </Cell>
      <Cell className="max-sm:hidden">
        {progress === null ? '–' : <ProgressText progress={progress} />}
      </Cell>
      <Cell className="max-sm:hidden">
        {stop.ns}/{stop.key}
      </Cell>
      <Cell className="max-sm:hidden">
        <Link
          className="font-mono text-link text-mono"
          href={`/sessions/${stop.sessionId}?e=${stop.seq}`}
        >
          {shortId(stop.sessionId)}
        </Link>
      </Cell>
      <Cell className="text-right tabular-nums max-sm:hidden">
        {stop.via === 'final' ? '–' : stop.attempt}
      </Cell>
      <Cell className="max-sm:hidden">{viaText(stop.via)}</Cell>
      <Cell className="px-1">
        <RowMenu
          label={`Actions for the stop ${shortId(stop.id)}`}
          items={[
            { name: 'Open the explanation', href: `/stops/${stop.id}` },
            peekAction(peek, stop.id),
            { name: 'Open in its session', href: `/sessions/${stop.sessionId}?e=${stop.seq}` },
            {
              name: 'Stops with this reason',
              href: `/stops?${new URLSearchParams({ by: 'all', code: stop.code }).toString()}`,
            },
            markAction(marks, stop.id),
          ]}
        />
      </Cell>
    </Row>
  )
}
