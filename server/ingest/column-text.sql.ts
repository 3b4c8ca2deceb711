// Columns of a batch as one text each, split again in SQL. The driver's own array form escapes every element with two
// regular expressions, which was a tenth of ingestion (2026-11-21); these texts need no escaping, because the separators
// cannot occur in them: JSON texts escape control characters, and other texts are cleaned here.

const SEPARATOR = '\u001E'
const NULL = '\u001F'

/** SQL for the text[] that `textColumn` or `jsonColumn` wrote into parameter `$n`. */
export function splitColumn(parameter: number): string {
  return `string_to_array($${parameter}::text, chr(30), chr(31))`
}

function clean(text: string): string {
  if (!text.includes(SEPARATOR) && !text.includes(NULL)) return text
  return text.replaceAll(SEPARATOR, '\u{FFFD}').replaceAll(NULL, '\u{FFFD}')
}

/** Never for an empty batch. An empty text in a batch of one becomes null. */
export function textColumn(values: readonly (string | null)[]): string {
  return values.map((value) => (value === null ? NULL : clean(value))).join(SEPARATOR)
}

/** JSON texts, or others that hold no control characters (ids, hashes). */
export function plainColumn(values: readonly (string | null)[]): string {
  return values.map((value) => value ?? NULL).join(SEPARATOR)
}

/** An int[] or float8[] in PostgreSQL's text form. */
export function numberColumn(values: readonly (number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}
