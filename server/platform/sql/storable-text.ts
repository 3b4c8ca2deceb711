// PostgreSQL's text stores every character except NUL. Event data is stored unchanged; columns derived from it contain U+FFFD instead.

export function storableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u{FFFD}') : text
}

/** Text as a column returns it: the driver replaces half a surrogate pair by U+FFFD. */
export function columnText(text: string): string {
  return storableText(text).replace(/\p{Cs}/gu, '\u{FFFD}')
}

/** Operators refuse a document for one NUL or half a surrogate pair. Only for what JSON.stringify wrote, which escapes no whole pair. */
export function readableJson(column: string): string {
  // An escape after an even number of backslashes is a real one.
  const refused = String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})`
  const text = `${column}::text`
  return `CASE WHEN strpos(${text}, '\\u') = 0 THEN ${column}
    ELSE regexp_replace(${text}, '${refused}', '\\1\\\\ufffd', 'g')::json END`
}
