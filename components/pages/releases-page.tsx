'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { KEPT_LIST } from '@/components/kit/list/kept-pages.ts'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { NothingListed } from '@/components/kit/list/nothing-listed.tsx'
import { type ListState, useListState } from '@/components/kit/list/use-list-state.ts'
import { useReadList } from '@/components/kit/list/use-read-list.ts'
import { usePeekedRow } from '@/components/kit/list/use-row-place.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { PlannedReleases } from '@/components/releases/planned-releases.tsx'
import { RELEASE_FACE } from '@/components/releases/release-face.tsx'
import { ReleasePeek } from '@/components/releases/release-peek.tsx'
import { WaitingReleaseApprovals } from '@/components/releases/waiting-release-approvals.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { ErrorState } from '@/components/ui/states.tsx'
import type { ListedRelease } from '@/server/releases/release-list.sql.ts'
import { RELEASES } from '@/server/releases/releases.list.ts'

export function ReleasesPage({
  openedAt,
}: {
  /** Epoch ms by the server's clock. */
  readonly openedAt: number
}) {
  const state = useListState(RELEASES, openedAt)
  return (
    <ListPage
      face={RELEASE_FACE}
      title="Releases"
      facts="Every version put into an environment, newest first, and what is planned"
      state={state}
      above={<OpenWork />}
    >
      <Releases state={state} />
    </ListPage>
  )
}

function OpenWork() {
  const trpc = useTRPC()
  const waiting = useQuery(trpc.releaseApprovals.waiting.queryOptions())
  const planned = useQuery(trpc.schedules.list.queryOptions())
  useReadOnChange({ kind: 'config' }, waiting, planned)
  return (
    <>
      {waiting.data !== undefined && waiting.data.length > 0 && (
        <WaitingReleaseApprovals waiting={waiting.data} />
      )}
      {waiting.error !== null && (
        <ErrorState
          what="Release approvals could not be loaded."
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
    </>
  )
}

function Peeked({ row, onClose }: PeekPartProps<ListedRelease>) {
  return row === undefined ? null : <ReleasePeek release={row} onClose={onClose} />
}

function Releases({ state }: { readonly state: ListState<typeof RELEASES> }) {
  const { filter, order } = state
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.releases.list.infiniteQueryOptions({ filter, order }, KEPT_LIST),
  )
  return (
    <ListBody
      face={RELEASE_FACE}
      list={useReadList<ListedRelease>(query, [{ kind: 'release' }, { kind: 'runtime' }])}
      place={usePeekedRow()}
      order={order}
      onOrder={state.onOrder}
      Peek={Peeked}
      empty={
        <NothingListed state={state} never={(place) => `Nothing has been released yet${place}.`}>
          Publishes, promotions and rollbacks appear here, with author and note.
        </NothingListed>
      }
    />
  )
}
