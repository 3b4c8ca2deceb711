// Runtimes.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { Runtimes } from '@/components/runtimes/runtimes.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Runtimes' }

export default async function RuntimesPage() {
  const client = getQueryClient()
  const { commandPackage, groups } = trpcServer.runtimes
  await Promise.all([
    client.prefetchQuery(groups.queryOptions({})),
    client.prefetchQuery(commandPackage.queryOptions()),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <Runtimes />
    </HydrationBoundary>
  )
}
