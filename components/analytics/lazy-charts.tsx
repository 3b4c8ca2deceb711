'use client'
// The drawings, loaded when the first of them is shown.
import { latePart } from '../ui/late-part.tsx'
import { Skeleton } from '../ui/states.tsx'

const waiting = <Skeleton className="m-2 h-48" />

export const TimeChart = latePart(
  () => import('./time-chart.tsx').then(({ TimeChart: chart }) => chart),
  waiting,
)
export const BarsChart = latePart(
  () => import('./bars-chart.tsx').then(({ BarsChart: chart }) => chart),
  waiting,
)
export const AdviceChart = latePart(
  () => import('./advice-chart.tsx').then(({ AdviceChart: chart }) => chart),
  waiting,
)
