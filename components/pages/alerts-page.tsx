'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { ALERT_FACE, AlertHandling, useAlertHandling } from '@/components/alerts/alert-face.tsx'
import { AlertPeek } from '@/components/alerts/alert-peek.tsx'
import { AlertTabs } from '@/components/alerts/alert-tabs.tsx'
import { NewRuleButton } from '@/components/alerts/new-rule-button.tsx'
import { useAlertActs } from '@/components/alerts/use-alert-acts.ts'
import { useAlertSummary } from '@/components/alerts/use-alert-summary.ts'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { KEPT_LIST } from '@/components/kit/list/kept-pages.ts'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { ListFilters } from '@/components/kit/list/list-filters.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { NothingListed } from '@/components/kit/list/nothing-listed.tsx'
import { RangeSelect } from '@/components/kit/list/range-select.tsx'
import { toChoices } from '@/components/kit/list/to-choices.ts'
import { type ListState, useListState } from '@/components/kit/list/use-list-state.ts'
import { useLiveList } from '@/components/kit/list/use-live-list.ts'
import { usePeekedRow } from '@/components/kit/list/use-row-place.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Skeleton } from '@/components/ui/states.tsx'
import type { ListedAlert } from '@/server/alerts/alert-list.sql.ts'
import { ALERTS } from '@/server/alerts/alerts.list.ts'
import type { AlertSummary } from '@/server/alerts/recommended.ts'

const RecommendedRules = lazySection(
  () =>
    import('@/components/alerts/recommended-rules.tsx').then((module) => module.RecommendedRules),
  <Skeleton className="h-80" />,
)

const AcknowledgeDialog = lazyDialog(() =>
  import('@/components/alerts/acknowledge-dialog.tsx').then((module) => module.AcknowledgeDialog),
)

const STATES = toChoices(ALERTS.params.state.values)

interface Props {
  readonly state: ListState<typeof ALERTS>
  readonly search: RefObject<HTMLInputElement | null>
}

export function AlertsPage({
  openedAt,
}: {
  /** Epoch ms of the server's clock, fixed per page: the current time would request another list at every render. */
  readonly openedAt: number
}) {
  const state = useListState(ALERTS, openedAt)
  const search = useRef<HTMLInputElement>(null)
  return (
    <ListPage
      face={ALERT_FACE}
      title="Alerts"
      facts={<Summary />}
      views={<SavedViews list="alerts" />}
      actions={<NewRuleButton />}
      tabs={<AlertTabs shown="Alerts" />}
      state={state}
      filters={<Filters state={state} search={search} />}
      below={<RecommendedRules />}
    >
      <Alerts state={state} search={search} />
    </ListPage>
  )
}

const MOST_PLACES = 3

function notifyingText({ sentTo, active, notifying, hasLastFailed }: AlertSummary): string {
  if (sentTo.length === 0) return 'No destinations yet. Alerts show only here.'
  const more = sentTo.length - MOST_PLACES
  const places = `${sentTo.slice(0, MOST_PLACES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const verb = notifying === 1 ? 'notifies' : 'notify'
  return `${countText(notifying)} of ${plural(active, 'rule')} ${verb} ${places}${hasLastFailed ? '; the last delivery failed' : ''}.`
}

function Summary() {
  const summary = useAlertSummary()
  if (summary === undefined) return null
  const { firing, acknowledged, muted } = summary
  return (
    <span>
      {countText(firing)} firing, {countText(acknowledged)} acknowledged
      {muted === 0 ? '' : `, ${countText(muted)} muted`}. {notifyingText(summary)}
    </span>
  )
}

function Filters({ state, search }: Props) {
  const { values, set } = state
  return (
    <ListFilters
      search={search}
      label="Search alerts"
      placeholder="Filter, such as rule:stuck"
      state={state}
    >
      <RangeSelect range={values.range} onChange={(range) => void set({ range })} />
      <ChoiceChips
        label="State"
        choices={STATES}
        value={values.state}
        onChange={(next) => void set({ state: next })}
      />
    </ListFilters>
  )
}

const PAGE = 50

const readStart = ({ firedAt }: ListedAlert): number => firedAt

function Peeked({ row, onClose }: PeekPartProps<ListedAlert>) {
  const { acts, onAcknowledge } = useAlertHandling()
  if (row === undefined) return null
  return (
    <AlertPeek alert={row} acts={acts} onAcknowledge={() => onAcknowledge(row)} onClose={onClose} />
  )
}

function Alerts({ state, search }: Props) {
  const { filter, order } = state
  const trpc = useTRPC()
  const client = useTRPCClient()
  const [noted, setNoted] = useState<ListedAlert | null>(null)
  const asked = { filter, order, limit: PAGE }
  const query = useInfiniteQuery(
    trpc.alerts.list.infiniteQueryOptions(asked, { staleTime: 2_000, ...KEPT_LIST }),
  )
  const list = useLiveList<ListedAlert>({
    query,
    asked,
    isNewestFirst: order === 'newest',
    kind: 'alert',
    beganAt: readStart,
    read: (ids, signal) =>
      client.alerts.rows.query({ filter, ids: [...ids] }, { signal }).catch((): null => null),
    readPage: (signal) => client.alerts.list.query(asked, { signal }),
  })
  const acts = useAlertActs(list)
  return (
    <AlertHandling value={{ acts, onAcknowledge: setNoted }}>
      <ListBody
        face={ALERT_FACE}
        list={list}
        place={usePeekedRow()}
        order={order}
        onOrder={state.onOrder}
        search={search}
        Peek={Peeked}
        empty={
          <NothingListed
            state={state}
            filtered="No alert matches the filter."
            never={(place) => (place === '' ? 'No alerts yet.' : `No alert has fired${place}.`)}
            action={<LinkButton href="/alerts/rules">Create rule</LinkButton>}
          >
            An alert rule watches a signal, such as blocked stops, the denial rate or lost sessions.
          </NothingListed>
        }
      />
      {noted === null ? null : (
        <AcknowledgeDialog
          alert={noted}
          start={acts.findNote(noted)}
          onAcknowledge={(note) => acts.acknowledge(noted, note)}
          onClose={() => setNoted(null)}
        />
      )}
    </AlertHandling>
  )
}
