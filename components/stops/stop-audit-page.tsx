// Why was this stop blocked, and what would unblock it? One sentence first; then the steps, the checks, the message and the
// evidence as they were captured.
'use client'

import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import Link from 'next/link'
import { AuditColumns, CopyLinkButton } from '@/components/audit/audit-layout.tsx'
import { ConfigCard, shortDigest } from '@/components/audit/config-card.tsx'
import { WhatNextCard } from '@/components/audit/what-next-card.tsx'
import { PinButtons } from '@/components/backtest/pin-buttons.tsx'
import { EnforcementBand } from '@/components/enforcement/enforcement-band.tsx'
import { useHints } from '@/components/live/use-hints.ts'
import { promptPathOf } from '@/components/session/prompt-href.ts'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { CopyButton, shortId } from '@/components/ui/copy.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { StopAudit } from '@/server/services/audit/stop-audit.ts'
import { AttemptsCard } from './attempts-card.tsx'
import { ChecksCard } from './checks-card.tsx'
import { EvidenceCard } from './evidence-card.tsx'
import { stopHeadline, viaText } from './stop-headline.ts'
import { UnblockCard } from './unblock-card.tsx'

export function StopAuditPage({ stopId }: { readonly stopId: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.stops.audit.queryOptions({ stopId }))
  const sessionId = query.data?.session.id ?? ''
  useHints({ kind: 'session', id: sessionId }, () => void query.refetch())
  if (query.data !== undefined) return <Audit audit={query.data} />
  if (query.error !== null) {
    return (
      <ErrorState
        what="The stop could not be loaded."
        why={query.error.message}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return <SkeletonRows />
}

function Audit({ audit }: { readonly audit: StopAudit }) {
  const { stop, session, config } = audit
  const { status, word, sentence } = stopHeadline(stop)
  return (
    <>
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
          <p className="text-small">
            <Timestamp at={stop.at} /> · {viaText(stop.via)} · event{' '}
            <Link
              className="font-mono text-link text-mono"
              href={`/sessions/${session.id}?e=${stop.seq}`}
            >
              #{stop.seq}
            </Link>{' '}
            · config{' '}
            <Link className="font-mono text-link text-mono" href={promptPathOf(stop)}>
              {stop.ns}/{stop.key}
              {config === null ? '' : `@v${config.number}`}
            </Link>{' '}
            in {stop.environment}
            {stop.configDigest === null ? '' : ` · digest ${shortDigest(stop.configDigest)}`}
          </p>
        }
        actions={
          <>
            <PinButtons
              place={{
                ...{ id: stop.id, ns: stop.ns, prompt: stop.key, kind: 'stop' },
                recorded: audit.message === null ? 'allowed' : 'blocked',
              }}
            />
            <CopyLinkButton path={`/stops/${stop.id}`} />
            <Button className="no-print" onClick={() => window.print()}>
              <Download aria-hidden size={16} />
              Export report
            </Button>
          </>
        }
      />
      <EnforcementBand session={session} />
      <AuditColumns
        main={
          <>
            <UnblockCard audit={audit} />
            <ChecksCard audit={audit} />
            <MessageCard audit={audit} />
          </>
        }
        side={
          <>
            <EvidenceCard audit={audit} />
            <AttemptsCard audit={audit} />
            <WhatNextCard next={audit.next} session={session} />
            <ConfigCard config={config} digest={stop.configDigest} session={session} />
          </>
        }
      />
    </>
  )
}

function MessageCard({ audit }: { readonly audit: StopAudit }) {
  const { message, told } = audit
  return (
    <Card>
      <CardHeader
        title="Message the agent received"
        {...(told === null
          ? {}
          : { aside: `told ${told.named} of ${told.open}; all are listed above` })}
        actions={message === null ? null : <CopyButton text={message} label="Copy message" />}
      />
      {message === null ? (
        <p className="p-3 text-text-2">None: the stop was let through.</p>
      ) : (
        <p className="whitespace-pre-wrap break-words p-3 font-mono text-mono text-text-2">
          {message}
        </p>
      )}
    </Card>
  )
}
