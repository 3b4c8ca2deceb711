'use client'

import type { CheckNode } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { CreateAlertButton } from '@/components/alerts/create-alert-button.tsx'
import { draftFromStop } from '@/components/alerts/rule-draft.ts'
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
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import type { StopExplanation } from '@/server/explanations/stop-explanation.ts'
import { ExplanationFrame, UnreadExplanation } from './explanation-frame.tsx'

export function StopPage({ stopId }: { readonly stopId: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.stops.explanation.queryOptions({ stopId }))
  const sessionId = query.data?.session.id ?? ''
  useReadOnChange({ kind: 'session', id: sessionId }, query)
  if (query.data === undefined) return <UnreadExplanation kind="stop" query={query} />
  return <Explanation explanation={query.data} />
}

function Explanation({ explanation }: { readonly explanation: StopExplanation }) {
  const { stop, record, attempts } = explanation
  const { id, at, seq, ns, environment } = stop
  const { status, word, sentence } = stopHeadline(stop, record?.checks?.status)
  const place = attempts.findIndex((attempt) => attempt.stop.id === id)
  const progress = attempts[place]?.progress ?? null
  const alert = draftFromStop(stop, environment)
  return (
    <ExplanationFrame
      kind="stop"
      explanation={explanation}
      decided={{ at, seq, subject: viaText(stop.via), digest: stop.configDigest, environment }}
      crumb={stop.via === 'final' ? 'Final verification' : `Stop attempt ${stop.attempt}`}
      badge={<StatusBadge status={status}>{word}</StatusBadge>}
      title={sentence}
      below={
        progress === null ? null : (
          <p className="text-small first-letter:uppercase">
            <ProgressText progress={progress} />: {progress.sentence}
          </p>
        )
      }
      isReplayable
      pin={{
        id,
        ns,
        prompt: stop.key,
        rule: record?.checks ? decidingCheck(record.checks) : null,
        recorded: record?.message === null ? 'allowed' : 'blocked',
      }}
      actions={alert === null ? null : <CreateAlertButton isPageAction start={alert} />}
      notice={
        explanation.removed === null ? null : (
          <p className="border-border border-b bg-surface-2 px-4 py-2 text-text-2">
            {notStoredText(explanation)}
          </p>
        )
      }
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
        </>
      }
      seqs={[stop.attemptedSeq, seq]}
      later={place < 0 ? [] : attempts.slice(place + 1).map((attempt) => attempt.stop)}
    />
  )
}

/** Id of the first check that did not pass; null: all evaluated checks passed. */
function decidingCheck({ checker, status, children }: CheckNode): string | null {
  if (children !== null) return children.map(decidingCheck).find((id) => id !== null) ?? null
  return status === 'incomplete' || status === 'error' ? checker : null
}
