// Every selection is in the address; nothing moves under the reader.
'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { firstWindow } from '@/components/sessions/page/event-log.ts'
import { LoadedSession } from '@/components/sessions/page/loaded-session.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'

const RetentionNotice = lazySection(
  () =>
    import('@/components/sessions/page/retention-notice.tsx').then(
      (module) => module.RetentionNotice,
    ),
  <SkeletonRows />,
)

const SessionControl = lazySection(
  () =>
    import('@/components/session-orders/session-control.tsx').then(
      (module) => module.SessionControl,
    ),
  <div className="no-print min-h-12 max-sm:min-h-21 border-border border-b bg-surface" />,
)

export interface SessionPageProps {
  readonly sessionId: string
  /** Event in the address when the page was requested; null: none. */
  readonly openedAt: number | null
}

export function SessionPage({ sessionId, openedAt }: SessionPageProps) {
  const trpc = useTRPC()
  const head = useQuery(trpc.sessions.head.queryOptions({ sessionId }))
  useReadOnChange({ kind: 'session', id: sessionId }, head)
  useReadOnChange({ kind: 'label', id: sessionId }, head)
  if (head.data === undefined) {
    if (head.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The session could not be loaded."
        why={head.error}
        onRetry={() => void head.refetch()}
      />
    )
  }
  if (head.data.removed !== null) {
    return <RetentionNotice head={head.data} removed={head.data.removed} />
  }
  return <FirstEvents head={head.data} openedAt={openedAt} />
}

function FirstEvents({
  head,
  openedAt,
}: {
  readonly head: SessionHead
  readonly openedAt: number | null
}) {
  const trpc = useTRPC()
  // Window at the time the page opened; later events load separately.
  const [window] = useState(() =>
    firstWindow({
      selectedSeq: openedAt,
      maxSeq: head.maxSeq,
      isRunning: head.status === 'running',
    }),
  )
  const first = useQuery(
    trpc.sessions.index.queryOptions(
      { sessionId: head.id, ...window },
      { staleTime: Number.POSITIVE_INFINITY, refetchOnMount: false },
    ),
  )
  if (first.data !== undefined) {
    const control = head.endedAt === null ? <SessionControl sessionId={head.id} /> : null
    return <LoadedSession head={head} first={first.data} control={control} />
  }
  if (first.error === null) return <SkeletonRows />
  return (
    <ErrorState
      what="The session’s events could not be loaded."
      why={first.error}
      onRetry={() => void first.refetch()}
    />
  )
}
