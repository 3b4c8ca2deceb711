// New ones wait behind a button while the pointer or focus is inside, or after older ones were loaded.
'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ArrowUp } from 'lucide-react'
import { useEffect, useState } from 'react'
import { BY_CURSOR } from '@/components/kit/list/kept-pages.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { refusalHref } from '@/components/paths/refusal-href.ts'
import { useLinkTo } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState, Skeleton } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { Refusal } from '@/server/explanations/refusal-feed.sql.ts'

/** Number of rows that the card grows by; it never scrolls inside the page. */
const PAGE = 8

export function RefusalFeed({ environment }: { readonly environment: string | undefined }) {
  const trpc = useTRPC()
  const filter = environment === undefined ? {} : { environment }
  const feed = useInfiniteQuery(
    trpc.refusals.list.infiniteQueryOptions({ filter, limit: PAGE }, BY_CURSOR),
  )
  const shown = feed.data?.pages.flatMap(({ refusals }) => refusals)
  const fresh = useFresh(filter, shown)
  const linkTo = useLinkTo()
  const [isRead, setRead] = useState(false)
  const isReading = isRead || (feed.data?.pages.length ?? 0) > 1
  const { refetch } = feed
  useEffect(() => {
    if (fresh > 0 && !isReading) void refetch()
  }, [fresh, isReading, refetch])
  return (
    <Card>
      <CardHeader
        title="Refused"
        aside="denied calls and blocked stops, newest first"
        actions={
          <span className="inline-flex flex-wrap items-center gap-3">
            {fresh > 0 ? (
              <Button onClick={() => void refetch()}>
                <ArrowUp size={14} aria-hidden /> {fresh}
                {fresh === PAGE ? '+' : ''} new · show
              </Button>
            ) : null}
            <Link href={linkTo('/decisions')} className="text-link">
              All denied calls
            </Link>
            <Link href={linkTo('/stops')} className="text-link">
              All stops
            </Link>
          </span>
        }
      />
      <p aria-live="polite" className="sr-only">
        {fresh > 0 ? `${fresh} new` : ''}
      </p>
      {shown === undefined ? (
        feed.error === null ? (
          <Skeleton className="m-3 h-16" />
        ) : (
          <ErrorState
            what="The denied calls and blocked stops could not be loaded."
            why={feed.error}
            onRetry={() => void refetch()}
          />
        )
      ) : (
        <section
          aria-label="Refused, newest first"
          onPointerEnter={() => setRead(true)}
          onPointerLeave={() => setRead(false)}
          onFocus={() => setRead(true)}
          onBlur={() => setRead(false)}
        >
          <Lines refusals={shown} />
          {feed.hasNextPage ? (
            <div className="px-3 py-2">
              <Button disabled={feed.isFetchingNextPage} onClick={() => void feed.fetchNextPage()}>
                Show older
              </Button>
            </div>
          ) : null}
        </section>
      )}
    </Card>
  )
}

/** At most one page. */
function useFresh(
  filter: { readonly environment?: string },
  shown: readonly Refusal[] | undefined,
): number {
  const trpc = useTRPC()
  const head = useQuery(trpc.refusals.list.queryOptions({ filter, limit: PAGE }))
  useReadOnChange({ kind: 'session' }, head)
  if (shown === undefined) return 0
  const known = new Set(shown.map(({ id }) => id))
  return (head.data?.refusals ?? []).filter(({ id }) => !known.has(id)).length
}

function Lines({ refusals }: { readonly refusals: readonly Refusal[] }) {
  if (refusals.length === 0) {
    return <p className="px-3 py-3 text-text-2">Nothing has been refused yet.</p>
  }
  return (
    <ul>
      {refusals.map((refusal) => (
        <li key={refusal.id} className="border-border border-b last:border-b-0">
          <Link
            data-row
            href={refusalHref(refusal)}
            className="flex min-h-8 flex-wrap items-center gap-x-3 px-3 py-1 focus:bg-row-selected hover:bg-row-hover"
          >
            <Timestamp at={refusal.at} style="second" />
            <StatusText status={refusal.verdict} />
            <code className="text-text-2">{refusal.tool ?? 'stop'}</code>
            <span className="min-w-0 flex-1 basis-60 truncate" title={refusal.reason}>
              {refusal.reason}
            </span>
            <span className="truncate text-small text-text-3">
              {refusal.ns}/{refusal.key} · {refusal.environment}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
