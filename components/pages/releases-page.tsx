'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type RefObject, useRef } from 'react'
import { ChoiceSelect } from '@/components/kit/list/choice-select.tsx'
import { KEPT_LIST } from '@/components/kit/list/kept-pages.ts'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { ListFilters } from '@/components/kit/list/list-filters.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { NothingListed } from '@/components/kit/list/nothing-listed.tsx'
import { RangeSelect } from '@/components/kit/list/range-select.tsx'
import { toChoices } from '@/components/kit/list/to-choices.ts'
import { type ListState, useListState } from '@/components/kit/list/use-list-state.ts'
import { useReadList } from '@/components/kit/list/use-read-list.ts'
import { usePeekedRow } from '@/components/kit/list/use-row-place.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import {
  describeInProgress,
  InProgress,
  useInProgress,
} from '@/components/releases/in-progress.tsx'
import { RELEASE_FACE } from '@/components/releases/release-face.tsx'
import { ReleasePeek } from '@/components/releases/release-peek.tsx'
import { RequestedReleases } from '@/components/releases/requested-releases.tsx'
import { EndedRollouts } from '@/components/staged-rollouts/ended-rollouts.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { CardHeader } from '@/components/ui/card.tsx'
import { ErrorState } from '@/components/ui/states.tsx'
import type { ListedRelease } from '@/server/releases/release-list.sql.ts'
import { RELEASES } from '@/server/releases/releases.list.ts'

const STATES = toChoices(RELEASES.params.status.values, {
  waiting: 'Waiting for a runtime',
  publishing: 'Applying',
  partial: 'Partly applied',
  live: 'Live',
  superseded: 'Replaced',
  rolled_back: 'Rolled back',
})

export function ReleasesPage({
  openedAt,
}: {
  /** Epoch ms by the server's clock. */
  readonly openedAt: number
}) {
  const state = useListState(RELEASES, openedAt)
  const search = useRef<HTMLInputElement>(null)
  const trpc = useTRPC()
  const work = useInProgress()
  const requests = useQuery(trpc.releaseApprovals.list.queryOptions())
  useReadOnChange({ kind: 'config' }, requests)
  return (
    <ListPage
      face={RELEASE_FACE}
      title="Rollouts"
      facts={describeInProgress(work, requests.data)}
      state={state}
      filters={
        <ListFilters
          search={search}
          label="Search releases"
          placeholder="Config, version or note"
          state={state}
        >
          <RangeSelect range={state.values.range} onChange={(range) => void state.set({ range })} />
          <ChoiceSelect
            label="State"
            all="Any state"
            choices={STATES}
            value={state.values.status}
            onChange={(status) => void state.set({ status })}
          />
        </ListFilters>
      }
      above={
        <>
          {requests.data !== undefined && requests.data.length > 0 && (
            <RequestedReleases requests={requests.data} />
          )}
          {requests.error !== null && (
            <ErrorState
              what="Release approvals could not be loaded."
              why={requests.error}
              onRetry={() => void requests.refetch()}
            />
          )}
          <InProgress work={work} requests={requests.data ?? []} />
          <EndedRollouts />
        </>
      }
      isFilling
      heading={<CardHeader title="History" />}
    >
      <Releases state={state} search={search} />
    </ListPage>
  )
}

function Peeked({ row, onClose }: PeekPartProps<ListedRelease>) {
  return row === undefined ? null : <ReleasePeek release={row} onClose={onClose} />
}

function Releases({
  state,
  search,
}: {
  readonly state: ListState<typeof RELEASES>
  readonly search: RefObject<HTMLInputElement | null>
}) {
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
      search={search}
      Peek={Peeked}
      empty={
        <NothingListed
          state={state}
          filtered="No release matches the filter."
          never={(place) => `Nothing has been released yet${place}.`}
        >
          Publishes, promotions and rollbacks appear here, with author and note.
        </NothingListed>
      }
    />
  )
}
