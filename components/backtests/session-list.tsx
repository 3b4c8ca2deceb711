'use client'

import { countText } from '@signalbox/core/analysis'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ListedUnit } from '@/server/backtests/backtest-list.sql.ts'
import { ShowMore } from './show-more.tsx'
import type { ChangeView } from './use-change-view.ts'
import { reasonText } from './words.ts'

export function SessionRolls({ id, view }: { readonly id: string; readonly view: ChangeView }) {
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.backtests.sessions.infiniteQueryOptions({ id }, { getNextPageParam: (page) => page.next }),
  )
  const sessions = query.data?.pages.flatMap((page) => page.sessions)
  if (sessions === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The sessions could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (sessions.length === 0) return <EmptyState title="The sample has no sessions." />
  return (
    <div className="bg-surface">
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Session</HeadCell>
            <HeadCell>Began</HeadCell>
            <HeadCell className="text-right">Events</HeadCell>
            <HeadCell>First divergence</HeadCell>
            <HeadCell className="text-right">Changed</HeadCell>
            <HeadCell className="text-right">Unchanged</HeadCell>
            <HeadCell className="text-right">Cannot be replayed</HeadCell>
            <HeadCell className="text-right">After divergence</HeadCell>
          </tr>
        </thead>
        <tbody>
          {sessions.map((unit) => (
            <SessionRow key={unit.position} unit={unit} view={view} />
          ))}
        </tbody>
      </Table>
      <ShowMore query={query} />
    </div>
  )
}

function SessionRow({ unit, view }: { readonly unit: ListedUnit; readonly view: ChangeView }) {
  const { sessionId, startedAt, firstDivergence, state, reason } = unit
  const changed = unit.wouldDeny + unit.wouldAllow + unit.wouldBlock + unit.wouldRelease
  return (
    <Row>
      <Cell>
        <Link className="font-mono text-link text-mono" href={`/sessions/${sessionId}`}>
          {shortId(sessionId)}
        </Link>
      </Cell>
      <Cell label="Began">
        {startedAt === null ? 'removed' : <Timestamp at={startedAt} style="second" />}
      </Cell>
      {state === 'waiting' ? (
        <Cell colSpan={6}>queued</Cell>
      ) : reason !== null ? (
        <Cell colSpan={6} title={reasonText(reason)}>
          Cannot be replayed. {reasonText(reason)}
        </Cell>
      ) : (
        <>
          <Cell label="Events" className="text-right tabular-nums">
            {countText(unit.events)}
          </Cell>
          <Cell label="First divergence">
            {firstDivergence === null ? (
              'none'
            ) : (
              <Link className="text-link" href={`/sessions/${sessionId}?e=${firstDivergence}`}>
                #{firstDivergence}
              </Link>
            )}
          </Cell>
          <Cell label="Changed" className="text-right tabular-nums">
            {unit.changes === 0 ? (
              changed
            ) : (
              <button
                type="button"
                className="text-link"
                aria-label={`${changed} changed in ${shortId(sessionId)}: show them`}
                onClick={() => view.setSession(sessionId)}
              >
                {changed}
              </button>
            )}
          </Cell>
          <Cell label="Unchanged" className="text-right tabular-nums">
            {unit.unchanged}
          </Cell>
          <Cell label="Cannot be replayed" className="text-right tabular-nums">
            {unit.cannotReplay}
          </Cell>
          <Cell label="After divergence" className="text-right tabular-nums">
            {unit.lateChanged + unit.lateUnchanged}
          </Cell>
        </>
      )}
    </Row>
  )
}
