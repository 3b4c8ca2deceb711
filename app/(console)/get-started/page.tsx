import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { GetStartedPage } from '@/components/pages/get-started-page.tsx'
import { parseConfigName } from '@/components/paths/config-name.ts'

export const metadata: Metadata = { title: 'Get started' }

export default async function Page({
  searchParams,
}: {
  readonly searchParams: Promise<{ readonly prompt?: string | readonly string[] }>
}) {
  const { prompt: chosen } = await searchParams
  const prompt = typeof chosen === 'string' ? parseConfigName(chosen) : null
  const client = getQueryClient()
  await Promise.all([
    client.prefetchQuery(trpcServer.overview.steps.queryOptions()),
    prompt !== null && client.prefetchQuery(trpcServer.overview.steps.queryOptions({ prompt })),
    client.prefetchQuery(trpcServer.runtimes.commandPackage.queryOptions()),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <GetStartedPage />
    </HydrationBoundary>
  )
}
