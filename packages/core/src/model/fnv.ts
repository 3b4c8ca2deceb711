// FNV-1a over UTF-16 units: a fast hash for looking up text. Not for security.

/** 32 bits, unsigned. */
export function fnv1a(text: string, seed = 0x811c9dc5): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
