// At most eight elements and an icon, no tooltip component and no formatting while scrolling: smooth at 50,000 rows.
import { plural } from '@signalbox/core/analysis'
import { StickyNote } from 'lucide-react'
import { memo } from 'react'
import { dayText, durationText } from '@/components/ui/time.tsx'
import { preciseClockText } from './rows/clock.ts'
import { BADGE_CLASS, eventLook, MARK_CLASS, WORD_CLASS } from './rows/event-look.ts'
import type { DateRow, EventRow } from './rows/session-rows.ts'

export interface EventRowViewProps {
  readonly row: EventRow
  readonly index: number
  readonly isSelected: boolean
  readonly isMatch: boolean
  readonly notes: number
  readonly top: number
  readonly height: number
  readonly zone: string
  readonly href: string
}

const isException = (tone: string): boolean => tone !== 'allow' && tone !== 'neutral'

/** A bracket at the left edge marks changes that were undone when the call failed. */
const UNDONE =
  'data-undone:before:absolute data-undone:before:inset-y-0.5 data-undone:before:left-1 data-undone:before:w-1.5 data-undone:before:border-neutral-mark data-undone:before:border-y data-undone:before:border-l'

/** Memoized: selecting another row renders two rows again, not all. */
export const EventRowView = memo(function EventRowView(props: EventRowViewProps) {
  const { row, index, isSelected, isMatch, notes, top, height, zone, href } = props
  const { icon: Icon, word, tone } = eventLook(row)
  const text = row.nativeTool === null ? row.text : `${row.nativeTool} · ${row.text}`
  return (
    <div
      role="row"
      id={`event-${row.key}`}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      data-status={row.verdict ?? row.type}
      data-seq={row.seq}
      data-match={isMatch ? '' : undefined}
      data-undone={row.isUndone ? '' : undefined}
      title={row.isUndone ? 'The call failed, so its changes do not count' : undefined}
      className={`absolute inset-x-0 grid grid-cols-[42px_88px_134px_minmax(116px,1fr)_minmax(0,5fr)_52px] items-center gap-x-2 border-border border-b px-3 max-sm:grid-cols-[92px_minmax(0,1fr)_auto] max-sm:content-center hover:bg-row-hover data-match:bg-surface-3 data-match:font-medium aria-selected:bg-row-selected aria-selected:shadow-[inset_2px_0_0_var(--focus)] ${UNDONE}`}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <span role="gridcell" className="max-sm:hidden">
        <a href={href} tabIndex={-1} className="font-mono text-mono text-text-3">
          {row.seq}
        </a>
      </span>
      <span role="gridcell" className="truncate font-mono text-mono text-text-2">
        {preciseClockText(row.at, zone)}
      </span>
      <span
        role="gridcell"
        className={`flex items-center gap-1.5 whitespace-nowrap ${WORD_CLASS[tone]} ${isException(tone) ? 'font-medium' : ''}`}
      >
        <Icon aria-hidden className={`size-3.5 shrink-0 ${MARK_CLASS[tone]}`} />
        {word}
      </span>
      <span role="gridcell" title={row.subject} className="truncate font-mono text-mono">
        {row.subject}
      </span>
      <span
        role="gridcell"
        title={text}
        className="truncate text-text-2 has-[+:empty]:col-span-2 max-sm:col-span-2 max-sm:col-start-2 max-sm:text-small"
      >
        {notes === 0 ? null : (
          <StickyNote
            role="img"
            aria-label={plural(notes, 'annotation')}
            className="mr-1 inline size-3.5 align-[-2px] text-text"
          />
        )}
        {text}
      </span>
      <span
        role="gridcell"
        className="text-right font-mono text-mono text-text-3 empty:hidden max-sm:hidden"
      >
        {row.durationMs === null ? '' : durationText(row.durationMs)}
      </span>
    </div>
  )
})

interface PlacedProps {
  readonly top: number
  readonly height: number
  readonly index: number
}

export function GapRowView({
  words,
  isLoading,
  top,
  height,
  index,
}: PlacedProps & { readonly words: string; readonly isLoading: boolean }) {
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      data-gap={isLoading ? 'loading' : 'missing'}
      className={`absolute inset-x-0 flex items-center border-b border-dashed px-3 ${BADGE_CLASS.neutral}`}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <span role="gridcell" className="truncate">
        {words}
      </span>
    </div>
  )
}

export function DateRowView({
  row,
  zone,
  top,
  height,
  index,
}: PlacedProps & { readonly row: DateRow; readonly zone: string }) {
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      className="absolute inset-x-0 flex items-center border-border border-b bg-surface-2 px-3 font-medium text-text-2 text-small"
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <span role="gridcell">{dayText(row.at, zone)}</span>
    </div>
  )
}
