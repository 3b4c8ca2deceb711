'use client'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import type { ReactNode } from 'react'
import { CreateAlertButton } from '@/components/alerts/create-alert-button.tsx'
import type { Draft } from '@/components/alerts/rule-draft.ts'
import { ChartFrame, type ChartFrameProps } from '@/components/kit/chart/chart-frame.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { EmptyState, ErrorState, Skeleton } from '@/components/ui/states.tsx'
import type { Chart, ChartName } from '@/server/analytics/charts.ts'
import { AGAIN_MS, type AnalyticsView } from './use-analytics-view.ts'

/** An empty card offers it. */
const LONG_RANGE = '90d'

type Shown = Pick<ChartFrameProps, 'summary' | 'note' | 'table' | 'legend' | 'actions' | 'children'>

/** Absent: no alert rule. */
const ALERT_OF: { readonly [Name in ChartName]?: Partial<Draft> } = {
  denials: { name: 'Denied calls', signal: 'denial_rate', threshold: '10', windowMinutes: '60' },
  calls: { name: 'Denied calls', signal: 'denial_rate', threshold: '10', windowMinutes: '60' },
  stop_ends: { name: 'Bypassed stops', signal: 'bypassed_stops', threshold: '1' },
  reasons: { name: 'Blocked stops', signal: 'blocked_stops' },
}

function toAlertDraft({ filter }: AnalyticsView, alert: Partial<Draft>): Partial<Draft> {
  const { environment = '', prompt } = filter
  const isWide = prompt === undefined
  return { ...alert, environment, prompt: isWide ? '' : `${prompt.ns}/${prompt.key}` }
}

export function useChart(view: AnalyticsView, chart: ChartName) {
  const trpc = useTRPC()
  const { filter, version } = view
  const asked = {
    chart,
    filter,
    ...(version === null ? {} : { version }),
    ...(chart === 'denials' ? { group: view.values.group } : {}),
  }
  return useQuery({
    ...trpc.analytics.chart.queryOptions(asked),
    refetchInterval: AGAIN_MS,
    placeholderData: (before) => before,
  })
}

export function ChartCard({
  view,
  chart,
  title,
  empty,
  show,
}: {
  readonly view: AnalyticsView
  readonly chart: ChartName
  readonly title: string
  readonly empty: string
  readonly show: (data: Chart, onPick: (href: string) => void) => Shown
}) {
  const router = useRouter()
  const query = useChart(view, chart)
  if (query.data === undefined) {
    return (
      <Waiting title={title}>
        {query.error === null ? (
          <Skeleton className="m-3 flex-1" />
        ) : (
          <ErrorState
            what="This chart could not be loaded. The others are not affected."
            why={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
      </Waiting>
    )
  }
  if (query.data.total === 0) {
    return (
      <Waiting title={title}>
        <EmptyState
          title={empty}
          action={
            view.values.range === LONG_RANGE ? undefined : (
              <Button onClick={() => view.change({ range: LONG_RANGE })}>Show 90 days</Button>
            )
          }
        />
      </Waiting>
    )
  }
  const shown = show(query.data, (href) => router.push(href))
  const alert = ALERT_OF[chart]
  return (
    <ChartFrame
      title={title}
      name={`signalbox-${chart.replaceAll('_', '-')}`}
      isTable={view.isTable(chart)}
      onTable={() => view.toggleTable(chart)}
      {...shown}
      actions={
        alert === undefined ? (
          shown.actions
        ) : (
          <>
            {shown.actions}
            <CreateAlertButton start={toAlertDraft(view, alert)} />
          </>
        )
      }
    />
  )
}

function Waiting({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    // As high as most charts, so that the cards below do not move.
    <Card className="flex min-h-[367px] min-w-0 flex-col">
      <CardHeader title={title} />
      {children}
    </Card>
  )
}
