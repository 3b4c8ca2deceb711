'use client'
// The drawings, loaded when the first of them is shown.
import { latePart } from '@/components/ui/late-part.tsx'
import { Skeleton } from '@/components/ui/states.tsx'

/** Same height as the chart, so that nothing shifts when it loads. */
const waiting = (height: string) => <Skeleton className={height} />

export const TimeChart = latePart(
  () => import('@/components/kit/chart/time-chart.tsx').then(({ TimeChart: chart }) => chart),
  waiting('h-[240px]'),
)
export const BarsChart = latePart(
  () => import('@/components/kit/chart/bars-chart.tsx').then(({ BarsChart: chart }) => chart),
  waiting('h-[200px]'),
)
export const AdviceChart = latePart(
  () => import('./advice-chart.tsx').then(({ AdviceChart: chart }) => chart),
  waiting('h-[220px]'),
)
