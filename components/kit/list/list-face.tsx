import { type ColumnDef, columnVisibilityFeature, tableFeatures } from '@tanstack/react-table'
import type { ComponentType, ReactNode } from 'react'
import type { MenuItem } from '@/components/ui/menu-button.tsx'
import type { List, RowOf } from '@/server/platform/list/define-list.ts'
import type { Peeking } from './peek-action.ts'
import type { Marks } from './use-marks.ts'

export const FEATURES = tableFeatures({ columnVisibilityFeature })

export interface ListedRow {
  readonly id: string
}

export interface CellProps<Row> {
  readonly row: Row
}

interface RowContext {
  readonly marks: Marks
  readonly peek: Peeking
}

export interface RowAct {
  readonly run: () => void
  /** Absent: there are no rows to show below. */
  readonly isExpanded?: boolean
}

interface RowKey<Row> {
  readonly keys: string
  readonly does: string
  readonly run: (row: Row, go: (path: string) => void) => void
}

interface RowFace<Row> {
  readonly noun: string
  /** Null: the row leads to its page. Absent: every row does. */
  readonly act?: (row: Row) => RowAct | null
  readonly href: (row: Row) => string
  readonly buildLink: (id: string) => string
  /** Absent: rows have no session to compare. */
  readonly toSessionId?: (id: string) => string
  readonly compareWords?: string
  readonly title: (row: Row) => string
  readonly keys?: readonly RowKey<Row>[]
  /** Null: the row has no explanation. Absent: no row has one. */
  readonly why?: (row: Row) => string | null
  readonly noWhy?: string
  readonly menuName: (row: Row) => string
  readonly actions: (row: Row, context: RowContext) => readonly MenuItem[]
  readonly Aside?: ComponentType<CellProps<Row>>
  readonly Card: ComponentType<CellProps<Row> & { readonly link: ReactNode }>
  /** In px. */
  readonly cardHeight: number | ((row: Row) => number)
  /** Minimum height of a row in px. Absent: two lines of text. */
  readonly rowHeight?: number
  readonly Around?: ComponentType<{
    readonly rows: readonly Row[]
    readonly children: ReactNode
  }>
}

type LabeledName<L extends List> = {
  [Name in keyof L['columns']]: L['columns'][Name] extends { readonly label: string } ? Name : never
}[keyof L['columns']] &
  string

interface Declared<L extends List, Row> extends RowFace<Row> {
  readonly heading: string
  readonly cells: { readonly [Name in LabeledName<L>]: ComponentType<CellProps<Row>> }
  /** Column whose cell is the link of the row. */
  readonly lead: LabeledName<L>
}

export interface FaceColumn {
  readonly name: string
  readonly label: string
  readonly icon?: ReactNode
  readonly hint: string | undefined
  readonly track: string
  /** Minimum width in px. */
  readonly least: number
  readonly isNumber: boolean
  /** Orders that the head of the column offers, the first of them first. */
  readonly orders: readonly string[]
}

export interface FaceHead {
  readonly name: string
  readonly heading: string
  /** Those shown by default first. */
  readonly columns: readonly FaceColumn[]
  readonly shown: readonly string[]
  readonly lead: string
  readonly defaultOrder: string
  readonly standardRange: string | undefined
  readonly directions: Readonly<Record<string, 'asc' | 'desc'>>
}

export interface Face<Row extends ListedRow> extends RowFace<Row>, FaceHead {
  readonly Lead: ComponentType<CellProps<Row>>
  readonly defs: readonly ColumnDef<typeof FEATURES, Row>[]
}

const STANDARD_PX = 96

function faceColumn(list: List, name: string): FaceColumn | null {
  const column = list.columns[name]
  if (column?.label === undefined) return null
  const { label, hint, width, least = STANDARD_PX, share = 1, type, align } = column
  const orders = Object.entries(list.orders).filter(
    ([, order]) => order.column === name && order.index !== undefined,
  )
  return {
    name,
    label,
    hint,
    track: width === undefined ? `minmax(${least}px, ${share}fr)` : `${width}px`,
    least: width ?? least,
    isNumber: align === undefined ? type.kind === 'number' : align === 'end',
    orders: orders.map(([order]) => order),
  }
}

/** `Row`: rows of the server with what the console adds. Absent: rows of the list's type. */
export function defineFace<L extends List, Row extends ListedRow = RowOf<L> & ListedRow>(
  list: L,
  { cells, lead, ...row }: Declared<L, Row>,
): Face<Row> {
  const names: readonly string[] = [
    ...list.shown,
    ...Object.keys(list.columns).filter((name) => !list.shown.includes(name)),
  ]
  const columns = names.flatMap((name) => faceColumn(list, name) ?? [])
  // The keys are the labeled columns by type; a loop over the names loses that type.
  const parts = cells as Readonly<Record<string, ComponentType<CellProps<Row>>>>
  return {
    ...row,
    Lead: cells[lead],
    directions: Object.fromEntries(
      Object.entries(list.orders).map(([name, { direction }]) => [name, direction]),
    ),
    name: list.name,
    columns,
    shown: list.shown,
    lead,
    defaultOrder: list.defaultOrder,
    standardRange: list.standardRange,
    defs: columns.flatMap(({ name, label }) => {
      const Cell = parts[name]
      if (Cell === undefined) return []
      return [{ id: name, header: label, cell: ({ row: { original } }) => <Cell row={original} /> }]
    }),
  }
}

interface PartColumn<Row> extends Pick<FaceColumn, 'name' | 'label' | 'icon' | 'least'> {
  /** Share of the remaining width. */
  readonly share: number
  readonly Cell: ComponentType<CellProps<Row>>
}

export function spreadColumn<Row extends ListedRow>(
  face: Face<Row>,
  name: string,
  parts: readonly PartColumn<Row>[],
): Face<Row> {
  const columns = parts.map(
    ({ Cell: _Cell, share, ...part }): FaceColumn => ({
      ...part,
      hint: undefined,
      track: `minmax(${part.least}px, ${share}fr)`,
      isNumber: false,
      orders: [],
    }),
  )
  const defs = parts.map(
    (part): ColumnDef<typeof FEATURES, Row> => ({
      id: part.name,
      header: part.label,
      cell: ({ row: { original } }) => <part.Cell row={original} />,
    }),
  )
  return {
    ...face,
    columns: face.columns.flatMap((column) => (column.name === name ? columns : [column])),
    shown: face.shown.flatMap((one) => (one === name ? parts.map((part) => part.name) : [one])),
    defs: face.defs.flatMap((def) => (def.id === name ? defs : [def])),
  }
}
