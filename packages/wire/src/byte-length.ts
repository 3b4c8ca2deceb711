// Length of a text in UTF-8, for limits that are stated in bytes.

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
