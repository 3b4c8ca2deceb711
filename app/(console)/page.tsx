// Overview.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { Overview } from '@/components/overview/overview.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Overview' }

export default async function OverviewPage({
  searchParams,
}: {
  readonly searchParams: Promise<{ env?: string }>
}) {
  const { env } = await searchParams
  const input = typeof env === 'string' ? { environment: env } : {}
  await getQueryClient().prefetchQuery(trpcServer.overview.get.queryOptions(input))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <Overview />
    </HydrationBoundary>
  )
}
