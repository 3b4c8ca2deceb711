import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { GetStartedPage } from '@/components/pages/get-started-page.tsx'

export const metadata: Metadata = { title: 'Get started' }

export default async function Page() {
  const client = getQueryClient()
  await Promise.all([
    client.prefetchQuery(trpcServer.overview.steps.queryOptions()),
    client.prefetchQuery(trpcServer.runtimes.commandPackage.queryOptions()),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <GetStartedPage />
    </HydrationBoundary>
  )
}
