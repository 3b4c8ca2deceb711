// Why was this stop blocked, and what would unblock it?
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { StopAuditPage } from '@/components/stops/stop-audit-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Stop audit' }

export default async function Page({
  params,
}: {
  readonly params: Promise<{ readonly stopId: string }>
}) {
  const { stopId } = await params
  await getQueryClient().prefetchQuery(trpcServer.stops.audit.queryOptions({ stopId }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <StopAuditPage stopId={stopId} />
    </HydrationBoundary>
  )
}
