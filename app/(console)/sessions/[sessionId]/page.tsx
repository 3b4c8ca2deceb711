// What happened in this session, in order, and what did the guardrails know at that moment?
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { SessionPage } from '@/components/session/session-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Session' }

export default async function Page({
  params,
}: {
  readonly params: Promise<{ readonly sessionId: string }>
}) {
  const { sessionId } = await params
  const client = getQueryClient()
  await Promise.all([
    client.prefetchQuery(trpcServer.sessions.head.queryOptions({ sessionId })),
    client.prefetchQuery(trpcServer.sessions.index.queryOptions({ sessionId, afterSeq: 0 })),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <SessionPage key={sessionId} sessionId={sessionId} />
    </HydrationBoundary>
  )
}
