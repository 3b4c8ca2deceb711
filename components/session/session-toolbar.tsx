// Search and chips over a session's list, and the one control that says whether the list follows.
'use client'

import { Ban, Info, OctagonPause, Pause, Play, Search, Square, WifiOff } from 'lucide-react'
import type { RefObject } from 'react'
import type { Connection } from '@/components/live/signal.ts'
import { Button } from '@/components/ui/button.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { Chip } from './event-filter.ts'
import { BADGE_CLASS } from './event-look.ts'
import type { Follow } from './follow.ts'

const CHIP_LOOK = {
  denied: { icon: Ban, word: 'Denied', tone: 'deny' },
  stops: { icon: OctagonPause, word: 'Stops', tone: 'blocked' },
  feedback: { icon: Info, word: 'Feedback', tone: 'info' },
} as const

export interface SessionToolbarProps {
  readonly search: RefObject<HTMLInputElement | null>
  readonly query: string
  readonly problem: string | null
  readonly onQuery: (query: string) => void
  readonly chips: readonly Chip[]
  readonly counts: Readonly<Record<Chip, number>>
  readonly onChip: (chip: Chip) => void
  readonly isEveryEvent: boolean
  readonly onEveryEvent: () => void
  /** Rows shown of rows there are; null when nothing is filtered. */
  readonly shown: { readonly rows: number; readonly of: number } | null
  readonly follow: FollowControlProps
}

export function SessionToolbar(props: SessionToolbarProps) {
  const { search, query, problem, onQuery, chips, counts, onChip, shown, follow } = props
  return (
    <div className="flex flex-wrap items-center gap-2 border-border border-b bg-surface-2 px-3 py-1">
      <div className="relative max-sm:w-full">
        <Search aria-hidden className="absolute top-1.5 left-2 size-4 text-text-3 max-sm:top-2.5" />
        <input
          ref={search}
          type="search"
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          placeholder="denied tool:write_file"
          aria-label="Filter events"
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : 'filter-problem'}
          className="h-7 w-64 rounded-md border border-border-strong bg-surface pr-7 pl-8 text-body placeholder:text-text-3 max-sm:h-9 max-sm:w-full"
        />
        <span className="absolute inset-y-0 right-1.5 flex items-center max-sm:hidden">
          <Kbd>/</Kbd>
        </span>
      </div>
      {(['denied', 'stops', 'feedback'] as const).map((chip) => {
        const { icon: Icon, word, tone } = CHIP_LOOK[chip]
        const isOn = chips.includes(chip)
        return (
          <button
            key={chip}
            type="button"
            aria-pressed={isOn}
            onClick={() => onChip(chip)}
            className={`inline-flex h-6 items-center gap-1 rounded border px-1.5 font-medium text-small max-sm:h-8 ${BADGE_CLASS[tone]} ${isOn ? 'ring-focus ring-2' : ''}`}
          >
            <Icon aria-hidden className="size-3" />
            {word} {counts[chip]}
          </button>
        )
      })}
      <button
        type="button"
        aria-pressed={props.isEveryEvent}
        onClick={props.onEveryEvent}
        title="Give every event a row of its own instead of one row a call"
        className={`inline-flex h-6 items-center rounded border px-1.5 text-small max-sm:h-8 ${BADGE_CLASS.neutral} ${props.isEveryEvent ? 'ring-focus ring-2' : ''}`}
      >
        Every event
      </button>
      {problem === null ? null : (
        <span id="filter-problem" role="alert" className="text-warning-fg text-small">
          {problem}
        </span>
      )}
      {shown === null ? null : (
        <span className="text-text-3 text-small">
          {shown.rows} of {shown.of} rows
        </span>
      )}
      <div className="ml-auto">
        <FollowControl {...follow} />
      </div>
    </div>
  )
}

export interface FollowControlProps {
  readonly state: Follow
  readonly connection: Connection
  readonly isRunning: boolean
  readonly endedAt: number | null
  readonly fresh: number
  readonly onToggle: () => void
}

function FollowControl({
  state,
  connection,
  isRunning,
  endedAt,
  fresh,
  onToggle,
}: FollowControlProps) {
  if (!isRunning && fresh === 0) {
    return (
      <span data-follow="ended" className="inline-flex items-center gap-1.5 text-text-3 text-small">
        <Square aria-hidden className="size-3" />
        {endedAt === null ? (
          'The runtime went away'
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
      {connection === 'live' ? null : (
        <span className="inline-flex items-center gap-1 text-warning-fg text-small">
          <WifiOff aria-hidden className="size-3.5" />
          {connection === 'offline' ? 'Offline' : 'Reconnecting'}
        </span>
      )}
      <span className="text-text-3 text-small">
        {isFollowing ? 'Following' : fresh > 0 ? `Paused · ${fresh} new` : 'Paused'}
      </span>
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
