// Why was this call allowed or denied, and what would allow it?
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { DecisionPage } from '@/components/decisions/decision-page.tsx'
import { dehydratedState, subjectOf, trpcServer } from '@/server/trpc/prefetch.ts'

interface Props {
  readonly params: Promise<{ readonly decisionId: string }>
}

const decisionOf = (decisionId: string) =>
  subjectOf(trpcServer.decisions.audit.queryOptions({ decisionId }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { decisionId } = await params
  const tool = (await decisionOf(decisionId))?.request?.tool ?? 'a call'
  return { title: `Decision …${decisionId.slice(-4)} on ${tool}` }
}

export default async function Page({ params }: Props) {
  const { decisionId } = await params
  await decisionOf(decisionId)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <DecisionPage decisionId={decisionId} />
    </HydrationBoundary>
  )
}
