'use client'

import { useQuery } from '@tanstack/react-query'
import {
  AllowCard,
  EvidenceCard,
  ReasonCard,
  SameCallsCard,
} from '@/components/explanations/decisions/decision-cards.tsx'
import { PolicyTable } from '@/components/explanations/decisions/policy-table.tsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import type { DecisionExplanation } from '@/server/explanations/decision-explanation.ts'
import { ExplanationFrame, UnreadExplanation } from './explanation-frame.tsx'

export function DecisionPage({ decisionId }: { readonly decisionId: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.decisions.explanation.queryOptions({ decisionId }))
  const sessionId = query.data?.session.id ?? ''
  useReadOnChange({ kind: 'session', id: sessionId }, query)
  if (query.data === undefined) return <UnreadExplanation kind="decision" query={query} />
  return <Explanation explanation={query.data} />
}

const WORD = {
  allowed: 'Call allowed',
  denied: 'Call denied',
  error: 'Error, call denied',
} as const

const CLASS = {
  rule_said_no: 'denied by the rule',
  prerequisite_missing: 'a prerequisite is missing',
  could_not_evaluate: 'could not be evaluated, so denied',
} as const

function Explanation({ explanation }: { readonly explanation: DecisionExplanation }) {
  const { id, at, seq, session, decision, config, request, reasonClasses } = explanation
  const isAllowed = decision.decision === 'allowed'
  return (
    <ExplanationFrame
      kind="decision"
      explanation={explanation}
      decided={{
        at,
        seq,
        subject: <code>{decision.tool}</code>,
        digest: config?.digest ?? session.configDigest,
        environment: session.environment,
      }}
      crumb={`Decision #${seq}`}
      badge={<StatusBadge status={decision.decision}>{WORD[decision.decision]}</StatusBadge>}
      title={isAllowed ? `${decision.tool} was allowed: no rule denied it` : explanation.sentence}
      above={
        reasonClasses.length === 0 ? null : (
          <p className="w-full">Why: {reasonClasses.map((name) => CLASS[name]).join('; ')}</p>
        )
      }
      pin={{
        id,
        ns: session.ns,
        prompt: session.key,
        rule: explanation.allow[0]?.rule ?? null,
        recorded: isAllowed ? 'allowed' : 'denied',
      }}
      main={
        <>
          {isAllowed ? null : <AllowCard explanation={explanation} />}
          <PolicyTable explanation={explanation} />
          <ReasonCard explanation={explanation} />
        </>
      }
      side={
        <>
          <EvidenceCard explanation={explanation} />
          <SameCallsCard explanation={explanation} />
        </>
      }
      seqs={request === null ? [seq] : [request.seq, seq]}
    />
  )
}
