import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { RuntimesPage } from '@/components/pages/runtimes-page.tsx'

export const metadata: Metadata = { title: 'Runtimes' }

export default async function Page() {
  const client = getQueryClient()
  const { commandPackage, groups } = trpcServer.runtimes
  await Promise.all([
    client.prefetchQuery(groups.queryOptions({})),
    client.prefetchQuery(commandPackage.queryOptions()),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <RuntimesPage openedAt={Date.now()} />
    </HydrationBoundary>
  )
}
