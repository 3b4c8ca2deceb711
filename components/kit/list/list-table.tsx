// Row heights are fixed, so that nothing moves while values change.
'use client'

import { FlexRender, type Row as TableRow, useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, Check } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { Link } from '@/components/ui/link.tsx'
import { useMedia } from '@/components/ui/use-width.ts'
import {
  type Face,
  type FaceColumn,
  type FaceHead,
  FEATURES,
  type ListedRow,
} from './list-face.tsx'
import type { Peeking } from './peek-action.ts'
import { RowMenu } from './row-menu.tsx'
import type { Marks } from './use-marks.ts'

interface ListTableProps<Row extends ListedRow> {
  readonly face: Face<Row>
  readonly rows: readonly Row[]
  readonly total: number | null
  readonly visible: readonly string[]
  readonly order: string
  readonly onOrder: (order: string) => void
  /** Id of the selected row; null: none. */
  readonly chosen: string | null
  readonly marks: Marks
  readonly peek: Peeking
  /** Set by a key: the selected row takes the focus. */
  readonly wantsFocus: RefObject<boolean>
  readonly onNearEnd: () => void
  /** The list is inside another one and scrolls with it. */
  readonly isWithin?: boolean
}

/** Room for two lines, so that long names are not cut. */
const WIDE_PX = 36
const COMFORTABLE_PX = 44
const TOUCH_PX = 44
const HEAD_PX = 32
const GAP_PX = 8
const PADDING_PX = 16
const MENU_PX = 28
/** Number of rows before the end at which the next page loads. */
const AHEAD = 20

function wideHeight(): number {
  if (typeof document === 'undefined') return WIDE_PX
  return document.documentElement.dataset['density'] === 'comfortable' ? COMFORTABLE_PX : WIDE_PX
}

export function ListTable<Row extends ListedRow>(props: ListTableProps<Row>) {
  const isNarrow = useMedia('(max-width: 767px)')
  const isTouch = useMedia('(pointer: coarse)')
  const { cardHeight, rowHeight = 0 } = props.face
  const wide = Math.max(rowHeight, isTouch ? TOUCH_PX : wideHeight())
  const findHeight = (row: Row): number => {
    if (!isNarrow) return wide
    return typeof cardHeight === 'number' ? cardHeight : cardHeight(row)
  }
  // A changed row height needs a fresh virtualizer.
  const key = isNarrow ? 'cards' : wide
  return <FixedRows key={key} {...props} isNarrow={isNarrow} findHeight={findHeight} />
}

interface FixedProps<Row extends ListedRow> extends ListTableProps<Row> {
  readonly isNarrow: boolean
  readonly findHeight: (row: Row) => number
}

/** Position of each row, and last the height of all. */
function sumHeights<Row>(rows: readonly Row[], findHeight: (row: Row) => number) {
  const tops = [0]
  for (const row of rows) tops.push((tops.at(-1) ?? 0) + findHeight(row))
  return tops
}

/** Keeps the selected row in view when keys or Back change it. */
function useChosenInView(at: number, wantsFocus: RefObject<boolean>, show: (at: number) => void) {
  useEffect(() => {
    if (at >= 0 && wantsFocus.current) show(at)
  }, [at, show, wantsFocus])
}

