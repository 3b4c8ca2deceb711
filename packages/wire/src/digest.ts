// Canonical JSON (RFC 8785), digests over it, and the hash chain of a session's events.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import canonicalize from 'canonicalize'

/** One text per JSON value, whatever the order of its keys. Throws on values that are not JSON. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form.')
  return text
}

/** SHA-256 of the text in UTF-8, as 64 hex digits. */
export function textHash(text: string): string {
  return bytesHash(utf8ToBytes(text))
}

/** SHA-256, as 64 hex digits. */
export function bytesHash(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes))
}

/** `sha256:` over the canonical form; the identity of a config version. */
export function digestOf(value: unknown): string {
  return `sha256:${textHash(canonicalJson(value))}`
}

/** `sha256:` over the text as it is; the identity of a bundle. */
export function textDigest(text: string): string {
  return `sha256:${textHash(text)}`
}

/** Hash of an event, its `prev` included, so that each event vouches for all before it. */
export function eventHash(event: object): string {
  return textHash(canonicalJson(event))
}

/** Whether the event follows the one with the hash `before`; null: it is the first. */
export function isLinked(event: { readonly prev?: string }, before: string | null): boolean {
  return (event.prev ?? null) === before
}
