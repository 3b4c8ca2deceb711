'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { EnforcementBadge } from '@/components/enforcement/enforcement-badge.tsx'
import { Fact, Facts, Peek } from '@/components/kit/list/peek.tsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { refusalHref } from '@/components/paths/refusal-href.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { IdChip } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { StatusBadge, StatusIcon } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'
import { activityWords } from './activity.ts'
import {
  LastEvent,
  LastStop,
  originText,
  planText,
  stopsText,
  TimeText,
  tokensText,
  VersionText,
} from './session-cells.tsx'

export function SessionPeek({
  session,
  onClose,
}: {
  readonly session: SessionFacts
  readonly onClose: () => void
}) {
  return (
    <Peek title={`${session.ns}/${session.key}`} onClose={onClose}>
      <Summary session={session} />
    </Peek>
  )
}

function Summary({ session }: { readonly session: SessionFacts }) {
  const { look, word, sentence } = activityWords(session)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge status={look}>{word}</StatusBadge>
        <EnforcementBadge facts={session} />
      </div>
      <p className="font-semibold text-h1">{sentence}.</p>
      {session.lastStopReason === null ? null : (
        <p>
          <LastStop session={session} /> · {session.lastStopReason}
        </p>
      )}
      <Facts>
        <Fact name="Session">
          <IdChip id={session.id} label="Copy session id" />
        </Fact>
        <Fact name="Environment">{session.environment}</Fact>
        <Fact name="Config">
          <VersionText session={session} />
        </Fact>
        <Fact name="Runs in">{originText(session) || '–'}</Fact>
        <Fact name="Started">
          <Timestamp at={session.startedAt} style="second" />
        </Fact>
        <Fact name="Time">
          <TimeText session={session} />
        </Fact>
        <Fact name="Tokens">{tokensText(session)}</Fact>
        <Fact name="Plan">{planText(session)}</Fact>
        <Fact name="Calls">
          {session.calls}, {session.denied} denied
        </Fact>
        <Fact name="Feedback">
          {countText(session.feedback)}, {plural(session.warnings, 'warning')}
        </Fact>
        <Fact name="Stops">{stopsText(session)}</Fact>
        <Fact name="Last event">
          <LastEvent session={session} />
        </Fact>
      </Facts>
      <Refusals sessionId={session.id} />
      <Link href={`/sessions/${session.id}`} className="text-link underline">
        Open the session
      </Link>
    </div>
  )
}

function Refusals({ sessionId }: { readonly sessionId: string }) {
  const trpc = useTRPC()
  const refusals = useQuery(
    trpc.refusals.list.queryOptions({ filter: { session: sessionId }, limit: 5 }),
  )
  useReadOnChange({ kind: 'session', id: sessionId }, refusals)
  if (refusals.data === undefined || refusals.data.refusals.length === 0) return null
  return (
    <section aria-label="Last refused">
      <h3 className="font-semibold text-h2 text-text-2">Last refused</h3>
      <ul className="flex flex-col">
        {refusals.data.refusals.map((refusal) => (
          <li key={refusal.id} className="flex items-start gap-1.5 py-0.5">
            <span className="mt-0.5">
              <StatusIcon status={refusal.kind === 'stop' ? 'blocked' : 'denied'} />
            </span>
            <Link href={refusalHref(refusal)} className="min-w-0 break-words hover:underline">
              {refusal.tool ?? 'stop'}: {refusal.reason}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
