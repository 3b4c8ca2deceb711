// Its height never changes.
'use client'

import { countText } from '@signalbox/core/analysis'
import { ChevronLeft, ChevronRight, type LucideIcon, Timer } from 'lucide-react'
import type { ReactNode } from 'react'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { EventRow } from '../rows/session-rows.ts'
import type { Position } from './position.ts'

export interface PlaceBarProps {
  readonly position: Position
  readonly selected: EventRow | null
  readonly viewed: number
  readonly newestSeq: number
  /** True: no event can follow. */
  readonly hasEnded: boolean
  readonly onReturn: () => void
  readonly onSide: (side: Position['side']) => void
  readonly onChange: (direction: 1 | -1) => void
  readonly onVerdict: (direction: 1 | -1) => void
}

export function PlaceBar(props: PlaceBarProps) {
  const { position, selected, viewed, newestSeq, hasEnded } = props
  const { onReturn, onSide, onChange, onVerdict } = props
  return (
    <div className="flex shrink-0 flex-col gap-1 border-border border-b px-3 py-1.5">
      <div className="flex min-h-6 flex-wrap items-center gap-x-2">
        <h2 className="flex items-center gap-1 font-semibold text-h2">
          {position.isPast ? <Timer aria-hidden size={14} /> : null}
          {position.isPast
            ? `Viewing #${countText(viewed)} of ${countText(newestSeq)}`
            : `${hasEnded ? 'End' : 'Now'}, #${countText(newestSeq)}`}
        </h2>
        {selected === null || selected.seq === viewed ? null : (
          <span className="text-small text-text-2">in row #{countText(selected.seq)}</span>
        )}
        {selected === null ? null : <Timestamp at={selected.at} style="second" />}
        {position.isPast ? (
          <button
            type="button"
            onClick={onReturn}
            className="inline-flex min-h-6 items-center gap-1 whitespace-nowrap text-link text-small"
          >
            Return to {hasEnded ? 'the end' : 'now'} <Kbd>Esc</Kbd>
          </button>
        ) : null}
      </div>
      <div className="flex min-h-6 items-center gap-2">
        <fieldset className="inline-flex">
          <legend className="sr-only">Which side of the event</legend>
          {(['before', 'after'] as const).map((side) => (
            <button
              key={side}
              type="button"
              aria-pressed={position.side === side}
              disabled={selected === null}
              title={selected === null ? 'Select an event to compare its two sides' : undefined}
              onClick={() => onSide(side)}
              className="min-h-6 border border-border-strong px-2 text-small text-text-2 first:rounded-l-control last:-ml-px last:rounded-r-control disabled:opacity-60 aria-pressed:bg-surface-3 aria-pressed:font-medium aria-pressed:text-text"
            >
              {side}
            </button>
          ))}
        </fieldset>
        <span className="ml-auto flex items-center gap-1 text-small text-text-2">
          <span aria-hidden>Change</span>
          <Step name="Previous state change" icon={ChevronLeft} onStep={() => onChange(-1)}>
            {'['}
          </Step>
          <Step name="Next state change" icon={ChevronRight} onStep={() => onChange(1)}>
            {']'}
          </Step>
          <span aria-hidden className="ml-1">
            Verdict
          </span>
          <Step name="Previous verdict" icon={ChevronLeft} onStep={() => onVerdict(-1)}>
            {'{'}
          </Step>
          <Step name="Next verdict" icon={ChevronRight} onStep={() => onVerdict(1)}>
            {'}'}
          </Step>
        </span>
      </div>
    </div>
  )
}

function Step({
  name,
  icon: Icon,
  onStep,
  children,
}: {
  readonly name: string
  /** Shown on touch, where the key is not. */
  readonly icon: LucideIcon
  readonly onStep: () => void
  readonly children: string
}): ReactNode {
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      className="min-h-6 min-w-6 pointer-coarse:min-h-11 pointer-coarse:min-w-11"
      onClick={onStep}
    >
      <Kbd>{children}</Kbd>
      <Icon aria-hidden className="mx-auto pointer-fine:hidden size-4" />
    </button>
  )
}
