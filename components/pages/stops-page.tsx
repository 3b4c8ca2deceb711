// Grouped by reason at first: hundreds of blocked stops usually have a handful of reasons.
'use client'

import { useQuery } from '@tanstack/react-query'
import { type RefObject, useRef } from 'react'
import { TopicSentence } from '@/components/analytics/topic-sentence.tsx'
import { STOP_ATTEMPTS } from '@/components/explanations/stop-attempts.ts'
import { STOP_FACE } from '@/components/explanations/stops/stop-face.tsx'
import { StopGroups } from '@/components/explanations/stops/stop-groups.tsx'
import { StopPeek } from '@/components/explanations/stops/stop-peek.tsx'
import { EveryStop } from '@/components/explanations/stops/stop-rows.tsx'
import {
  type StopView,
  useStopView,
  VERDICT_CHOICES,
  VIEWS,
} from '@/components/explanations/stops/use-stop-view.ts'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { ChoiceSelect } from '@/components/kit/list/choice-select.tsx'
import { KEPT_PAGES } from '@/components/kit/list/kept-pages.ts'
import { ListFilters } from '@/components/kit/list/list-filters.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { MarkedFoot } from '@/components/kit/list/marked-foot.tsx'
import { NothingListed } from '@/components/kit/list/nothing-listed.tsx'
import type { Peeking } from '@/components/kit/list/peek-action.ts'
import { PromptSelect } from '@/components/kit/list/prompt-select.tsx'
import { ALL_TIME } from '@/components/kit/list/range.ts'
import { RangeSelect } from '@/components/kit/list/range-select.tsx'
import { RemoveFilter } from '@/components/kit/list/remove-filter.tsx'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { type Marks, useMarks } from '@/components/kit/list/use-marks.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { MOST_GROUPS, STOPS } from '@/server/explanations/stops.list.ts'

export function StopsPage({
  openedAt,
}: {
  /** Epoch ms of the server's clock, fixed per page: the current time would request another list at every render. */
  readonly openedAt: number
}) {
  const state = useStopView(openedAt)
  const search = useRef<HTMLInputElement>(null)
  return (
    <ListPage
      face={STOP_FACE}
      title="Stops"
      facts={
        <span title={STOP_ATTEMPTS}>
          <TopicSentence
            topic="stops"
            range={state.values.range ?? STOPS.standardRange ?? null}
            filter={state.filter}
          />
        </span>
      }
      views={<SavedViews list="stops" />}
      exportPath="/api/export/stops"
      state={state}
      filters={<Filters state={state} search={search} />}
    >
      {state.view.by === 'all' ? (
        <EveryStop state={state} search={search} empty={<Nothing state={state} />} />
      ) : (
        <GroupedStops state={state} search={search} />
      )}
    </ListPage>
  )
}

interface StateProps {
  readonly state: StopView
  readonly search: RefObject<HTMLInputElement | null>
}

function GroupedStops({ state, search }: StateProps) {
  const { view, show } = state
  const marks = useMarks()
  const peek: Peeking = { shown: view.peek, show: (id) => void show({ peek: id }) }
  useListKeys('stops', {
    noun: 'stop',
    marks,
    peek,
    hasActions: true,
    hasWhy: true,
    hasFilter: true,
    search,
  })
  return (
    <>
      <div className="flex min-h-0 flex-1">
        <div data-scrolls className="min-w-0 flex-1 overflow-auto bg-surface">
          <Groups state={state} marks={marks} peek={peek} />
        </div>
        {view.peek === null ? null : (
          <StopPeek key={view.peek} stopId={view.peek} onClose={() => peek.show(null)} />
        )}
      </div>
      <MarkedFoot marks={marks} face={STOP_FACE} />
    </>
  )
}

function Filters({ state, search }: StateProps) {
  const { values, set, view, show, narrow } = state
  return (
    <ListFilters
      search={search}
      label="Search stops"
      placeholder="Filter, such as check:plan"
      state={{ ...state, set: narrow }}
    >
      <RangeSelect
        range={values.range}
        standard={STOPS.standardRange}
        hasAllTime
        onChange={(range) => void set({ range })}
      />
      <PromptSelect
        value={values.prompt}
        onChange={(prompt) => void narrow({ prompt, version: null })}
      />
      <ChoiceChips
        label="View"
        choices={VIEWS}
        value={view.by}
        onChange={(by) => void show({ by, open: null })}
      />
      <ChoiceSelect
        label="Verdict"
        all="Any verdict"
        choices={VERDICT_CHOICES}
        value={values.verdict}
        onChange={(verdict) => void narrow({ verdict })}
      />
      {values.code === null ? null : (
        <RemoveFilter part={values.code} onRemove={() => void set({ code: null })} />
      )}
      {values.version === null || values.prompt === null ? null : (
        <RemoveFilter part={`v${values.version}`} onRemove={() => void set({ version: null })} />
      )}
    </ListFilters>
  )
}

function Groups({
  state,
  ...rows
}: {
  readonly state: StopView
  readonly marks: Marks
  readonly peek: Peeking
}) {
  const { view, show, filter } = state
  const trpc = useTRPC()
  const by = view.by === 'config' ? 'config' : 'reason'
  const query = useQuery(trpc.stops.groups.queryOptions({ filter, by }, KEPT_PAGES))
  const refresh = (): void => void query.refetch()
  usePageKeys('stops', [{ keys: 'r', shown: 'r', does: 'refresh', run: refresh }])
  if (query.data === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The stops could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (query.data.length === 0) return <Nothing state={state} />
  return (
    <>
      {/* Counted on request only: automatic updates would move the rows that are being read. */}
      <p className="flex items-center gap-2 px-4 py-1.5 text-small text-text-2">
        Counted <Timestamp at={query.dataUpdatedAt} style="second" />
        <Button disabled={query.isFetching} onClick={refresh}>
          Refresh <Kbd>r</Kbd>
        </Button>
      </p>
      <StopGroups groups={query.data} view={view} show={show} filter={filter} {...rows} />
      {query.data.length === MOST_GROUPS ? (
        <p className="px-4 py-2 text-small text-text-2">
          The {MOST_GROUPS} largest groups are shown. Choose a verdict or a shorter range for
          others.
        </p>
      ) : null}
    </>
  )
}

function Nothing({ state }: { readonly state: StopView }) {
  const { values, set } = state
  const { verdict, code, prompt, q, range } = values
  const isAllTime = range === ALL_TIME
  return (
    <NothingListed
      state={{
        ...state,
        isFiltered: [verdict, code, prompt, q].some((part) => part !== null),
        clear: () => void set({ verdict: null, code: null, prompt: null, version: null, q: null }),
      }}
      filtered="No stop matches the filter in this range."
      never={(place) =>
        isAllTime
          ? `No agent has tried to stop yet${place}.`
          : `No agent tried to stop in this range${place}.`
      }
      action={
        isAllTime ? null : <Button onClick={() => void set({ range: ALL_TIME })}>Show all</Button>
      }
    />
  )
}
