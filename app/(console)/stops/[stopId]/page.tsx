import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { attemptText, stopHeadline } from '@/components/explanations/stop-headline.ts'
import { StopPage } from '@/components/pages/stop-page.tsx'

interface Props {
  readonly params: Promise<{ readonly stopId: string }>
}

const fetchStop = (stopId: string) =>
  fetchSubject(trpcServer.stops.explanation.queryOptions({ stopId }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { stopId } = await params
  const found = await fetchStop(stopId)
  if (found === undefined) return { title: 'Stop' }
  const { stop } = found
  return { title: `${stopHeadline(stop).word}, ${attemptText(stop).toLowerCase()}` }
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
