'use client'

import { countText } from '@signalbox/core/analysis'
import { Pause, Play, Radio } from 'lucide-react'
import { CONNECTION_WORD } from '@/components/live/connection-word.ts'
import type { Connection } from '@/components/live/signal.ts'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { Follow } from './follow.ts'

export interface LiveControlProps {
  readonly state: Follow
  readonly connection: Connection
  readonly fresh: number
  /** Events per second, if they are too many to read; null: they are not. */
  readonly rate: number | null
  readonly onToggle: () => void
}

export function LiveControl(props: LiveControlProps) {
  const { state, onToggle } = props
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
        {isFollowing ? 'Pause updates' : 'Follow updates'} <Kbd>p</Kbd>
      </Button>
    </span>
  )
}

/** A lost connection takes precedence: without a connection, no event can be new. */
function FollowState({ state, connection, fresh, rate }: LiveControlProps) {
  if (connection.state !== 'live') {
    return (
      <span
        data-line={connection.state}
        className="inline-flex items-center gap-1 text-small text-warning-fg"
      >
        <StatusIcon status="warning" />
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
