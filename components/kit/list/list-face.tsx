// A list as the console shows it: a cell for each column that people can see, checked against the list's declaration, and what a row leads to.
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

/** Actions of a row's menu use it. */
interface RowContext {
  readonly marks: Marks
  readonly peek: Peeking
}

/** Action of a row in its list, instead of a link to a page. */
export interface RowAct {
  readonly run: () => void
  /** Rows that belong to it stand below it. Absent: there are none to show. */
  readonly isExpanded?: boolean
}

interface RowKey<Row> {
  readonly keys: string
  readonly does: string
  readonly run: (row: Row, go: (path: string) => void) => void
}

interface RowFace<Row> {
  /** Singular noun of a row: "denied call". */
  readonly noun: string
  /** Null: it leads to its page. Absent: every row does. */
  readonly act?: (row: Row) => RowAct | null
  /** Page that a row opens. */
  readonly href: (row: Row) => string
  /** Address of a marked row. */
  readonly buildLink: (id: string) => string
  /** Session of a marked row. Absent: rows have none to compare. */
  readonly toSessionId?: (id: string) => string
  /** Link that compares the sessions of two marked rows. */
  readonly compareWords?: string
  /** The row in one line, for copied links and on hover. */
  readonly title: (row: Row) => string
  /** Keys of this list alone, for the row that has the focus. */
  readonly keys?: readonly RowKey<Row>[]
  /** Explanation of a row; null: it has none. Absent: no row has. */
  readonly why?: (row: Row) => string | null
  /** Shown when a row has no explanation. */
  readonly noWhy?: string
  /** Accessible name of the row's menu. */
  readonly menuName: (row: Row) => string
  readonly actions: (row: Row, context: RowContext) => readonly MenuItem[]
  /** Beside the link of a row. */
  readonly Aside?: ComponentType<CellProps<Row>>
  /** Below the cells of a row, over its whole width. A card has room of its own. */
  readonly Detail?: ComponentType<CellProps<Row>>
  /** In px. Absent: there is no detail. */
  readonly detailHeight?: number
  /** A row on a phone; `link` is its link. */
  readonly Card: ComponentType<CellProps<Row> & { readonly link: ReactNode }>
  /** In px. */
  readonly cardHeight: number
  /** Smallest height in px of a row. Absent: two lines of text. */
  readonly rowHeight?: number
  /** Lays around all rows what their cells read together. */
  readonly Around?: ComponentType<{
    readonly rows: readonly Row[]
    readonly children: ReactNode
  }>
}

/** Names of the columns that people can see. */
type LabelledName<L extends List> = {
  [Name in keyof L['columns']]: L['columns'][Name] extends { readonly label: string } ? Name : never
}[keyof L['columns']] &
  string

interface Declared<L extends List, Row> extends RowFace<Row> {
  readonly heading: string
  readonly cells: { readonly [Name in LabelledName<L>]: ComponentType<CellProps<Row>> }
  /** The column whose cell is the link of the row. */
  readonly lead: LabelledName<L>
}

export interface FaceColumn {
  readonly name: string
  readonly label: string
  /** Before the label. */
  readonly icon?: ReactNode
  readonly hint: string | undefined
  /** CSS grid track. */
  readonly track: string
  /** Smallest width, px. */
  readonly least: number
  readonly isNumber: boolean
  /** Orders that the head of the column offers, the first one first. */
  readonly orders: readonly string[]
}

/** The list without its rows. */
export interface FaceHead {
  /** Names its choice of columns and its keys. */
  readonly name: string
  /** Names the grid: "Denied calls". */
  readonly heading: string
  /** Columns shown by default come first. */
  readonly columns: readonly FaceColumn[]
  readonly shown: readonly string[]
  readonly lead: string
  readonly defaultOrder: string
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
    isNumber: type.kind === 'number' && align === undefined,
    orders: orders.map(([order]) => order),
  }
}

/** `Row`: rows as the server gives them, with what the console adds. Absent: those of the list. */
export function defineFace<L extends List, Row extends ListedRow = RowOf<L> & ListedRow>(
  list: L,
  { cells, lead, ...row }: Declared<L, Row>,
): Face<Row> {
  const names: readonly string[] = [
    ...list.shown,
    ...Object.keys(list.columns).filter((name) => !list.shown.includes(name)),
  ]
  const columns = names.flatMap((name) => faceColumn(list, name) ?? [])
  // The keys are the labeled columns by type; the loop over the names loses that type.
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
    defs: columns.flatMap(({ name, label }) => {
      const Cell = parts[name]
      if (Cell === undefined) return []
      return [{ id: name, header: label, cell: ({ row: { original } }) => <Cell row={original} /> }]
    }),
  }
}

/** One of several columns that show what is one column of the list. */
interface PartColumn<Row> extends Pick<FaceColumn, 'name' | 'label' | 'icon' | 'least'> {
  /** Share of what is left. */
  readonly share: number
  readonly Cell: ComponentType<CellProps<Row>>
}

/** The face with several columns in place of the column `name`: a column for each environment, for example. */
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
