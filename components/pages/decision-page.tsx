'use client'

import { useQuery } from '@tanstack/react-query'
import { ContentCard } from '@/components/explanations/decisions/content-card.tsx'
import {
  AllowCard,
  EvidenceCard,
  ReasonCard,
  SameCallsCard,
} from '@/components/explanations/decisions/decision-cards.tsx'
import { CLASS_TEXT, PolicyTable } from '@/components/explanations/decisions/policy-table.tsx'
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

function Explanation({ explanation }: { readonly explanation: DecisionExplanation }) {
  const { id, kind, at, seq, session, decision, verdict, config } = explanation
  const { request, result, reasonClasses, content } = explanation
  const isAllowed = verdict === 'allowed'
  const isCall = kind === 'call'
  const why = reasonClasses.flatMap((name) => CLASS_TEXT[name] ?? [])
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
      above={why.length === 0 ? null : <p className="w-full">Why: {why.join('; ')}</p>}
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
