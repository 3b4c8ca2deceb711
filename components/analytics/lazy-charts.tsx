'use client'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Skeleton } from '@/components/ui/states.tsx'

/** Has the height of the chart, so that nothing moves when it loads. */
const waiting = (height: string) => <Skeleton className={height} />

export const TimeChart = lazySection(
  () => import('@/components/kit/chart/time-chart.tsx').then(({ TimeChart: chart }) => chart),
  waiting('h-[282px]'),
)
export const BarsChart = lazySection(
  () => import('@/components/kit/chart/bars-chart.tsx').then(({ BarsChart: chart }) => chart),
  waiting('h-[200px]'),
)
export const AdviceChart = lazySection(
  () => import('./advice-chart.tsx').then(({ AdviceChart: chart }) => chart),
  waiting('h-[220px]'),
)
export const RateChart = lazySection(
  () => import('@/components/kit/chart/rate-chart.tsx').then(({ RateChart: chart }) => chart),
  waiting('h-[248px]'),
)
