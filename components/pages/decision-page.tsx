'use client'

import { useQuery } from '@tanstack/react-query'
import { AnnotationsCard } from '@/components/annotations/annotations-card.tsx'
import { PinButtons } from '@/components/backtests/pin-buttons.tsx'
import { EnforcementBand } from '@/components/enforcement/enforcement-band.tsx'
import { ConfigCard, shortDigest } from '@/components/explanations/config-card.tsx'
import {
  AllowCard,
  EvidenceCard,
  ReasonCard,
  SameCallsCard,
} from '@/components/explanations/decisions/decision-cards.tsx'
import { PolicyTable } from '@/components/explanations/decisions/policy-table.tsx'
import { ExplanationColumns } from '@/components/explanations/explanation-columns.tsx'
import {
  ExplanationExport,
  ExplanationFooter,
} from '@/components/explanations/explanation-export.tsx'
import {
  CopyLinkButton,
  ExplanationNeighbors,
} from '@/components/explanations/explanation-layout.tsx'
import { FollowUpCard } from '@/components/explanations/follow-up-card.tsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath, versionPath } from '@/components/paths/config-path.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { DecisionExplanation } from '@/server/explanations/decision-explanation.ts'

export function DecisionPage({ decisionId }: { readonly decisionId: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.decisions.explanation.queryOptions({ decisionId }))
  const sessionId = query.data?.session.id ?? ''
  useReadOnChange({ kind: 'session', id: sessionId }, query)
  if (query.data !== undefined) return <Explanation explanation={query.data} />
  if (query.error !== null) {
    return (
      <ErrorState
        what="The decision could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return <SkeletonRows />
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
  const { session, decision, config, record } = explanation
  return (
    <div data-report>
      <Header explanation={explanation} />
      <EnforcementBand session={session} />
      <ExplanationColumns
        main={
          <>
            {decision.decision === 'allowed' ? null : <AllowCard explanation={explanation} />}
            <PolicyTable explanation={explanation} />
            <ReasonCard explanation={explanation} />
          </>
        }
        side={
          <>
            <EvidenceCard explanation={explanation} />
            <SameCallsCard explanation={explanation} />
            <AnnotationsCard sessionId={session.id} seqs={listDecisionSeqs(explanation)} />
            <FollowUpCard next={explanation.next} session={session} />
            <ConfigCard
              config={config}
              session={session}
              record={record}
              digest={selectConfigDigest(explanation)}
            />
          </>
        }
      />
      <ExplanationFooter path={`/decisions/${explanation.id}`} record={record} />
    </div>
  )
}

const listDecisionSeqs = ({ request, seq }: DecisionExplanation): readonly number[] =>
  request === null ? [seq] : [request.seq, seq]

const selectConfigDigest = ({ config, session }: DecisionExplanation): string | null =>
  config?.digest ?? session.configDigest

function Header({ explanation }: { readonly explanation: DecisionExplanation }) {
  const { session, decision, seq, reasonClasses } = explanation
  const sentence =
    decision.decision === 'allowed'
      ? `${decision.tool} was allowed: no rule denied it`
      : explanation.sentence
  return (
    <PageHeader
      above={
        <nav aria-label="Breadcrumb">
          <Link href="/sessions">Sessions</Link> ›{' '}
          <Link className="font-mono text-link text-mono" href={`/sessions/${session.id}`}>
            {shortId(session.id)}
          </Link>{' '}
          › Decision #{seq}
        </nav>
      }
      badge={<StatusBadge status={decision.decision}>{WORD[decision.decision]}</StatusBadge>}
      title={sentence}
      facts={
        <>
          {reasonClasses.length === 0 ? null : (
            <p className="w-full">Why: {reasonClasses.map((name) => CLASS[name]).join('; ')}</p>
          )}
          <Facts explanation={explanation} />
        </>
      }
      actions={<Actions explanation={explanation} />}
    />
  )
}

function Facts({ explanation }: { readonly explanation: DecisionExplanation }) {
  const { session, decision, config, seq } = explanation
  const digest = selectConfigDigest(explanation)
  return (
    <p className="text-small">
      <Timestamp at={explanation.at} /> · <code>{decision.tool}</code> · event{' '}
      <Link className="font-mono text-link text-mono" href={`/sessions/${session.id}?e=${seq}`}>
        #{seq}
      </Link>{' '}
      · config{' '}
      <Link
        className="font-mono text-link text-mono"
        href={config === null ? configPath(session.ns, session.key) : versionPath(config)}
      >
        {session.ns}/{session.key}
        {config === null ? '' : `@v${config.number}`}
      </Link>{' '}
      in {session.environment}
      {digest === null ? '' : ` · digest ${shortDigest(digest)}`}
    </p>
  )
}

function Actions({ explanation }: { readonly explanation: DecisionExplanation }) {
  const { session, decision } = explanation
  const path = `/decisions/${explanation.id}`
  return (
    <>
      <ExplanationNeighbors
        page="decision"
        base="/decisions/"
        noun="denied call"
        path={path}
        beside={explanation.beside}
      />
      <CopyLinkButton path={path} />
      <ExplanationExport path={`/api/export/decisions/${explanation.id}`} what="the decision" />
      <PinButtons
        place={{
          id: explanation.id,
          ns: session.ns,
          prompt: session.key,
          kind: 'call',
          rule: explanation.allow[0]?.rule ?? null,
          recorded: decision.decision === 'allowed' ? 'allowed' : 'denied',
        }}
      />
    </>
  )
}
