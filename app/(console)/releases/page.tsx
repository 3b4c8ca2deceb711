import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { ReleasesPage } from '@/components/pages/releases-page.tsx'

export const metadata: Metadata = { title: 'Rollouts' }

export default async function Page() {
  const client = getQueryClient()
  await Promise.all([
    client.prefetchQuery(trpcServer.releaseApprovals.list.queryOptions()),
    client.prefetchQuery(trpcServer.schedules.list.queryOptions()),
    client.prefetchQuery(trpcServer.releases.partlyApplied.queryOptions()),
    client.prefetchQuery(trpcServer.stagedRollouts.running.queryOptions()),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ReleasesPage openedAt={Date.now()} />
    </HydrationBoundary>
  )
}
