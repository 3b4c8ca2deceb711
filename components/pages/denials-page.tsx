'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { type RefObject, useRef } from 'react'
import { TopicSentence } from '@/components/analytics/topic-sentence.tsx'
import { DecisionPeek } from '@/components/explanations/decisions/decision-peek.tsx'
import { DENIAL_FACE } from '@/components/explanations/decisions/denial-face.tsx'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
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
import type { DenialFacts } from '@/server/explanations/denial-list.sql.ts'
import { DENIALS } from '@/server/explanations/denials.list.ts'

const DECISIONS = toChoices(DENIALS.params.decision.values)

/** Parameters of links, without a control. */
const WORDS = ['rule', 'tool', 'version'] as const

interface Props {
  readonly state: ListState<typeof DENIALS>
  readonly search: RefObject<HTMLInputElement | null>
}

export function DenialsPage({
  openedAt,
}: {
  /** Epoch ms of the server's clock, fixed per page: the current time would request another list at every render. */
  readonly openedAt: number
}) {
  const state = useListState(DENIALS, openedAt)
  const search = useRef<HTMLInputElement>(null)
  return (
    <ListPage
      face={DENIAL_FACE}
      title="Denied calls"
      facts={<TopicSentence topic="denials" range={state.values.range} filter={state.filter} />}
      views={<SavedViews list="decisions" />}
      exportPath="/api/export/decisions"
      state={state}
      filters={<Filters state={state} search={search} />}
    >
      <Denials state={state} search={search} />
    </ListPage>
  )
}

function Filters({ state, search }: Props) {
  const { values, set } = state
  return (
    <ListFilters
      search={search}
      label="Search denied calls"
      placeholder="Filter, such as tool:write_file"
      state={state}
      words={WORDS}
    >
      <RangeSelect range={values.range} onChange={(range) => void set({ range })} />
      <PromptSelect
        value={values.prompt}
        onChange={(prompt) => void set({ prompt, version: null })}
      />
      <ChoiceChips
        label="Decision"
        choices={DECISIONS}
        value={values.decision}
        onChange={(decision) => void set({ decision })}
      />
    </ListFilters>
  )
}

const readStart = ({ at }: DenialFacts): number => at

function Peeked({ id, onClose }: PeekPartProps<DenialFacts>) {
  return <DecisionPeek decisionId={id} onClose={onClose} />
}

function Denials({ state, search }: Props) {
  const { filter, order } = state
  const trpc = useTRPC()
  const client = useTRPCClient()
  const asked = { filter, order }
  const query = useInfiniteQuery(trpc.decisions.list.infiniteQueryOptions(asked, KEPT_LIST))
  const list = useLiveList<DenialFacts>({
    query,
    asked,
    isNewestFirst: order === 'newest',
    kind: 'session',
    beganAt: readStart,
    readPage: (signal) => client.decisions.list.query(asked, { signal }),
  })
  return (
    <ListBody
      face={DENIAL_FACE}
      list={list}
      place={usePeekedRow()}
      order={order}
      onOrder={state.onOrder}
      search={search}
      Peek={Peeked}
      empty={
        <NothingListed
          state={state}
          filtered="No denied call matches the filter."
          never={(place) => `No tool call has been denied yet${place}.`}
        />
      }
    />
  )
}
