'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type RefObject, useRef } from 'react'
import { TopicSentence } from '@/components/analytics/topic-sentence.tsx'
import { DELIVERY_FACE } from '@/components/feedback/delivery-face.tsx'
import { DeliveryPeek } from '@/components/feedback/delivery-peek.tsx'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { ChoiceSelect } from '@/components/kit/list/choice-select.tsx'
import { KEPT_LIST } from '@/components/kit/list/kept-pages.ts'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { ListFilters } from '@/components/kit/list/list-filters.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { NothingListed } from '@/components/kit/list/nothing-listed.tsx'
import { PromptSelect } from '@/components/kit/list/prompt-select.tsx'
import { RangeSelect } from '@/components/kit/list/range-select.tsx'
import { toChoices } from '@/components/kit/list/to-choices.ts'
import { type ListState, useListState } from '@/components/kit/list/use-list-state.ts'
import { useLiveList } from '@/components/kit/list/use-live-list.ts'
import { usePeekedRow } from '@/components/kit/list/use-row-place.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { DELIVERIES, MOST_UNLISTED } from '@/server/feedback/deliveries.list.ts'
import type { DeliveryFacts, UnlistedSessions } from '@/server/feedback/delivery-list.sql.ts'

/** Parameters of links, without a control. */
const WORDS = ['provider', 'name', 'version'] as const

const SEVERITIES = toChoices(DELIVERIES.params.severity.values)

const FOLLOWED = toChoices(DELIVERIES.params.followed.values, {
  any: 'Suggests an action',
  yes: 'Followed',
  no: 'Not followed',
  ended: 'Session ended first',
  open: 'Open',
  unknown: 'Unknown',
})

interface Props {
  readonly state: ListState<typeof DELIVERIES>
  readonly search: RefObject<HTMLInputElement | null>
}

export function DeliveriesPage({
  openedAt,
}: {
  /** Epoch ms of the server's clock, fixed per page: the current time would request another list at every render. */
  readonly openedAt: number
}) {
  const state = useListState(DELIVERIES, openedAt)
  const search = useRef<HTMLInputElement>(null)
  return (
    <ListPage
      face={DELIVERY_FACE}
      title="Feedback delivered"
      facts={<TopicSentence topic="feedback" range={state.values.range} filter={state.filter} />}
      views={<SavedViews list="feedback" />}
      exportPath="/api/export/feedback"
      state={state}
      filters={<Filters state={state} search={search} />}
    >
      <Deliveries state={state} search={search} />
    </ListPage>
  )
}

function Filters({ state, search }: Props) {
  const { values, set } = state
  return (
    <ListFilters
      search={search}
      label="Search feedback"
      placeholder="Filter, such as followed:no"
      state={state}
      words={WORDS}
    >
      <RangeSelect range={values.range} onChange={(range) => void set({ range })} />
      <PromptSelect
        value={values.prompt}
        onChange={(prompt) => void set({ prompt, version: null })}
      />
      <ChoiceChips
        label="Severity"
        choices={SEVERITIES}
        value={values.severity}
        onChange={(severity) => void set({ severity })}
      />
      <ChoiceSelect
        label="Followed"
        all="Any outcome"
        choices={FOLLOWED}
        value={values.followed}
        onChange={(followed) => void set({ followed })}
      />
    </ListFilters>
  )
}

const readStart = ({ at }: DeliveryFacts): number => at

function Peeked({ id, onClose }: PeekPartProps<DeliveryFacts>) {
  return <DeliveryPeek id={id} onClose={onClose} />
}

function Deliveries({ state, search }: Props) {
  const { filter, order } = state
  const trpc = useTRPC()
  const client = useTRPCClient()
  const asked = { filter, order }
  const query = useInfiniteQuery(trpc.feedback.list.infiniteQueryOptions(asked, KEPT_LIST))
  const list = useLiveList<DeliveryFacts>({
    query,
    asked,
    isNewestFirst: order === 'newest',
    kind: 'session',
    beganAt: readStart,
    readPage: (signal) => client.feedback.list.query(asked, { signal }),
  })
  return (
    <ListBody
      face={DELIVERY_FACE}
      list={list}
      place={usePeekedRow()}
      order={order}
      onOrder={state.onOrder}
      search={search}
      Peek={Peeked}
      notes={<Unlisted unlisted={query.data?.pages[0]?.unlisted ?? null} />}
      empty={
        <NothingListed
          state={state}
          filtered="No feedback matches the filter."
          never={(place) => `No feedback has been delivered yet${place}.`}
        />
      }
    />
  )
}

/** Loaded with the rows, so that none of them moves. */
function Unlisted({ unlisted }: { readonly unlisted: UnlistedSessions | null }) {
  const { waiting = 0, gone = 0 } = unlisted ?? {}
  if (waiting === 0 && gone === 0) return null
  const sessions = (count: number): string =>
    count >= MOST_UNLISTED ? `${countText(count)} or more sessions` : plural(count, 'session')
  return (
    <ul className="border-border border-b bg-surface-2 px-4 py-1.5 text-small text-text-2">
      {waiting > 0 ? (
        <li>
          Feedback of {sessions(waiting)} from before this list existed is being added; charts count
          it already.
        </li>
      ) : null}
      {gone > 0 ? (
        <li>
          Feedback of {sessions(gone)} from before this list existed is missing, because the
          retention rule has removed their events; charts count it.
        </li>
      ) : null}
    </ul>
  )
}
