// What became of this session, on a few pages?
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { SessionReportPage } from '@/components/session/report/session-report-page.tsx'
import { dehydratedState, subjectOf, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Session report' }

export default async function Page({
  params,
}: {
  readonly params: Promise<{ readonly sessionId: string }>
}) {
  const { sessionId } = await params
  await subjectOf(trpcServer.sessions.report.queryOptions({ sessionId }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <SessionReportPage sessionId={sessionId} />
    </HydrationBoundary>
  )
}
