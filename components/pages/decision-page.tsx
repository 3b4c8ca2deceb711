'use client'

import { useQuery } from '@tanstack/react-query'
import { ContentCard } from '@/components/explanations/decisions/content-card.tsx'
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
  passed: 'Content found',
  masked: 'Result masked',
  withheld: 'Result withheld',
} as const

const CLASS = {
  rule_said_no: 'denied by the rule',
  prerequisite_missing: 'a prerequisite is missing',
  could_not_evaluate: 'could not be evaluated, so denied',
} as const

function Explanation({ explanation }: { readonly explanation: DecisionExplanation }) {
  const { id, kind, at, seq, session, decision, verdict, config } = explanation
  const { request, result, reasonClasses, content } = explanation
  const isAllowed = verdict === 'allowed'
  const isCall = kind === 'call'
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
      badge={
        <StatusBadge status={verdict === 'passed' ? 'info' : verdict}>{WORD[verdict]}</StatusBadge>
      }
      title={explanation.sentence}
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
      isReplayable={isCall}
      main={
        <>
          {isAllowed || !isCall ? null : <AllowCard explanation={explanation} />}
          {isCall && content?.places.length === 0 ? null : (
            <ContentCard explanation={explanation} />
          )}
          <PolicyTable explanation={explanation} />
          <ReasonCard explanation={explanation} />
        </>
      }
      side={
        <>
          <EvidenceCard explanation={explanation} />
          {isCall ? <SameCallsCard explanation={explanation} /> : null}
        </>
      }
      seqs={[request?.seq, isCall ? undefined : result?.seq, seq].filter(
        (one) => one !== undefined,
      )}
    />
  )
}
