// Alerts, their current state, and the responses to them.
'use client'

import { parseAsString, parseAsStringLiteral, useQueryState } from 'nuqs'
import { useState } from 'react'
import { AlertButtons, type AlertButtonsProps } from '@/components/alerts/alert-buttons.tsx'
import { Deliveries } from '@/components/alerts/alert-deliveries.tsx'
import { AlertPeek } from '@/components/alerts/alert-peek.tsx'
import { useIsMuted } from '@/components/alerts/mute-menu.tsx'
import { standingText, valueText } from '@/components/alerts/signal-words.ts'
import { useAlertActs } from '@/components/alerts/use-alert-acts.ts'
import { useAlertList } from '@/components/alerts/use-alert-list.ts'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { FreshBar } from '@/components/kit/list/fresh-bar.tsx'
import { type Peeking, peekAction } from '@/components/kit/list/peek-action.ts'
import { RowMenu } from '@/components/kit/list/row-menu.tsx'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { lateDialog } from '@/components/ui/late-popup.tsx'
import { Link } from '@/components/ui/link.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { AlertState, ListedAlert } from '@/server/alerts/alert-list.sql.ts'
import { minutesText } from '@/server/alerts/signals.kinds.ts'

const AcknowledgeDialog = lateDialog(() =>
  import('@/components/alerts/acknowledge-dialog.tsx').then((module) => module.AcknowledgeDialog),
)

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
  const environment = useEnvironment() ?? null
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
      {/* Another filter is another list: nothing of the former one is laid over it. */}
      <List
        key={`${state} ${environment}`}
        state={state}
        environment={environment}
        onClear={() => void setState(null)}
      />
    </>
  )
}

interface ListProps {
  readonly state: AlertState | null
  readonly environment: string | null
  readonly onClear: () => void
}

function List({ state, environment, onClear }: ListProps) {
  const [shown, setShown] = useQueryState('peek', parseAsString)
  const peek: Peeking = { shown, show: (id) => void setShown(id) }
  const list = useAlertList({ state, environment })
  const acts = useAlertActs(list)
  const [asked, setAsked] = useState<ListedAlert | null>(null)
  const { alerts, error, fresh, readAgain } = list
  useListKeys('alerts', {
    noun: 'alert',
    peek,
    hasFilter: true,
    hasWhy: true,
    hasActions: true,
    showFresh: readAgain,
  })
  if (alerts === undefined) {
    if (error === null) return <SkeletonRows />
    return <ErrorState what="The alerts could not be loaded." why={error} onRetry={readAgain} />
  }
  const peeked = alerts.find(({ id }) => id === shown)
  return (
    <>
      <FreshBar fresh={fresh} noun="alert" onShow={readAgain} />
      {alerts.length === 0 ? (
        <Nothing state={state} environment={environment} onClear={onClear} />
      ) : (
        <div className="flex">
          <div className="min-w-0 flex-1 bg-surface">
            <ul aria-label="Alerts">
              {alerts.map((alert) => (
                <AlertRow
                  key={alert.id}
                  alert={alert}
                  acts={acts}
                  peek={peek}
                  onAcknowledge={() => setAsked(alert)}
                />
              ))}
            </ul>
            {list.hasMore ? (
              <div className="px-4 py-2">
                <Button disabled={list.isLoadingMore} onClick={list.loadMore}>
                  Show 50 more
                </Button>
              </div>
            ) : null}
            {error === null ? null : (
              <p role="alert" className="px-4 py-2 text-text-2">
                The list is as it was: {error.message}
              </p>
            )}
          </div>
          {peeked === undefined ? null : (
            <AlertPeek
              alert={peeked}
              acts={acts}
              onAcknowledge={() => setAsked(peeked)}
              onClose={() => peek.show(null)}
            />
          )}
        </div>
      )}
      {asked === null ? null : (
        <AcknowledgeDialog
          alert={asked}
          start={acts.findNote(asked)}
          onAcknowledge={(note) => acts.acknowledge(asked, note)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

function Nothing({ state, environment, onClear }: ListProps) {
  if (state !== null) {
    return (
      <EmptyState
        title="No alert matches the filter."
        action={<Button onClick={onClear}>Clear filter</Button>}
      />
    )
  }
  if (environment !== null) return <EmptyState title={`No alert has fired in ${environment}.`} />
  return (
    <EmptyState
      title="No alerts yet."
      action={<LinkButton href="/alerts/rules">Create rule</LinkButton>}
    >
      An alert rule watches a signal, such as blocked stops, the denial rate or lost sessions.
    </EmptyState>
  )
}

function AlertRow({
  alert,
  acts,
  peek,
  onAcknowledge,
}: AlertButtonsProps & { readonly peek: Peeking }) {
  const isRuleMuted = useIsMuted(alert.ruleMutedUntil)
  return (
    <li className="relative flex flex-col gap-1 border-border border-b py-3 pr-12 pl-4 focus-within:bg-row-selected">
      <span className="absolute top-2 right-2">
        <RowMenu
          label={`Actions for the alert ${alert.rule}`}
          items={[
            { name: 'Open the reason', href: alert.evidence },
            peekAction(peek, alert.id),
            { name: 'Copy link', onSelect: () => copyLink(linkedAt(alert.evidence, alert.reason)) },
          ]}
        />
      </span>
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
        <AlertButtons alert={alert} acts={acts} onAcknowledge={onAcknowledge} />
        {isRuleMuted && alert.ruleMutedUntil !== null ? (
          <span>
            Rule muted until <Timestamp at={alert.ruleMutedUntil} style="second" />
          </span>
        ) : null}
        {alert.acknowledgedAt === null ? null : (
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
