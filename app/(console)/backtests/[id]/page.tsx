import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { BacktestPage } from '@/components/pages/backtest-page.tsx'

export const metadata: Metadata = { title: 'Backtest' }

export default async function Page({
  params,
}: {
  readonly params: Promise<{ readonly id: string }>
}) {
  const { id } = await params
  await fetchSubject(trpcServer.backtests.get.queryOptions({ id }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <BacktestPage id={id} />
    </HydrationBoundary>
  )
}
