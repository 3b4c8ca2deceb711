// Rollouts: every release, what is planned, and approvals that wait.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { RolloutsPage } from '@/components/releases/rollouts-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Rollouts' }

export default async function Page() {
  const client = getQueryClient()
  await Promise.all([
    client.prefetchQuery(trpcServer.approvals.waiting.queryOptions()),
    client.prefetchQuery(trpcServer.schedules.list.queryOptions()),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <RolloutsPage />
    </HydrationBoundary>
  )
}
