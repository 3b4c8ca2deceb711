// Sessions as one virtual list: a line each, or two where the page is narrow. Row heights are fixed, so that nothing moves while
// facts change; one row has the focus, and keys move it.
'use client'

import { plural } from '@signalbox/core/analysis'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Check } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { EnforcementBadge } from '@/components/enforcement/enforcement-badge.tsx'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { markAction } from '@/components/kit/list/marked-foot.tsx'
import { type Peeking, peekAction } from '@/components/kit/list/peek-action.ts'
import { RowMenu } from '@/components/kit/list/row-menu.tsx'
import type { Marks } from '@/components/kit/list/use-marks.ts'
import { cn } from '@/components/ui/class-names.ts'
import { Link } from '@/components/ui/link.tsx'
import type { MenuItem } from '@/components/ui/menu.tsx'
import { Ago } from '@/components/ui/time.tsx'
import { useMedia } from '@/components/ui/use-width.ts'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'
import {
  ActivityText,
  CountText,
  LastEvent,
  LastStop,
  originText,
  planText,
  TimeText,
  tokensText,
  VersionText,
} from './session-cells.tsx'

export interface SessionRowsProps {
  readonly sessions: readonly SessionFacts[]
  /** In the whole list; null: not known. */
  readonly total: number | null
  /** Id of the chosen row; null: none. */
  readonly chosen: string | null
  readonly marks: Marks
  readonly peek: Peeking
  /** Set by a key: the chosen row takes the focus. */
  readonly wantsFocus: RefObject<boolean>
  readonly onNearEnd: () => void
}

const WIDE_PX = 28
const COMFORTABLE_PX = 36
const TOUCH_PX = 44
const NARROW_PX = 64
const HEAD_PX = 32

function wideHeight(): number {
  if (typeof document === 'undefined') return WIDE_PX
  return document.documentElement.dataset['density'] === 'comfortable' ? COMFORTABLE_PX : WIDE_PX
}

export function SessionRows(props: SessionRowsProps) {
  const isNarrow = useMedia('(max-width: 767px)')
  const isTouch = useMedia('(pointer: coarse)')
  const height = isNarrow ? NARROW_PX : isTouch ? TOUCH_PX : wideHeight()
  // A list of another row height is another list.
  return <FixedRows key={height} {...props} isNarrow={isNarrow} height={height} />
}

interface FixedProps extends SessionRowsProps {
  readonly isNarrow: boolean
  readonly height: number
}

const COLUMNS =
  'grid-cols-[104px_minmax(132px,1.2fr)_48px_minmax(56px,0.7fr)_68px_100px_44px_36px_48px_60px_112px_minmax(120px,1.4fr)_28px]'
const ROW = `grid items-center gap-x-2 px-4 ${COLUMNS}`

/** The chosen row stays in view when it changes by key or by Back. */
function useChosenInView(at: number, wantsFocus: RefObject<boolean>, show: (at: number) => void) {
  useEffect(() => {
    if (at >= 0 && wantsFocus.current) show(at)
  }, [at, show, wantsFocus])
}

