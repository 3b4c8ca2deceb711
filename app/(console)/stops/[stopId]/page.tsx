import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { StopPage } from '@/components/pages/stop-page.tsx'

interface Props {
  readonly params: Promise<{ readonly stopId: string }>
}

const fetchStop = (stopId: string) =>
  fetchSubject(trpcServer.stops.explanation.queryOptions({ stopId }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { stopId } = await params
  const session = (await fetchStop(stopId))?.session
  const prompt = session === undefined ? '' : ` of ${session.ns}/${session.key}`
  return { title: `Stop …${stopId.slice(-4)}${prompt}` }
}

export default async function Page({ params }: Props) {
  const { stopId } = await params
  await fetchStop(stopId)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <StopPage stopId={stopId} />
    </HydrationBoundary>
  )
}
