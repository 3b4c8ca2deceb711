'use client'
// Rollouts: what waits for a person (approvals, plans that were stopped), what is planned, and every release, newest first.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import { KEPT_PAGES } from '../lists/kept-pages.ts'
import { useListKeys } from '../lists/use-list-keys.ts'
import { useReadOnHint } from '../live/use-read-on-hint.ts'
import { AllEnvironmentsButton, useEnvironment } from '../shell/environment-switcher.tsx'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '../ui/table.tsx'
import { Timestamp } from '../ui/time.tsx'
import { PlannedReleases } from './planned-releases.tsx'
import { ReleasePeek } from './release-peek.tsx'
import { ReleaseStanding } from './release-standing.tsx'
import { ReleaseLink, ReleaseWords } from './release-words.tsx'
import { WaitingApprovals } from './waiting-approvals.tsx'

export function RolloutsPage() {
  const trpc = useTRPC()
  const [peeked, setPeeked] = useQueryState('peek', parseAsString)
  // Only releases are looked at; what waits and what is planned says all that there is.
  const show = (id: string | null): void =>
    void (id === null || id.startsWith('rel_') ? setPeeked(id) : undefined)
  useListKeys('rollouts', { noun: 'row', peek: { shown: peeked, show } })
  const waiting = useQuery(trpc.approvals.waiting.queryOptions())
  const planned = useQuery(trpc.schedules.list.queryOptions())
  useReadOnHint({ kind: 'config' }, () => Promise.all([waiting.refetch(), planned.refetch()]))
  return (
    <>
      <PageHeader title="Rollouts" facts="What ran where and when, and what is to run" />
      <div className="flex flex-col gap-3 p-4 max-sm:p-2">
        {waiting.data !== undefined && waiting.data.length > 0 && (
          <WaitingApprovals waiting={waiting.data} />
        )}
        {waiting.error !== null && (
          <ErrorState
            what="Approvals could not be loaded."
            why={waiting.error}
            onRetry={() => void waiting.refetch()}
          />
        )}
        {planned.data !== undefined && planned.data.length > 0 && (
          <PlannedReleases planned={planned.data} />
        )}
        {planned.error !== null && (
          <ErrorState
            what="Planned releases could not be loaded."
            why={planned.error}
            onRetry={() => void planned.refetch()}
          />
        )}
        <AllReleases peeked={peeked} onPeekClose={() => show(null)} />
      </div>
    </>
  )
}

function AllReleases({
  peeked,
  onPeekClose,
}: {
  /** Id of the release that is looked at beside the list. */
  readonly peeked: string | null
  readonly onPeekClose: () => void
}) {
  const trpc = useTRPC()
  const environment = useEnvironment() ?? null
  const query = useInfiniteQuery(
    trpc.rollouts.list.infiniteQueryOptions(
      { environment },
      { getNextPageParam: ({ next }) => next, initialCursor: null, ...KEPT_PAGES },
    ),
  )
  useReadOnHint({ kind: 'release' }, query.refetch)
  useReadOnHint({ kind: 'runtime' }, query.refetch)
  const releases = query.data?.pages.flatMap((page) => page.releases) ?? []
  const shown = releases.find(({ id }) => id === peeked)
  return (
    <Card>
      <CardHeader
        title="Releases"
        aside={
          environment === null ? 'all environments, newest first' : `${environment}, newest first`
        }
      />
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what="The releases could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isSuccess && releases.length === 0 && (
        <EmptyState
          title={`Nothing was released yet${environment === null ? '' : ` in ${environment}`}.`}
          action={<AllEnvironmentsButton />}
        >
          A publish, a promotion and a roll back each show here, with who made it and why.
        </EmptyState>
      )}
      {releases.length > 0 && (
        <div className="flex">
          <div className="min-w-0 flex-1">
            <Table>
              <thead>
                <tr>
                  <HeadCell>Config</HeadCell>
                  <HeadCell>Release</HeadCell>
                  <HeadCell className="max-sm:hidden">State</HeadCell>
                  <HeadCell>By</HeadCell>
                  <HeadCell>Note</HeadCell>
                  <HeadCell>When</HeadCell>
                </tr>
              </thead>
              <tbody>
                {releases.map((release) => (
                  <Row key={release.id} className="focus-within:bg-row-selected">
                    <Cell>
                      <ReleaseLink release={release} />
                    </Cell>
                    <Cell className="whitespace-nowrap">
                      <ReleaseWords release={release} />
                      <div className="sm:hidden">
                        <ReleaseStanding release={release} />
                      </div>
                    </Cell>
                    <Cell className="max-w-96 max-sm:hidden">
                      <ReleaseStanding release={release} />
                    </Cell>
                    <Cell>{release.author ?? 'Signalbox'}</Cell>
                    <Cell title={release.note ?? undefined}>{release.note ?? '–'}</Cell>
                    <Cell>
                      <Timestamp at={release.createdAt} style="second" />
                    </Cell>
                  </Row>
                ))}
              </tbody>
            </Table>
          </div>
          {shown !== undefined && <ReleasePeek release={shown} onClose={onPeekClose} />}
        </div>
      )}
      {query.hasNextPage && (
        <div className="border-border border-t p-2">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {query.isFetchingNextPage ? 'Loading' : 'Show older releases'}
          </Button>
        </div>
      )}
    </Card>
  )
}
