'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import { EmptyState, ErrorLine } from '@/components/ui/states.tsx'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import type { RecordedEvent } from '@/server/sessions/log/recorded-events.ts'
import type { PayloadCache } from './event/payload-cache.ts'
import { usePayloads } from './event/use-payloads.ts'

const ROW_PX = 24
const OVERSCAN = 10

export interface RawListProps {
  readonly entries: readonly IndexEntry[]
  readonly payloads: PayloadCache
  readonly selectedSeq: number | null
  readonly isFollowing: boolean
  readonly onSelect: (seq: number) => void
}

function formatRawLine({ seq, at, type, data }: RecordedEvent): string {
  // The server returns indented JSON; parsing and printing puts it on one line.
  return JSON.stringify({ seq, at, type, data: JSON.parse(data) })
}

export function RawList(props: RawListProps) {
  const { entries, payloads, selectedSeq, isFollowing, onSelect } = props
  const scroller = useRef<HTMLDivElement>(null)
  const place = selectedSeq === null ? -1 : entries.findIndex(([seq]) => seq === selectedSeq)
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    initialRect: { width: 800, height: 600 },
    initialOffset: () => Math.max(0, (place - 4) * ROW_PX),
  })
  const items = virtual.getVirtualItems()
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? -1]
  const shown = useMemo(() => entries.slice(from, to + 1).map(([seq]) => seq), [entries, from, to])
  const { error, retry } = usePayloads(payloads, shown)
  useEffect(() => {
    if (isFollowing) virtual.scrollToIndex(entries.length - 1)
  }, [isFollowing, entries.length, virtual])
  useEffect(() => {
    if (place !== -1) virtual.scrollToIndex(place, { align: 'auto' })
  }, [place, virtual])
  if (entries.length === 0) return <EmptyState title="No event has arrived yet." />
  return (
    <div className="flex min-w-0 flex-1 flex-col">
      {error === null ? null : (
        <ErrorLine className="flex items-center gap-2 px-3 py-1">
          Payloads could not be loaded: {error.message}
          <button type="button" className="min-h-6 text-link" onClick={retry}>
            Try again
          </button>
        </ErrorLine>
      )}
      <div
        ref={scroller}
        role="listbox"
        tabIndex={0}
        aria-label="Recorded events"
        aria-activedescendant={place === -1 ? undefined : `raw-${selectedSeq}`}
        className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden bg-surface"
      >
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const [seq = 0, , type = ''] = entries[index] ?? []
            const event = payloads.get(seq)
            return (
              // Lines are reached by j and k or the arrow keys of the page.
              <div
                key={seq}
                id={`raw-${seq}`}
                role="option"
                tabIndex={-1}
                aria-selected={seq === selectedSeq}
                data-seq={seq}
                onClick={() => onSelect(seq)}
                onKeyDown={(press) => {
                  if (press.key === 'Enter') onSelect(seq)
                }}
                className="absolute inset-x-0 cursor-default truncate px-3 font-mono text-mono leading-6 hover:bg-row-hover aria-selected:bg-row-selected"
                style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
              >
                {event === undefined ? `${seq} ${type} …` : formatRawLine(event)}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
