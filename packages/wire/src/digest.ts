import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Returns the same text for a JSON value regardless of the order of keys. Throws for values that are not JSON. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalItem).join(',')}]`
  if (typeof value === 'object' && value !== null) return canonicalObject(value)
  const text = typeof value === 'number' && !Number.isFinite(value) ? undefined : jsonText(value)
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form.')
  return text
}

/** Returns undefined for values that JSON cannot contain, which the declared type of JSON.stringify omits. */
const jsonText: (value: unknown) => string | undefined = JSON.stringify

/** JSON writes an absent item as null. */
function canonicalItem(item: unknown): string {
  return item === undefined ? 'null' : canonicalJson(item)
}

/** Sorts keys by UTF-16 units, as `sort` does, and leaves out absent members. */
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

/** `sha256:` and the hash of the unchanged text. Identifies a bundle. */
export function textDigest(text: string): string {
  return `sha256:${textHash(text)}`
}

/** Hash of an event including its `prev`, so that each event confirms all events before it. */
export function eventHash(event: object): string {
  return textHash(canonicalJson(event))
}

/** True if the event follows the one with the hash `before`; `before` null: if the event is the first. */
export function isLinked(event: { readonly prev?: string }, before: string | null): boolean {
  return (event.prev ?? null) === before
}