function FixedRows<Row extends ListedRow>(props: FixedProps<Row>) {
  const { face, rows, total, chosen, onNearEnd, isNarrow, findHeight, isWithin = false } = props
  const tops = sumHeights(rows, findHeight)
  const findTop = (index: number): number => tops[index] ?? 0
  const scroller = useRef<HTMLDivElement>(null)
  const at = rows.findIndex(({ id }) => id === chosen)
  const virtual = useVirtualizer({
    count: rows.length,
    enabled: !isWithin,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => findTop(index + 1) - findTop(index),
    overscan: 12,
    initialRect: { width: 1000, height: 600 },
    initialOffset: () => findTop(Math.max(0, at - 4)),
    scrollPaddingStart: isNarrow ? 0 : HEAD_PX,
    // A new function at each render, so the virtualizer reads the heights again.
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  useChosenInView(at, props.wantsFocus, virtual.scrollToIndex)
  const drawn = isWithin ? rows.map((_, index) => index) : virtual.getVirtualIndexes()
  const last = drawn.at(-1) ?? 0
  useEffect(() => {
    if (!isWithin && last >= rows.length - AHEAD) onNearEnd()
  }, [isWithin, last, rows.length, onNearEnd])
  const columns = face.columns.filter(({ name }) => props.visible.includes(name))
  const table = useTable({
    features: FEATURES,
    columns: face.defs,
    data: rows,
    getRowId: ({ id }) => id,
    state: {
      columnVisibility: Object.fromEntries(
        face.columns.map(({ name }) => [name, props.visible.includes(name)]),
      ),
    },
  })
  const { rows: tableRows } = table.getRowModel()
  return (
    <div
      ref={scroller}
      data-scrolls={isWithin ? undefined : ''}
      // Ends with a whole row where the box does not fill the page.
      style={
        isWithin || isNarrow
          ? undefined
          : {
              maxHeight: `calc(${HEAD_PX}px + round(down, var(--most-rows, 999rem), ${findTop(1)}px))`,
            }
      }
      className={clsx(
        'min-w-0 bg-surface',
        isWithin ? 'overflow-x-auto' : 'min-h-0 flex-1 overflow-auto',
      )}
    >
      <div
        role="grid"
        aria-label={face.heading}
        aria-rowcount={total ?? rows.length}
        style={isNarrow ? undefined : { minWidth: leastWidth(columns) }}
      >
        {isNarrow ? null : (
          <Head face={face} columns={columns} order={props.order} onOrder={props.onOrder} />
        )}
        <div role="rowgroup" className="relative" style={{ height: findTop(rows.length) }}>
          {drawn.map((index) => {
            const row = tableRows[index]
            if (row === undefined) return null
            return (
              <RowLine
                key={row.id}
                {...props}
                row={row}
                index={index}
                top={findTop(index)}
                height={findTop(index + 1) - findTop(index)}
                columns={columns}
                isChosen={index === at}
                isCurrent={index === Math.max(0, at)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

export function leastWidth(columns: readonly FaceColumn[]): number {
  const least = columns.reduce((sum, column) => sum + column.least + GAP_PX, 0)
  return least + MENU_PX + 2 * PADDING_PX
}

function gridTracks(columns: readonly FaceColumn[]): string {
  return [...columns.map(({ track }) => track), `${MENU_PX}px`].join(' ')
}

/** Left-aligned text needs a distance to the figures before it. */
function isAfterNumber(columns: readonly FaceColumn[], at: number): boolean {
  return columns[at]?.isNumber === false && columns[at - 1]?.isNumber === true
}

const LINE = 'grid items-center gap-x-2 px-4'

interface HeadProps {
  readonly face: FaceHead
  readonly columns: readonly FaceColumn[]
  readonly order: string
  readonly onOrder: (order: string) => void
}

function Head({ columns, order, onOrder, face }: HeadProps) {
  return (
    <div
      role="row"
      className={clsx(
        LINE,
        'sticky top-0 z-10 border-border border-b bg-surface font-medium text-small text-text-2',
      )}
      style={{ height: HEAD_PX, gridTemplateColumns: gridTracks(columns) }}
    >
      {columns.map((column, at) => (
        <HeadCell
          key={column.name}
          face={face}
          column={column}
          isApart={isAfterNumber(columns, at)}
          order={order}
          onOrder={onOrder}
        />
      ))}
      <span role="columnheader">
        <span className="sr-only">Actions</span>
      </span>
    </div>
  )
}

const SORTED = { asc: 'ascending', desc: 'descending' } as const
const ARROW = { asc: ArrowUp, desc: ArrowDown } as const

interface HeadCellProps extends Omit<HeadProps, 'columns'> {
  readonly column: FaceColumn
  readonly isApart: boolean
}

function HeadCell({ face, column, isApart, order, onOrder }: HeadCellProps) {
  const { label, icon, hint, orders, isNumber } = column
  const at = orders.indexOf(order)
  const direction = at === -1 ? undefined : face.directions[order]
  return (
    <span
      role="columnheader"
      title={hint}
      aria-sort={direction && SORTED[direction]}
      className={clsx('truncate', isNumber && 'text-right', isApart && 'pl-2')}
    >
      {icon}
      {orders.length === 0 ? (
        label
      ) : (
        <SortButton
          label={label}
          direction={direction}
          // Pressing the head of the current order selects the next order of the column, else the default order.
          onClick={() => onOrder(orders[at + 1] ?? face.defaultOrder)}
        />
      )}
    </span>
  )
}

function SortButton({
  label,
  direction,
  onClick,
}: {
  readonly label: string
  readonly direction: 'asc' | 'desc' | undefined
  readonly onClick: () => void
}) {
  const Arrow = direction === undefined ? null : ARROW[direction]
  return (
    <button
      type="button"
      className="inline-flex h-6 max-w-full items-center gap-0.5 font-medium hover:text-text"
      onClick={onClick}
    >
      <span className="truncate">{label}</span>
      {Arrow === null ? null : <Arrow size={12} aria-hidden className="shrink-0" />}
    </button>
  )
}

interface RowLineProps<Row extends ListedRow> extends FixedProps<Row> {
  readonly row: TableRow<typeof FEATURES, Row>
  readonly index: number
  readonly top: number
  readonly height: number
  readonly columns: readonly FaceColumn[]
  readonly isChosen: boolean
  readonly isCurrent: boolean
}

function RowLine<Row extends ListedRow>(props: RowLineProps<Row>) {
  const { face, row, index, top, height, columns, isNarrow, marks, peek, isChosen, isCurrent } =
    props
  const { original } = row
  const items = face.actions(original, { marks, peek })
  return (
    <div
      role="row"
      data-id={original.id}
      aria-rowindex={index + 1}
      aria-selected={isChosen}
      className={clsx(
        'absolute inset-x-0 border-border border-b focus-within:bg-row-selected hover:bg-row-hover aria-selected:bg-row-selected aria-selected:shadow-[inset_2px_0_0_var(--focus)]',
        isNarrow ? 'flex flex-col justify-center py-1 pr-10 pl-4 pointer-coarse:pr-14' : LINE,
      )}
      style={{
        top,
        height,
        gridTemplateColumns: isNarrow ? undefined : gridTracks(columns),
      }}
    >
      {isNarrow ? (
        <span role="gridcell" className="flex min-w-0 flex-col gap-0.5">
          <face.Card row={original} link={<RowLink {...props} />} />
        </span>
      ) : (
        row.getVisibleCells().map((cell, at) => (
          <span
            key={cell.id}
            role="gridcell"
            className={clsx(
              // Content taller than its row must not cover the next row.
              'line-clamp-2 wrap-anywhere max-h-full min-w-0 leading-4',
              columns[at]?.isNumber === true && 'text-right tabular-nums',
              isAfterNumber(columns, at) && 'pl-2',
            )}
          >
            {cell.column.id === face.lead ? <RowLink {...props} /> : <FlexRender cell={cell} />}
          </span>
        ))
      )}
      <span
        role="gridcell"
        className={isNarrow ? 'absolute inset-y-0 right-1 flex items-center' : undefined}
      >
        {items.length === 0 ? null : (
          <RowMenu
            label={`Actions for ${face.menuName(original)}`}
            items={items}
            tabIndex={isCurrent ? 0 : -1}
          />
        )}
      </span>
    </div>
  )
}

/** The lead cell is the row's link or button, outlined on its inside, because its cell cuts the rest off. It takes the focus after a key selected the row. */
function RowLink<Row extends ListedRow>(props: RowLineProps<Row>) {
  const { face, row, marks, isChosen, isCurrent, wantsFocus } = props
  const { original } = row
  const link = useRef<HTMLAnchorElement & HTMLButtonElement>(null)
  useEffect(() => {
    if (!isChosen || !wantsFocus.current) return
    wantsFocus.current = false
    link.current?.focus({ preventScroll: true })
  }, [isChosen, wantsFocus])
  const act = face.act?.(original) ?? null
  const shared = { ref: link, 'data-row': original.id, tabIndex: isCurrent ? 0 : -1 }
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
      {marks.ids.has(original.id) ? (
        <Check size={14} className="shrink-0 text-text" role="img" aria-label="marked" />
      ) : null}
      {act === null ? (
        <Link
          {...shared}
          className="line-clamp-2 wrap-anywhere min-w-0 font-medium text-link focus-visible:-outline-offset-2"
          href={face.href(original)}
          title={face.title(original)}
        >
          <face.Lead row={original} />
        </Link>
      ) : (
        <button
          {...shared}
          type="button"
          aria-expanded={act.isExpanded}
          onClick={act.run}
          className="flex min-h-6 min-w-0 items-center text-left font-medium focus-visible:-outline-offset-2"
        >
          <face.Lead row={original} />
        </button>
      )}
      {face.Aside === undefined ? null : <face.Aside row={original} />}
    </span>
  )
}
