// One runtime.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { RuntimePage } from '@/components/runtimes/runtime-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Runtime' }

export default async function Page({
  params,
}: {
  readonly params: Promise<{ readonly runtimeId: string }>
}) {
  const { runtimeId } = await params
  await getQueryClient().prefetchQuery(trpcServer.runtimes.get.queryOptions({ id: runtimeId }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <RuntimePage id={runtimeId} />
    </HydrationBoundary>
  )
}
