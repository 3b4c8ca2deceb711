// What did the system notice, is it still so, and what did we do?
'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { parseAsString, parseAsStringLiteral, useQueryState } from 'nuqs'
import { useState } from 'react'
import { useListKeys } from '@/components/lists/use-list-keys.ts'
import { useReadOnHint } from '@/components/live/use-read-on-hint.ts'
import { ChoiceChips } from '@/components/sessions/choice-chips.tsx'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { Link } from '@/components/ui/link.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { SavedViews } from '@/components/views/saved-views.tsx'
import type { AlertState, ListedAlert } from '@/server/read-models/alert-list.ts'
import { AcknowledgeDialog } from './acknowledge-dialog.tsx'
import { Deliveries } from './alert-deliveries.tsx'
import { AlertPeek } from './alert-peek.tsx'
import { minutesText, standingText, valueText } from './signal-words.ts'
import { useAlertRight } from './use-alert-right.ts'

const STATES = [
  { value: 'firing', label: 'Firing' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'muted', label: 'Muted' },
] as const satisfies readonly { readonly value: AlertState; readonly label: string }[]

export function AlertsPage() {
  const [state, setState] = useQueryState(
    'state',
    parseAsStringLiteral(STATES.map(({ value }) => value)),
  )
  const [peeked, setPeeked] = useQueryState('peek', parseAsString)
  const show = (id: string | null): void => void setPeeked(id)
  const peek = { shown: peeked, show }
  useListKeys('alerts', { noun: 'alert', peek, hasFilter: true, hasWhy: true })
  return (
    <>
      <PageHeader
        title="Alerts"
        actions={
          <>
            <SavedViews list="alerts" />
            <LinkButton href="/alerts/rules">Rules</LinkButton>
          </>
        }
      />
      <div
        data-filters
        className="flex flex-wrap items-center gap-3 border-border border-b bg-surface-2 px-4 py-1.5"
      >
        <ChoiceChips
          label="State"
          choices={STATES}
          value={state}
          onChange={(next) => void setState(next)}
        />
      </div>
      <List {...{ state, peek }} onClear={() => void setState(null)} />
    </>
  )
}

function List({
  state,
  peek,
  onClear,
}: {
  readonly state: AlertState | null
  readonly peek: { readonly shown: string | null; readonly show: (id: null) => void }
  readonly onClear: () => void
}) {
  const trpc = useTRPC()
  const environment = useEnvironment()
  const query = useInfiniteQuery(
    trpc.alerts.list.infiniteQueryOptions(
      { state, environment: environment ?? null },
      { getNextPageParam: (page) => page.nextCursor },
    ),
  )
  useReadOnHint({ kind: 'alert' }, query.refetch)
  const [asked, setAsked] = useState<ListedAlert | null>(null)
  const alerts = query.data?.pages.flatMap((page) => page.alerts)
  if (alerts === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The alerts could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (alerts.length === 0) {
    return environment !== undefined && state === null ? (
      <EmptyState title={`No alert has fired in ${environment}.`} />
    ) : (
      <Nothing isFiltered={state !== null} onClear={onClear} />
    )
  }
  const peeked = alerts.find(({ id }) => id === peek.shown)
  return (
    <div className="flex">
      <div className="min-w-0 flex-1 bg-surface">
        <ul aria-label="Alerts">
          {alerts.map((alert) => (
            <AlertRow key={alert.id} alert={alert} onAcknowledge={() => setAsked(alert)} />
          ))}
        </ul>
        {query.hasNextPage ? (
          <div className="px-4 py-2">
            <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show 50 more
            </Button>
          </div>
        ) : null}
      </div>
      {peeked === undefined ? null : <AlertPeek alert={peeked} onClose={() => peek.show(null)} />}
      {asked === null ? null : <AcknowledgeDialog alert={asked} onClose={() => setAsked(null)} />}
    </div>
  )
}

function Nothing({
  isFiltered,
  onClear,
}: {
  readonly isFiltered: boolean
  readonly onClear: () => void
}) {
  return isFiltered ? (
    <EmptyState
      title="No alert matches the filter."
      action={<Button onClick={onClear}>Remove the filter</Button>}
    />
  ) : (
    <EmptyState
      title="No alert has fired."
      action={<LinkButton href="/alerts/rules">Make a rule</LinkButton>}
    >
      A rule says what you want to be told of: blocked stops, a rate of denials, lost sessions.
    </EmptyState>
  )
}

function AlertRow({
  alert,
  onAcknowledge,
}: {
  readonly alert: ListedAlert
  readonly onAcknowledge: () => void
}) {
  const right = useAlertRight('acknowledge')
  return (
    <li className="flex flex-col gap-1 border-border border-b px-4 py-3 focus-within:bg-row-selected">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        <StatusText status={alert.isFiring ? 'warning' : 'ended'}>{standingText(alert)}</StatusText>
        <span className="font-medium">{alert.rule}</span>
        <span className="text-text-2">{alert.scope}</span>
        <span className="text-text-2 tabular-nums">
          {valueText(alert.signal, alert.value)} in {minutesText(alert.windowMinutes)}; the rule
          says {valueText(alert.signal, alert.threshold)} or more
        </span>
        <span className="flex flex-wrap gap-x-3 text-text-2 sm:ml-auto">
          <Timestamp at={alert.firedAt} style="second" />
          {alert.resolvedAt === null ? null : (
            <span>
              until <Timestamp at={alert.resolvedAt} style="second" />
            </span>
          )}
        </span>
      </div>
      <p className="min-w-0 break-words">
        <Link data-row={alert.id} className="font-medium text-link" href={alert.evidence}>
          {alert.reason}
        </Link>
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-text-2">
        {alert.acknowledgedAt === null ? (
          alert.isFiring ? (
            <ReasonedButton {...right} onClick={onAcknowledge}>
              Acknowledge…
            </ReasonedButton>
          ) : null
        ) : (
          <span className="break-words">
            Acknowledged by {alert.acknowledgedName}{' '}
            <Timestamp at={alert.acknowledgedAt} style="second" />
            {alert.acknowledgedNote === null ? '' : `: “${alert.acknowledgedNote}”`}
          </span>
        )}
        <Deliveries deliveries={alert.deliveries} />
      </div>
    </li>
  )
}
