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
  const client = getQueryClient()
  const { attention, figures, releases, steps } = trpcServer.overview
  await Promise.all([
    client.prefetchQuery(attention.queryOptions(input)),
    client.prefetchQuery(figures.queryOptions(input)),
    client.prefetchQuery(releases.queryOptions(input)),
    client.prefetchQuery(steps.queryOptions()),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <Overview />
    </HydrationBoundary>
  )
}
