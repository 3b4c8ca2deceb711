'use client'
// Is anything wrong with my agents' guardrails right now, and since when?
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useHints } from '../live/use-hints.ts'
import { useEnvironment } from '../shell/environment-switcher.tsx'
import { useTRPC } from '../trpc-provider.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Attention } from './attention.tsx'
import { Day } from './day.tsx'
import type { Hour } from './day-chart.tsx'
import { type FigureSet, Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LiveNow } from './live-now.tsx'
import { Releases } from './releases.tsx'

export function Overview() {
  const trpc = useTRPC()
  const environment = useEnvironment()
  const options = trpc.overview.get.queryOptions(environment === undefined ? {} : { environment })
  const query = useQuery({ ...options, refetchInterval: 5000 })
  const client = useQueryClient()
  const refresh = useCallback(
    () => void client.invalidateQueries({ queryKey: trpc.overview.get.queryKey() }),
    [client, trpc],
  )
  useHints({ kind: 'session' }, refresh)
  const { data } = query
  if (data === undefined) {
    return query.isError ? (
      <ErrorState
        what="The overview could not be loaded."
        why={query.error.message}
        onRetry={() => void query.refetch()}
      />
    ) : (
      <SkeletonRows />
    )
  }
  const isNew = !(data.steps.hasRuntime && data.steps.hasRelease && data.steps.hasSession)
  return (
    <>
      <PageHeader title="Overview" facts={<span>last 24 hours</span>} />
      <div className="flex flex-col gap-3 p-4">
        {isNew && <FirstSteps steps={data.steps} />}
        <Attention items={data.attention} />
        <Figures figures={data.figures} />
        <Day hours={hoursOf(data.figures)} />
        <LiveNow sessions={data.live} />
        <Releases releases={data.releases} />
      </div>
    </>
  )
}

function hoursOf({ callsDenied, stopsBlocked }: FigureSet): Hour[] {
  return callsDenied.series.map(({ hour, value }, i) => ({
    hour,
    denied: value,
    blocked: stopsBlocked.series[i]?.value ?? 0,
  }))
}
