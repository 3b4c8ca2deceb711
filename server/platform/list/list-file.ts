// CSV for spreadsheets or JSON lines for programs, with the same names. Reads page by page: memory does not grow with the list.
import type { FileCell, List, ListPage, RowOf } from './define-list.ts'

export type ListFormat = 'csv' | 'jsonl'

export type Cells<Name extends string> = Readonly<Record<Name, FileCell>>

export const EXPORT_PAGE = 500

/** Formats as ISO 8601 in UTC; null stays null. */
export const instant = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString()

/** RFC 4180. A text that a spreadsheet would read as a formula gets an apostrophe before it. */
function csvCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

interface ListFile<Name extends string, Row> {
  readonly head: readonly Name[]
  readonly toCells: (row: Row) => Cells<Name>
  /** Formats a row as a line of JSON. Absent: from its cells. */
  readonly jsonLine?: (row: Row) => string
  /** Reads the page after a cursor; null: the first page. */
  readonly pageAfter: (cursor: string | null) => Promise<ListPage<Row>>
}

export async function* writeListFile<Name extends string, Row>(
  format: ListFormat,
  {
    head,
    toCells,
    jsonLine = (row) => JSON.stringify(toCells(row)),
    pageAfter,
  }: ListFile<Name, Row>,
): AsyncGenerator<string> {
  const formatListLine = (row: Row): string => {
    if (format === 'jsonl') return `${jsonLine(row)}\n`
    const cells = toCells(row)
    return csvLine(head.map((name) => cells[name]))
  }
  if (format === 'csv') yield csvLine(head)
  let cursor: string | null = null
  do {
    const { rows, nextCursor } = await pageAfter(cursor)
    if (rows.length > 0) yield rows.map(formatListLine).join('')
    cursor = nextCursor
  } while (cursor !== null)
}

function plainCell(kind: string, value: unknown): FileCell {
  if (kind === 'instant' && typeof value === 'number') return instant(value)
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

export function fileColumns<L extends List>(
  list: L,
): Pick<ListFile<string, RowOf<L>>, 'head' | 'toCells'> {
  const columns = Object.entries(list.columns).flatMap(([name, { type, export: head }]) =>
    head === undefined ? [] : [{ name, head, kind: type.kind }],
  )
  // These cells take rows of their own list; the type of any list loses that.
  const fileCells = list.fileCells as
    | ((row: RowOf<L>) => Readonly<Record<string, FileCell>>)
    | undefined
  return {
    head: columns.map(({ head }) => head),
    toCells: (row) => {
      const values: Readonly<Record<string, unknown>> = row
      const cells = columns.map(({ name, head, kind }) => [head, plainCell(kind, values[name])])
      return { ...Object.fromEntries(cells), ...fileCells?.(row) }
    },
  }
}