function FixedRows(props: FixedProps) {
  const { sessions, total, chosen, marks, peek, onNearEnd, isNarrow, height } = props
  const scroller = useRef<HTMLDivElement>(null)
  const at = sessions.findIndex(({ id }) => id === chosen)
  const head = isNarrow ? 0 : HEAD_PX
  const virtual = useVirtualizer({
    count: sessions.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    initialRect: { width: 1000, height: 600 },
    initialOffset: () => Math.max(0, (at - 4) * height),
    scrollPaddingStart: head,
    getItemKey: (index) => sessions[index]?.id ?? index,
  })
  const { scrollToIndex } = virtual
  useChosenInView(at, props.wantsFocus, scrollToIndex)
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= sessions.length - 20) onNearEnd()
  }, [last, sessions.length, onNearEnd])
  return (
    <div ref={scroller} data-scrolls className="min-h-0 min-w-0 flex-1 overflow-auto bg-surface">
      <div
        role="grid"
        aria-label="Sessions"
        aria-rowcount={total ?? sessions.length}
        className={isNarrow ? undefined : 'min-w-[1060px]'}
      >
        {isNarrow ? null : <Head />}
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, key }) => {
            const session = sessions[index]
            if (session === undefined) return null
            const row = {
              ...{ session, index, wantsFocus: props.wantsFocus },
              isChosen: index === at,
              isMarked: marks.ids.has(session.id),
              isCurrent: index === Math.max(0, at),
            }
            return (
              <div
                key={key}
                role="row"
                data-session={session.id}
                aria-rowindex={index + 1}
                aria-selected={index === at}
                className={cn(
                  'absolute inset-x-0 border-border border-b focus-within:bg-row-selected hover:bg-row-hover aria-selected:bg-row-selected aria-selected:shadow-[inset_2px_0_0_var(--focus)]',
                  isNarrow ? 'flex flex-col justify-center gap-0.5 py-1 pr-10 pl-4' : ROW,
                )}
                style={{ top: start, height }}
              >
                {isNarrow ? <NarrowCells {...row} /> : <WideCells {...row} />}
                <span role="gridcell" className={isNarrow ? 'absolute top-0.5 right-1' : undefined}>
                  <RowMenu
                    label={`Actions for ${session.ns}/${session.key}`}
                    items={actionsOf(session, { marks, peek })}
                    tabIndex={row.isCurrent ? 0 : -1}
                  />
                </span>
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** What can be done with a session from its row. */
function actionsOf(
  { id, ns, key, lastStopId }: SessionFacts,
  { marks, peek }: Pick<SessionRowsProps, 'marks' | 'peek'>,
): readonly MenuItem[] {
  return [
    { name: 'Open', href: `/sessions/${id}` },
    peekAction(peek, id),
    lastStopId === null
      ? { name: 'Why: open the last stop', refusal: 'No stop attempts yet.' }
      : { name: 'Why: open the last stop', href: `/stops/${lastStopId}` },
    markAction(marks, id),
    { name: 'Compare with another', href: `/sessions/compare?a=${id}` },
    {
      name: 'Copy link',
      onSelect: () => copyLink(linkedAt(`/sessions/${id}`, `${ns}/${key}`)),
    },
    { name: 'Events as JSONL', href: `/api/export/sessions/${id}`, isFile: true },
  ]
}

const HEADS = [
  ['Status', 'Current state, as far as its log and its runtime prove it'],
  ['Prompt', ''],
  ['Config', 'Version at its start'],
  ['Runs in', ''],
  ['Started', ''],
  ['Time', 'Time to the deadline, or total run time'],
  ['Tokens', 'Used of the budget'],
  ['Plan', 'Steps done'],
  ['Denied', 'Calls denied'],
  ['Warnings', 'Warnings delivered'],
  ['Last stop', ''],
  ['Last event', ''],
  ['', ''],
] as const

function Head() {
  return (
    <div
      role="row"
      className={cn(
        ROW,
        'sticky top-0 z-10 border-border border-b bg-surface font-medium text-small text-text-2',
      )}
      style={{ height: HEAD_PX }}
    >
      {HEADS.map(([word, title], index) => (
        <span
          key={word}
          role="columnheader"
          title={title === '' ? undefined : title}
          className={cn('truncate', index >= 6 && index <= 9 && 'text-right')}
        >
          {word === '' ? <span className="sr-only">Actions</span> : word}
        </span>
      ))}
    </div>
  )
}

interface RowProps {
  readonly session: SessionFacts
  readonly isChosen: boolean
  readonly isMarked: boolean
  /** The one that Tab reaches. */
  readonly isCurrent: boolean
  readonly wantsFocus: RefObject<boolean>
}

function RowLink({ session, isChosen, isMarked, isCurrent, wantsFocus }: RowProps) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (!isChosen || !wantsFocus.current) return
    wantsFocus.current = false
    link.current?.focus({ preventScroll: true })
  }, [isChosen, wantsFocus])
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {isMarked ? <Check size={14} className="shrink-0 text-text" aria-label="marked" /> : null}
      <Link
        ref={link}
        data-row
        tabIndex={isCurrent ? 0 : -1}
        className="min-w-0 truncate font-medium text-link"
        href={`/sessions/${session.id}`}
        title={`${session.ns}/${session.key} · ${session.environment}`}
      >
        {session.ns}/{session.key}
      </Link>
      <EnforcementBadge facts={session} isBrief />
    </span>
  )
}

function WideCells(row: RowProps) {
  const { session } = row
  return (
    <>
      <span role="gridcell" className="min-w-0">
        <ActivityText session={session} />
      </span>
      <span role="gridcell" className="min-w-0">
        <RowLink {...row} />
      </span>
      <span role="gridcell" className="truncate">
        <VersionText session={session} />
      </span>
      <span role="gridcell" className="truncate text-text-2" title={originText(session)}>
        {session.harness.name ?? session.runtimeName ?? '–'}
      </span>
      <span role="gridcell" className="truncate text-text-2">
        <Ago at={session.startedAt} />
      </span>
      <span role="gridcell" className="truncate tabular-nums">
        <TimeText session={session} />
      </span>
      <span
        role="gridcell"
        className="truncate text-right tabular-nums"
        title={plural(session.tokensUsed, 'token')}
      >
        {tokensText(session)}
      </span>
      <span role="gridcell" className="truncate text-right tabular-nums">
        {planText(session)}
      </span>
      <span role="gridcell" className="text-right tabular-nums">
        <CountText value={session.denied} className="text-deny-fg" />
      </span>
      <span role="gridcell" className="text-right tabular-nums">
        <CountText value={session.warnings} className="text-warning-fg" />
      </span>
      <span role="gridcell" className="truncate">
        <LastStop session={session} />
      </span>
      <span role="gridcell" className="min-w-0 text-text-2">
        <LastEvent session={session} />
      </span>
    </>
  )
}

function NarrowCells(row: RowProps) {
  const { session } = row
  const facts = [
    session.harness.name ?? '',
    planText(session) === '–' ? '' : `plan ${planText(session)}`,
    session.denied > 0 ? `denied ${session.denied}` : '',
    session.warnings > 0 ? `warnings ${session.warnings}` : '',
  ].filter(Boolean)
  return (
    <>
      <span role="gridcell" className="flex min-w-0 items-center gap-2">
        <ActivityText session={session} />
        <span className="min-w-0 flex-1">
          <RowLink {...row} />
        </span>
        <span className="shrink-0">
          <LastStop session={session} />
        </span>
      </span>
      <span role="gridcell" className="truncate text-small text-text-2">
        <TimeText session={session} /> · <Ago at={session.lastEventAt} />
        {facts.map((fact) => ` · ${fact}`).join('')}
      </span>
    </>
  )
}
