'use client'
// Overview: current problems of all agents' guardrails, and their start. Figures refresh every five seconds; lists change their order only
// when the reader asks.
import { useQuery } from '@tanstack/react-query'
import { parseAsStringLiteral, useQueryState } from 'nuqs'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { AskedCard } from './asked-card.tsx'
import { Attention } from './attention.tsx'
import { Day } from './day.tsx'
import type { Hour } from './day-chart.tsx'
import { type FigureSet, Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LiveNow } from './live-now.tsx'
import { RefusalFeed } from './refusal-feed.tsx'
import { Releases } from './releases.tsx'

const FIGURES_EVERY_MS = 5_000
const ATTENTION_EVERY_MS = 15_000

/** `areStepsDismissed`: the first steps were dismissed in this browser. */
export function Overview({ areStepsDismissed }: { readonly areStepsDismissed: boolean }) {
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
      <PageHeader title="Overview" facts={<span>The last 24 hours</span>} />
      <div className="flex flex-col gap-3 p-4">
        <FirstSteps isDismissed={areStepsDismissed} />
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
        <LiveNow key={`live ${environment ?? ''}`} environment={environment} />
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
