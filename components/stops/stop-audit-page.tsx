// Why was this stop blocked, and what would unblock it? One sentence first; then the steps, the checks, the message and the
// evidence as they were captured.
'use client'

import type { CheckNode } from '@signalbox/core/views'
import { useQuery } from '@tanstack/react-query'
import { CreateAlertButton } from '@/components/alerts/create-alert-button.tsx'
import { draftOfStop } from '@/components/alerts/rule-draft.ts'
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
import type { ShownProgress } from '@/server/services/audit/attempt-chain.ts'
import type { StopAudit } from '@/server/services/audit/stop-audit.ts'
import { AttemptsCard } from './attempts-card.tsx'
import { ChecksCard } from './checks-card.tsx'
import { CounterfactualCard } from './counterfactual-card.tsx'
import { EvidenceCard } from './evidence-card.tsx'
import { MessageCard } from './message-card.tsx'
import { notStoredText } from './not-stored.ts'
import { stopHeadline, viaText } from './stop-headline.ts'
import { ProgressText } from './stop-progress.tsx'
import { UnblockCard } from './unblock-card.tsx'

export function StopAuditPage({ stopId }: { readonly stopId: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.stops.audit.queryOptions({ stopId }))
  const sessionId = query.data?.session.id ?? ''
  useReadOnHint({ kind: 'session', id: sessionId }, query)
  if (query.data !== undefined) return <Audit audit={query.data} />
  if (query.error !== null) {
    return (
      <ErrorState
        what="The stop could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return <SkeletonRows />
}

function Audit({ audit }: { readonly audit: StopAudit }) {
  const { stop, session, record, config } = audit
  const at = audit.attempts.findIndex((attempt) => attempt.stop.id === stop.id)
  const later = at < 0 ? [] : audit.attempts.slice(at + 1).map((attempt) => attempt.stop)
  return (
    <div data-report>
      <Header audit={audit} progress={audit.attempts[at]?.progress ?? null} />
      {audit.removed === null ? null : (
        <p className="border-border border-b bg-surface-2 px-4 py-2 text-text-2">
          {notStoredText(audit)}
        </p>
      )}
      <EnforcementBand session={session} />
      <AuditColumns
        main={
          <>
            <UnblockCard audit={audit} />
            <ChecksCard audit={audit} />
            <MessageCard audit={audit} />
            <CounterfactualCard audit={audit} />
          </>
        }
        side={
          <>
            <EvidenceCard audit={audit} />
            <AttemptsCard audit={audit} />
            <AnnotationsCard sessionId={session.id} seqs={[stop.attemptedSeq, stop.seq]} />
            <WhatNextCard next={audit.next} session={session} later={later} />
            <ConfigCard {...{ config, session, record }} digest={stop.configDigest} />
          </>
        }
      />
      <AuditFooter path={`/stops/${stop.id}`} record={record} />
    </div>
  )
}

interface HeaderProps {
  readonly audit: StopAudit
  readonly progress: ShownProgress | null
}

function Header({ audit, progress }: HeaderProps) {
  const { stop, session, record } = audit
  const { status, word, sentence } = stopHeadline(stop, record?.checks?.status)
  return (
    <PageHeader
      above={
        <nav aria-label="Breadcrumb">
          <Link href="/sessions">Sessions</Link> ›{' '}
          <Link className="font-mono text-link text-mono" href={`/sessions/${session.id}`}>
            {shortId(session.id)}
          </Link>{' '}
          › {stop.via === 'final' ? 'Final check' : `Stop attempt ${stop.attempt}`}
        </nav>
      }
      badge={<StatusBadge status={status}>{word}</StatusBadge>}
      title={sentence}
      facts={
        <>
          <Facts audit={audit} />
          {progress === null ? null : (
            <p className="text-small">
              <ProgressText progress={progress} />: {progress.sentence}
            </p>
          )}
        </>
      }
      actions={<Actions audit={audit} />}
    />
  )
}

function Facts({ audit }: { readonly audit: StopAudit }) {
  const { stop, session, config } = audit
  return (
    <p className="text-small">
      <Timestamp at={stop.at} /> · {viaText(stop.via)} · event{' '}
      <Link
        className="font-mono text-link text-mono"
        href={`/sessions/${session.id}?e=${stop.seq}`}
      >
        #{stop.seq}
      </Link>{' '}
      · config{' '}
      <Link
        className="font-mono text-link text-mono"
        href={config === null ? promptPathOf(stop) : versionPath(config)}
      >
        {stop.ns}/{stop.key}
        {config === null ? '' : `@v${config.number}`}
      </Link>{' '}
      in {stop.environment}
      {stop.configDigest === null ? '' : ` · digest ${shortDigest(stop.configDigest)}`}
    </p>
  )
}

function Actions({ audit }: { readonly audit: StopAudit }) {
  const { stop, record } = audit
  const path = `/stops/${stop.id}`
  const alert = draftOfStop(stop, stop.environment)
  return (
    <>
      <AuditNeighbours
        {...{ page: 'stop', base: '/stops/', noun: 'blocked stop', path, beside: audit.beside }}
      />
      <CopyLinkButton path={path} />
      <AuditExport path={`/api/export/stops/${stop.id}`} what="the stop" />
      <PinButtons
        place={{
          ...{ id: stop.id, ns: stop.ns, prompt: stop.key, kind: 'stop' },
          rule: record?.checks ? decidingCheck(record.checks) : null,
          recorded: record?.message === null ? 'allowed' : 'blocked',
        }}
      />
      {alert === null ? null : <CreateAlertButton isOfPage start={alert} />}
    </>
  )
}

/** The first check that did not pass; null: all that were evaluated did. */
function decidingCheck({ checker, status, children }: CheckNode): string | null {
  if (children !== null) return children.map(decidingCheck).find((id) => id !== null) ?? null
  return status === 'incomplete' || status === 'error' ? checker : null
}
