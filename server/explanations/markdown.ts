// Texts of agents and configs in a Markdown file: none can start a line, a cell, a link, an image or HTML. Pure.
import { oneLine } from '@/server/platform/one-line.ts'

/** An underscore between two letters starts no Markdown. FIRST_SIGN matters only at the beginning of a line or list item. */
const SIGNS = /[\\`*[\]<>|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu
const FIRST_SIGN = /^[#+=-]/
const FIRST_NUMBER = /^(\d+)([.)])/

export function inline(text: string): string {
  return oneLine(text)
    .replaceAll(SIGNS, '\\$&')
    .replace(FIRST_SIGN, '\\$&')
    .replace(FIRST_NUMBER, '$1\\$2')
}

/** One backtick more than the text contains in a row, so that it cannot close the span. */
function backTicks(text: string, fewest: number): string {
  const runs = text.match(/`+/g) ?? []
  return '`'.repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), fewest))
}

/** Formats a name as code in a line. Not for tables, where a bar would still end the cell. */
export function code(text: string): string {
  const line = oneLine(text)
  const fence = backTicks(line, 1)
  // Renderers remove one space on each side if both are there.
  const rim = line === '' || /^`|`$/.test(line) ? ' ' : ''
  return `${fence}${rim}${line}${rim}${fence}`
}

export function fenced(text: string): readonly string[] {
  const fence = backTicks(text, 3)
  return [fence, text, fence]
}
