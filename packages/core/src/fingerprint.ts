// A short identity of a call's tool and arguments, for telling "the same call again". Not for security: 64 bits, no secret.
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** Deeper values all look alike; a recursion without a bound could be driven out of its stack. */
const MAX_DEPTH = 64

export function callFingerprint(tool: string, args: JsonObject): string {
  const text = `${tool}\n${stableText(args, 0)}`
  return hashOf(text, 0x811c9dc5).toString(16) + hashOf(text, 0x01234567).toString(16)
}

function stableText(value: JsonValue, depth: number): string {
  if (depth > MAX_DEPTH) return '…'
  if (isJsonObject(value)) {
    const keys = Object.keys(value).sort()
    return `{${keys.map((key) => `${JSON.stringify(key)}:${stableText(value[key] ?? null, depth + 1)}`).join(',')}}`
  }
  if (typeof value === 'object' && value !== null) {
    return `[${value.map((item) => stableText(item, depth + 1)).join(',')}]`
  }
  return JSON.stringify(value)
}

/** FNV-1a over UTF-16 units. */
function hashOf(text: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
