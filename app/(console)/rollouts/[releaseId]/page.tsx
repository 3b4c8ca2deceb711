// One release.
import { HydrationBoundary } from '@tanstack/react-query'
import { TRPCError } from '@trpc/server'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ReleasePage } from '@/components/releases/release-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Release' }

export default async function Page({
  params,
}: {
  readonly params: Promise<{ releaseId: string }>
}) {
  const { releaseId } = await params
  const client = getQueryClient()
  await client.fetchQuery(trpcServer.rollouts.get.queryOptions({ releaseId })).catch(orMissing)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ReleasePage releaseId={releaseId} />
    </HydrationBoundary>
  )
}

function orMissing(error: unknown): void {
  if (error instanceof TRPCError && (error.code === 'NOT_FOUND' || error.code === 'BAD_REQUEST')) {
    notFound()
  }
  throw error
}
