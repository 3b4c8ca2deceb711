// PostgreSQL's text holds every character but NUL, which JSON allows. Event data is kept whole in json columns; columns
// that are made from it for lists and indexes show U+FFFD instead.

export function storableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u{FFFD}') : text
}

/** Text that a column returns: the driver sends U+FFFD for half a surrogate pair, too. */
export function columnText(text: string): string {
  return storableText(text).replace(/\p{Cs}/gu, '\u{FFFD}')
}

/**
 * SQL: the json column, readable by PostgreSQL's own operators, which refuse a whole document for one NUL or half a surrogate pair in
 * it. These become U+FFFD. Only for documents that JSON.stringify wrote: it escapes no whole pair.
 */
export function readableJson(column: string): string {
  // An escape after an even number of backslashes is a real one.
  const refused = String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})`
  const text = `${column}::text`
  return `CASE WHEN strpos(${text}, '\\u') = 0 THEN ${column}
    ELSE regexp_replace(${text}, '${refused}', '\\1\\\\ufffd', 'g')::json END`
}
