// What must not leave the process is replaced before an event is made: the engine decides on the redacted event, so that the
// server can recompute it. Marks: {"$redacted": rule id}, {"$truncated": {bytes, sha256}}.
import type { JsonObject, JsonValue, RedactionRuleDocument } from '@signalbox/core'
import { isJsonObject } from '@signalbox/core'
import { textDigest } from '@signalbox/wire'

const SECRET_KEYS = [
  'password',
  'passwd',
  'secret',
  'token',
  'api_key',
  'apikey',
  'authorization',
  'cookie',
  'private_key',
  'access_token',
  'refresh_token',
  'client_secret',
]
const MAX_STRING = 16 * 1024
const MAX_ENTRIES = 2000
const MAX_DEPTH = 40

export type Redact = (value: unknown) => JsonValue

interface Rules {
  readonly keys: ReadonlyMap<string, string>
  readonly literals: readonly (readonly [literal: string, rule: string])[]
}

/** `secrets` are literal values of this process, such as the API key, that must never appear. */
export function redactor(
  rules: readonly RedactionRuleDocument[],
  secrets: readonly string[],
): Redact {
  const keys = new Map(SECRET_KEYS.map((key) => [key, 'builtin.secrets']))
  const literals: [string, string][] = secrets.map((secret) => [secret, 'builtin.secrets'])
  for (const rule of rules) {
    for (const key of rule.keys ?? []) keys.set(key.toLowerCase(), rule.id)
    for (const literal of rule.literals ?? []) literals.push([literal, rule.id])
  }
  return (value) => walk(value, { keys, literals }, 0)
}

function walk(value: unknown, rules: Rules, depth: number): JsonValue {
  if (typeof value === 'string') return text(value, rules)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'boolean' || value === null) return value
  if (depth >= MAX_DEPTH) return { $truncated: { depth } }
  if (Array.isArray(value))
    return value.slice(0, MAX_ENTRIES).map((entry) => walk(entry, rules, depth + 1))
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return object(value, rules, depth)
  return value === undefined ? null : String(value)
}

function object(value: object, rules: Rules, depth: number): JsonObject {
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined && typeof entry !== 'function')
    .slice(0, MAX_ENTRIES)
    .map(([key, entry]): [string, JsonValue] => {
      const rule = rules.keys.get(key.toLowerCase())
      return [key, rule === undefined ? walk(entry, rules, depth + 1) : { $redacted: rule }]
    })
  return Object.fromEntries(entries)
}

function text(value: string, rules: Rules): JsonValue {
  const found = rules.literals.find(([literal]) => value.includes(literal))
  if (found !== undefined) return { $redacted: found[1] }
  if (value.length <= MAX_STRING) return value
  return { $truncated: { bytes: Buffer.byteLength(value), sha256: textDigest(value) } }
}

/** Redacted arguments of a call; anything that is not an object becomes an object without fields. */
export function redactedArgs(redact: Redact, args: unknown): JsonObject {
  const value = redact(args)
  return isJsonObject(value) ? value : {}
}
