// Runtimes.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { Runtimes } from '@/components/runtimes/runtimes.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Runtimes' }

export default async function RuntimesPage() {
  await getQueryClient().prefetchQuery(trpcServer.runtimes.groups.queryOptions({}))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <Runtimes />
    </HydrationBoundary>
  )
}
