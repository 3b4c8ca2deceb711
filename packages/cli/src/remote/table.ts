// Rows of the management API as a table for people or JSON for programs.
import type { ManagedRow } from '@signalbox/wire'
import type { Command } from 'commander'
import { formatHelpSection, type Io } from '../base/io.ts'
import { printable } from '../base/printable.ts'

/** The management API has times as epoch milliseconds under these names. */
const IS_TIME = /(^|_)(at|until)$/

function formatValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'number' && IS_TIME.test(name)) return new Date(value).toISOString()
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

function formatTable(columns: readonly string[], rows: readonly ManagedRow[]): readonly string[] {
  const cells = rows.map((row) => columns.map((name) => formatValue(name, row[name])))
  const lines = [columns, ...cells]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function formatFields(row: ManagedRow): readonly string[] {
  const width = Math.max(...Object.keys(row).map(({ length }) => length))
  return Object.entries(row).map(
    ([name, value]) => `${name.padEnd(width)}  ${formatValue(name, value)}`,
  )
}

export function printRows(
  io: Io,
  page: { readonly rows: readonly ManagedRow[] },
  {
    many,
    columns,
    json,
  }: {
    readonly many: string
    /** Fields of the table, from left to right. */
    readonly columns: readonly string[]
    readonly json: boolean
  },
): void {
  if (json) io.out(JSON.stringify(page))
  else if (page.rows.length === 0) io.out(`There are no such ${many}.`)
  else for (const line of formatTable(columns, page.rows)) io.out(line)
}

export function printRow(io: Io, row: ManagedRow, { json }: { readonly json: boolean }): void {
  if (json) io.out(JSON.stringify(row))
  else for (const line of formatFields(row)) io.out(line)
}

/** `scopes`: of the API key, for the help. */
export function connectTo(command: Command, scopes: string): Command {
  return command
    .option('--url <url>', 'Address of the control plane (env: SIGNALBOX_URL)')
    .option('--json', 'Print one JSON object, as the management API sends it', false)
    .addHelpText(
      'after',
      formatHelpSection('Environment variables', {
        SIGNALBOX_API_KEY: `API key with the scope ${scopes} (Settings, API keys)`,
      }),
    )
}
