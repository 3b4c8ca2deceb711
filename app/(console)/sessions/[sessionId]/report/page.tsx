import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { SessionReportPage } from '@/components/pages/session-report-page.tsx'

export const metadata: Metadata = { title: 'Session report' }

export default async function Page({
  params,
}: {
  readonly params: Promise<{ readonly sessionId: string }>
}) {
  const { sessionId } = await params
  await fetchSubject(trpcServer.reports.session.queryOptions({ sessionId }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <SessionReportPage sessionId={sessionId} />
    </HydrationBoundary>
  )
}
