// Texts of agents and configs in a Markdown file: none begins a line, a cell, a link, an image or HTML. Pure.
import { oneLine } from '@/server/platform/one-line.ts'

/**
 * Characters that start Markdown anywhere (an underscore between two letters does not), and those that do so at the beginning of a line or
 * list item.
 */
const SIGNS = /[\\`*[\]<>|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu
const FIRST_SIGN = /^[#+=-]/
const FIRST_NUMBER = /^(\d+)([.)])/

/** Escapes text for any place, also in a heading, a list or a table's cell. */
export function inline(text: string): string {
  return oneLine(text)
    .replaceAll(SIGNS, '\\$&')
    .replace(FIRST_SIGN, '\\$&')
    .replace(FIRST_NUMBER, '$1\\$2')
}

/** One more than in the text, so that nothing in it closes the span. */
function backTicks(text: string, fewest: number): string {
  const runs = text.match(/`+/g) ?? []
  return '`'.repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), fewest))
}

/** A name as code in a line; not in a table, where a bar would still end the cell. */
export function code(text: string): string {
  const line = oneLine(text)
  const fence = backTicks(line, 1)
  // Renderers remove one space on each side when there are two.
  const rim = line === '' || /^`|`$/.test(line) ? ' ' : ''
  return `${fence}${rim}${line}${rim}${fence}`
}

/** A text unchanged, line by line. */
export function fenced(text: string): readonly string[] {
  const fence = backTicks(text, 3)
  return [fence, text, fence]
}
