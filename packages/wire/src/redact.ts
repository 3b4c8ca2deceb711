// The engine decides on the redacted event, so that the server can recompute the decision. Marks:
// {"$redacted": rule id}, {"$truncated": {bytes, sha256}}.
import type { JsonObject, JsonValue, RedactionKind, RedactionRuleDocument } from '@signalbox/core'
import { byteLength } from './byte-length.ts'
import { textHash } from './digest.ts'

/** In lowercase, without `-` and `_`. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'password',
  'passwd',
  'secret',
  'token',
  'apikey',
  'authorization',
  'cookie',
  'setcookie',
  'privatekey',
  'accesstoken',
  'refreshtoken',
  'clientsecret',
])
const SECRETS_RULE = 'builtin.secrets'
export const MAX_REDACTED_ENTRIES = 2000
const MAX_DEPTH = 40
/** Longest string that is kept, in UTF-16 units. The limits are tried in turn until the whole value fits into an event line. */
const STRING_LIMITS = [16 * 1024, 1024, 64]
/** Limit on the objects and lists of one value. It also ends a cycle. */
const MAX_NODES = 20_000
/** Limit of one redacted value as JSON. A line of 256 KiB has space for one such value and its envelope. */
const MAX_VALUE_BYTES = 160 * 1024

/** Returns the SHA-256 of a text in UTF-8, as 64 hex digits. */
type TextHash = (text: string) => string

export type Redact = (value: unknown) => JsonValue

interface Wanted {
  /** Id of the rule, by name in lowercase. */
  readonly keys: Map<string, string>
  readonly literals: (readonly [literal: string, rule: string])[]
}

type Collect = (rule: RedactionRuleDocument, into: Wanted) => void

const COLLECT = {
  keys: ({ id, keys = [] }, into) => {
    for (const key of keys) into.keys.set(key.toLowerCase(), id)
  },
  literals: ({ id, literals = [] }, into) => {
    for (const literal of literals) into.literals.push([literal, id])
  },
} as const satisfies { readonly [Kind in RedactionKind]: Collect }

interface Rules extends Wanted {
  readonly maxString: number
  readonly hash: TextHash
  nodes: number
}

/** `secrets`: literal values, such as the API key, that must never appear. `hash`: a faster SHA-256 if the platform has one. */
export function redactor(
  rules: readonly RedactionRuleDocument[],
  secrets: readonly string[],
  hash: TextHash = textHash,
): Redact {
  const wanted: Wanted = {
    keys: new Map(),
    literals: secrets.map((secret) => [secret, SECRETS_RULE]),
  }
  const kinds: readonly Collect[] = Object.values(COLLECT)
  for (const rule of rules) for (const collect of kinds) collect(rule, wanted)
  return (value) => {
    for (const maxString of STRING_LIMITS) {
      const kept = walk(value, { ...wanted, maxString, hash, nodes: 0 }, 0)
      if (byteLength(JSON.stringify(kept)) <= MAX_VALUE_BYTES) return kept
    }
    const whole = walk(value, { ...wanted, maxString: Infinity, hash, nodes: 0 }, 0)
    return truncated(JSON.stringify(whole), hash)
  }
}

function truncated(value: string, hash: TextHash): JsonObject {
  return { $truncated: { bytes: byteLength(value), sha256: hash(value) } }
}

function walk(value: unknown, rules: Rules, depth: number): JsonValue {
  if (typeof value === 'string') return text(value, rules)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'boolean' || value === null) return value
  rules.nodes += 1
  if (depth >= MAX_DEPTH || rules.nodes > MAX_NODES) return { $truncated: { depth } }
  if (Array.isArray(value)) return list(value, rules, depth)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return object(value, rules, depth)
  return value === undefined ? null : String(value)
}

/** A truncated list gets a mark, so that no rule mistakes the rest for the whole. */
function list(value: readonly unknown[], rules: Rules, depth: number): JsonValue {
  const kept = value.slice(0, MAX_REDACTED_ENTRIES).map((entry) => walk(entry, rules, depth + 1))
  return kept.length === value.length ? kept : [...kept, cut(value.length)]
}

function cut(entries: number): JsonObject {
  return { $truncated: { entries } }
}

function object(value: object, rules: Rules, depth: number): JsonObject {
  const all = Object.entries(value).filter(
    ([, entry]) => entry !== undefined && typeof entry !== 'function',
  )
  const entries = all.slice(0, MAX_REDACTED_ENTRIES).map(([key, entry]): [string, JsonValue] => {
    const rule = findRedactionRule(key, rules)
    return [key, rule === undefined ? walk(entry, rules, depth + 1) : { $redacted: rule }]
  })
  const kept = Object.fromEntries(entries)
  return all.length > MAX_REDACTED_ENTRIES ? { ...kept, ...cut(all.length) } : kept
}

function findRedactionRule(key: string, rules: Rules): string | undefined {
  const lower = key.toLowerCase()
  const secret = SECRET_KEYS.has(lower.replace(/[-_]/g, ''))
  return rules.keys.get(lower) ?? (secret ? SECRETS_RULE : undefined)
}

function text(value: string, rules: Rules): JsonValue {
  const found = rules.literals.find(([literal]) => value.includes(literal))
  if (found !== undefined) return { $redacted: found[1] }
  if (value.length <= rules.maxString) return value
  return truncated(value, rules.hash)
}
