'use client'

import { countText } from '@signalbox/core/analysis'
import { Ban, Info, OctagonPause } from 'lucide-react'
import type { Chip } from './event-chips.ts'
import { FollowControl, type FollowControlProps } from './follow-control.tsx'
import { BADGE_CLASS, TOGGLE_CLASS } from './rows/event-look.ts'
import { SearchBox, type SearchBoxProps } from './search-box.tsx'

const CHIP_LOOK = [
  ['denied', Ban, 'Denied', 'deny'],
  ['shadow', Ban, 'Would be denied', 'caution'],
  ['stops', OctagonPause, 'Stops', 'blocked'],
  ['feedback', Info, 'Feedback', 'info'],
] as const

export interface SessionToolbarProps {
  readonly search: SearchBoxProps
  /** Null: the tab shows only one kind already. */
  readonly chips: readonly Chip[] | null
  /** Null: not all events are loaded. */
  readonly counts: Readonly<Record<Chip, number>> | null
  readonly onChip: (chip: Chip) => void
  readonly isEveryEvent: boolean
  readonly onEveryEvent: () => void
  /** Number of rows shown and in total; null: no filter. */
  readonly shown: { readonly rows: number; readonly of: number } | null
  readonly isViewedHidden: boolean
  readonly follow: FollowControlProps
}

export function SessionToolbar(props: SessionToolbarProps) {
  const { chips, counts, onChip, shown, isViewedHidden } = props
  return (
    <div className="flex flex-wrap items-center gap-2 border-border border-b bg-surface-2 px-3 py-1">
      <SearchBox {...props.search} />
      {chips !== null && (
        <>
          {CHIP_LOOK.map(([chip, Icon, word, tone]) =>
            // Most sessions have no rules in shadow mode.
            chip === 'shadow' && !counts?.shadow && !chips.includes(chip) ? null : (
              <button
                key={chip}
                type="button"
                aria-pressed={chips.includes(chip)}
                onClick={() => onChip(chip)}
                className={`${TOGGLE_CLASS} font-medium ${BADGE_CLASS[counts?.[chip] ? tone : 'neutral']}`}
              >
                <Icon aria-hidden className="size-3" />
                {word} {counts && countText(counts[chip])}
              </button>
            ),
          )}
          <button
            type="button"
            aria-pressed={props.isEveryEvent}
            onClick={props.onEveryEvent}
            title="Show one row per event instead of one row per call"
            className={`${TOGGLE_CLASS} ${BADGE_CLASS.neutral}`}
          >
            Every event
          </button>
        </>
      )}
      {shown === null ? null : (
        <span className="text-small text-text-3">
          {countText(shown.rows)} of {countText(shown.of)} rows
        </span>
      )}
      {isViewedHidden ? (
        <span role="status" className="text-small text-text-2">
          The viewed event is not in this list.
        </span>
      ) : null}
      <div className="ml-auto">
        <FollowControl {...props.follow} />
      </div>
    </div>
  )
}
