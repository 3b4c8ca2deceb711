// While paused, the top row stays in place when rows are added or filled in.
'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { EmptyState } from '@/components/ui/states.tsx'
import { dayText } from '@/components/ui/time.tsx'
import { useMedia } from '@/components/ui/use-width.ts'
import { DateRowView, EventRowView, GapRowView } from './event-row.tsx'
import { type GapFacts, gapWords, isStored } from './gap-words.ts'
import type { SessionRow } from './rows/session-rows.ts'

export interface EventListProps {
  readonly rows: readonly SessionRow[]
  readonly nothing: string
  readonly gap: GapFacts
  readonly matched: ReadonlySet<number>
  readonly notesOn: (seqs: readonly number[]) => number
  readonly isFollowing: boolean
  /** Key of the selected row; null for none. */
  readonly selectedKey: number | null
  readonly zone: string
  readonly buildHref: (seq: number) => string
  readonly onSelect: (seq: number) => void
  /** Called when the reader scrolls more than one row away from the end. */
  readonly onScrollUp: () => void
}

const ROW_HEIGHT = 28
const COMFORTABLE_ROW_HEIGHT = 36
const TOUCH_ROW_HEIGHT = 44

/** Without a document, the default. */
function rowHeight(): number {
  if (typeof document === 'undefined') return ROW_HEIGHT
  const isComfortable = document.documentElement.dataset['density'] === 'comfortable'
  return isComfortable ? COMFORTABLE_ROW_HEIGHT : ROW_HEIGHT
}

function firstOffset(props: EventListProps & { readonly height: number }): number {
  const { rows, isFollowing, selectedKey, height } = props
  if (isFollowing) return rows.length * height
  const index = selectedKey === null ? -1 : rows.findIndex((row) => row.key === selectedKey)
  return Math.max(0, (index - 4) * height)
}

function isForBrowser(event: MouseEvent): boolean {
  return event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0
}

export function EventList(props: EventListProps) {
  const isTouch = useMedia('(pointer: coarse), (max-width: 640px)')
  const height = isTouch ? TOUCH_ROW_HEIGHT : rowHeight()
  if (props.rows.length === 0) return <EmptyState title={props.nothing} />
  // A changed row height needs a fresh virtualizer.
  return <FixedRows key={height} {...props} height={height} />
}

function FixedRows(props: EventListProps & { readonly height: number }) {
  const { rows, gap, matched, notesOn, isFollowing, selectedKey, zone, buildHref, height } = props
  const { onSelect, onScrollUp } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    // A jump draws every row again. With the usual 12 extra rows on each side, half of them would never be seen.
    overscan: 6,
    initialRect: { width: 800, height: 600 },
    // The virtualizer scrolls here each time it mounts, so it must know the row to show.
    initialOffset: () => firstOffset(props),
  })
  useAnchor({ scroller, rows, height, isFollowing })
  useReveal({ scroller, rows, height, selectedKey })
  const handleClick = (event: MouseEvent<HTMLDivElement>): void => {
    if (isForBrowser(event) || !(event.target instanceof Element)) return
    const seq = event.target.closest('[data-seq]')?.getAttribute('data-seq')
    if (seq === null || seq === undefined) return
    event.preventDefault()
    onSelect(Number(seq))
  }
  const handleKey = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.key !== 'Home' || scroller.current === null) return
    event.preventDefault()
    onScrollUp()
    scroller.current.scrollTop = 0
  }
  const seen = useRef({ scrollTop: 0, scrollHeight: 0, clientHeight: 0 })
  const handleScroll = (): void => {
    const element = scroller.current
    if (element === null || !isFollowing) return
    const { scrollTop, scrollHeight, clientHeight } = element
    const before = seen.current
    seen.current = { scrollTop, scrollHeight, clientHeight }
    // A shorter list or a resized pane also scrolls the view, without any action of the reader.
    const isReader = scrollHeight === before.scrollHeight && clientHeight === before.clientHeight
    if (!isReader || scrollTop >= before.scrollTop) return
    if (scrollHeight - scrollTop - clientHeight > height * 1.5) onScrollUp()
  }
  return (
    <>
      <DayAbove rows={rows} zone={zone} first={virtual.range?.startIndex ?? 0} />
      {/* Rows are reached by j and k or the arrow keys of the page; the grid is a single tab stop. */}
      <div
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label="Events"
        aria-rowcount={rows.length}
        aria-activedescendant={selectedKey === null ? undefined : `event-${selectedKey}`}
        className="event-list relative min-h-0 flex-1 overflow-y-auto overflow-x-hidden overscroll-contain bg-surface"
        onClick={handleClick}
        onKeyDown={handleKey}
        onWheel={(event) => {
          if (isFollowing && event.deltaY < 0) onScrollUp()
        }}
        onScroll={handleScroll}
      >
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]
            if (row === undefined) return null
            const place = { index, top: start, height }
            if (row.kind === 'gap') {
              const isLoading = isStored(row, gap)
              const words = gapWords(row, gap)
              return <GapRowView key={row.key} words={words} isLoading={isLoading} {...place} />
            }
            if (row.kind === 'date') {
              return <DateRowView key={row.key} row={row} zone={zone} {...place} />
            }
            return (
              <EventRowView
                key={row.key}
                row={row}
                {...place}
                zone={zone}
                isSelected={row.key === selectedKey}
                isMatch={matched.has(row.key)}
                notes={notesOn(row.members)}
                href={buildHref(row.seq)}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}

