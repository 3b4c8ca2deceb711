// A list as a file: CSV for spreadsheets or JSON lines for programs, with the same names. Reads page by page: memory does not grow
// with the list.
import { csvLine } from './csv.ts'

export type ListFormat = 'csv' | 'jsonl'

export type Cells<Name extends string> = Readonly<Record<Name, string | number | null>>

export const EXPORT_PAGE = 500

/** ISO 8601 in UTC; null stays null. */
export const instant = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString()

interface ListFile<Name extends string, Row> {
  /** Names of the columns, in order. */
  readonly head: readonly Name[]
  readonly cellsOf: (row: Row) => Cells<Name>
  /** `next`: cursor of the page that follows; null on the last one. */
  readonly pageAfter: (
    cursor: string | null,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next: string | null }>
}

export async function* fileOfList<Name extends string, Row>(
  format: ListFormat,
  { head, cellsOf, pageAfter }: ListFile<Name, Row>,
): AsyncGenerator<string> {
  const lineOf = (row: Row): string => {
    const cells = cellsOf(row)
    return format === 'csv'
      ? csvLine(head.map((name) => cells[name]))
      : `${JSON.stringify(cells)}\n`
  }
  if (format === 'csv') yield csvLine(head)
  let cursor: string | null = null
  do {
    const { rows, next } = await pageAfter(cursor)
    if (rows.length > 0) yield rows.map(lineOf).join('')
    cursor = next
  } while (cursor !== null)
}
