// Stop attempts, grouped by reason at first: hundreds of blocked stops usually have a handful of reasons.
'use client'

import { useQuery } from '@tanstack/react-query'
import { type RefObject, useRef } from 'react'
import { STOP_ATTEMPTS } from '@/components/explanations/stop-attempts.ts'
import { STOP_FACE } from '@/components/explanations/stops/stop-face.tsx'
import { StopGroups } from '@/components/explanations/stops/stop-groups.tsx'
import { StopPeek } from '@/components/explanations/stops/stop-peek.tsx'
import { EveryStop } from '@/components/explanations/stops/stop-rows.tsx'
import {
  RANGES,
  type StopView,
  useStopView,
  VERDICTS,
  VIEWS,
} from '@/components/explanations/stops/use-stop-view.ts'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { FilterBox } from '@/components/kit/list/filter-box.tsx'
import { KEPT_PAGES } from '@/components/kit/list/kept-pages.ts'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { MarkedFoot } from '@/components/kit/list/marked-foot.tsx'
import type { Peeking } from '@/components/kit/list/peek-action.ts'
import { PromptSelect } from '@/components/kit/list/prompt-select.tsx'
import { RemoveFilter } from '@/components/kit/list/remove-filter.tsx'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { type Marks, useMarks } from '@/components/kit/list/use-marks.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { AllEnvironmentsButton, useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'

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
      facts={<span title={STOP_ATTEMPTS}>Stop attempts, grouped by reason</span>}
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
  const { view, set } = state
  const marks = useMarks()
  const peek: Peeking = { shown: view.peek, show: (id) => void set({ peek: id }) }
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
      <MarkedFoot marks={marks} base="/stops/" />
    </>
  )
}

function Filters({ state: { view, set, problem }, search }: StateProps) {
  return (
    <search
      data-filters
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-border border-b bg-surface-2 px-4 py-1.5"
    >
      <FilterBox
        input={search}
        label="Search stops"
        placeholder="check:plan runtime:worker-3"
        text={view.q}
        problem={problem}
        onText={(q) => set({ q, open: null })}
      />
      <PromptSelect
        value={view.prompt}
        onChange={(prompt) => void set({ prompt, version: null, open: null })}
      />
      <ChoiceChips
        label="View"
        choices={VIEWS}
        value={view.by}
        onChange={(by) => void set({ by, open: null })}
      />
      <ChoiceChips
        label="Verdict"
        choices={VERDICTS}
        value={view.verdict}
        onChange={(verdict) => void set({ verdict, open: null })}
      />
      <ChoiceChips
        label="Range"
        choices={RANGES}
        value={RANGES.find(({ value }) => value === view.range)?.value ?? null}
        onChange={(range) => void set({ range })}
      />
      {RANGES.some(({ value }) => value === view.range) ? null : (
        <RemoveFilter part={`range:${view.range}`} onRemove={() => void set({ range: null })} />
      )}
      {view.code === null ? null : (
        <Button onClick={() => void set({ code: null })}>
          Remove <code>{view.code}</code>
        </Button>
      )}
      {view.version === null || view.prompt === null ? null : (
        <Button onClick={() => void set({ version: null })}>
          Remove <code>v{view.version}</code>
        </Button>
      )}
    </search>
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
  const { view, set, filter } = state
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
      <StopGroups groups={query.data} view={view} set={set} filter={filter} {...rows} />
      {query.data.length === MOST_GROUPS ? (
        <p className="px-4 py-2 text-small text-text-2">
          The {MOST_GROUPS} largest groups are shown. Choose a verdict or a shorter range for
          others.
        </p>
      ) : null}
    </>
  )
}

/** Same limit as on the server. */
const MOST_GROUPS = 100

function Nothing({ state: { view, set } }: { readonly state: StopView }) {
  const environment = useEnvironment()
  const chosen = [view.verdict, view.code, view.prompt, view.q]
  const isNarrowed = chosen.some((part) => part !== null)
  if (isNarrowed) {
    return (
      <EmptyState
        title="No stop matches the filter in this range."
        action={
          <Button
            onClick={() =>
              void set({ verdict: null, code: null, prompt: null, version: null, q: null })
            }
          >
            Clear filter
          </Button>
        }
      />
    )
  }
  const place = environment === undefined ? '' : ` in ${environment}`
  return (
    <EmptyState
      title={
        view.range === 'all'
          ? `No agent has tried to stop yet${place}.`
          : `No agent tried to stop in this range${place}.`
      }
      action={
        <>
          {view.range === 'all' ? null : (
            <Button onClick={() => void set({ range: 'all' })}>Show all</Button>
          )}
          <AllEnvironmentsButton />
        </>
      }
    />
  )
}