function DayAbove({
  rows,
  zone,
  first,
}: {
  readonly rows: readonly SessionRow[]
  readonly zone: string
  readonly first: number
}) {
  const hasDays = useMemo(() => rows.some(({ kind }) => kind === 'date'), [rows])
  const row = rows.slice(first, first + 3).find(({ kind }) => kind !== 'gap')
  if (!hasDays || row === undefined || row.kind === 'gap') return null
  return (
    <div
      aria-hidden
      className="border-border border-b bg-surface-2 px-3 font-medium text-small text-text-2 leading-5"
    >
      {dayText(row.at, zone)}
    </div>
  )
}

interface Anchoring {
  readonly scroller: { readonly current: HTMLDivElement | null }
  readonly rows: readonly SessionRow[]
  readonly height: number
}

/** While following, keeps the end in view; while paused, keeps the top row in place. */
function useAnchor({
  scroller,
  rows,
  height,
  isFollowing,
}: Anchoring & { readonly isFollowing: boolean }): void {
  const before = useRef(rows)
  useLayoutEffect(() => {
    const known = before.current
    before.current = rows
    const element = scroller.current
    if (element === null) return
    if (isFollowing) {
      element.scrollTop = element.scrollHeight
    } else if (known !== rows) {
      const index = Math.floor(element.scrollTop / height)
      const key = known[index]?.key
      const now = rows[index]?.key === key ? index : rows.findIndex((row) => row.key === key)
      if (now !== -1 && now !== index) element.scrollTop += (now - index) * height
    }
  }, [scroller, rows, height, isFollowing])
}

function useReveal({
  scroller,
  rows,
  height,
  selectedKey,
}: Anchoring & { readonly selectedKey: number | null }): void {
  const shown = useRef<number | null>(null)
  useEffect(() => {
    if (selectedKey === shown.current) return
    const element = scroller.current
    const index = rows.findIndex((row) => row.key === selectedKey)
    if (element === null || (selectedKey !== null && index === -1)) return
    shown.current = selectedKey
    if (selectedKey !== null) reveal(element, index * height, height)
  }, [scroller, rows, height, selectedKey])
}

function reveal(element: HTMLElement, top: number, height: number): void {
  const { scrollTop, clientHeight } = element
  const bottom = top + height - clientHeight
  if (scrollTop <= top && scrollTop >= bottom) return
  const isFar = Math.abs(scrollTop - top) > clientHeight * 2
  if (isFar) element.scrollTop = top - clientHeight / 2
  else element.scrollTop = scrollTop > top ? top : bottom
}
