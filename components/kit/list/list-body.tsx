// A changed filter needs a new `key`.
'use client'

import { countText, plural, pluralize } from '@signalbox/core/analysis'
import { type ComponentType, type ReactNode, type RefObject, useRef } from 'react'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { FreshLine } from './fresh-line.tsx'
import { useColumns } from './list-columns.tsx'
import type { Face, ListedRow } from './list-face.tsx'
import { ListTable } from './list-table.tsx'
import { MarkedActions } from './marked-foot.tsx'
import type { ShownList } from './use-live-list.ts'
import { type Marks, useMarks } from './use-marks.ts'
import { useRowKeys } from './use-row-keys.ts'
import type { RowPlace } from './use-row-place.ts'

export interface PeekPartProps<Row> {
  readonly id: string
  /** Undefined: the row is not among the loaded ones. */
  readonly row: Row | undefined
  readonly onClose: () => void
}

interface ListBodyProps<Row extends ListedRow> {
  readonly face: Face<Row>
  readonly list: ShownList<Row>
  readonly place: RowPlace
  readonly order: string
  readonly onOrder: (order: string) => void
  /** Absent: the list has no filter. */
  readonly search?: RefObject<HTMLInputElement | null>
  readonly Peek: ComponentType<PeekPartProps<Row>>
  readonly empty: ReactNode
  readonly notes?: ReactNode
}

const NONE: readonly never[] = []

export function ListBody<Row extends ListedRow>(props: ListBodyProps<Row>) {
  const { face, list, place, Peek, notes } = props
  const marks = useMarks()
  const wantsFocus = useRef(false)
  const rows = list.rows ?? NONE
  const { search } = props
  useRowKeys({ face, rows, place, wantsFocus, search, marks, showFresh: list.fresh?.show })
  const { shown } = place
  return (
    <>
      {notes}
      {list.fresh === null ? null : (
        <FreshLine fresh={list.fresh} noun={face.noun}>
          {list.rows === undefined ? null : <SizeText list={list} noun={face.noun} />}
        </FreshLine>
      )}
      <div className="flex min-h-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <Rows {...props} marks={marks} wantsFocus={wantsFocus} />
        </div>
        {shown === null ? null : (
          <Peek
            key={shown}
            id={shown}
            row={rows.find(({ id }) => id === shown)}
            onClose={() => place.show(null)}
          />
        )}
      </div>
      {rows.length === 0 ? null : <Foot face={face} list={list} marks={marks} />}
    </>
  )
}

interface RowsProps<Row extends ListedRow> extends ListBodyProps<Row> {
  readonly marks: Marks
  readonly wantsFocus: RefObject<boolean>
}

function Rows<Row extends ListedRow>({ face, list, place, empty, ...props }: RowsProps<Row>) {
  const visible = useColumns(face)
  const { rows, error } = list
  if (rows === undefined) {
    if (error === null) return <SkeletonRows />
    const what = `The ${pluralize(face.noun)} could not be loaded.`
    return <ErrorState what={what} why={error} onRetry={list.retry} />
  }
  if (rows.length === 0) return empty
  const table = (
    <ListTable
      {...props}
      face={face}
      rows={rows}
      total={list.isComplete ? rows.length : (list.total ?? null)}
      visible={visible}
      chosen={place.chosen}
      peek={place}
      onNearEnd={list.loadMore}
    />
  )
  return face.Around === undefined ? table : <face.Around rows={rows}>{table}</face.Around>
}

function totalText<Row>({ total, rows = [], isComplete, isCut }: ShownList<Row>, noun: string) {
  const shown = countText(rows.length)
  if (total === undefined) {
    const all = plural(rows.length, noun)
    return isComplete ? all : `${all} shown, more available`
  }
  if (isComplete) return `${shown} total`
  if (total === null) return `${shown} shown, more available`
  return `${shown} of ${countText(total)}${isCut ? '+' : ''}`
}

function SizeText<Row>({ list, noun }: { readonly list: ShownList<Row>; readonly noun: string }) {
  return (
    <span role="status" className="tabular-nums">
      {list.size ?? totalText(list, noun)}
    </span>
  )
}

interface FootProps<Row extends ListedRow> {
  readonly face: Face<Row>
  readonly list: ShownList<Row>
  readonly marks: Marks
}

function Foot<Row extends ListedRow>({ face, list, marks }: FootProps<Row>) {
  return (
    <footer className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-border border-t bg-surface px-4 py-1.5 text-small text-text-2">
      {list.fresh === null ? <SizeText list={list} noun={face.noun} /> : null}
      {list.error === null ? null : (
        <span role="alert">The list could not be updated: {list.error.message}</span>
      )}
      {marks.ids.size === 0 ? (
        <span className="max-sm:hidden">
          Enter opens · Space peeks{face.why === undefined ? '' : ' · y explains'} · x marks · c
          copies a link
        </span>
      ) : (
        <MarkedActions marks={marks} face={face} />
      )}
    </footer>
  )
}
