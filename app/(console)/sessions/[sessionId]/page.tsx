import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { SessionPage } from '@/components/pages/session-page.tsx'
import { firstWindow } from '@/components/sessions/page/event-log.ts'

interface Props {
  readonly params: Promise<{ readonly sessionId: string }>
}

const fetchSessionHead = (sessionId: string) =>
  fetchSubject(trpcServer.sessions.head.queryOptions({ sessionId }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { sessionId } = await params
  const head = await fetchSessionHead(sessionId)
  const prompt = head === undefined ? '' : ` of ${head.ns}/${head.key}`
  return { title: `Session …${sessionId.slice(-4)}${prompt}` }
}

/** Null: none, or not a number. */
function parseSeq(asked: string | readonly string[] | undefined): number | null {
  return typeof asked === 'string' && /^\d{1,9}$/.test(asked) ? Number(asked) : null
}

export default async function Page({
  params,
  searchParams,
}: Props & { readonly searchParams: Promise<{ readonly e?: string | string[] }> }) {
  const { sessionId } = await params
  const openedAt = parseSeq((await searchParams).e)
  const head = await fetchSessionHead(sessionId)
  if (head !== undefined && head.removed === null) {
    const isRunning = head.status === 'running'
    const window = firstWindow({ selectedSeq: openedAt, isRunning, maxSeq: head.maxSeq })
    await getQueryClient().prefetchQuery(
      trpcServer.sessions.index.queryOptions({ sessionId, ...window }),
    )
  }
  return (
    <HydrationBoundary state={dehydratedState()}>
      <SessionPage key={sessionId} sessionId={sessionId} openedAt={openedAt} />
    </HydrationBoundary>
  )
}
