'use client'

import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { StopExplanation } from '@/server/explanations/stop-explanation.ts'
import { type PeekedRefusal, RefusalPeek } from '../refusal-peek.tsx'
import { stopHeadline, viaText } from '../stop-headline.ts'

export function StopPeek({
  stopId,
  onClose,
}: {
  readonly stopId: string
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.stops.explanation.queryOptions({ stopId }))
  return (
    <RefusalPeek
      title="Stop"
      what="The stop could not be loaded."
      refusal={data === undefined ? undefined : toPeekedStop(data)}
      error={error}
      onRetry={() => void refetch()}
      onClose={onClose}
    />
  )
}

function toPeekedStop({ stop, session, computed, record }: StopExplanation): PeekedRefusal {
  const { status, word } = stopHeadline(stop, record?.checks?.status)
  return {
    badge: <StatusBadge status={status}>{word}</StatusBadge>,
    reason: stop.reason,
    change: { title: 'What would unblock it', steps: computed?.unblock.steps ?? [] },
    facts: [
      { name: 'Prompt', value: `${stop.ns}/${stop.key}` },
      { name: 'Environment', value: stop.environment },
      { name: 'At', value: <Timestamp at={stop.at} style="second" /> },
      { name: 'Attempt', value: stop.via === 'final' ? viaText(stop.via) : stop.attempt },
    ],
    page: { href: `/stops/${stop.id}`, text: 'Open the explanation' },
    sessionId: session.id,
    seq: stop.seq,
  }
}
