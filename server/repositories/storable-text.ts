// PostgreSQL's text holds every character but NUL, which JSON allows. Event data is kept whole in json columns; columns
// that are made from it for lists and indexes show U+FFFD instead.

export function storableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u{FFFD}') : text
}
