'use client'

import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { DecisionExplanation } from '@/server/explanations/decision-explanation.ts'
import { type PeekedRefusal, RefusalPeek } from '../refusal-peek.tsx'

export function DecisionPeek({
  decisionId,
  onClose,
}: {
  readonly decisionId: string
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.decisions.explanation.queryOptions({ decisionId }))
  return (
    <RefusalPeek
      title="Denied call"
      what="The decision could not be loaded."
      refusal={data === undefined ? undefined : toPeekedDecision(data)}
      error={error}
      onRetry={() => void refetch()}
      onClose={onClose}
    />
  )
}

function toPeekedDecision(explanation: DecisionExplanation): PeekedRefusal {
  const { id, decision, verdict, sentence, allow, session, seq, at } = explanation
  return {
    badge: <StatusBadge status={verdict} />,
    reason: sentence,
    change: { title: 'What would allow it', steps: allow },
    facts: [
      { name: 'Tool', value: <code className="font-mono text-mono">{decision.tool}</code> },
      { name: 'Prompt', value: `${session.ns}/${session.key}` },
      { name: 'Environment', value: session.environment },
      { name: 'At', value: <Timestamp at={at} style="second" /> },
    ],
    page: { href: `/decisions/${id}`, text: 'Open the decision' },
    sessionId: session.id,
    seq,
  }
}
