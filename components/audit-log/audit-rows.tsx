'use client'
// Entries of the audit log as one virtual list: for a log of any length, the page contains only visible rows. Each row is a link to its
// entry.
import { useVirtualizer } from '@tanstack/react-virtual'
import { parseAsString, useQueryState } from 'nuqs'
import { useEffect, useRef } from 'react'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { type Peeking, peekAction } from '@/components/kit/list/peek-action.ts'
import { RowMenu } from '@/components/kit/list/row-menu.tsx'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { Link } from '@/components/ui/link.tsx'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { useMedia } from '@/components/ui/use-width.ts'
import { changeText } from './audit-change.ts'
import { AuditPeek, type ListedEntry } from './audit-peek.tsx'
import { actionText } from './audit-words.ts'

const WIDE_ROW = 36
const NARROW_ROW = 64
/** Rows from the end at which the next page is asked for. */
const AHEAD = 20

interface RowsProps {
  readonly entries: readonly ListedEntry[]
  readonly hasMore: boolean
  readonly onEnd: () => void
}

export function AuditRows(props: RowsProps) {
  const isNarrow = useMedia('(max-width: 767px)')
  // A list of another row height is another list.
  return <FixedRows key={String(isNarrow)} {...props} isNarrow={isNarrow} />
}

function FixedRows({
  entries,
  hasMore,
  onEnd,
  isNarrow,
}: RowsProps & { readonly isNarrow: boolean }) {
  const [shown, setShown] = useQueryState('peek', parseAsString)
  const show = (id: string | null): void => void setShown(id)
  const peeked = entries.find(({ id }) => id === shown)
  const peek: Peeking = { shown, show }
  useListKeys('audit log', { noun: 'entry', peek, hasFilter: true, hasActions: true })
  const scroller = useRef<HTMLElement>(null)
  const height = isNarrow ? NARROW_ROW : WIDE_ROW
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 10,
    initialRect: { width: 800, height: 600 },
  })
  const items = virtual.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lastShown >= entries.length - AHEAD) onEnd()
  }, [hasMore, lastShown, entries.length, onEnd])
  return (
    <div className="flex">
      <div className="min-w-0 flex-1">
        {!isNarrow && (
          <div aria-hidden className="flex border-border border-b">
            <div className={`${GRID} h-8 flex-1 text-small text-text-2`}>
              <span>At</span>
              <span>Who</span>
              <span>Did</span>
              <span>Change</span>
              <span>From</span>
            </div>
            <span className={MENU} />
          </div>
        )}
        <ScrollBox
          ref={scroller}
          data-scrolls
          label="Entries"
          className="max-h-[70dvh] overflow-y-auto overscroll-contain"
        >
          <ul className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const entry = entries[index]
              if (entry === undefined) return null
              return (
                <li
                  key={entry.id}
                  aria-posinset={index + 1}
                  aria-setsize={hasMore ? -1 : entries.length}
                  className="absolute inset-x-0 flex items-center border-border border-b"
                  style={{ top: start, height }}
                >
                  {isNarrow ? <NarrowRow entry={entry} /> : <WideRow entry={entry} />}
                  <EntryMenu entry={entry} peek={peek} />
                </li>
              )
            })}
          </ul>
        </ScrollBox>
        <footer className="px-3 py-2 text-small text-text-2 tabular-nums">
          {hasMore ? `Newest ${entries.length}; scroll for more` : `${entries.length} total`}
        </footer>
      </div>
      {peeked === undefined ? null : <AuditPeek entry={peeked} onClose={() => show(null)} />}
    </div>
  )
}

const GRID =
  'grid grid-cols-[190px_minmax(96px,1fr)_minmax(190px,1.4fr)_minmax(160px,3fr)_128px] items-center gap-x-3 px-3'

const MENU = 'flex w-12 shrink-0 justify-center'

function EntryMenu({ entry, peek }: RowProps & { readonly peek: Peeking }) {
  const href = `/settings/audit-log/${entry.id}`
  const text = `${entry.actor} ${actionText(entry.action)}`
  return (
    <span className={MENU}>
      <RowMenu
        label={`Actions for the entry: ${text}`}
        items={[
          { name: 'Open', href },
          peekAction(peek, entry.id),
          { name: 'Copy link', onSelect: () => copyLink(linkedAt(href, text)) },
        ]}
      />
    </span>
  )
}

interface RowProps {
  readonly entry: ListedEntry
}

function WideRow({ entry }: RowProps) {
  const change = changeText(entry.before, entry.after)
  return (
    <Link
      data-row={entry.id}
      href={`/settings/audit-log/${entry.id}`}
      className={`${GRID} h-full flex-1 hover:bg-row-hover focus:bg-row-selected`}
    >
      <Timestamp at={entry.at} style="second" />
      <span className="truncate font-medium">{entry.actor}</span>
      <span className="truncate" title={entry.action}>
        {actionText(entry.action)}
      </span>
      <span className="truncate text-text-2" title={change}>
        {change === '' ? '–' : change}
      </span>
      <span className="truncate font-mono text-mono text-text-2">{entry.origin ?? '–'}</span>
    </Link>
  )
}

function NarrowRow({ entry }: RowProps) {
  const change = changeText(entry.before, entry.after)
  return (
    <Link
      data-row={entry.id}
      href={`/settings/audit-log/${entry.id}`}
      className="flex h-full min-w-0 flex-1 flex-col justify-center gap-0.5 px-3 hover:bg-row-hover"
    >
      <span className="truncate">
        <span className="font-medium">{entry.actor}</span> {actionText(entry.action)}
      </span>
      <span className="truncate text-small text-text-2">
        <Timestamp at={entry.at} style="second" />
        {change === '' ? '' : ` · ${change}`}
      </span>
    </Link>
  )
}
