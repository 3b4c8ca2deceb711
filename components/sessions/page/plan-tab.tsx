'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { PlanUpdate } from '@/server/sessions/session-contents.sql.ts'
import { PlanChanges } from './event/plan-change-list.tsx'
import { describeDone } from './event/plan-changes.ts'

export function PlanTab({
  sessionId,
  newestSeq,
  onShow,
}: {
  readonly sessionId: string
  readonly newestSeq: number
  readonly onShow: (seq: number) => void
}) {
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.sessions.plans.infiniteQueryOptions(
      { sessionId },
      { getNextPageParam: ({ updates, before }) => (before === null ? null : updates.at(-1)?.seq) },
    ),
  )
  const { data, error, refetch } = query
  if (data === undefined) {
    if (error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The plans could not be loaded."
        why={error}
        onRetry={() => void refetch()}
      />
    )
  }
  const updates = data.pages.flatMap((page) => page.updates)
  const oldest = data.pages.at(-1)?.before ?? null
  const newest = updates[0]
  if (newest === undefined) return <EmptyState title="No plan in this session." />
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
      <p className="flex flex-wrap items-center gap-2 border-border border-b px-3 py-1.5 text-small text-text-2">
        Newest first; the newest is of event #{newest.seq} of {newestSeq}.
        <Button onClick={() => void refetch()}>Refresh</Button>
      </p>
      <ol aria-label="Plans, newest first">
        {updates.map((update, index) => (
          <Update
            key={update.seq}
            update={update}
            before={updates[index + 1] ?? oldest}
            onShow={onShow}
          />
        ))}
      </ol>
      {query.hasNextPage ? (
        <div className="p-3">
          <Button disabled={query.isFetching} onClick={() => void query.fetchNextPage()}>
            Show older plans
          </Button>
        </div>
      ) : null}
    </div>
  )
}

function Update({
  update,
  before,
  onShow,
}: {
  readonly update: PlanUpdate
  readonly before: PlanUpdate | null
  readonly onShow: (seq: number) => void
}) {
  return (
    <li className="grid grid-cols-[minmax(9rem,14rem)_minmax(0,1fr)] gap-x-4 gap-y-1 border-border border-b px-3 py-2 max-sm:grid-cols-1">
      <div className="flex flex-col items-start">
        <button type="button" className="min-h-6 text-link" onClick={() => onShow(update.seq)}>
          Event #{update.seq}
        </button>
        <span className="text-small text-text-2">
          <Timestamp at={update.at} style="second" />
        </span>
        <span className="text-small text-text-2 tabular-nums">{describeDone(update)}</span>
      </div>
      <PlanChanges before={before} after={update} />
    </li>
  )
}
