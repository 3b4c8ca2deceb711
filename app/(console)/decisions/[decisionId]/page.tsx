// Why was this call allowed or denied, and what would allow it?
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { DecisionPage } from '@/components/decisions/decision-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Decision' }

export default async function Page({
  params,
}: {
  readonly params: Promise<{ readonly decisionId: string }>
}) {
  const { decisionId } = await params
  await getQueryClient().prefetchQuery(trpcServer.decisions.audit.queryOptions({ decisionId }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <DecisionPage decisionId={decisionId} />
    </HydrationBoundary>
  )
}
