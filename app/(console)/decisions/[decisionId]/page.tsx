import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { DecisionPage } from '@/components/pages/decision-page.tsx'

interface Props {
  readonly params: Promise<{ readonly decisionId: string }>
}

const fetchDecision = (decisionId: string) =>
  fetchSubject(trpcServer.decisions.explanation.queryOptions({ decisionId }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { decisionId } = await params
  const tool = (await fetchDecision(decisionId))?.request?.tool ?? 'a call'
  return { title: `Decision …${decisionId.slice(-4)} on ${tool}` }
}

export default async function Page({ params }: Props) {
  const { decisionId } = await params
  await fetchDecision(decisionId)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <DecisionPage decisionId={decisionId} />
    </HydrationBoundary>
  )
}
