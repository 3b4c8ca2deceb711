// Loaded when the page first needs it, with everything that it imports.
'use client'

import { countText, viewState } from '@signalbox/core/analysis'
import { useMemo, useState } from 'react'
import { useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { useNow } from '@/components/ui/time.tsx'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { findLastBlock, isFinalCheck } from '../rows/session-rows.ts'
import type { Comparison } from './compare-state.ts'
import { LeaseSection } from './lease-section.tsx'
import { StopForecast } from './outlook-section.tsx'
import type { Position } from './position.ts'
import { type StateFacts, stateSections } from './state-lines.ts'
import { StateSectionView } from './state-section.tsx'
import type { LoadTimeline, Moment } from './timeline.ts'
import { useLease } from './use-lease.ts'
import { type Moments, useMoments } from './use-moments.ts'

export interface StatePaneProps {
  readonly sessionId: string
  readonly load: LoadTimeline
  readonly position: Position
  readonly entries: readonly IndexEntry[]
  /** False: index entries of stored events are still loading. */
  readonly isIndexWhole: boolean
  readonly isRunning: boolean
  readonly versionName: (digest: string) => string
}

export function StatePane(props: StatePaneProps) {
  const { load, position, entries } = props
  const { seq, other } = position
  const state = useMoments(load, { seq, other, revision: entries.length })
  if (state.kind === 'failed') {
    return (
      <ErrorState what="The state could not be computed." why={state.why} onRetry={state.retry} />
    )
  }
  if (state.moments === null) return <SkeletonRows />
  return <ShownState {...props} moments={state.moments} isLate={state.kind === 'loading'} />
}

function toStateFacts(
  { config, state, digest }: Moment,
  context: Pick<StateFacts, 'finals' | 'versionName'>,
): StateFacts {
  return { view: viewState(config, state), digest, ...context }
}

function ShownState({
  sessionId,
  position,
  entries,
  isIndexWhole,
  isRunning,
  versionName,
  moments,
  isLate,
}: StatePaneProps & { readonly moments: Moments; readonly isLate: boolean }) {
  const { shown, other } = moments
  const finals = useMemo(() => entries.filter(isFinalCheck).map(([seq]) => seq), [entries])
  const now = useNow()
  const isNow = !position.isPast && isRunning
  // Time goes on between the events of a running session.
  const at = Math.max(shown.state.at, isNow ? (now ?? 0) : 0)
  const [facts, others] = useMemo(() => {
    const context = { finals, versionName }
    return [toStateFacts(shown, context), stateSections(toStateFacts(other, context))] as const
  }, [shown, other, finals, versionName])
  const sections = useMemo(
    () => stateSections({ ...facts, view: { ...facts.view, at } }),
    [facts, at],
  )
  const { seq } = shown.state
  const lastBlock = useMemo(() => findLastBlock(entries, seq), [entries, seq])
  const lease = useLease(sessionId, entries, seq)
  return (
    // While the next position loads, `aria-busy` informs assistive tools; dimming the content would flicker.
    <div className="flex flex-col gap-4" aria-busy={isLate} data-state-seq={seq}>
      <Outlook moment={shown} isNow={isNow} lastBlock={lastBlock}>
        <Missing asked={position.seq} moment={shown} isLate={isLate} />
        {sections.map((section, index) => (
          <StateSectionView
            key={section.title}
            shown={section}
            other={others[index] ?? section}
            side={position.side}
          />
        ))}
        <LeaseSection lease={isIndexWhole ? lease : 'loading'} at={at} />
      </Outlook>
      <Origin sessionId={sessionId} moment={shown} />
    </div>
  )
}

/** The grounds stay below `children`, so that content that grows and shrinks moves nothing else. */
function Outlook({
  moment,
  isNow,
  lastBlock,
  children,
}: {
  readonly moment: Moment
  readonly isNow: boolean
  readonly lastBlock: string | undefined
  readonly children: React.ReactNode
}) {
  const now = useNow()
  const { state, digest } = moment
  const isLate =
    isNow &&
    now !== null &&
    state.deadlineAt !== null &&
    state.at < state.deadlineAt &&
    now >= state.deadlineAt
  // Time alone changes the forecast only once, when the deadline passes.
  const at = isLate ? (state.deadlineAt ?? state.at) : state.at
  if (state.endedAt === null && state.seq > 0 && digest !== null) {
    return (
      <StopForecast moment={moment} at={at} isPast={!isNow} lastBlock={lastBlock}>
        {children}
      </StopForecast>
    )
  }
  return (
    <>
      <p className="h-[2lh] shrink-0 text-text-2">{whyUnknown(moment)}</p>
      {children}
    </>
  )
}

function whyUnknown({ state }: Moment): string {
  if (state.endedAt !== null) return 'The session has ended.'
  return state.seq === 0
    ? 'Nothing has happened yet.'
    : 'The outcome of a stop is unknown: the config in force is not stored here.'
}

function Missing({
  asked,
  moment,
  isLate,
}: {
  readonly asked: number
  readonly moment: Moment
  readonly isLate: boolean
}) {
  const { seq } = moment.state
  if (isLate || seq >= asked) return null
  return (
    <p className="rounded-badge border border-caution-bd bg-caution-bg px-2 py-1 text-caution-fg">
      Events after #{countText(seq)} are missing. Later states follow when they arrive.
    </p>
  )
}

interface Compared {
  readonly is: Comparison | 'asking' | 'failed'
  readonly text: string
}

function Origin({ sessionId, moment }: { readonly sessionId: string; readonly moment: Moment }) {
  const client = useTRPCClient()
  const { state } = moment
  const { seq } = state
  const [result, setResult] = useState<(Compared & { readonly seq: number }) | null>(null)
  const compare = async (): Promise<void> => {
    setResult({ seq, is: 'asking', text: 'Comparing…' })
    try {
      const { compareState } = await import('./compare-state.ts')
      const { digest } = await client.sessions.stateDigest.query({ sessionId, seq })
      setResult({ seq, ...(await compareState(state, digest)) })
    } catch {
      // The error is shown where the state is loaded.
      setResult({ seq, is: 'failed', text: 'The server did not answer.' })
    }
  }
  return (
    <footer className="flex flex-wrap items-center gap-2 border-border border-t pt-2 text-small text-text-2">
      <span>Computed in this browser from the recorded events up to #{countText(seq)}.</span>
      <Button onClick={() => void compare()}>Compare with the server</Button>
      <span role="status" data-compared={result?.seq === seq ? result.is : undefined}>
        {result?.seq === seq ? result.text : ''}
      </span>
    </footer>
  )
}
