import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { PreventionPage } from '@/components/pages/prevention-page.tsx'
import { readPrompt } from '../../../config-params.ts'

export const metadata: Metadata = { title: 'Prevent an example' }

interface Props {
  readonly params: Promise<{ readonly ns: string; readonly key: string; readonly id: string }>
}

export default async function Page({ params }: Props) {
  const { id: sessionId } = await params
  const prompt = await readPrompt({ params })
  await fetchSubject(trpcServer.prevention.find.queryOptions({ sessionId, seq: 0 }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <PreventionPage sessionId={sessionId} seq={0} prompt={prompt} />
    </HydrationBoundary>
  )
}
