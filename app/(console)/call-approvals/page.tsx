import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { CallApprovalsPage } from '@/components/pages/call-approvals-page.tsx'

export const metadata: Metadata = { title: 'Call approvals' }

export default async function Page({
  searchParams,
}: {
  readonly searchParams: Promise<{ readonly env?: string }>
}) {
  const { env } = await searchParams
  const input = env === undefined ? {} : { environment: env }
  await getQueryClient().prefetchQuery(trpcServer.callApprovals.waiting.queryOptions(input))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <CallApprovalsPage />
    </HydrationBoundary>
  )
}
