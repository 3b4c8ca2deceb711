import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { PreventionPage } from '@/components/pages/prevention-page.tsx'

export const metadata: Metadata = { title: 'Prevent a call or stop' }

interface Props {
  readonly params: Promise<{ readonly sessionId: string; readonly seq: string }>
}

export default async function Page({ params }: Props) {
  const { sessionId, seq: text } = await params
  const seq = Number(text)
  if (!Number.isInteger(seq) || seq < 1 || seq > 2_147_483_647) notFound()
  await fetchSubject(trpcServer.prevention.find.queryOptions({ sessionId, seq }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <PreventionPage sessionId={sessionId} seq={seq} />
    </HydrationBoundary>
  )
}
