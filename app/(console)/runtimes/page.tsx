// Runtimes.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { Runtimes } from '@/components/runtimes/runtimes.tsx'

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
