// PostgreSQL's text stores every character except NUL, which JSON allows. Event data is stored unchanged in json columns; columns derived
// from it for lists and indexes contain U+FFFD instead.

export function storableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u{FFFD}') : text
}

/** Text as a column returns it: the driver replaces half a surrogate pair by U+FFFD. */
export function columnText(text: string): string {
  return storableText(text).replace(/\p{Cs}/gu, '\u{FFFD}')
}

/**
 * SQL for a json column that PostgreSQL's operators can read; they refuse a whole document for one NUL or half a surrogate pair, which
 * become U+FFFD. Only for documents that JSON.stringify wrote, because it escapes no whole pair.
 */
export function readableJson(column: string): string {
  // An escape after an even number of backslashes is a real one.
  const refused = String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})`
  const text = `${column}::text`
  return `CASE WHEN strpos(${text}, '\\u') = 0 THEN ${column}
    ELSE regexp_replace(${text}, '${refused}', '\\1\\\\ufffd', 'g')::json END`
}
