// One tool call decision: the verdict and its reason, what would allow the call, every policy and what it said, and the facts
// that were recorded with the call.
'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { AuditColumns, CopyLinkButton } from '@/components/audit/audit-layout.tsx'
import { CodedText } from '@/components/audit/coded-text.tsx'
import { ConfigCard, shortDigest } from '@/components/audit/config-card.tsx'
import { WhatNextCard } from '@/components/audit/what-next-card.tsx'
import { PinButtons } from '@/components/backtest/pin-buttons.tsx'
import { EnforcementBand } from '@/components/enforcement/enforcement-band.tsx'
import { useHints } from '@/components/live/use-hints.ts'
import { promptPathOf } from '@/components/session/prompt-href.ts'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { Card, CardHeader, type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton, shortId } from '@/components/ui/copy.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import type { DecisionAudit } from '@/server/services/audit/decision-audit.ts'
import { PolicyTable } from './policy-table.tsx'

export function DecisionPage({ decisionId }: { readonly decisionId: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.decisions.audit.queryOptions({ decisionId }))
  const sessionId = query.data?.session.id ?? ''
  useHints({ kind: 'session', id: sessionId }, () => void query.refetch())
  if (query.data !== undefined) return <Audit audit={query.data} />
  if (query.error !== null) {
    return (
      <ErrorState
        what="The decision could not be loaded."
        why={query.error.message}
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

function Audit({ audit }: { readonly audit: DecisionAudit }) {
  const { session, decision, config, seq } = audit
  const sentence =
    decision.decision === 'allowed'
      ? `${decision.tool} was allowed: no rule objected`
      : audit.sentence
  const digest = session.configDigest
  return (
    <>
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
          <p className="text-small">
            <Timestamp at={audit.at} /> · <code>{decision.tool}</code> · event{' '}
            <Link
              className="font-mono text-link text-mono"
              href={`/sessions/${session.id}?e=${seq}`}
            >
              #{seq}
            </Link>{' '}
            · config{' '}
            <Link className="font-mono text-link text-mono" href={promptPathOf(session)}>
              {session.ns}/{session.key}
              {config === null ? '' : `@v${config.number}`}
            </Link>{' '}
            in {session.environment}
            {digest === null ? '' : ` · digest ${shortDigest(digest)}`}
          </p>
        }
        actions={
          <>
            <PinButtons
              place={{
                ...{ id: audit.id, ns: session.ns, prompt: session.key, kind: 'call' },
                recorded: decision.decision === 'allowed' ? 'allowed' : 'denied',
              }}
            />
            <CopyLinkButton path={`/decisions/${audit.id}`} />
          </>
        }
      />
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
            <WhatNextCard next={audit.next} session={session} />
            <ConfigCard config={config} digest={digest} session={session} />
          </>
        }
      />
    </>
  )
}

function AllowCard({ audit }: { readonly audit: DecisionAudit }) {
  return (
    <Card>
      <CardHeader title="What would allow it" />
      <ol className="flex flex-col gap-2 p-3">
        {audit.allow.map(({ rule, text, owner }, index) => (
          <li key={`${rule} ${text}`} className="flex items-baseline gap-2">
            <span className="font-mono text-mono text-text-3">{index + 1}</span>
            <span className="min-w-0 flex-1 break-words">
              <CodedText text={text} />
              <span className="ml-2 text-small text-text-2">{owner}</span>
            </span>
            <code className="font-mono text-mono text-text-3">{rule}</code>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function ReasonCard({ audit }: { readonly audit: DecisionAudit }) {
  const { reason } = audit.decision
  return (
    <Card>
      <CardHeader
        title="Message the agent received"
        actions={reason === null ? null : <CopyButton text={reason} label="Copy message" />}
      />
      {reason === null ? (
        <p className="p-3 text-text-2">None: the call went ahead.</p>
      ) : (
        <p className="whitespace-pre-wrap break-words p-3 font-mono text-mono text-text-2">
          {reason}
        </p>
      )}
    </Card>
  )
}

const EXISTS = { true: 'existed', false: 'did not exist', unknown: 'unknown' } as const

function resultText(audit: DecisionAudit): string {
  const { result } = audit
  if (result === null) return 'not recorded yet'
  return result.durationMs === null
    ? result.outcome
    : `${result.outcome} after ${durationText(result.durationMs)}`
}

function ToolName({ tool, native }: { readonly tool: string; readonly native: string | null }) {
  return (
    <>
      <code className="font-mono text-mono">{tool}</code>
      {native === null ? null : (
        <>
          , called <code className="font-mono text-mono">{native}</code> by the harness
        </>
      )}
    </>
  )
}

function evidenceItems(audit: DecisionAudit): readonly KeyValue[] {
  const { request } = audit
  if (request === null) return [{ name: 'Request', value: 'not captured' }]
  return [
    { name: 'Tool', value: <ToolName tool={request.tool} native={request.nativeTool} /> },
    {
      name: 'Arguments',
      value: (
        <pre className="whitespace-pre-wrap break-words font-mono text-mono">
          {JSON.stringify(request.args, null, 2)}
        </pre>
      ),
    },
    {
      name: 'Files',
      value:
        request.files.length === 0
          ? 'none were needed'
          : request.files.map(({ path, exists }) => `${path} ${EXISTS[`${exists}`]}`).join(', '),
    },
    {
      name: 'Asked by',
      value: request.agent === null ? 'the agent' : `sub-agent ${request.agent}`,
    },
    { name: 'Result', value: resultText(audit) },
  ]
}

function EvidenceCard({ audit }: { readonly audit: DecisionAudit }) {
  return (
    <Card>
      <CardHeader title="Evidence" aside="as captured, read-only" />
      <KeyValueList className="p-3" items={evidenceItems(audit)} />
    </Card>
  )
}
