'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRight } from '@/components/shell/use-right.ts'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { BacktestView } from '@/server/backtests/backtests.ts'
import { SampleText } from './sample-text.tsx'
import { useCancelBacktest } from './use-run.ts'
import { reasonText } from './words.ts'

/** `again`: the button that repeats the run; null: the user may not run one. */
export function RunStatus({
  run,
  again,
}: {
  readonly run: BacktestView
  readonly again: ReactNode
}) {
  const isGoing = run.status === 'queued' || run.status === 'running'
  return (
    <div className="flex flex-col gap-1 border-border border-b bg-surface px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-text-2">
        <span>
          <SampleText sample={run.sample} /> and {plural(run.cases, 'pinned case')} · same engine as
          the runtime
        </span>
        <span>
          started by {run.author ?? 'a former member'} at{' '}
          <Timestamp at={run.createdAt} style="second" />
        </span>
        <FreshnessText run={run} again={again} />
      </div>
      {isGoing && <Progress run={run} />}
      {run.status === 'cancelled' && (
        <p role="status" className="text-text-2">
          Canceled after {countText(run.sessionsDone)} of {plural(run.sessions, 'session')}. The
          results up to that point are below.
        </p>
      )}
      {run.status === 'failed' && <ErrorLine>{run.error}</ErrorLine>}
      {run.sessionsFound !== null && run.sessionsFound > run.sessions && (
        <p className="text-text-2">
          The sample names {countText(run.sessionsFound)} sessions; the newest{' '}
          {countText(run.sessions)} are replayed. Choose a shorter range for the others.
        </p>
      )}
    </div>
  )
}

function FreshnessText({ run, again }: { readonly run: BacktestView; readonly again: ReactNode }) {
  if (run.freshness === 'older') {
    return (
      <span role="status" className="inline-flex items-center gap-2">
        <StatusText status="stale">Run on an older draft</StatusText>
        {again}
      </span>
    )
  }
  if (run.freshness === 'current') {
    return <StatusText status="verified">Current: the draft has not changed since</StatusText>
  }
  if (run.freshness === 'version') return <span>on version v{run.version}</span>
  return <span>the draft it ran on was published or discarded</span>
}

function Progress({ run }: { readonly run: BacktestView }) {
  const cancel = useCancelBacktest()
  const right = useRight('editor')
  const all = run.sessions + run.cases
  const done = run.sessionsDone + run.casesDone
  return (
    <div className="flex flex-wrap items-center gap-3">
      <LoaderCircle size={14} aria-hidden className="motion-safe:animate-spin" />
      <progress
        aria-label="Sessions and cases replayed"
        className="h-1.5 w-48 accent-accent"
        max={Math.max(1, all)}
        value={done}
      />
      <span className="text-text-2 tabular-nums">
        {run.status === 'queued'
          ? 'Waiting for a worker'
          : `${countText(done)} of ${countText(all)} · ${plural(run.events, 'event')}`}
      </span>
      <ReasonedButton {...right} disabled={cancel.isPending} onClick={() => cancel.mutate(run.id)}>
        Cancel
      </ReasonedButton>
      <ErrorLine>{cancel.error?.message}</ErrorLine>
    </div>
  )
}

export function Unreplayed({ run }: { readonly run: BacktestView }) {
  const rules = run.unreplayedRules.filter(({ fidelity }) => fidelity === 'cannot_replay')
  const { unreplayedSessions, olderSemantics } = run
  if (rules.length + unreplayedSessions.length + olderSemantics.length === 0) return null
  return (
    <section aria-labelledby="unreplayed" className="border-border border-b bg-surface-2 px-4 py-2">
      <h2 id="unreplayed" className="font-semibold text-h2">
        Limits of this run
      </h2>
      <ul className="mt-1 flex flex-col gap-0.5 text-text-2">
        {unreplayedSessions.map(({ reason, sessions }) => (
          <li key={reason}>
            {plural(sessions, 'session')} not replayed. {reasonText(reason)}
          </li>
        ))}
        {olderSemantics.map(({ semantics, sessions }) => (
          <li key={semantics}>
            {plural(sessions, 'session')} decided under semantics {semantics}, and replayed under
            it. New sessions follow newer rules.
          </li>
        ))}
        {rules.map(({ rule, reason, sessions }) => (
          <li key={`${rule} ${reason}`}>
            <code className="font-mono text-mono text-text">{rule}</code> in{' '}
            {plural(sessions, 'session')}: {reasonText(reason)}.
          </li>
        ))}
      </ul>
    </section>
  )
}
