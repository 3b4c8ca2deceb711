'use client'

import type { CheckNode } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { CreateAlertButton } from '@/components/alerts/create-alert-button.tsx'
import { draftFromStop } from '@/components/alerts/rule-draft.ts'
import { AnnotationsCard } from '@/components/annotations/annotations-card.tsx'
import { PinButtons } from '@/components/backtests/pin-buttons.tsx'
import { EnforcementBand } from '@/components/enforcement/enforcement-band.tsx'
import { ConfigCard, shortDigest } from '@/components/explanations/config-card.tsx'
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
import { stopHeadline, viaText } from '@/components/explanations/stop-headline.ts'
import { ProgressText } from '@/components/explanations/stop-progress.tsx'
import { AttemptsCard } from '@/components/explanations/stops/attempts-card.tsx'
import { ChecksCard } from '@/components/explanations/stops/checks-card.tsx'
import { CounterfactualCard } from '@/components/explanations/stops/counterfactual-card.tsx'
import { EvidenceCard } from '@/components/explanations/stops/evidence-card.tsx'
import { MessageCard } from '@/components/explanations/stops/message-card.tsx'
import { notStoredText } from '@/components/explanations/stops/not-stored.ts'
import { UnblockCard } from '@/components/explanations/stops/unblock-card.tsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath, versionPath } from '@/components/paths/config-path.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ShownProgress } from '@/server/explanations/attempt-chain.ts'
import type { StopExplanation } from '@/server/explanations/stop-explanation.ts'

export function StopPage({ stopId }: { readonly stopId: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.stops.explanation.queryOptions({ stopId }))
  const sessionId = query.data?.session.id ?? ''
  useReadOnChange({ kind: 'session', id: sessionId }, query)
  if (query.data !== undefined) return <Explanation explanation={query.data} />
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

function Explanation({ explanation }: { readonly explanation: StopExplanation }) {
  const { stop, session, record, config } = explanation
  const at = explanation.attempts.findIndex((attempt) => attempt.stop.id === stop.id)
  const later = at < 0 ? [] : explanation.attempts.slice(at + 1).map((attempt) => attempt.stop)
  return (
    <div data-report>
      <Header explanation={explanation} progress={explanation.attempts[at]?.progress ?? null} />
      {explanation.removed === null ? null : (
        <p className="border-border border-b bg-surface-2 px-4 py-2 text-text-2">
          {notStoredText(explanation)}
        </p>
      )}
      <EnforcementBand session={session} />
      <ExplanationColumns
        main={
          <>
            <UnblockCard explanation={explanation} />
            <ChecksCard explanation={explanation} />
            <MessageCard explanation={explanation} />
            <CounterfactualCard explanation={explanation} />
          </>
        }
        side={
          <>
            <EvidenceCard explanation={explanation} />
            <AttemptsCard explanation={explanation} />
            <AnnotationsCard sessionId={session.id} seqs={[stop.attemptedSeq, stop.seq]} />
            <FollowUpCard next={explanation.next} session={session} later={later} />
            <ConfigCard
              config={config}
              session={session}
              record={record}
              digest={stop.configDigest}
            />
          </>
        }
      />
      <ExplanationFooter path={`/stops/${stop.id}`} record={record} />
    </div>
  )
}

interface HeaderProps {
  readonly explanation: StopExplanation
  readonly progress: ShownProgress | null
}

function Header({ explanation, progress }: HeaderProps) {
  const { stop, session, record } = explanation
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
          <Facts explanation={explanation} />
          {progress === null ? null : (
            <p className="text-small">
              <ProgressText progress={progress} />: {progress.sentence}
            </p>
          )}
        </>
      }
      actions={<Actions explanation={explanation} />}
    />
  )
}

function Facts({ explanation }: { readonly explanation: StopExplanation }) {
  const { stop, session, config } = explanation
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
        href={config === null ? configPath(stop.ns, stop.key) : versionPath(config)}
      >
        {stop.ns}/{stop.key}
        {config === null ? '' : `@v${config.number}`}
      </Link>{' '}
      in {stop.environment}
      {stop.configDigest === null ? '' : ` · digest ${shortDigest(stop.configDigest)}`}
    </p>
  )
}

function Actions({ explanation }: { readonly explanation: StopExplanation }) {
  const { stop, record } = explanation
  const path = `/stops/${stop.id}`
  const alert = draftFromStop(stop, stop.environment)
  return (
    <>
      <ExplanationNeighbors
        page="stop"
        base="/stops/"
        noun="blocked stop"
        path={path}
        beside={explanation.beside}
      />
      <CopyLinkButton path={path} />
      <ExplanationExport path={`/api/export/stops/${stop.id}`} what="the stop" />
      <PinButtons
        place={{
          id: stop.id,
          ns: stop.ns,
          prompt: stop.key,
          kind: 'stop',
          rule: record?.checks ? decidingCheck(record.checks) : null,
          recorded: record?.message === null ? 'allowed' : 'blocked',
        }}
      />
      {alert === null ? null : <CreateAlertButton isPageAction start={alert} />}
    </>
  )
}

/** Id of the first check that did not pass; null: all evaluated checks passed. */
function decidingCheck({ checker, status, children }: CheckNode): string | null {
  if (children !== null) return children.map(decidingCheck).find((id) => id !== null) ?? null
  return status === 'incomplete' || status === 'error' ? checker : null
}
