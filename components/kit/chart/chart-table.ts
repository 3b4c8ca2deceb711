// Built from the same rows as the picture. Pure.

interface TableCell {
  readonly text: string
  /** Value in the CSV; absent: `text`. */
  readonly value?: string | number | null
  readonly href?: string | undefined
}

export interface ChartTable {
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[]
  readonly rows: readonly (readonly TableCell[])[]
}

/** A text that a spreadsheet would run as a formula gets a leading apostrophe. */
function formatCsvField(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** RFC 4180, with a header row. */
export function formatChartCsv({ columns, rows }: ChartTable): string {
  const lines = [
    columns.map(({ name }) => formatCsvField(name)),
    ...rows.map((cells) =>
      cells.map(({ text, value }) => formatCsvField(value === undefined ? text : value)),
    ),
  ]
  return lines.map((fields) => `${fields.join(',')}\r\n`).join('')
}
