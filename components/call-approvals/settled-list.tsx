'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { BY_CURSOR } from '@/components/kit/list/kept-pages.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp, useNow } from '@/components/ui/time.tsx'
import type {
  SettledCall,
  SettledFilter,
  SettledKind,
} from '@/server/call-approvals/waiting-calls.sql.ts'
import { decidedBy, settledWords } from './approval-words.ts'

const KINDS = [
  { value: 'approved', label: 'Approved' },
  { value: 'denied', label: 'Denied' },
  { value: 'unanswered', label: 'No answer' },
  { value: 'too_late', label: 'Approved too late' },
] as const satisfies readonly { readonly value: SettledKind; readonly label: string }[]

export const SETTLED = KINDS.map(({ value }) => value)

interface Props {
  readonly filter: SettledFilter
  readonly onKind: (kind: SettledKind | null) => void
  /** Id of the highlighted row; null: none. */
  readonly shown: string | null
}

function useSettled(filter: SettledFilter) {
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.callApprovals.settled.infiniteQueryOptions({ filter }, BY_CURSOR),
  )
  useReadOnChange({ kind: 'approval' }, query)
  return { query, calls: query.data?.pages.flatMap((page) => page.calls) }
}

export function SettledList({ filter, onKind, shown }: Props) {
  const settled = useSettled(filter)
  const hasNone = filter.kind === undefined && settled.calls?.length === 0
  return (
    <Card>
      <CardHeader title="Earlier calls" aside="newest first" />
      {!hasNone && (
        <div data-filters className="border-border border-b bg-surface-2 px-3 py-1.5">
          <ChoiceChips
            label="Outcome"
            choices={KINDS}
            value={filter.kind ?? null}
            onChange={onKind}
          />
        </div>
      )}
      <Rows settled={settled} hasFilter={filter.kind !== undefined} onKind={onKind} shown={shown} />
    </Card>
  )
}

function Rows({
  settled: { query, calls },
  hasFilter,
  onKind,
  shown,
}: Omit<Props, 'filter'> & {
  readonly settled: ReturnType<typeof useSettled>
  readonly hasFilter: boolean
}) {
  if (calls === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The earlier calls could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (calls.length === 0) {
    return hasFilter ? (
      <EmptyState
        title="No call matches the filter."
        action={<Button onClick={() => onKind(null)}>Clear filter</Button>}
      />
    ) : (
      <EmptyState title="No earlier calls yet.">
        A call appears here once a reviewer approved or denied it, or its wait ended without a
        decision.
      </EmptyState>
    )
  }
  return (
    <>
      <ul>
        {calls.map((call) => (
          <SettledRow key={call.id} call={call} isShown={call.id === shown} />
        ))}
      </ul>
      {query.hasNextPage ? (
        <div className="px-3 py-2">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show 50 more
          </Button>
        </div>
      ) : null}
    </>
  )
}

function SettledRow({ call, isShown }: { readonly call: SettledCall; readonly isShown: boolean }) {
  const { status, word, more } = settledWords(call, useNow())
  const by = decidedBy(call)
  return (
    <li
      className={clsx(
        'flex flex-col gap-0.5 border-border border-b px-3 py-2 last:border-b-0',
        isShown && 'bg-row-selected shadow-[inset_3px_0_0_var(--focus)]',
      )}
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        {/* Some outcomes have an icon; the names align nevertheless. */}
        <span className="sm:w-36">
          <StatusText status={status}>{word}</StatusText>
        </span>
        <code className="break-all font-medium font-mono text-mono">{call.tool}</code>
        <span className="text-text-2">
          {call.ns}/{call.key} in {call.environment} <DemoTag session={call.sessionId} />
        </span>
        <span className="flex flex-wrap items-baseline gap-x-3 sm:ml-auto">
          <Link
            className="font-mono text-link text-mono"
            href={`/sessions/${call.sessionId}?e=${call.outcomeSeq ?? call.seq}`}
          >
            {shortId(call.sessionId)}
          </Link>
          <Timestamp at={call.settledAt} style="row" />
        </span>
      </div>
      {by === null ? null : <p className="break-words text-text-2">{by}</p>}
      {more === null ? null : <p className="break-words text-text-2">{more}</p>}
    </li>
  )
}
