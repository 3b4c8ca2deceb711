// Canonical JSON (RFC 8785), digests over it, and the hash chain of a session's events.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** The same text for a JSON value with any order of keys. Throws for values that are not JSON. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalItem).join(',')}]`
  if (typeof value === 'object' && value !== null) return canonicalObject(value)
  const text = typeof value === 'number' && !Number.isFinite(value) ? undefined : jsonText(value)
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form.')
  return text
}

/** Undefined for what JSON cannot hold, which the declaration of JSON.stringify leaves out. */
const jsonText: (value: unknown) => string | undefined = JSON.stringify

/** JSON writes an absent item as null. */
function canonicalItem(item: unknown): string {
  return item === undefined ? 'null' : canonicalJson(item)
}

/** Keys in the order of their UTF-16 units, as `sort` has it; absent members are left out. */
function canonicalObject(value: object): string {
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON())
  const members: string[] = []
  for (const key of Object.keys(value).sort()) {
    const member: unknown = Reflect.get(value, key)
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`)
  }
  return `{${members.join(',')}}`
}

/** SHA-256 of the text in UTF-8, as 64 hex digits. */
export function textHash(text: string): string {
  return bytesHash(utf8ToBytes(text))
}

/** SHA-256, as 64 hex digits. */
export function bytesHash(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes))
}

/** `sha256:` and the hash of the canonical JSON. Identifies config versions, call arguments and requests. */
export function computeDigest(value: unknown): string {
  return `sha256:${textHash(canonicalJson(value))}`
}

/** `sha256:` over the unchanged text; the identity of a bundle. */
export function textDigest(text: string): string {
  return `sha256:${textHash(text)}`
}

/** Hash of an event, its `prev` included, so that each event vouches for all before it. */
export function eventHash(event: object): string {
  return textHash(canonicalJson(event))
}

/** True when the event follows the one with the hash `before`; null: it is the first. */
export function isLinked(event: { readonly prev?: string }, before: string | null): boolean {
  return (event.prev ?? null) === before
}
