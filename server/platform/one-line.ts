// Pure.

/** Line breaks and other invisible characters become spaces, so that no text begins a line, a header or a row. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}
