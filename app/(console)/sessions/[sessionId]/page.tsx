// What happened in this session, in order, and what did the guardrails know at that moment?
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { firstWindow } from '@/components/session/event-log.ts'
import { SessionPage } from '@/components/session/session-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Session' }

/** The event that the address names; null: none, or what was typed is no number. */
function seqOf(asked: string | readonly string[] | undefined): number | null {
  return typeof asked === 'string' && /^\d{1,9}$/.test(asked) ? Number(asked) : null
}

export default async function Page({
  params,
  searchParams,
}: {
  readonly params: Promise<{ readonly sessionId: string }>
  readonly searchParams: Promise<{ readonly e?: string | string[] }>
}) {
  const { sessionId } = await params
  const openedAt = seqOf((await searchParams).e)
  const client = getQueryClient()
  const headQuery = trpcServer.sessions.head.queryOptions({ sessionId })
  await client.prefetchQuery(headQuery)
  const head = client.getQueryData(headQuery.queryKey)
  if (head !== undefined && head.removed === null) {
    const isRunning = head.status === 'running'
    const window = firstWindow({ selectedSeq: openedAt, isRunning, maxSeq: head.maxSeq })
    await client.prefetchQuery(trpcServer.sessions.index.queryOptions({ sessionId, ...window }))
  }
  return (
    <HydrationBoundary state={dehydratedState()}>
      <SessionPage key={sessionId} sessionId={sessionId} openedAt={openedAt} />
    </HydrationBoundary>
  )
}
