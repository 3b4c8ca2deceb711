'use client'
// Figures refresh every five seconds; lists change their order only on request.

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { parseAsStringLiteral, useQueryState } from 'nuqs'
import type { ReactNode } from 'react'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ErrorState, Skeleton } from '@/components/ui/states.tsx'
import { Attention } from './attention.tsx'
import type { Hour } from './day-chart.tsx'
import { type FigureSet, Figures } from './figures.tsx'
import { RefusalFeed } from './refusal-feed.tsx'
import { Releases } from './releases.tsx'
import { RunningNow } from './running-now.tsx'

const DayChart = lazySection(
  () => import('./day-chart.tsx').then((module) => module.DayChart),
  <Skeleton className="m-3 h-[116px]" />,
)

const KEYS = [
  { name: 'calls denied', className: 'bg-deny-mark' },
  { name: 'stops blocked', className: 'bg-blocked-mark' },
] as const

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-3 text-small text-text-2">
      {KEYS.map(({ name, className }) => (
        <li key={name} className="inline-flex items-center gap-1.5 whitespace-nowrap">
          <span aria-hidden className={clsx('size-2.5 rounded-[2px]', className)} />
          {name}
        </li>
      ))}
    </ul>
  )
}

function Day({ hours }: { readonly hours: readonly Hour[] }) {
  const denied = hours.reduce((sum, hour) => sum + hour.denied, 0)
  const blocked = hours.reduce((sum, hour) => sum + hour.blocked, 0)
  return (
    <Card>
      <CardHeader title="Denied calls and blocked stops" aside="by hour" actions={<Legend />} />
      <p className="sr-only">{`In the last 24 hours ${plural(denied, 'call')} ${denied === 1 ? 'was' : 'were'} denied and ${plural(blocked, 'stop')} ${blocked === 1 ? 'was' : 'were'} blocked.`}</p>
      <DayChart hours={hours} />
    </Card>
  )
}

interface Asked<Data> {
  readonly data: Data | undefined
  readonly error: { readonly message: string } | null
  readonly refetch: () => unknown
}

/** `children` renders the result in its own card; until then, `title` is shown in its place. */
function AskedCard<Data>({
  title,
  query,
  children,
}: {
  readonly title: string
  readonly query: Asked<Data>
  readonly children: (data: Data) => ReactNode
}) {
  const { data, error, refetch } = query
  if (data !== undefined) return <>{children(data)}</>
  return (
    <Card>
      <CardHeader title={title} />
      {error === null ? (
        <Skeleton className="m-3 h-16" />
      ) : (
        <ErrorState
          what={`${title}: could not be read.`}
          why={error}
          onRetry={() => void refetch()}
        />
      )}
    </Card>
  )
}

const FIGURES_EVERY_MS = 5_000
const ATTENTION_EVERY_MS = 15_000

export function Overview() {
  const trpc = useTRPC()
  useListKeys('overview', { noun: 'row' })
  const environment = useEnvironment()
  const input = environment === undefined ? {} : { environment }
  const [isAll, setAll] = useQueryState('attention', parseAsStringLiteral(['all']))
  const attention = useQuery({
    ...trpc.overview.attention.queryOptions(isAll === null ? input : { ...input, all: true }),
    refetchInterval: ATTENTION_EVERY_MS,
  })
  const figures = useQuery({
    ...trpc.overview.figures.queryOptions(input),
    refetchInterval: FIGURES_EVERY_MS,
  })
  const releases = useQuery(trpc.overview.releases.queryOptions(input))
  useReadOnChange({ kind: 'release' }, releases)
  useReadOnChange([{ kind: 'release' }, { kind: 'runtime' }], attention)
  return (
    <>
      <PageHeader
        title="Overview"
        facts={<span>The last 24 hours</span>}
        actions={<LinkButton href="/runtimes?connect=claude-code">Connect an agent</LinkButton>}
      />
      <div className="flex flex-col gap-3 p-4">
        <AskedCard title="Needs attention" query={attention}>
          {(needs) => (
            <Attention
              key={`${environment ?? ''} ${isAll ?? ''}`}
              needs={needs}
              isAll={isAll !== null}
              onAll={(all) => void setAll(all ? 'all' : null)}
            />
          )}
        </AskedCard>
        <AskedCard title="Figures" query={figures}>
          {(set) => <Figures figures={set} />}
        </AskedCard>
        <AskedCard title="Releases" query={releases}>
          {(list) => <Releases releases={list} />}
        </AskedCard>
        <RunningNow key={`running ${environment ?? ''}`} environment={environment} />
        <RefusalFeed key={`refused ${environment ?? ''}`} environment={environment} />
        {figures.data === undefined ? null : <Day hours={toHours(figures.data)} />}
      </div>
    </>
  )
}

function toHours({ callsDenied, stopsBlocked }: FigureSet): Hour[] {
  return callsDenied.series.map(({ hour, value }, i) => ({
    hour,
    denied: value,
    blocked: stopsBlocked.series[i]?.value ?? 0,
  }))
}
