/** Replaces line breaks and other invisible characters by spaces, so that no text starts a line, a header or a row. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}
