// Why was this stop blocked, and what would unblock it?
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { StopAuditPage } from '@/components/stops/stop-audit-page.tsx'
import { dehydratedState, subjectOf, trpcServer } from '@/server/trpc/prefetch.ts'

interface Props {
  readonly params: Promise<{ readonly stopId: string }>
}

const stopOf = (stopId: string) => subjectOf(trpcServer.stops.audit.queryOptions({ stopId }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { stopId } = await params
  const session = (await stopOf(stopId))?.session
  const prompt = session === undefined ? '' : ` of ${session.ns}/${session.key}`
  return { title: `Stop …${stopId.slice(-4)}${prompt}` }
}

export default async function Page({ params }: Props) {
  const { stopId } = await params
  await stopOf(stopId)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <StopAuditPage stopId={stopId} />
    </HydrationBoundary>
  )
}
