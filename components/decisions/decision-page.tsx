// One tool call decision: the verdict and its reason, what would allow the call, every policy and what it said, and the facts
// that were recorded with the call.
'use client'

import { useQuery } from '@tanstack/react-query'
import { AnnotationsCard } from '@/components/annotations/annotations-card.tsx'
import { AuditColumns } from '@/components/audit/audit-columns.tsx'
import { AuditNeighbours, CopyLinkButton } from '@/components/audit/audit-layout.tsx'
import { ConfigCard, shortDigest } from '@/components/audit/config-card.tsx'
import { AuditExport } from '@/components/audit/export-menu.tsx'
import { AuditFooter } from '@/components/audit/print-footer.tsx'
import { WhatNextCard } from '@/components/audit/what-next-card.tsx'
import { PinButtons } from '@/components/backtest/pin-buttons.tsx'
import { versionPath } from '@/components/configs/config-path.ts'
import { EnforcementBand } from '@/components/enforcement/enforcement-band.tsx'
import { useReadOnHint } from '@/components/live/use-read-on-hint.ts'
import { promptPathOf } from '@/components/session/prompt-href.ts'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { DecisionAudit } from '@/server/services/audit/decision-audit.ts'
import { AllowCard, EvidenceCard, ReasonCard, SameCallsCard } from './decision-cards.tsx'
import { PolicyTable } from './policy-table.tsx'

export function DecisionPage({ decisionId }: { readonly decisionId: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.decisions.audit.queryOptions({ decisionId }))
  const sessionId = query.data?.session.id ?? ''
  useReadOnHint({ kind: 'session', id: sessionId }, query)
  if (query.data !== undefined) return <Audit audit={query.data} />
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
  rule_said_no: 'the rule said no',
  prerequisite_missing: 'a prerequisite is missing',
  could_not_evaluate: 'could not evaluate, so denied',
} as const

function Audit({ audit }: { readonly audit: DecisionAudit }) {
  const { session, decision, config, record } = audit
  return (
    <div data-report>
      <Header audit={audit} />
      <EnforcementBand session={session} />
      <AuditColumns
        main={
          <>
            {decision.decision === 'allowed' ? null : <AllowCard audit={audit} />}
            <PolicyTable audit={audit} />
            <ReasonCard audit={audit} />
          </>
        }
        side={
          <>
            <EvidenceCard audit={audit} />
            <SameCallsCard audit={audit} />
            <AnnotationsCard sessionId={session.id} seqs={eventsOf(audit)} />
            <WhatNextCard next={audit.next} session={session} />
            <ConfigCard {...{ config, session, record }} digest={digestOf(audit)} />
          </>
        }
      />
      <AuditFooter path={`/decisions/${audit.id}`} record={record} />
    </div>
  )
}

const eventsOf = ({ request, seq }: DecisionAudit): readonly number[] =>
  request === null ? [seq] : [request.seq, seq]

const digestOf = ({ config, session }: DecisionAudit): string | null =>
  config?.digest ?? session.configDigest

function Header({ audit }: { readonly audit: DecisionAudit }) {
  const { session, decision, seq, reasonClasses } = audit
  const sentence =
    decision.decision === 'allowed'
      ? `${decision.tool} was allowed: no rule objected`
      : audit.sentence
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
          <Facts audit={audit} />
        </>
      }
      actions={<Actions audit={audit} />}
    />
  )
}

function Facts({ audit }: { readonly audit: DecisionAudit }) {
  const { session, decision, config, seq } = audit
  const digest = digestOf(audit)
  return (
    <p className="text-small">
      <Timestamp at={audit.at} /> · <code>{decision.tool}</code> · event{' '}
      <Link className="font-mono text-link text-mono" href={`/sessions/${session.id}?e=${seq}`}>
        #{seq}
      </Link>{' '}
      · config{' '}
      <Link
        className="font-mono text-link text-mono"
        href={config === null ? promptPathOf(session) : versionPath(config)}
      >
        {session.ns}/{session.key}
        {config === null ? '' : `@v${config.number}`}
      </Link>{' '}
      in {session.environment}
      {digest === null ? '' : ` · digest ${shortDigest(digest)}`}
    </p>
  )
}

function Actions({ audit }: { readonly audit: DecisionAudit }) {
  const { session, decision } = audit
  const path = `/decisions/${audit.id}`
  return (
    <>
      <AuditNeighbours
        {...{ page: 'decision', base: '/decisions/', noun: 'denied call', path }}
        beside={audit.beside}
      />
      <CopyLinkButton path={path} />
      <AuditExport path={`/api/export/decisions/${audit.id}`} what="the decision" />
      <PinButtons
        place={{
          ...{ id: audit.id, ns: session.ns, prompt: session.key, kind: 'call' },
          rule: audit.allow[0]?.rule ?? null,
          recorded: decision.decision === 'allowed' ? 'allowed' : 'denied',
        }}
      />
    </>
  )
}
