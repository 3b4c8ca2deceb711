// A denied call in short, beside the list.
'use client'

import { useQuery } from '@tanstack/react-query'
import { type PeekedRefusal, RefusalPeek } from '@/components/audit/refusal-peek.tsx'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { DecisionAudit } from '@/server/services/audit/decision-audit.ts'

export function DecisionPeek({
  decisionId,
  onClose,
}: {
  readonly decisionId: string
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.decisions.audit.queryOptions({ decisionId }))
  return (
    <RefusalPeek
      title="Denied call"
      what="The decision could not be loaded."
      refusal={data === undefined ? undefined : peekedOf(data)}
      error={error}
      onRetry={() => void refetch()}
      onClose={onClose}
    />
  )
}

function peekedOf(audit: DecisionAudit): PeekedRefusal {
  const { id, decision, sentence, allow, session, seq, at } = audit
  return {
    badge: <StatusBadge status={decision.decision} />,
    reason: sentence,
    change: { title: 'What would allow it', steps: allow },
    facts: [
      { name: 'Tool', value: <code className="font-mono text-mono">{decision.tool}</code> },
      { name: 'Prompt', value: `${session.ns}/${session.key}` },
      { name: 'Environment', value: session.environment },
      { name: 'At', value: <Timestamp at={at} style="second" /> },
    ],
    page: { href: `/decisions/${id}`, text: 'Open the decision' },
    ...{ sessionId: session.id, seq },
  }
}
