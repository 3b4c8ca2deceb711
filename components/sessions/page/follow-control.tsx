'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { ArrowDown, Pause, Play, Radio, Square, WifiOff } from 'lucide-react'
import { CONNECTION_WORD } from '@/components/live/connection-word.ts'
import type { Connection } from '@/components/live/signal.ts'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { Follow } from './follow.ts'

export interface FollowControlProps {
  readonly state: Follow
  readonly connection: Connection
  readonly isRunning: boolean
  readonly endedAt: number | null
  readonly fresh: number
  /** Events per second, if they are too many to read; null: they are not. */
  readonly rate: number | null
  readonly onToggle: () => void
}

export function FollowControl(props: FollowControlProps) {
  const { state, isRunning, endedAt, fresh, onToggle } = props
  if (!isRunning && fresh === 0) {
    return (
      <span data-follow="ended" className="inline-flex items-center gap-1.5 text-text-3 text-small">
        <Square aria-hidden className="size-3" />
        {endedAt === null ? (
          'The runtime disconnected'
        ) : (
          <>
            Ended <Timestamp at={endedAt} style="second" />
          </>
        )}
      </span>
    )
  }
  const isFollowing = state.mode === 'following'
  return (
    <span className="inline-flex items-center gap-2" data-follow={state.mode}>
      <FollowState {...props} />
      <Button onClick={onToggle}>
        {isFollowing ? (
          <Pause aria-hidden className="size-3.5" />
        ) : (
          <Play aria-hidden className="size-3.5" />
        )}
        {isFollowing ? 'Pause' : 'Follow'} <Kbd>p</Kbd>
      </Button>
    </span>
  )
}

/** A lost connection takes precedence: without a connection, no event can be new. */
function FollowState({ state, connection, fresh, rate }: FollowControlProps) {
  if (connection.state !== 'live') {
    return (
      <span
        data-line={connection.state}
        className="inline-flex items-center gap-1 text-small text-warning-fg"
      >
        <WifiOff aria-hidden className="size-3.5" />
        {CONNECTION_WORD[connection.state]}
      </span>
    )
  }
  if (state.mode === 'following') {
    return (
      <span className="inline-flex items-center gap-1 text-info-fg text-small">
        <Radio aria-hidden className="live-dot size-3.5" /> Live
        {rate === null ? null : (
          <span className="text-text-2 tabular-nums">
            fast: {rate}/s, showing every event when paused
          </span>
        )}
      </span>
    )
  }
  return (
    <span className="text-small text-text-3 tabular-nums">
      {fresh > 0 ? `Paused · ${countText(fresh)} new` : 'Paused'}
    </span>
  )
}

export function NewEventsPill({
  count,
  onShow,
}: {
  readonly count: number
  readonly onShow: () => void
}) {
  return (
    <button
      type="button"
      onClick={onShow}
      className="absolute bottom-4 left-1/2 inline-flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-control bg-accent px-3 font-medium text-on-accent shadow-lg pointer-coarse:h-11"
    >
      <ArrowDown aria-hidden size={14} />
      {plural(count, 'new event')}
    </button>
  )
}

/** Overlays the list, so that nothing below moves. */
export function LoadProblem({
  why,
  onRetry,
}: {
  readonly why: string
  readonly onRetry: () => void
}) {
  return (
    <div
      role="alert"
      className="absolute inset-x-3 bottom-4 flex flex-wrap items-center gap-2 rounded-control border border-warning-bd bg-warning-bg px-3 py-1.5 text-warning-fg"
    >
      <span className="min-w-0 flex-1">New events could not be loaded: {why}</span>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  )
}
