// Whether the asker has the answer already (RFC 9110 §13.1.2).

/** `etag` in its quotes. */
export function isKnownTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
