'use client'
// Rollouts: what waits for a person (approvals, plans that were stopped), what is planned, and every release, newest first.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { KEPT_PAGES } from '@/components/kit/list/kept-pages.ts'
import { type Peeking, peekAction } from '@/components/kit/list/peek-action.ts'
import { RowMenu } from '@/components/kit/list/row-menu.tsx'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { PlannedReleases } from '@/components/releases/planned-releases.tsx'
import { ReleasePeek } from '@/components/releases/release-peek.tsx'
import { ReleaseStanding } from '@/components/releases/release-standing.tsx'
import { ReleaseLink, ReleaseWords } from '@/components/releases/release-words.tsx'
import { WaitingReleaseApprovals } from '@/components/releases/waiting-release-approvals.tsx'
import { AllEnvironmentsButton, useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { ActionsHead, Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ReleasePage } from '@/server/releases/release-pages.ts'

export function ReleasesPage() {
  const trpc = useTRPC()
  const [peeked, setPeeked] = useQueryState('peek', parseAsString)
  // Only releases have a peek; waiting and planned ones show everything in their rows.
  const show = (id: string | null): void =>
    void (id === null || id.startsWith('rel_') ? setPeeked(id) : undefined)
  const peek: Peeking = { shown: peeked, show }
  useListKeys('releases', { noun: 'row', peek, hasActions: true })
  const waiting = useQuery(trpc.releaseApprovals.waiting.queryOptions())
  const planned = useQuery(trpc.schedules.list.queryOptions())
  useReadOnChange({ kind: 'config' }, waiting, planned)
  return (
    <>
      <PageHeader
        title="Releases"
        facts="Every version put into an environment, newest first, and what is planned"
      />
      <div className="flex flex-col gap-3 p-4 max-sm:p-2">
        {waiting.data !== undefined && waiting.data.length > 0 && (
          <WaitingReleaseApprovals waiting={waiting.data} />
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
        <AllReleases peek={peek} />
      </div>
    </>
  )
}

function AllReleases({ peek }: { readonly peek: Peeking }) {
  const trpc = useTRPC()
  const environment = useEnvironment() ?? null
  const query = useInfiniteQuery(
    trpc.releases.list.infiniteQueryOptions(
      { environment },
      { getNextPageParam: ({ next }) => next, initialCursor: null, ...KEPT_PAGES },
    ),
  )
  useReadOnChange([{ kind: 'release' }, { kind: 'runtime' }], query)
  const releases = query.data?.pages.flatMap((page) => page.releases) ?? []
  const shown = releases.find(({ id }) => id === peek.shown)
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
          Publishes, promotions and rollbacks appear here, with author and note.
        </EmptyState>
      )}
      {releases.length > 0 && (
        <div className="flex">
          <div className="min-w-0 flex-1">
            <Table>
              <thead>
                <tr>
                  <HeadCell>Config</HeadCell>
                  <HeadCell className="max-sm:hidden">Release</HeadCell>
                  <HeadCell className="max-sm:hidden">State</HeadCell>
                  <HeadCell className="max-sm:hidden">By</HeadCell>
                  <HeadCell className="max-sm:hidden">Note</HeadCell>
                  <HeadCell className="max-sm:hidden">When</HeadCell>
                  <ActionsHead />
                </tr>
              </thead>
              <tbody>
                {releases.map((release) => (
                  <ReleaseRow key={release.id} release={release} peek={peek} />
                ))}
              </tbody>
            </Table>
          </div>
          {shown !== undefined && <ReleasePeek release={shown} onClose={() => peek.show(null)} />}
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

/** On a phone one cell shows everything, line by line. */
function ReleaseRow({
  release,
  peek,
}: {
  readonly release: ReleasePage['releases'][number]
  readonly peek: Peeking
}) {
  const { id, ns, key, createdAt, note } = release
  const author = release.author ?? 'Signalbox'
  return (
    <Row className="focus-within:bg-row-selected">
      <Cell className="max-sm:whitespace-normal max-sm:break-words">
        <ReleaseLink release={release} />
        <div className="sm:hidden">
          <ReleaseWords release={release} />
          <ReleaseStanding release={release} />
          <p className="text-small text-text-2">
            by {author} · <Timestamp at={createdAt} style="second" />
            {note === null ? '' : ` · “${note}”`}
          </p>
        </div>
      </Cell>
      <Cell className="whitespace-nowrap max-sm:hidden">
        <ReleaseWords release={release} />
      </Cell>
      <Cell className="max-w-96 max-sm:hidden">
        <ReleaseStanding release={release} />
      </Cell>
      <Cell className="max-sm:hidden">{author}</Cell>
      <Cell className="max-sm:hidden" title={note ?? undefined}>
        {note ?? '–'}
      </Cell>
      <Cell className="max-sm:hidden">
        <Timestamp at={createdAt} style="second" />
      </Cell>
      <Cell className="px-1">
        <RowMenu
          label={`Actions for the release of ${ns}/${key}`}
          items={[
            { name: 'Open', href: `/releases/${id}` },
            peekAction(peek, id),
            { name: 'Versions of the config', href: `${configPath(ns, key)}/versions` },
            {
              name: 'Copy link',
              onSelect: () => copyLink(linkedAt(`/releases/${id}`, `Release of ${ns}/${key}`)),
            },
          ]}
        />
      </Cell>
    </Row>
  )
}
