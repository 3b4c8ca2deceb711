'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { TypedConfirm } from '@/components/kit/form/lazy-typed-confirm.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { Refusal } from '@/components/shell/refusal.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { EmptyState, ErrorLine, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { destinationKind } from '@/server/alerts/destination.kinds.ts'
import type { ListedDestination } from '@/server/alerts/destination-list.ts'
import { AlertTabs } from './alert-tabs.tsx'

const DestinationDialog = lazyDialog(() =>
  import('./destination-dialog.tsx').then((module) => module.DestinationDialog),
)

export function Destinations() {
  const trpc = useTRPC()
  const query = useQuery(trpc.destinations.list.queryOptions())
  useReadOnChange({ kind: 'alert' }, query)
  const right = useRight('admin')
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <PageHeader
        title="Alerts"
        facts={query.data === undefined ? '\u00a0' : describeDestinations(query.data)}
        actions={
          <ReasonedButton {...right} variant="primary" onClick={() => setAdding(true)}>
            <Plus size={14} aria-hidden />
            New destination
          </ReasonedButton>
        }
      />
      <AlertTabs shown="Destinations" />
      {right.reason !== null && <Refusal>{right.reason}</Refusal>}
      {query.isPending && right.reason === null && <SkeletonRows />}
      {query.isError && right.reason === null && (
        <ErrorState
          what="The destinations could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data?.length === 0 && (
        <EmptyState title="No destinations yet.">
          Alerts are shown in the console. A destination is a webhook, chat channel, PagerDuty
          service or email address that one or more{' '}
          <Link href="/alerts/rules" className="text-link underline">
            alert rules
          </Link>{' '}
          notify when they fire.
        </EmptyState>
      )}
      {query.data !== undefined && query.data.length > 0 && (
        <ul aria-label="Destinations" className="bg-surface">
          {query.data.map((destination) => (
            <DestinationRow key={destination.id} destination={destination} />
          ))}
        </ul>
      )}
      {isAdding ? <DestinationDialog changed={null} onClose={() => setAdding(false)} /> : null}
    </>
  )
}

function describeDestinations(destinations: readonly ListedDestination[]): string {
  if (destinations.length === 0) return 'No destinations yet. Alerts are shown only in the console.'
  const last = destinations.flatMap((destination) => destination.last ?? [])
  const arrived = last.filter(({ deliveredAt }) => deliveredAt !== null).length
  const failed = last.filter((one) => one.deliveredAt === null && one.failedAt !== null).length
  const sending = last.length - arrived - failed
  const parts = [
    ...(arrived === 0 ? [] : [`${countText(arrived)} arrived`]),
    ...(failed === 0 ? [] : [`${countText(failed)} failed`]),
    ...(sending === 0 ? [] : [`${countText(sending)} ${sending === 1 ? 'is' : 'are'} being sent`]),
  ]
  const count = plural(destinations.length, 'destination')
  if (parts.length === 0) return `${count}, without a recent message.`
  return `${count}. Last messages: ${parts.join(', ')}.`
}

function namesText(rules: ListedDestination['rules']): string {
  return rules.map(({ name }) => name).join(', ')
}

function DestinationRow({ destination }: { readonly destination: ListedDestination }) {
  const { id, kind, to, rules } = destination
  const trpc = useTRPC()
  const test = useMutation(trpc.destinations.test.mutationOptions())
  const [asked, setAsked] = useState<'change' | 'remove' | null>(null)
  const close = (): void => setAsked(null)
  return (
    <li className="flex flex-col gap-1 border-border border-b px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        <span className="break-all font-medium">{to}</span>
        <span className="text-text-2">{destinationKind(kind).label}</span>
        <LastMessage last={destination.last} />
      </div>
      <p className="break-words text-text-2">
        Used by{' '}
        <Link href="/alerts/rules" className="text-link underline">
          {plural(rules.length, 'rule')}
        </Link>
        : {namesText(rules)}
      </p>
      <div className="flex flex-wrap items-center gap-2 pt-1">
        <Button disabled={test.isPending} onClick={() => test.mutate({ id })}>
          Send a test
        </Button>
        <Button onClick={() => setAsked('change')}>Change…</Button>
        <Button onClick={() => setAsked('remove')}>Remove…</Button>
      </div>
      <p role="status" className="break-words text-small text-text-2">
        {test.data === undefined
          ? null
          : test.data.why === null
            ? `The test to ${to} arrived.`
            : `The test to ${to} did not arrive: ${test.data.why}`}
      </p>
      <ErrorLine>{test.error?.message}</ErrorLine>
      {asked === 'change' ? <DestinationDialog changed={destination} onClose={close} /> : null}
      {asked === 'remove' ? <RemoveDestination destination={destination} onClose={close} /> : null}
    </li>
  )
}

function LastMessage({ last }: Pick<ListedDestination, 'last'>) {
  if (last === null) return <span className="text-text-2">No recent messages</span>
  const { at, deliveredAt, failedAt, attempts } = last
  const times = plural(attempts, 'attempt')
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2 text-text-2">
      {deliveredAt !== null ? (
        <StatusText status="allowed">arrived</StatusText>
      ) : failedAt !== null ? (
        <StatusText status="rejected">failed</StatusText>
      ) : (
        <StatusText status="waiting">{attempts === 0 ? 'sending' : 'retrying'}</StatusText>
      )}
      <span className="break-words">
        last message <Timestamp at={at} style="second" />, {times}
        {deliveredAt === null && last.last !== null ? `: ${last.last}` : ''}
      </span>
    </span>
  )
}

function RemoveDestination({
  destination: { id, to, rules },
  onClose,
}: {
  readonly destination: ListedDestination
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const remove = useMutation(
    trpc.destinations.remove.mutationOptions({
      onSuccess: onClose,
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: trpc.destinations.pathKey() }),
          queries.invalidateQueries({ queryKey: trpc.alerts.rules.queryKey() }),
        ]),
    }),
  )
  return (
    <TypedConfirm
      onClose={onClose}
      title={`Remove ${to}?`}
      effect={`${plural(rules.length, 'rule')} will no longer notify it: ${namesText(rules)}. The rules are kept and continue to fire.`}
      word={to}
      action={`Remove ${to}`}
      onConfirm={() => remove.mutateAsync({ id })}
    />
  )
}
